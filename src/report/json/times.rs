//! Times in the JSON report.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::summary::{Figures, Percent, Schedule, Summary, Times};

/// ab's table of connection times.
#[derive(Serialize)]
pub(super) struct AllTimes<'a> {
    connect: Phase<'a>,
    processing: Phase<'a>,
    waiting: Phase<'a>,
    total: Phase<'a>,
    total_2xx: Option<Phase<'a>>,
}

/// The times of one phase.
#[derive(Serialize)]
struct Phase<'a> {
    count: u64,
    min_us: u64,
    mean_us: u64,
    deviation_us: f64,
    median_us: u64,
    max_us: u64,
    percentiles_us: Percentiles<'a>,
}

/// How a schedule was kept.
#[derive(Serialize)]
pub(super) struct OnSchedule<'a> {
    requests_per_second: f64,
    late: u64,
    from_sending: Option<Phase<'a>>,
    from_planned_start: Option<Phase<'a>>,
}

/// An object from percentages to times, in their order.
struct Percentiles<'a>(&'a [(Percent, u64)]);

impl Serialize for Percentiles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (percent, time) in self.0 {
            map.serialize_entry(&percent.to_string(), time)?;
        }
        map.end()
    }
}

impl<'a> AllTimes<'a> {
    pub(super) fn new(figures: &'a Figures) -> Option<Self> {
        let [connect, processing, waiting, total] = figures.phases.as_ref()?.each_ref().map(Phase::new);
        Some(Self {
            connect,
            processing,
            waiting,
            total,
            total_2xx: figures.total_2xx.as_ref().map(Phase::new),
        })
    }
}

impl<'a> OnSchedule<'a> {
    pub(super) fn new(summary: &Summary, figures: &'a Figures) -> Option<Self> {
        let Schedule { rate, late, .. } = *summary.schedule.as_ref()?;
        Some(Self {
            requests_per_second: rate,
            late,
            from_sending: figures.phases.as_ref().map(|[.., total]| Phase::new(total)),
            from_planned_start: figures.since_planned.as_ref().map(Phase::new),
        })
    }
}

impl<'a> Phase<'a> {
    fn new(times: &'a Times) -> Self {
        Self {
            count: times.count,
            min_us: times.min,
            mean_us: times.mean,
            deviation_us: times.deviation,
            median_us: times.median,
            max_us: times.max,
            percentiles_us: Percentiles(&times.percentiles),
        }
    }
}
