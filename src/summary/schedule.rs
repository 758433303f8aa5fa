//! What a run on schedule (`--rate`) adds to the report.

use crate::record::{Micros, Phase};
use crate::saved::Run;
use crate::stats::ab;

/// The percentages that are shown.
const PERCENTS: [u8; 5] = [50, 90, 95, 99, 100];

/// How a schedule was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// Requests a second that were planned.
    pub rate: f64,
    /// Requests that went out late, since every connection was busy.
    pub late: u64,
    /// The shown percentages of requests, the time within which so many were answered after they were sent, and the same
    /// from their planned start; empty if nothing is complete.
    pub latencies: Vec<(u8, Micros, Micros)>,
}

impl Schedule {
    /// `None` for a run without one.
    pub(super) fn new(run: &Run) -> Option<Self> {
        let recording = &run.recording;
        let (sent, planned) = (&recording.phase(Phase::Total), &recording.since_planned);
        let latencies = if planned.count() == 0 {
            Vec::new()
        } else {
            PERCENTS
                .map(|percent| (percent, ab::percentile(sent, percent), ab::percentile(planned, percent)))
                .to_vec()
        };
        run.conditions.load.rate.map(|rate| Self { rate, late: recording.late, latencies })
    }
}
