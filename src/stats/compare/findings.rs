//! What about the runs themselves bears on a comparison, whatever the metrics say.
//!
//! In come the runs, out go the findings, each by name. Two of them mean that the two sides did not do the same work, see
//! [`Finding::stops`]; the others are for the reader.

use std::time::{Duration, SystemTime};

use super::super::trend::mann_kendall;
use super::super::{Metric, RunFigures};
use super::errors::{ErrorComparison, ErrorKind, pooled_share};
use super::{Bench, MetricComparison, NOTABLE_SHARE, Pairing, Side, Verdict};

/// Above this share of its own processor time rab is taken for the limit.
const BUSY: f64 = 0.9;

/// A rate that was reached to within this share counts as reached.
const RATE_TOLERANCE: f64 = 0.01;

/// A document whose length moved by more than this share is another document.
const LENGTH_TOLERANCE: f64 = 0.05;

/// A trend with a smaller probability than this by accident is a finding.
const TREND_LEVEL: f64 = 0.05;

/// Something to know before a comparison is believed. Runs are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// The share of replies that are 2xx moved by more than half a point: quick refusals look like speed.
    StatusMix {
        /// The share before, from 0 to 1.
        before: f64,
        /// The share after.
        after: f64,
    },
    /// The document has another length.
    DocumentLength {
        /// Bytes before; of varying lengths, the middle one.
        before: u64,
        /// Bytes after.
        after: u64,
    },
    /// In these runs rab itself was the limit, so that what it measured may be its own speed.
    ClientBound {
        /// The side of the runs.
        side: Side,
        /// The runs.
        runs: Vec<usize>,
    },
    /// These runs did not reach the rate that was asked for. Requests a second then decide after all.
    RateMissed {
        /// The side of the runs.
        side: Side,
        /// The runs.
        runs: Vec<usize>,
    },
    /// A rate was asked for and reached. So requests a second are as asked for, and do not decide.
    RateSet,
    /// A run has too few requests beyond a percentile. It is not judged.
    FewRequests {
        /// The percentile.
        metric: Metric,
        /// So many requests a run would do.
        least: u64,
    },
    /// Runs lack a figure, or it is 0 and has no ratio to anything. The metric is not judged.
    NoFigure {
        /// The figure.
        metric: Metric,
        /// The side of the runs.
        side: Side,
        /// The runs.
        runs: Vec<usize>,
    },
    /// Runs of interleaved series without a partner, at the end of one side; not compared.
    Unpaired {
        /// The longer side.
        side: Side,
        /// How many.
        runs: usize,
    },
    /// The sides were recorded one after the other: whatever else changed in between is in the difference, too.
    RecordedApart {
        /// From the start of the last run of the earlier side to the first of the later one; `None` if not known.
        gap: Option<Duration>,
    },
    /// A series recorded apart rises or falls from run to run, so that its mean depends on when it was recorded.
    Trend {
        /// The metric, one that decides.
        metric: Metric,
        /// The side.
        side: Side,
        /// Whether it rises.
        rises: bool,
        /// The probability of such a trend by accident.
        p: f64,
    },
    /// More requests of a kind went wrong, or fewer, than chance explains; but they may have come in one burst.
    ErrorsMoved {
        /// What went wrong.
        kind: ErrorKind,
    },
    /// A metric that does not decide is better or worse.
    Beside {
        /// The metric.
        metric: Metric,
        /// Better or worse.
        verdict: Verdict,
    },
}

impl Finding {
    /// As JSON calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::StatusMix { .. } => "status-mix",
            Self::DocumentLength { .. } => "document-length",
            Self::ClientBound { .. } => "client-bound",
            Self::RateMissed { .. } => "rate-missed",
            Self::RateSet => "rate-set",
            Self::FewRequests { .. } => "few-requests",
            Self::NoFigure { .. } => "no-figure",
            Self::Unpaired { .. } => "unpaired",
            Self::RecordedApart { .. } => "recorded-apart",
            Self::Trend { .. } => "trend",
            Self::ErrorsMoved { .. } => "errors-moved",
            Self::Beside { .. } => "beside",
        }
    }

    /// Whether the sides did not do the same work, so that their speed is not comparable: the mix of statuses moved, or
    /// the document is longer or shorter by more than a twentieth.
    pub fn stops(&self) -> bool {
        match self {
            Self::StatusMix { .. } => true,
            Self::DocumentLength { before, after } => {
                let (before, after) = (*before as f64, *after as f64);
                (after - before).abs() > LENGTH_TOLERANCE * before.max(after)
            }
            _ => false,
        }
    }
}

/// What is to be found before the metrics are judged.
pub(super) fn findings(bench: &Bench<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(status_mix(bench));
    found.extend(document_length(bench));
    found.extend(bench.sides().into_iter().filter_map(|(side, runs)| {
        let runs = which(runs, |run| run.client_bound || run.client_cpu.is_some_and(|share| share > BUSY));
        (!runs.is_empty()).then_some(Finding::ClientBound { side, runs })
    }));
    found.extend(rate(bench));
    found.extend(Metric::ALL.into_iter().flat_map(|metric| figures(bench, metric)));
    found.extend(pairing(bench));
    found
}

/// What is to be found when they have been judged.
pub(super) fn beside(metrics: &[MetricComparison], errors: &[ErrorComparison]) -> Vec<Finding> {
    let moved = errors.iter().filter(|errors| errors.beyond_chance && errors.verdict == Verdict::CannotTell);
    let mut found: Vec<Finding> = moved.map(|errors| Finding::ErrorsMoved { kind: errors.kind }).collect();
    let told = |done: &&MetricComparison| matches!(done.verdict, Verdict::Better | Verdict::Worse);
    let other = metrics.iter().filter(|done| !done.decides).filter(told);
    found.extend(other.map(|done| Finding::Beside { metric: done.metric, verdict: done.verdict }));
    found
}

/// The runs of which something is true.
fn which(runs: &[RunFigures], is: impl Fn(&RunFigures) -> bool) -> Vec<usize> {
    runs.iter().enumerate().filter(|(_, run)| is(run)).map(|(at, _)| at).collect()
}

fn status_mix(bench: &Bench<'_>) -> Option<Finding> {
    let other = |runs| pooled_share(runs, |run| run.non_2xx);
    let (before, after) = (other(bench.before)?, other(bench.after)?);
    let moved = (after - before).abs() > NOTABLE_SHARE;
    moved.then_some(Finding::StatusMix { before: 1.0 - before, after: 1.0 - after })
}

fn document_length(bench: &Bench<'_>) -> Option<Finding> {
    let middle = |runs: &[RunFigures]| {
        let mut lengths: Vec<u64> = runs.iter().filter_map(|run| run.document_length).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len().checked_sub(1)? / 2).copied()
    };
    let (before, after) = (middle(bench.before)?, middle(bench.after)?);
    (before != after).then_some(Finding::DocumentLength { before, after })
}

fn rate(bench: &Bench<'_>) -> Vec<Finding> {
    let missed = |run: &RunFigures| {
        run.rate.zip(run.rps).is_some_and(|(rate, rps)| rps < rate * (1.0 - RATE_TOLERANCE))
    };
    let mut found = Vec::new();
    for (side, runs) in bench.sides() {
        let runs = which(runs, missed);
        if !runs.is_empty() {
            found.push(Finding::RateMissed { side, runs });
        }
    }
    let mut runs = bench.before.iter().chain(bench.after).peekable();
    if found.is_empty() && runs.peek().is_some() && runs.all(|run| run.rate.is_some()) {
        found.push(Finding::RateSet);
    }
    found
}

/// What keeps a metric from being judged.
fn figures(bench: &Bench<'_>, metric: Metric) -> Vec<Finding> {
    let mut found = Vec::new();
    let least = metric.least_requests();
    let few = |run: &RunFigures| run.complete < least;
    if metric != Metric::Rps && bench.before.iter().chain(bench.after).any(few) {
        found.push(Finding::FewRequests { metric, least });
    }
    for (side, runs) in bench.sides() {
        let runs = which(runs, |run| metric.of(run).is_none_or(|value| value <= 0.0));
        if !runs.is_empty() {
            found.push(Finding::NoFigure { metric, side, runs });
        }
    }
    found
}

fn pairing(bench: &Bench<'_>) -> Vec<Finding> {
    let (before, after) = (bench.before.len(), bench.after.len());
    match bench.pairing {
        Pairing::Interleaved if before == after => Vec::new(),
        Pairing::Interleaved => {
            let side = if before > after { Side::Before } else { Side::After };
            vec![Finding::Unpaired { side, runs: before.abs_diff(after) }]
        }
        Pairing::Apart => {
            let mut found = vec![Finding::RecordedApart { gap: gap(bench) }];
            found.extend(bench.settings.deciding.iter().flat_map(|&metric| trends(bench, metric)));
            found
        }
    }
}

fn gap(bench: &Bench<'_>) -> Option<Duration> {
    let starts = |runs: &[RunFigures]| -> Option<(SystemTime, SystemTime)> {
        let starts: Vec<SystemTime> = runs.iter().map(|run| run.start).collect::<Option<_>>()?;
        Some((*starts.iter().min()?, *starts.iter().max()?))
    };
    let (before, after) = (starts(bench.before)?, starts(bench.after)?);
    let later = after.0.duration_since(before.1).or_else(|_| before.0.duration_since(after.1));
    // Neither side is the earlier one if they overlap.
    Some(later.unwrap_or_default())
}

fn trends(bench: &Bench<'_>, metric: Metric) -> Vec<Finding> {
    let trend = |(side, runs): (Side, &[RunFigures])| {
        let values: Vec<f64> = runs.iter().filter_map(|run| metric.of(run)).collect();
        let trend = mann_kendall(&values).filter(|trend| trend.p < TREND_LEVEL)?;
        Some(Finding::Trend { metric, side, rises: trend.rises(), p: trend.p })
    };
    bench.sides().into_iter().filter_map(trend).collect()
}
