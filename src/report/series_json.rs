//! What the report in JSON shows of several runs.

use serde::Serialize;

use crate::summary::{Ending, Fence, RunRow, Series, Spread};

/// The fields beside those of one run.
#[derive(Serialize)]
pub(super) struct SeriesFields {
    /// Counted from 1.
    median_run: usize,
    runs: Vec<One>,
    spread: Spreads,
}

#[derive(Serialize)]
struct One {
    ending: &'static str,
    elapsed_us: u64,
    complete: u64,
    requests_per_second: Option<f64>,
    mean_us: Option<u64>,
    p50_us: Option<u64>,
    p95_us: Option<u64>,
    p99_us: Option<u64>,
    failed: u64,
    non_2xx: u64,
}

/// By column; null where no run has a value.
#[derive(Serialize)]
struct Spreads {
    requests_per_second: Option<Figures>,
    mean_us: Option<Figures>,
    p50_us: Option<Figures>,
    p95_us: Option<Figures>,
    p99_us: Option<Figures>,
    failed: Option<Figures>,
    non_2xx: Option<Figures>,
}

#[derive(Serialize)]
struct Figures {
    min: f64,
    median: f64,
    max: f64,
    cv: Option<f64>,
    outliers: Vec<Outlier>,
}

#[derive(Serialize)]
struct Outlier {
    /// Counted from 1.
    run: usize,
    side: &'static str,
    fence: &'static str,
}

impl SeriesFields {
    /// Those of a series.
    pub(super) fn new(series: &Series) -> Self {
        let [requests_per_second, mean_us, p50_us, p95_us, p99_us, failed, non_2xx] =
            series.spreads.each_ref().map(|spread| spread.as_ref().map(Figures::new));
        Self {
            median_run: series.median + 1,
            runs: series.runs.iter().map(One::new).collect(),
            spread: Spreads { requests_per_second, mean_us, p50_us, p95_us, p99_us, failed, non_2xx },
        }
    }
}

impl One {
    fn new(run: &RunRow) -> Self {
        let figures = &run.figures;
        Self {
            ending: match run.ending {
                Ending::Complete => "complete",
                Ending::TimeLimit => "time_limit",
                Ending::Interrupted(_) => "interrupted",
                Ending::Failed(_) => "failed",
            },
            elapsed_us: run.elapsed,
            complete: figures.complete,
            requests_per_second: figures.rps,
            mean_us: run.mean,
            p50_us: figures.p50,
            p95_us: figures.p95,
            p99_us: figures.p99,
            failed: figures.failed,
            non_2xx: figures.non_2xx,
        }
    }
}

impl Figures {
    fn new(spread: &Spread) -> Self {
        let outlier = |found: &crate::summary::Outlier| Outlier {
            run: found.run + 1,
            side: if found.above { "above" } else { "below" },
            fence: match found.fence {
                Fence::Mild => "mild",
                Fence::Severe => "severe",
            },
        };
        Self {
            min: spread.min,
            median: spread.median,
            max: spread.max,
            cv: spread.cv,
            outliers: spread.outliers.iter().map(outlier).collect(),
        }
    }
}
