//! A rule held against a run (`--fail-if`).

use super::measured;
use crate::plan::Rule;
use crate::saved::Run;

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// The rule.
    pub rule: Rule,
    /// The figure in the rule's unit; `None` if the run has none, as a time where nothing is complete.
    pub value: Option<f64>,
    /// The rule is true, or nobody can know: what must not be too slow must have been measured.
    pub broken: bool,
}

impl Gate {
    /// Holds a rule against a run.
    pub fn new(rule: Rule, run: &Run) -> Self {
        let figures = |measure| measured(run, measure);
        Self { rule, value: rule.value(figures), broken: rule.holds(figures).unwrap_or(true) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;

    #[test]
    fn a_true_rule_is_a_broken_gate_and_so_is_one_without_a_figure() {
        let gate = |run: &Run, rule: &str| {
            let found = Gate::new(rule.parse().unwrap(), run);
            (found.value, found.broken)
        };
        let run = fixture::mixed();
        assert_eq!(gate(&run, "failed>1"), (Some(2.0), true));
        assert_eq!(gate(&run, "failed>50%"), (Some(40.0), false));
        let nothing = fixture::run(&fixture::plan(), fixture::run_result());
        assert_eq!(gate(&nothing, "p95>1s"), (None, true));
        assert_eq!(gate(&nothing, "failed>0"), (Some(0.0), false));
    }
}
