//! What the statistics on several runs need to know of one run.
//!
//! In comes a [`Run`], out go its [`RunFigures`], by the same arithmetic as the lines of the report: a comparison speaks
//! of the numbers that were printed. Times are total times of all complete requests, as near as the histogram tells them
//! apart, which is one part in ten thousand.

use crate::record::{Phase, Recording};
use crate::saved::Run;
use crate::stats::{RunFigures, ab};

use super::Rates;

/// Statuses from this one on are the server's own errors (RFC 9110, section 15.6).
const SERVER_ERROR: u16 = 500;

/// A thread that was busy for more of a run than this part measured itself.
const BUSY: f64 = 0.9;

/// The figures of a run.
pub fn run_figures(run: &Run) -> RunFigures {
    let recording = &run.recording;
    let times = &recording.phase(Phase::Total);
    let percentile = |percent| (times.count() > 0).then(|| ab::percentile(times, percent));
    let rates = Rates::new(1, run.elapsed, recording.complete, 0, None);
    RunFigures {
        start: Some(run.began),
        rps: rates.map(|rates| rates.requests_per_second),
        p50: percentile(50),
        p95: percentile(95),
        p99: percentile(99),
        complete: recording.complete,
        failed: recording.failures.total(),
        non_2xx: recording.statuses.non_2xx(),
        server_errors: server_errors(recording),
        document_length: run.server.document_length.filter(|_| run.conditions.load.fixed_length),
        rate: run.conditions.load.rate,
        client_cpu: client_cpu(run),
        client_bound: is_client_bound(run),
    }
}

/// Whether the busiest worker thread had hardly ever to wait for the server, as the hint says it.
fn is_client_bound(run: &Run) -> bool {
    run.elapsed > 0 && run.busiest as f64 > run.elapsed as f64 * BUSY
}

fn server_errors(recording: &Recording) -> u64 {
    let errors = recording.statuses.iter().filter(|(status, _)| *status >= SERVER_ERROR);
    errors.map(|(_, count)| count).sum()
}

/// The processor time that was used of what the worker threads could have had: no more cores than there are. A little of
/// it is the main thread's, so that it may be more than all. `None` where nothing was measured.
fn client_cpu(run: &Run) -> Option<f64> {
    let threads = run.conditions.load.workers.min(run.machine.cores);
    let available = run.elapsed as f64 * f64::from(threads);
    (available > 0.0).then(|| (run.cpu as f64 / available).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Output;
    use crate::summary::{Asides, Summary, fixture};

    #[test]
    fn the_figures_are_those_of_the_report() {
        let run = fixture::mixed();
        let output: Output = fixture::plan().output;
        let (figures, summary) = (run_figures(&run), Summary::new(&run, &output, Asides::default()));
        let percentile =
            |percent| summary.percentiles.iter().find(|(each, _)| *each == percent).map(|each| each.1);
        assert_eq!(figures.rps, summary.rates.map(|rates| rates.requests_per_second));
        assert_eq!([figures.p50, figures.p95, figures.p99], [50, 95, 99].map(percentile));
        let counts = (figures.complete, figures.failed, figures.non_2xx, figures.server_errors);
        assert_eq!(counts, (5, 2, 1, 1));
        assert_eq!((figures.start, figures.document_length), (Some(run.began), Some(100)));
    }

    #[test]
    fn lengths_that_may_vary_are_no_figure() {
        let mut run = fixture::mixed();
        run.conditions.load.fixed_length = false;
        assert_eq!(run_figures(&run).document_length, None);
    }

    #[test]
    fn processor_time_is_a_share_of_what_the_workers_could_have_had() {
        let mut run = fixture::mixed();
        run.elapsed = 1_000_000;
        let mut share = |workers, cores, cpu| {
            (run.conditions.load.workers, run.machine.cores, run.cpu) = (workers, cores, cpu);
            run_figures(&run).client_cpu
        };
        assert_eq!(share(1, 8, 950_000), Some(0.95));
        assert_eq!(share(4, 2, 1_000_000), Some(0.5));
        assert_eq!(share(1, 8, 1_100_000), Some(1.0));
        assert_eq!(share(0, 8, 1), None);
    }

    #[test]
    fn nothing_complete_has_no_figures() {
        let figures = run_figures(&fixture::run(&fixture::plan(), fixture::run_result()));
        assert_eq!((figures.rps, figures.p50, figures.p95, figures.p99), (None, None, None, None));
        assert_eq!(figures.complete, 0);
    }
}
