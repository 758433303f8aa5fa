//! A comparison for programs (`--json`), which `schema/rab-comparison-1.json` describes.
//!
//! Times are in microseconds, ratios are after / before, shares from 0 to 1, runs are counted from 1 as everywhere where
//! people read. A name once given stays.

use serde::Serialize;

use super::notes::{finding, flaw, notes};
use super::sentence::sentence;
use crate::summary::{
    Compared, Conclusion, Difference, ErrorComparison, Finding, Flaw, Interval, Metric, MetricComparison,
    Pairing, Permutation, RunsNeeded, Side, Spread,
};

/// What the document calls itself, and the version of its names.
const SCHEMA: (&str, u32) = ("rab-comparison", 1);

/// Why nothing is compared, if the conditions are not the same.
const CONDITIONS: &str = "conditions";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'a str,
    schema_version: u32,
    rab: &'a str,
    conclusion: &'a str,
    because: &'a str,
    sentence: String,
    before: Runs<'a>,
    after: Runs<'a>,
    pairing: &'a str,
    anyway: bool,
    flaws: Vec<SomeFlaw<'a>>,
    errors: Vec<Errors<'a>>,
    metrics: Vec<OneMetric<'a>>,
    runs_needed: Option<Needed>,
    findings: Vec<Found<'a>>,
    remarks: Vec<Differs<'a>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Runs<'a> {
    name: &'a str,
    runs: usize,
}

#[derive(Serialize)]
struct SomeFlaw<'a> {
    kind: &'a str,
    clause: String,
    side: Option<&'a str>,
    run: Option<usize>,
    difference: Option<Differs<'a>>,
}

#[derive(Serialize)]
struct Differs<'a> {
    what: &'a str,
    before: &'a str,
    after: &'a str,
}

#[derive(Serialize)]
struct Errors<'a> {
    kind: &'a str,
    before: f64,
    after: f64,
    difference: f64,
    interval: Bounds,
    beyond_chance: bool,
    verdict: &'a str,
}

#[derive(Serialize)]
struct OneMetric<'a> {
    metric: &'a str,
    decides: bool,
    margin: f64,
    before: Option<Series>,
    after: Option<Series>,
    ratio: Option<f64>,
    interval: Option<Bounds>,
    equivalence_interval: Option<Bounds>,
    p: Option<f64>,
    adjusted_p: Option<f64>,
    permutation: Option<Exact>,
    hodges_lehmann: Option<f64>,
    verdict: &'a str,
    reason: Option<&'a str>,
    runs_needed: Option<Needed>,
}

#[derive(Serialize)]
struct Series {
    runs: usize,
    min: f64,
    median: f64,
    max: f64,
    mean: f64,
    geometric_mean: Option<f64>,
    cv: Option<f64>,
    outliers: Vec<usize>,
}

#[derive(Serialize)]
struct Bounds {
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct Exact {
    p: f64,
    least_p: f64,
}

#[derive(Serialize)]
struct Needed {
    runs: u32,
    /// It takes more than these.
    more: bool,
}

#[derive(Serialize)]
struct Found<'a> {
    name: &'a str,
    stops: bool,
    clause: String,
    metric: Option<&'a str>,
    side: Option<&'a str>,
    runs: Option<Vec<usize>>,
}

/// The document, with a line end.
///
/// # Panics
///
/// Never: all keys are strings, and no part can fail to be written.
#[expect(clippy::expect_used, reason = "see above")]
pub(super) fn json(compared: &Compared) -> String {
    serde_json::to_string_pretty(&document(compared)).expect("every part can be written") + "\n"
}

fn document(compared: &Compared) -> Document<'_> {
    let comparison = &compared.comparison;
    let [before, after] = &compared.names;
    let is_refused = compared.is_refused();
    let errors = comparison.errors.iter().filter(|_| !is_refused);
    let metrics = comparison.metrics.iter().filter(|_| compared.shows_metrics());
    let findings = comparison.findings.iter().filter(|_| !is_refused);
    Document {
        schema: SCHEMA.0,
        schema_version: SCHEMA.1,
        rab: env!("CARGO_PKG_VERSION"),
        conclusion: compared.conclusion().name(),
        because: if is_refused { CONDITIONS } else { comparison.because.name() },
        sentence: sentence(compared),
        before: Runs { name: before, runs: comparison.runs.0 },
        after: Runs { name: after, runs: comparison.runs.1 },
        pairing: match comparison.pairing {
            Pairing::Interleaved => "interleaved",
            Pairing::Apart => "apart",
        },
        anyway: compared.terms.anyway,
        flaws: compared.flaws.iter().map(SomeFlaw::new).collect(),
        errors: errors.map(Errors::new).collect(),
        metrics: metrics.map(OneMetric::new).collect(),
        runs_needed: comparison
            .needed
            .filter(|_| matches!(compared.conclusion(), Conclusion::Told(_)))
            .map(Needed::new),
        findings: findings.map(Found::new).collect(),
        remarks: compared.remarks.iter().map(Differs::new).collect(),
        notes: notes(compared),
    }
}

impl<'a> SomeFlaw<'a> {
    fn new(found: &'a Flaw) -> Self {
        let (kind, at, difference) = match found {
            Flaw::Sides(difference) => (CONDITIONS, None, Some(difference)),
            Flaw::Within { side, run, difference } => ("unlike-runs", Some((*side, *run)), Some(difference)),
            Flaw::Broken { side, run, .. } => ("broken-run", Some((*side, *run)), None),
        };
        Self {
            kind,
            clause: flaw(found),
            side: at.map(|(side, _)| super::side(side)),
            run: at.map(|(_, run)| run + 1),
            difference: difference.map(Differs::new),
        }
    }
}

impl<'a> Differs<'a> {
    fn new(found: &'a Difference) -> Self {
        Self { what: found.what, before: &found.before, after: &found.after }
    }
}

impl Errors<'_> {
    fn new(errors: &ErrorComparison) -> Self {
        Self {
            kind: errors.kind.name(),
            before: errors.before,
            after: errors.after,
            difference: errors.difference,
            interval: Bounds { low: errors.low, high: errors.high },
            beyond_chance: errors.beyond_chance,
            verdict: errors.verdict.name(),
        }
    }
}

impl OneMetric<'_> {
    fn new(done: &MetricComparison) -> Self {
        Self {
            metric: done.metric.name(),
            decides: done.decides,
            margin: done.margin,
            before: done.before.as_ref().map(Series::new),
            after: done.after.as_ref().map(Series::new),
            ratio: done.ratio,
            interval: done.interval.map(Bounds::new),
            equivalence_interval: done.equivalence.map(Bounds::new),
            p: done.p,
            adjusted_p: done.adjusted_p,
            permutation: done.permutation.map(Exact::new),
            hodges_lehmann: done.hodges_lehmann,
            verdict: done.verdict.name(),
            reason: done.reason.map(crate::summary::Reason::name),
            runs_needed: done.needed.map(Needed::new),
        }
    }
}

impl Series {
    fn new(spread: &Spread) -> Self {
        Self {
            runs: spread.runs,
            min: spread.min,
            median: spread.median,
            max: spread.max,
            mean: spread.mean,
            geometric_mean: spread.geometric_mean,
            cv: spread.cv,
            outliers: spread.outliers.iter().map(|outlier| outlier.run + 1).collect(),
        }
    }
}

impl Bounds {
    fn new(interval: Interval) -> Self {
        Self { low: interval.low, high: interval.high }
    }
}

impl Exact {
    fn new(test: Permutation) -> Self {
        Self { p: test.p, least_p: test.least }
    }
}

impl Needed {
    fn new(needed: RunsNeeded) -> Self {
        match needed {
            RunsNeeded::About(runs) => Self { runs, more: false },
            RunsNeeded::MoreThan(runs) => Self { runs, more: true },
        }
    }
}

impl Found<'_> {
    fn new(found: &Finding) -> Self {
        let (metric, side, runs) = about(found);
        Self {
            name: found.name(),
            stops: found.stops(),
            clause: finding(found),
            metric: metric.map(Metric::name),
            side: side.map(super::side),
            runs: runs.map(|runs| runs.iter().map(|run| run + 1).collect()),
        }
    }
}

/// The metric, the side and the runs that a finding is about.
fn about(finding: &Finding) -> (Option<Metric>, Option<Side>, Option<&[usize]>) {
    match finding {
        Finding::ClientBound { side, runs } | Finding::RateMissed { side, runs } => {
            (None, Some(*side), Some(runs))
        }
        Finding::NoFigure { metric, side, runs } => (Some(*metric), Some(*side), Some(runs)),
        Finding::Unpaired { side, .. } => (None, Some(*side), None),
        Finding::Trend { metric, side, .. } => (Some(*metric), Some(*side), None),
        Finding::FewRequests { metric, .. } | Finding::Beside { metric, .. } => (Some(*metric), None, None),
        Finding::StatusMix { .. }
        | Finding::DocumentLength { .. }
        | Finding::RateSet
        | Finding::RecordedApart { .. }
        | Finding::ErrorsMoved { .. } => (None, None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_document_is_as_expected() {
        let shown = json(&fixture::case("slower")).replace(env!("CARGO_PKG_VERSION"), "VERSION");
        fixture::same("slower.json", &shown, include_str!("expected/slower.json"));
    }

    #[test]
    fn what_is_refused_has_no_numbers() {
        let value: serde_json::Value = serde_json::from_str(&json(&fixture::case("refused"))).unwrap();
        assert_eq!(
            (&value["conclusion"], &value["because"]),
            (&"not-comparable".into(), &"conditions".into())
        );
        for list in ["errors", "metrics", "findings"] {
            assert_eq!(value[list], serde_json::json!([]), "{list}");
        }
    }
}
