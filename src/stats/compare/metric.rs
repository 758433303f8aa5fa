//! One metric of two series: its figures, and what they say against a margin.

use super::super::spread::Spread;
use super::super::{Metric, RunFigures};
use super::estimate::{Estimate, mean, ratio};
use super::exact::{Permutation, hodges_lehmann, permutation};
use super::power::{Question, RunsNeeded};
use super::{Bench, CONFIDENCE, EQUIVALENCE, Interval, LEAST_RUNS, Pairing, Verdict};

/// All figures of one metric. Ratios are after / before.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricComparison {
    /// Which one.
    pub metric: Metric,
    /// Whether it takes part in the conclusion.
    pub decides: bool,
    /// A change up to this share is no change; 0.05 for 5 %.
    pub margin: f64,
    /// Over all runs before; `None` if none has a value.
    pub before: Option<Spread>,
    /// Over all runs after.
    pub after: Option<Spread>,
    /// Of the geometric means of what is compared; `None` if a run has no value above 0.
    pub ratio: Option<f64>,
    /// Of the ratio, with 95 % confidence; `None` for fewer than three runs a side, or pairs.
    pub interval: Option<Interval>,
    /// Of the ratio, with 90 % confidence: what lies within the margin is the same at 5 % on either side.
    pub equivalence: Option<Interval>,
    /// The probability of a change at least as large if there is none.
    pub p: Option<f64>,
    /// The same, corrected for the number of metrics that decide (Holm). What does not decide is not corrected.
    pub adjusted_p: Option<f64>,
    /// The exact permutation test; `None` for more than ten runs a side.
    pub permutation: Option<Permutation>,
    /// The shift of Hodges and Lehmann, as a ratio.
    pub hodges_lehmann: Option<f64>,
    /// What the figures say.
    pub verdict: Verdict,
    /// Why they say nothing; `None` if they do.
    pub reason: Option<Reason>,
    /// How many runs a side, or pairs, would tell; only where noise is the reason.
    pub needed: Option<RunsNeeded>,
}

/// Why a metric cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Fewer than three runs a side, or pairs: the spread between runs is not known.
    FewRuns,
    /// A run has no value, or 0.
    NoFigure,
    /// A run has too few requests beyond the percentile.
    FewRequests,
    /// The interval reaches from what would be a change to what would be none.
    Noise,
    /// There is a change, but it may be below the margin or above it.
    NearMargin,
    /// The interval excludes 1, but not by as much as it takes when several metrics are looked at.
    OneOfSeveral,
    /// The times are so short that a microsecond is as much as the margin.
    Clock,
}

impl Reason {
    /// As JSON calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::FewRuns => "few-runs",
            Self::NoFigure => "no-figure",
            Self::FewRequests => "few-requests",
            Self::Noise => "noise",
            Self::NearMargin => "near-margin",
            Self::OneOfSeveral => "one-of-several",
            Self::Clock => "clock",
        }
    }
}

/// The values of one metric, before several of them are judged together.
pub(super) struct Candidate {
    comparison: MetricComparison,
    estimate: Option<Estimate>,
    runs: usize,
}

impl Candidate {
    /// The figures of one metric, as yet without a verdict. It decides only if it can be judged at all.
    pub(super) fn new(bench: &Bench<'_>, metric: Metric, decides: bool) -> Self {
        let [all_before, all_after] = [bench.before, bench.after].map(|runs| values(runs, metric));
        let (before, after) = compared(&all_before, &all_after, bench.pairing);
        let runs = before.len().min(after.len());
        let estimate = (runs >= LEAST_RUNS).then(|| match bench.pairing {
            Pairing::Interleaved => Estimate::paired(&before, &after, metric.tick()),
            Pairing::Apart => Estimate::apart(&before, &after, metric.tick()),
        });
        let reason = obstacle(bench, metric, runs);
        let [before, after] = [before, after].map(|side| side.into_iter().map(f64::ln).collect::<Vec<_>>());
        let shift = estimate.map_or_else(|| mean(&after) - mean(&before), |known| known.shift);
        let p = estimate.map(|estimate| estimate.p());
        let comparison = MetricComparison {
            metric,
            decides: decides && reason.is_none_or(|reason| reason == Reason::FewRuns),
            margin: bench.settings.margin(metric),
            before: Spread::new(&all_before, metric),
            after: Spread::new(&all_after, metric),
            ratio: (runs > 0).then(|| ratio(shift)),
            interval: estimate.map(|estimate| estimate.interval(CONFIDENCE)),
            equivalence: estimate.map(|estimate| estimate.interval(EQUIVALENCE)),
            p,
            adjusted_p: p,
            permutation: permutation(&before, &after, bench.pairing),
            hodges_lehmann: hodges_lehmann(&before, &after, bench.pairing),
            verdict: Verdict::CannotTell,
            reason,
            needed: None,
        };
        Self { comparison, estimate, runs }
    }

    /// The verdict, now that it is known how many metrics are judged together.
    fn judge(mut self, tests: usize) -> MetricComparison {
        let mut done = self.comparison;
        let Some(estimate) = self.estimate.take().filter(|_| done.reason.is_none()) else { return done };
        let margin = done.margin.ln_1p();
        let level = 1.0 - CONFIDENCE;
        let differs = |p: Option<f64>| p.is_some_and(|p| p <= level);
        let beyond = estimate.shift.abs() > margin;
        let within = done.equivalence.is_some_and(|interval| interval.within(done.margin));
        if beyond && differs(done.adjusted_p) {
            let better = (estimate.shift > 0.0) == done.metric.more_is_better();
            done.verdict = if better { Verdict::Better } else { Verdict::Worse };
        } else if within {
            done.verdict = Verdict::Same;
        } else if estimate.slack >= margin {
            done.reason = Some(Reason::Clock);
        } else {
            done.reason = Some(match (differs(done.p), beyond) {
                (true, true) => Reason::OneOfSeveral,
                (true, false) => Reason::NearMargin,
                (false, _) => Reason::Noise,
            });
            let (shift, variances) = (estimate.shift, estimate.variances);
            let margin = margin - estimate.slack;
            done.needed = Some(Question { variances, margin, shift, tests, runs: self.runs }.runs_needed());
        }
        done
    }
}

/// Judges all metrics, those that decide together: by Holm, the smallest p is multiplied by their number, the next by
/// one less, and so on, and none becomes smaller than the one before it.
pub(super) fn judge(mut candidates: [Candidate; 4]) -> [MetricComparison; 4] {
    let mut deciding: Vec<&mut MetricComparison> = candidates
        .iter_mut()
        .map(|candidate| &mut candidate.comparison)
        .filter(|done| done.decides)
        .collect();
    deciding.sort_by(|one, other| {
        let p = |done: &MetricComparison| done.p.unwrap_or(1.0);
        p(one).total_cmp(&p(other))
    });
    let tests = deciding.len();
    let mut least = 0.0_f64;
    for (at, done) in deciding.into_iter().enumerate() {
        done.adjusted_p = done.p.map(|p| (p * (tests - at) as f64).max(least).min(1.0));
        least = done.adjusted_p.unwrap_or(least);
    }
    candidates.map(|candidate| {
        let tests = if candidate.comparison.decides { tests } else { 1 };
        candidate.judge(tests)
    })
}

fn values(runs: &[RunFigures], metric: Metric) -> Vec<Option<f64>> {
    runs.iter().map(|run| metric.of(run)).collect()
}

/// What is compared of the values: all, or of interleaved series those that have a partner. Nothing if one is missing or
/// 0: to leave out a run in which nothing worked would be to look at the good ones alone.
fn compared(before: &[Option<f64>], after: &[Option<f64>], pairing: Pairing) -> (Vec<f64>, Vec<f64>) {
    let positive = |side: &[Option<f64>]| -> Option<Vec<f64>> {
        side.iter().map(|value| value.filter(|value| *value > 0.0)).collect()
    };
    let (mut before, mut after) = positive(before).zip(positive(after)).unwrap_or_default();
    if pairing == Pairing::Interleaved {
        let pairs = before.len().min(after.len());
        before.truncate(pairs);
        after.truncate(pairs);
    }
    (before, after)
}

/// What keeps a metric from being judged, if so many runs a side can be compared.
fn obstacle(bench: &Bench<'_>, metric: Metric, runs: usize) -> Option<Reason> {
    let few = |run: &RunFigures| run.complete < metric.least_requests();
    if bench.before.is_empty() || bench.after.is_empty() {
        Some(Reason::FewRuns)
    } else if runs == 0 {
        Some(Reason::NoFigure)
    } else if bench.before.iter().chain(bench.after).any(few) {
        Some(Reason::FewRequests)
    } else {
        (runs < LEAST_RUNS).then_some(Reason::FewRuns)
    }
}
