//! Several runs of one plan, with all that a report may show of them together.
//!
//! In come the [`Run`]s in the order in which they were made, out goes a [`Series`]: a row for each run, the spread of
//! each column, and which run stands for all of them. A run that an error or a signal cut short has its row, and no part
//! in the spread.

use super::{Ending, Micros, run_figures};
use crate::record::{Phase, Recording};
use crate::saved::Run;
use crate::stats::spread::{Spread, median_run};
use crate::stats::{Metric, RunFigures, ab};

/// Several runs.
#[derive(Debug, Clone)]
pub struct Series {
    /// One a run.
    pub runs: Vec<RunRow>,
    /// The run that stands for all, counted from 0: the middle one by requests a second.
    pub median: usize,
    /// The spread of each column over the runs that were not cut short, in the order of [`Column::ALL`]; `None` where no
    /// run has a value.
    pub spreads: [Option<Spread>; 7],
}

/// One run of several.
#[derive(Debug, Clone)]
pub struct RunRow {
    /// Connections at a time.
    pub concurrency: u32,
    /// From just before the first connection to the last event.
    pub elapsed: Micros,
    /// Why the run ended.
    pub ending: Ending,
    /// The mean time of its requests; `None` if nothing is complete.
    pub mean: Option<Micros>,
    /// All other figures.
    pub figures: RunFigures,
}

/// What a table of runs shows of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// One of the metrics that comparisons know.
    Metric(Metric),
    /// The mean time of the requests.
    Mean,
    /// Requests that failed.
    Failed,
    /// Responses with a status other than 2xx.
    Non2xx,
}

impl Column {
    /// All of them, in the order of a table.
    pub const ALL: [Self; 7] = [
        Self::Metric(Metric::Rps),
        Self::Mean,
        Self::Metric(Metric::P50),
        Self::Metric(Metric::P95),
        Self::Metric(Metric::P99),
        Self::Failed,
        Self::Non2xx,
    ];

    /// As rules call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metric(metric) => metric.name(),
            Self::Mean => "mean",
            Self::Failed => "failed",
            Self::Non2xx => "non-2xx",
        }
    }

    /// Whether its values are times, in microseconds.
    pub fn is_time(self) -> bool {
        !matches!(self, Self::Metric(Metric::Rps) | Self::Failed | Self::Non2xx)
    }

    /// The value of a run; `None` if it has none.
    pub fn of(self, run: &RunRow) -> Option<f64> {
        match self {
            Self::Metric(metric) => metric.of(&run.figures),
            Self::Mean => run.mean.map(|mean| mean as f64),
            Self::Failed => Some(run.figures.failed as f64),
            Self::Non2xx => Some(run.figures.non_2xx as f64),
        }
    }

    /// The metric whose steps its values come in.
    fn steps(self) -> Metric {
        match self {
            Self::Metric(metric) => metric,
            Self::Mean => Metric::P50,
            Self::Failed | Self::Non2xx => Metric::Rps,
        }
    }
}

impl RunRow {
    /// The row of a run.
    pub fn new(run: &Run) -> Self {
        Self {
            concurrency: run.conditions.load.concurrency,
            elapsed: run.elapsed,
            ending: run.ending.clone(),
            mean: mean(&run.recording),
            figures: run_figures(run),
        }
    }

    /// The run came to its end, and was not cut short by an error or a signal.
    pub fn is_whole(&self) -> bool {
        matches!(self.ending, Ending::Complete | Ending::TimeLimit)
    }
}

fn mean(recording: &Recording) -> Option<Micros> {
    let times = &recording.phase(Phase::Total);
    (times.count() > 0).then(|| ab::mean(times))
}

impl Series {
    /// Sums up several runs; `None` if there are none.
    pub fn new(runs: &[Run]) -> Option<Self> {
        let rows: Vec<RunRow> = runs.iter().map(RunRow::new).collect();
        // What was cut short stands for all only where there is nothing else.
        let rps = |row: &RunRow| Metric::Rps.of(&row.figures);
        let whole: Vec<_> = rows.iter().map(|row| rps(row).filter(|_| row.is_whole())).collect();
        let any: Vec<_> = rows.iter().map(rps).collect();
        let median = median_run(&whole).or_else(|| median_run(&any)).or(rows.len().checked_sub(1))?;
        let spreads = Column::ALL.map(|column| {
            let values: Vec<_> = rows.iter().map(|row| column.of(row).filter(|_| row.is_whole())).collect();
            Spread::new(&values, column.steps())
        });
        Some(Self { runs: rows, median, spreads })
    }

    /// The columns with their spreads.
    pub fn columns(&self) -> impl Iterator<Item = (Column, Option<&Spread>)> {
        Column::ALL.into_iter().zip(self.spreads.iter().map(Option::as_ref))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Fatal, Signal};
    use crate::summary::fixture;

    /// The mixed run, in so many milliseconds.
    fn run(milliseconds: Micros, ending: Ending) -> Run {
        Run { elapsed: milliseconds * 1000, ending, ..fixture::mixed() }
    }

    #[test]
    fn the_middle_run_by_requests_a_second_stands_for_all() {
        let all = [900, 1000, 1100, 950].map(|time| run(time, Ending::Complete));
        let series = Series::new(&all).unwrap();
        assert_eq!(series.median, 1);
        let [rps, ..] = &series.spreads;
        let rps = rps.as_ref().unwrap();
        assert_eq!(rps.runs, 4);
        assert!((rps.max - 5.0 / 0.9).abs() < 1e-9 && (rps.min - 5.0 / 1.1).abs() < 1e-9, "{rps:?}");
        assert!(Series::new(&[]).is_none());
    }

    #[test]
    fn what_was_cut_short_has_a_row_and_no_part() {
        let cut = run(5000, Ending::Interrupted(Signal::Interrupt));
        let broken = run(1, Ending::Failed(Fatal::Timeout));
        let series = Series::new(&[cut.clone(), run(1000, Ending::TimeLimit), broken.clone()]).unwrap();
        assert_eq!((series.median, series.runs.len()), (1, 3));
        assert_eq!(series.spreads[0].as_ref().unwrap().runs, 1);
        let parts = Series::new(&[broken, cut]).unwrap();
        assert_eq!((parts.median, parts.spreads[0].is_none()), (1, true));
    }

    #[test]
    fn a_run_with_failures_among_others_is_named() {
        let mut all = vec![run(1000, Ending::Complete); 5];
        all[3].recording.failures.length += 40;
        let series = Series::new(&all).unwrap();
        let outside: Vec<_> = series
            .columns()
            .filter_map(|(column, spread)| Some((column, spread?.outliers.first()?.run)))
            .collect();
        assert_eq!(outside, [(Column::Failed, 3)]);
    }
}
