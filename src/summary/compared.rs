//! Two series of runs, before and after, with all that a report may show of their comparison.
//!
//! In come the runs of both sides and the [`Terms`], out goes a [`Compared`]: first whether the runs may be compared at
//! all, then what the statistics say. Runs of other conditions, or that an error ended, have numbers that say nothing
//! about each other; that stands beside the statistics, which know figures alone.

use crate::run::Ending;
use crate::saved::{Difference, Run, Weight, differences};
use crate::stats::compare::{Because, Comparison, Conclusion, Pairing, Settings, compare};

use super::{Side, run_figures};

/// How a comparison is to be made.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// Margins, and which metrics decide. `judge_anyway` is set by [`anyway`](Self::anyway).
    pub settings: Settings,
    /// What keeps the sides from being compared becomes a warning.
    pub anyway: bool,
    /// The target is what is compared: host, port, scheme and path may differ.
    pub other_target: bool,
}

/// What keeps runs from being compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The sides were measured under other conditions.
    Sides(Difference),
    /// Two runs of one side were.
    Within {
        /// The side.
        side: Side,
        /// The run that differs from the first, counted from 0.
        run: usize,
        /// In what; of several the first.
        difference: Difference,
    },
    /// An error ended a run, so that its numbers are those of a part.
    Broken {
        /// The side.
        side: Side,
        /// The run, counted from 0.
        run: usize,
        /// The error.
        error: String,
    },
}

/// A comparison, ready to be shown.
#[derive(Debug, Clone)]
pub struct Compared {
    /// How it was made.
    pub terms: Terms,
    /// How the sides are called, before and after: files, or URLs.
    pub names: [String; 2],
    /// What keeps them from being compared; warnings if [`Terms::anyway`] says so.
    pub flaws: Vec<Flaw>,
    /// Differences of the sides that may explain something.
    pub remarks: Vec<Difference>,
    /// Runs that a signal ended, by side, counted from 0.
    pub interrupted: Vec<(Side, usize)>,
    /// What the statistics say, whatever the conditions were.
    pub comparison: Comparison,
}

impl Compared {
    /// Compares the runs of two sides, each in the order in which they were made. A side without runs has no figures, so
    /// that nothing can be told.
    pub fn new(names: [String; 2], sides: [&[Run]; 2], mut terms: Terms) -> Self {
        terms.settings.judge_anyway |= terms.anyway;
        let decisive = |weight| match weight {
            Weight::Target => !terms.other_target,
            Weight::Decisive => true,
            Weight::Remark => false,
        };
        let between = match sides.map(<[Run]>::first) {
            [Some(before), Some(after)] => differences(before, after),
            _ => Vec::new(),
        };
        let (heavy, light): (Vec<_>, Vec<_>) = between.into_iter().partition(|found| decisive(found.weight));
        let mut flaws: Vec<Flaw> = heavy.into_iter().map(Flaw::Sides).collect();
        for (side, runs) in [Side::Before, Side::After].into_iter().zip(sides) {
            flaws.extend(within(side, runs));
            flaws.extend(broken(side, runs));
        }
        let [before, after] = sides.map(|runs| runs.iter().map(run_figures).collect::<Vec<_>>());
        let comparison = compare(&before, &after, Pairing::of(&before, &after), &terms.settings);
        let remarks = light.into_iter().filter(|found| found.weight == Weight::Remark).collect();
        Self { terms, names, flaws, remarks, interrupted: interrupted(sides), comparison }
    }

    /// What is said in the end: of the statistics, unless a flaw stands in the way.
    pub fn conclusion(&self) -> Conclusion {
        if self.is_refused() { Conclusion::NotComparable } else { self.comparison.conclusion }
    }

    /// A flaw stands in the way.
    pub fn is_refused(&self) -> bool {
        !self.flaws.is_empty() && !self.terms.anyway
    }

    /// Whether the metrics mean something: they do not if the sides did not do the same work.
    pub fn shows_metrics(&self) -> bool {
        !self.is_refused() && self.comparison.because != Because::OtherWork
    }
}

/// The runs of one side that were not made as its first.
fn within(side: Side, runs: &[Run]) -> Vec<Flaw> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let flaw = |(run, other): (usize, &Run)| {
        let heavy = differences(first, other).into_iter().find(|found| found.weight != Weight::Remark);
        heavy.map(|difference| Flaw::Within { side, run, difference })
    };
    (1..).zip(others).filter_map(flaw).collect()
}

/// The runs that an error ended.
fn broken(side: Side, runs: &[Run]) -> Vec<Flaw> {
    let flaw = |(run, each): (usize, &Run)| match &each.ending {
        Ending::Failed(fatal) => {
            // It may quote what the server sent.
            let error = fatal.to_string().trim().replace(char::is_control, " ");
            Some(Flaw::Broken { side, run, error })
        }
        _ => None,
    };
    runs.iter().enumerate().filter_map(flaw).collect()
}

fn interrupted(sides: [&[Run]; 2]) -> Vec<(Side, usize)> {
    let all = [Side::Before, Side::After].into_iter().zip(sides);
    let runs = all.flat_map(|(side, runs)| runs.iter().enumerate().map(move |(at, run)| (side, at, run)));
    runs.filter(|(_, _, run)| matches!(run.ending, Ending::Interrupted(_)))
        .map(|(side, at, _)| (side, at))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Fatal, Signal};
    use crate::stats::compare::Verdict;
    use crate::summary::fixture;

    fn compared(before: &[Run], after: &[Run], terms: Terms) -> Compared {
        Compared::new(["one".into(), "other".into()], [before, after], terms)
    }

    fn with(change: impl Fn(&mut Run)) -> Run {
        let mut run = fixture::mixed();
        change(&mut run);
        run
    }

    #[test]
    fn other_conditions_stand_in_the_way_unless_they_are_waived() {
        let (one, other) = (fixture::mixed(), with(|run| run.conditions.load.concurrency = 9));
        let refused = compared(std::slice::from_ref(&one), std::slice::from_ref(&other), Terms::default());
        assert_eq!(refused.conclusion(), Conclusion::NotComparable);
        assert!(matches!(&refused.flaws[..], [Flaw::Sides(found)] if found.what == "-c"));
        let waived = compared(&[one], &[other], Terms { anyway: true, ..Terms::default() });
        assert_eq!(waived.conclusion(), Conclusion::Told(Verdict::CannotTell));
        assert_eq!(waived.flaws, refused.flaws);
        assert!(waived.shows_metrics() && !refused.shows_metrics());
    }

    #[test]
    fn a_target_may_be_what_is_compared() {
        let (one, other) = (fixture::mixed(), with(|run| run.conditions.target.port = 9));
        let refused = compared(std::slice::from_ref(&one), std::slice::from_ref(&other), Terms::default());
        assert_eq!(refused.flaws.len(), 1);
        let allowed = compared(&[one], &[other], Terms { other_target: true, ..Terms::default() });
        assert_eq!((allowed.flaws.len(), allowed.remarks.len()), (0, 0));
    }

    #[test]
    fn the_runs_of_one_side_must_be_alike() {
        let runs = [
            fixture::mixed(),
            with(|run| run.rab = "9".into()),
            with(|run| run.conditions.load.keep_alive = false),
        ];
        let found = compared(&runs[..1], &runs, Terms::default());
        assert!(
            matches!(&found.flaws[..], [Flaw::Within { side: Side::After, run: 2, difference }] if difference.what == "-k"),
            "{:?}",
            found.flaws
        );
    }

    #[test]
    fn part_of_a_run_is_no_run() {
        let broken = with(|run| run.ending = Ending::Failed(Fatal::Timeout));
        let cut = with(|run| run.ending = Ending::Interrupted(Signal::Interrupt));
        let found = compared(&[cut], &[fixture::mixed(), broken], Terms::default());
        assert!(
            matches!(&found.flaws[..], [Flaw::Broken { side: Side::After, run: 1, .. }]),
            "{:?}",
            found.flaws
        );
        assert_eq!(found.interrupted, [(Side::Before, 0)]);
    }

    #[test]
    fn what_may_explain_something_is_kept() {
        let found = compared(&[fixture::mixed()], &[with(|run| run.machine.cores = 9)], Terms::default());
        assert_eq!((found.flaws.len(), found.remarks.len()), (0, 1));
    }
}
