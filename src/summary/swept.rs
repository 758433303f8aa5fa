//! A sweep over loads: what its table shows, step by step, and where the knee is.

use super::{Column, RunRow};
use crate::plan::{Measure, Rule};
use crate::stats::Metric;
use crate::stats::knee::{Knee, Step, knee};

/// Why a sweep ended after a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The rule of `--until` that did not hold.
    pub rule: Rule,
    /// The figure, in the unit of the rule; `None` if there was none to hold it against.
    pub value: Option<f64>,
}

impl Broken {
    /// The first of these rules that does not hold for these figures. A rule without a figure does not hold: nothing shows
    /// that it does.
    pub fn first(rules: &[Rule], figures: impl Fn(Measure) -> Option<f64>) -> Option<Self> {
        let broken = rules.iter().find(|rule| rule.holds(&figures) != Some(true))?;
        Some(Self { rule: *broken, value: broken.value(&figures) })
    }
}

/// The steps of a sweep, each by the run that stands for it.
#[derive(Debug, Clone)]
pub struct Swept {
    /// The steps, in their order.
    pub steps: Vec<RunRow>,
    /// Where more connections stopped to help.
    pub knee: Option<Knee>,
    /// What ended it early.
    pub broken: Option<Broken>,
}

impl Swept {
    /// Sums up the steps. One that was cut short says nothing about the knee.
    pub fn new(steps: Vec<RunRow>, broken: Option<Broken>) -> Self {
        let rows: Vec<Step> = steps
            .iter()
            .map(|row| {
                let whole = row.is_whole();
                let rps = Column::Metric(Metric::Rps).of(row).filter(|_| whole);
                Step { load: f64::from(row.concurrency), rps, p95: row.figures.p95.filter(|_| whole) }
            })
            .collect();
        Self { knee: knee(&rows), steps, broken }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_does_not_hold_is_named_with_its_figure() {
        let rules = Rule::list("failed<1%,p95<200ms,rps>5").unwrap();
        let figures = |p95: Option<f64>| {
            move |measure| match measure {
                Measure::Failed => Some(0.0),
                Measure::Percentile(_) => p95,
                _ => Some(100.0),
            }
        };
        assert_eq!(Broken::first(&rules, figures(Some(199_000.0))), None);
        let broken = Broken::first(&rules, figures(Some(200_000.0))).unwrap();
        assert_eq!((broken.rule.to_string().as_str(), broken.value), ("p95<200ms", Some(200.0)));
        assert_eq!(Broken::first(&rules, figures(None)).unwrap().value, None);
        assert_eq!(Broken::first(&[], figures(None)), None);
    }
}
