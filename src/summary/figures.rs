//! The figures that JSON shows and ab's report has no line for.

use crate::plan::{Percent, Version};
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
    /// The version in which the server first answered.
    pub version: Option<Version>,
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
    /// From the planned start of each request on schedule to its end; `None` if there are none.
    pub since_planned: Option<Times>,
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
        let times = |of: &Distribution| (of.count() > 0).then(|| Times::new(of, percentiles));
        Self {
            rab: run.rab.clone(),
            machine: run.machine.clone(),
            conditions: run.conditions.clone(),
            version: run.server.version,
            causes: recording.causes,
            statuses: recording.statuses.clone(),
            sent: recording.sent,
            unfinished: recording.unfinished,
            cpu: run.cpu,
            achieved_concurrency: recording.phase(Phase::Total).sum() as f64 / run.elapsed.max(1) as f64,
            phases: (recording.complete > 0)
                .then(|| Phase::ALL.map(|phase| Times::new(&recording.phase(phase), percentiles))),
            total_2xx: recording.detail.as_ref().and_then(|detail| times(&detail.total_2xx)),
            since_planned: times(&recording.since_planned),
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
