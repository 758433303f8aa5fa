//! Rules on the figures of a run, such as `p95>300ms` or `failed<1%`.
//!
//! In comes what an option took, out goes a [`Rule`], or what is wrong with it. A rule is a value like any other that was
//! typed, so it is read here, and a bad one is refused before anything is sent. Where it is held against a run, the
//! figures come as a function of the [`Measure`]; so a rule knows no recording, and the same one serves a run, a step of
//! a sweep and a saved file.

mod measure;
mod parse;

use std::fmt;

pub use measure::{Measure, Percentile};
pub use parse::RuleError;

/// A comparison of one figure of a run with a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// What is compared.
    pub measure: Measure,
    /// How.
    pub operator: Operator,
    /// With what, in the unit that was typed; a finite number from 0 up.
    pub limit: f64,
    /// The unit that was typed.
    pub unit: Unit,
}

/// How a figure is compared with a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
}

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// None: a count, or requests a second.
    Plain,
    /// Microseconds, `us`.
    Micros,
    /// Milliseconds, `ms`.
    Millis,
    /// Seconds, `s`.
    Seconds,
    /// Of the complete requests, `%`.
    Percent,
}

impl Rule {
    /// Reads rules that are separated by commas; at least one.
    pub fn list(text: &str) -> Result<Vec<Self>, RuleError> {
        text.split(',').map(str::parse).collect()
    }

    /// The figure that the rule is about, in its own unit. `figures` gives times in microseconds; `None` is a figure
    /// that the run does not have, as a time where nothing is complete.
    pub fn value(&self, figures: impl Fn(Measure) -> Option<f64>) -> Option<f64> {
        let value = figures(self.measure)?;
        if self.unit != Unit::Percent {
            return Some(value / self.unit.size());
        }
        let complete = figures(Measure::Complete).filter(|complete| *complete > 0.0)?;
        Some(value / complete * 100.0)
    }

    /// Whether the comparison is true; `None` if the run does not have the figure.
    pub fn holds(&self, figures: impl Fn(Measure) -> Option<f64>) -> Option<bool> {
        let value = self.value(figures)?;
        // A limit of 0.3 s and a time of 300,000 us are equal, whatever binary fractions make of them.
        let near = (value - self.limit).abs() <= 1e-12 * self.limit;
        Some(match self.operator {
            Operator::Less => value < self.limit && !near,
            Operator::AtMost => value < self.limit || near,
            Operator::Greater => value > self.limit && !near,
            Operator::AtLeast => value > self.limit || near,
            Operator::Equal => near,
        })
    }
}

impl Unit {
    /// How many microseconds it has; 1 for what is no time.
    fn size(self) -> f64 {
        match self {
            Self::Plain | Self::Percent | Self::Micros => 1.0,
            Self::Millis => 1000.0,
            Self::Seconds => 1_000_000.0,
        }
    }
}

/// As it is typed, without blanks.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}{}", self.measure, self.operator, self.limit, self.unit)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Equal => "==",
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "",
            Self::Micros => "us",
            Self::Millis => "ms",
            Self::Seconds => "s",
            Self::Percent => "%",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(text: &str) -> Rule {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the figures of a run")]
    /// A run of 200 requests, of which 3 failed and 5 were not 2xx.
    fn figures(measure: Measure) -> Option<f64> {
        Some(match measure {
            Measure::Rps => 1234.5,
            Measure::Mean => 150_000.0,
            Measure::Percentile(percentile) => 1_000_000.0 * percentile.quantile(),
            Measure::Max => 1_100_000.0,
            Measure::Failed => 3.0,
            Measure::Non2xx => 5.0,
            Measure::Complete => 200.0,
        })
    }

    #[test]
    fn rules_hold_or_do_not() {
        for (text, holds) in [
            ("p95>300ms", true),
            ("p95<300ms", false),
            ("p95 <= 0.95 s", true),
            ("p99.9>=999000us", true),
            ("p99.9>999ms", false),
            ("P50==500ms", true),
            ("mean<150ms", false),
            ("mean<=150ms", true),
            ("max==1.1s", true),
            ("rps<1000", false),
            ("rps>=1234.5", true),
            ("failed>0", true),
            ("failed==3", true),
            ("failed<1.5%", false),
            ("failed<=1.5%", true),
            ("non-2xx>2.4%", true),
            ("non-2xx==2.5%", true),
            ("complete<200", false),
            ("complete==200", true),
        ] {
            assert_eq!(rule(text).holds(figures), Some(holds), "{text}");
        }
    }

    #[test]
    fn a_figure_that_is_not_there_is_neither() {
        assert_eq!(rule("p95>300ms").holds(|_| None), None);
        // Nothing is complete, so that there is nothing to have a share of; but there is a count.
        assert_eq!(rule("failed>0%").holds(|_| Some(0.0)), None);
        assert_eq!(rule("failed>0").holds(|_| Some(0.0)), Some(false));
    }

    #[test]
    fn values_come_in_the_unit_that_was_typed() {
        let value = |text: &str| rule(text).value(figures).unwrap();
        for (text, expected) in [("p95>1ms", 950.0), ("p95>1s", 0.95), ("failed>1%", 1.5), ("failed>1", 3.0)]
        {
            assert!((value(text) - expected).abs() < 1e-9, "{text}");
        }
    }

    #[test]
    fn several_are_separated_by_commas() {
        let rules = Rule::list("p95<200ms, failed<1%").unwrap();
        assert_eq!(rules.iter().map(Rule::to_string).collect::<Vec<_>>(), ["p95<200ms", "failed<1%"]);
        for text in ["", "p95<1ms,", ",failed>0", "p95<1ms;failed>0"] {
            assert!(Rule::list(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn one_of_three_holds(value in 0..2_000_000_u64, limit in 0..2_000_000_u64) {
            let holds = |operator: &str| rule(&format!("max{operator}{limit}us")).holds(|_| Some(value as f64)).unwrap();
            prop_assert_eq!(holds("<"), value < limit);
            prop_assert_eq!(holds(">"), value > limit);
            prop_assert_eq!(holds("=="), value == limit);
            prop_assert_eq!((holds("<="), holds(">=")), (value <= limit, value >= limit));
        }
    }
}
