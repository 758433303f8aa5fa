//! Whether one series of runs is better than another, worse, the same, or whether that cannot be told.
//!
//! In come the figures of each run on two sides, before and after, and how the runs were recorded; out goes a
//! [`Comparison`] with every figure that a sentence, a table or a file may show. Nothing is printed here.
//!
//! # The rule
//!
//! **The run is the unit.** The requests of one run share its moment: the same cache, the same neighbours, the same clock
//! speed. Taken for independent they make nearly every two runs of the same thing "different". So each run counts as one
//! value a metric, and only the spread between runs says what is noise. With fewer than three runs a side (or pairs)
//! there is a ratio, and no verdict.
//!
//! **Pairs, if both versions could run in turns.** Then what changes on the machine meets both runs of a pair, and the
//! ratio of each pair is judged (paired t on log ratios). Series recorded apart are judged by Welch's t on logs, and
//! what happened between them is in the result.
//!
//! **A metric is judged against a margin**, 5 % unless set otherwise, 10 % for the 99th percentile. Margins are the same
//! seen from both sides: 5 % is from 1 / 1.05 to 1.05.
//!
//! - *Better* or *worse*: the 95 % interval of the ratio excludes 1, and the ratio is beyond the margin. Because several
//!   metrics decide, and one of several is soon unusual, the interval must exclude 1 by as much as Holm's correction
//!   asks for.
//! - *Same*: the 90 % interval lies within the margin; that is, a change beyond it is excluded at 5 % on either side
//!   (two one-sided tests).
//! - Otherwise it *cannot tell*, says why, and about how many runs would tell.
//!
//! No result can be both: what is the same has its ratio within the margin, what differs has it beyond. Only differing is
//! corrected for the number of metrics: there one accident is enough for a false alarm. "Same" as a conclusion takes
//! all deciding metrics, and a wrong one needs an accident in each that has changed, so that it stays at 5 % as it is.
//!
//! **Requests a second and the 95th percentile decide**, unless set otherwise. With a fixed number of connections the
//! median says what requests a second say, and the 99th percentile of most machines is noise between runs: it would make
//! every other conclusion a "cannot tell". Both are judged and shown, on their own; if one is better or worse, that is a
//! finding. A metric that cannot be judged (too few requests, no figure) does not decide, nor do requests a second that
//! were asked for by a rate and reached.
//!
//! **The conclusion** is the first of these that holds:
//!
//! 1. *Worse* if more requests failed or were answered with a server error ([`errors`]), whatever the metrics say.
//! 2. *Not comparable* if the sides did not do the same work ([`Finding::stops`]).
//! 3. *Not comparable* if fewer requests went wrong, but a metric is worse: errors are often quick.
//! 4. *Worse* if a deciding metric is worse.
//! 5. *Better* if fewer requests went wrong, or a deciding metric is better.
//! 6. *Same* if all deciding metrics are the same; but *cannot tell* if rab was the limit in some run, as then both sides
//!    may show the speed of rab.
//! 7. *Cannot tell*.
//!
//! All false alarms together stay below 7 %: 5 % for the metrics, 1 % for each kind of error.

mod conclusion;
pub mod errors;
mod estimate;
mod exact;
mod findings;
mod metric;
mod power;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::time::SystemTime;

use super::{Metric, RunFigures};

pub use conclusion::{Because, Conclusion, Verdict};
pub use errors::{ErrorComparison, ErrorKind};
pub use exact::Permutation;
pub use findings::Finding;
pub use metric::{MetricComparison, Reason};
pub use power::RunsNeeded;

pub(super) use estimate::Estimate;
pub(super) use power::detectable;

use metric::Candidate;

/// The confidence of the interval that is shown, and that decides for one metric.
pub const CONFIDENCE: f64 = 0.95;

/// The confidence of the interval that must lie within the margin for "same".
pub const EQUIVALENCE: f64 = 0.9;

/// Runs a side, or pairs, below which there is no interval.
pub const LEAST_RUNS: usize = 3;

/// Runs a side, or pairs, that are worth recording.
pub const ADVISED_RUNS: usize = 5;

/// Half a percentage point: a share of requests that moved less has hardly moved.
pub const NOTABLE_SHARE: f64 = 0.005;

/// One of the two series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What is compared with.
    Before,
    /// What is compared.
    After,
}

/// How the two series were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// In turns: each run of one side next to the run of the same number of the other. Which of a pair goes first
    /// should change from pair to pair, or going first is part of what is compared.
    Interleaved,
    /// One series after the other.
    Apart,
}

impl Pairing {
    /// How two series were recorded, by the times at which their runs began: in turns if, of all runs in the order of
    /// time, the first two are the first pair, the next two the second, and so on.
    pub fn of(before: &[RunFigures], after: &[RunFigures]) -> Self {
        let starts =
            |runs: &[RunFigures]| -> Option<Vec<SystemTime>> { runs.iter().map(|run| run.start).collect() };
        let Some((before, after)) = starts(before).zip(starts(after)) else { return Self::Apart };
        let pairs: Vec<_> =
            before.iter().zip(&after).map(|(one, other)| (one.min(other), one.max(other))).collect();
        let in_turns = pairs.windows(2).all(|two| two[0].1 < two[1].0);
        // One run a side may have been recorded any time apart.
        let paired = before.len() == after.len() && pairs.len() > 1;
        if paired && in_turns { Self::Interleaved } else { Self::Apart }
    }
}

/// What counts as a change, and which metrics decide.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Changes up to this share are none, by metric in the order of [`Metric::ALL`]; 0.05 for 5 %.
    pub margins: [f64; 4],
    /// The metrics that decide, see the module.
    pub deciding: Vec<Metric>,
    /// A finding that makes the sides incomparable is reported, and the metrics decide all the same.
    pub judge_anyway: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            margins: [0.05, 0.05, 0.05, 0.1],
            deciding: vec![Metric::Rps, Metric::P95],
            judge_anyway: false,
        }
    }
}

impl Settings {
    /// The margin of a metric; 0 for what is no number above that.
    pub fn margin(&self, metric: Metric) -> f64 {
        let [rps, p50, p95, p99] = self.margins;
        let margin = match metric {
            Metric::Rps => rps,
            Metric::P50 => p50,
            Metric::P95 => p95,
            Metric::P99 => p99,
        };
        if margin.is_finite() { margin.max(0.0) } else { 0.0 }
    }
}

/// An interval of ratios.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a ratio is in it.
    pub fn contains(&self, ratio: f64) -> bool {
        self.low <= ratio && ratio <= self.high
    }

    /// Whether all of it is within a margin around 1, which is the same seen from both sides.
    pub fn within(&self, margin: f64) -> bool {
        self.low > 1.0 / (1.0 + margin) && self.high < 1.0 + margin
    }
}

/// Two series of runs, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What is said in the end.
    pub conclusion: Conclusion,
    /// Why.
    pub because: Because,
    /// What the deciding metrics alone say.
    pub speed: Verdict,
    /// Runs before and after.
    pub runs: (usize, usize),
    /// How they were recorded.
    pub pairing: Pairing,
    /// The metrics, in the order of [`Metric::ALL`].
    pub metrics: [MetricComparison; 4],
    /// What went wrong, in the order of [`ErrorKind::ALL`]; empty if nothing is complete on a side.
    pub errors: Vec<ErrorComparison>,
    /// What else is to be known.
    pub findings: Vec<Finding>,
    /// How many runs a side, or pairs, would tell: the most that a deciding metric needs which cannot tell.
    pub needed: Option<RunsNeeded>,
}

/// What is compared, and how.
struct Bench<'a> {
    before: &'a [RunFigures],
    after: &'a [RunFigures],
    pairing: Pairing,
    settings: &'a Settings,
}

impl Bench<'_> {
    fn sides(&self) -> [(Side, &[RunFigures]); 2] {
        [(Side::Before, self.before), (Side::After, self.after)]
    }
}

/// Compares two series of runs, each in the order in which it was recorded.
pub fn compare(
    before: &[RunFigures],
    after: &[RunFigures],
    pairing: Pairing,
    settings: &Settings,
) -> Comparison {
    let bench = Bench { before, after, pairing, settings };
    let mut findings = findings::findings(&bench);
    let rate_set = findings.contains(&Finding::RateSet);
    let decides = |metric| settings.deciding.contains(&metric) && !(rate_set && metric == Metric::Rps);
    let metrics = metric::judge(Metric::ALL.map(|metric| Candidate::new(&bench, metric, decides(metric))));
    let errors: Vec<ErrorComparison> = ErrorKind::ALL
        .into_iter()
        .filter_map(|kind| ErrorComparison::new(kind, before, after, pairing))
        .collect();
    findings.extend(findings::beside(&metrics, &errors));
    let deciding: Vec<&MetricComparison> = metrics.iter().filter(|done| done.decides).collect();
    let speed = conclusion::speed(&deciding);
    let (conclusion, because) = conclusion::conclude(&deciding, &errors, &findings, settings);
    let needed = deciding.iter().filter_map(|done| done.needed).max();
    let runs = (before.len(), after.len());
    Comparison { conclusion, because, speed, runs, pairing, metrics, errors, findings, needed }
}
