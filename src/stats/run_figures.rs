//! What the statistics on several runs know of one run.

use std::time::SystemTime;

use crate::record::Micros;

/// The figures by which runs are held against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Complete requests a second.
    Rps,
    /// The time within which half of the requests were served.
    P50,
    /// The time within which 95 % of the requests were served.
    P95,
    /// The time within which 99 % of the requests were served.
    P99,
}

impl Metric {
    /// All of them, in the order of a table.
    pub const ALL: [Self; 4] = [Self::Rps, Self::P50, Self::P95, Self::P99];

    /// As options and JSON call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rps => "rps",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
        }
    }

    /// Whether a greater value is the better one.
    pub fn more_is_better(self) -> bool {
        self == Self::Rps
    }

    /// The value of a run: requests a second, or microseconds. `None` if the run has none, or one that is no number
    /// from 0 up.
    pub fn of(self, run: &RunFigures) -> Option<f64> {
        let time = |time: Option<Micros>| time.map(|time| time as f64);
        match self {
            Self::Rps => run.rps.filter(|rps| rps.is_finite() && *rps >= 0.0),
            Self::P50 => time(run.p50),
            Self::P95 => time(run.p95),
            Self::P99 => time(run.p99),
        }
    }

    /// The step in which values come: times are whole microseconds.
    pub fn tick(self) -> f64 {
        if self == Self::Rps { 0.0 } else { 1.0 }
    }

    /// How many requests a run must have for its value to be more than an accident of a few of them: ten beyond the
    /// percentile, 10 / (1 - q).
    pub fn least_requests(self) -> u64 {
        match self {
            Self::Rps => 1,
            Self::P50 => 20,
            Self::P95 => 200,
            Self::P99 => 1000,
        }
    }
}

/// What one run came to. A figure that a run does not have is `None`, never 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFigures {
    /// When it began, on the wall clock.
    pub start: Option<SystemTime>,
    /// Complete requests a second.
    pub rps: Option<f64>,
    /// The median of the requests' times.
    pub p50: Option<Micros>,
    /// Their 95th percentile.
    pub p95: Option<Micros>,
    /// Their 99th percentile.
    pub p99: Option<Micros>,
    /// Requests that ended, well or not.
    pub complete: u64,
    /// Those of them that failed, in whatever class.
    pub failed: u64,
    /// Those of them that were answered with a status other than 2xx.
    pub non_2xx: u64,
    /// Those of them that were answered with a status of 500 or above; part of `non_2xx`.
    pub server_errors: u64,
    /// Bytes of the document; `None` where its length is allowed to vary.
    pub document_length: Option<u64>,
    /// Requests a second that were asked for; `None` if as many as possible.
    pub rate: Option<f64>,
    /// How much of the processor time that they could have had rab's own threads have used, from 0 to 1.
    pub client_cpu: Option<f64>,
    /// Something else says that rab, not the server, was the limit.
    pub client_bound: bool,
}

impl RunFigures {
    /// A count as a share of the complete requests, from 0 to 1; `None` if nothing is complete.
    pub fn share(&self, count: u64) -> Option<f64> {
        (self.complete > 0).then(|| (count as f64 / self.complete as f64).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_from_0_up_is_no_value() {
        for rps in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(Metric::Rps.of(&RunFigures { rps: Some(rps), ..RunFigures::default() }), None);
        }
        let run = RunFigures { rps: Some(0.0), p50: Some(0), p95: Some(7), ..RunFigures::default() };
        assert_eq!(Metric::ALL.map(|metric| metric.of(&run)), [Some(0.0), Some(0.0), Some(7.0), None]);
    }

    #[test]
    fn a_share_needs_something_to_be_a_share_of() {
        let run = RunFigures { complete: 4, failed: 1, ..RunFigures::default() };
        assert_eq!(run.share(run.failed), Some(0.25));
        assert_eq!(RunFigures::default().share(0), None);
    }
}
