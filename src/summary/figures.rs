//! The figures that JSON shows and ab's report has no line for.

use crate::plan::Percent;
use crate::record::{Causes, Distribution, Micros, Phase, Statuses};
use crate::saved::{Conditions, Machine, Run};
use crate::stats::ab;

/// What JSON shows besides ab's numbers.
#[derive(Debug, Clone)]
pub struct Figures {
    /// The version of rab that measured the run.
    pub rab: String,
    /// The machine that it was measured from.
    pub machine: Machine,
    /// What was to be done.
    pub conditions: Conditions,
    /// See [`Causes`].
    pub causes: Causes,
    /// How often each status was answered.
    pub statuses: Statuses,
    /// Bytes sent, heads included, whether the requests have a body or not.
    pub sent: u64,
    /// Requests that had begun and not ended when the run did.
    pub unfinished: u64,
    /// Processor time of the whole program.
    pub cpu: Micros,
    /// Requests that were in flight at a time on average: the sum of their times by the time taken.
    pub achieved_concurrency: f64,
    /// The four phases, in the order of [`Phase::ALL`]; `None` if nothing is complete.
    pub phases: Option<[Times; 4]>,
    /// Total time of the whole responses with a status of 2xx; `None` if there are none.
    pub total_2xx: Option<Times>,
}

/// The times of one phase, in microseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// How many there are.
    pub count: u64,
    /// The least.
    pub min: Micros,
    /// See [`ab::mean`].
    pub mean: Micros,
    /// See [`ab::deviation`].
    pub deviation: f64,
    /// See [`ab::median`].
    pub median: Micros,
    /// The greatest.
    pub max: Micros,
    /// See [`ab::percentile`].
    pub percentiles: Vec<(Percent, Micros)>,
}

impl Figures {
    pub(super) fn new(run: &Run, percentiles: &[Percent]) -> Self {
        let recording = &run.recording;
        let times = |phase| Times::new(recording.phase(phase), percentiles);
        let total_2xx = recording.detail.as_ref().map(|detail| &detail.total_2xx);
        Self {
            rab: run.rab.clone(),
            machine: run.machine.clone(),
            conditions: run.conditions.clone(),
            causes: recording.causes,
            statuses: recording.statuses.clone(),
            sent: recording.sent,
            unfinished: recording.unfinished,
            cpu: run.cpu,
            achieved_concurrency: recording.phase(Phase::Total).sum() as f64 / run.elapsed.max(1) as f64,
            phases: (recording.complete > 0).then(|| Phase::ALL.map(times)),
            total_2xx: total_2xx.filter(|times| times.count() > 0).map(|each| Times::new(each, percentiles)),
        }
    }
}

impl Times {
    fn new(times: &Distribution, percentiles: &[Percent]) -> Self {
        let indices = percentiles.iter().map(|percent| ab::index(times.count(), percent.millionths()));
        Self {
            count: times.count(),
            min: times.min(),
            mean: ab::mean(times),
            deviation: ab::deviation(times),
            median: ab::median(times),
            max: times.max(),
            percentiles: percentiles.iter().copied().zip(times.at_indices(indices)).collect(),
        }
    }
}
