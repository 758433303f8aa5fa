//! Several runs, a sweep and a calibration for tests.

use super::{Broken, Ending, Fatal, Micros, RunRow, Series, Swept, fixture};
use crate::saved::Run;
use crate::stats::RunFigures;
use crate::stats::calibrate::{Calibration, calibrate};
use crate::stats::compare::Settings;

/// Six runs: one far slower than the others, and one that an error ended.
pub(crate) fn series() -> Series {
    let run = |elapsed: Micros| Run { elapsed, ending: Ending::Complete, ..fixture::mixed() };
    let mut runs = [1_000_000, 1_010_000, 995_000, 1_005_000, 2_500_000, 400_000].map(run);
    runs[5].ending = Ending::Failed(Fatal::Timeout);
    Series::new(&runs).unwrap()
}

/// Four steps, of which the third has the knee, and the last one breaks a rule.
pub(crate) fn swept() -> Swept {
    let step = |(concurrency, rps, p95): (u32, f64, Micros)| RunRow {
        concurrency,
        elapsed: 1_000_000,
        ending: Ending::Complete,
        mean: Some(p95 / 2),
        figures: RunFigures {
            rps: Some(rps),
            p50: Some(p95 / 3),
            p95: Some(p95),
            p99: Some(p95 + 1000),
            complete: 1000,
            failed: u64::from(concurrency) / 50,
            client_cpu: Some(0.25),
            ..RunFigures::default()
        },
    };
    let steps =
        [(10, 1000.0, 12_000), (20, 1900.0, 13_000), (50, 1950.0, 41_000), (100, 1900.0, 231_400)].map(step);
    let rule = "p95<200ms".parse().unwrap();
    Swept::new(steps.to_vec(), Some(Broken { rule, value: Some(231.4) }))
}

/// That of so many runs, each a little different.
pub(crate) fn calibration(runs: u32) -> Calibration {
    let run = |number: u32| {
        let odd = f64::from(number * 7 % 5);
        RunFigures {
            rps: Some(1000.0 + 5.0 * odd),
            p50: Some(1000),
            p95: Some(2000 + u64::from(number * 3 % 4) * 30),
            p99: Some(3000),
            complete: 500,
            ..RunFigures::default()
        }
    };
    let runs: Vec<RunFigures> = (0..runs).map(run).collect();
    calibrate(&runs, &[5, 10, 20], &Settings::default())
}
