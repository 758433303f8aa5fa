//! What is recorded only where a saved run or JSON asks for it, since it costs each request a little.

use super::{Distribution, Sample, Series};

/// What ab's report has no line for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Detail {
    /// Total times of the whole responses whose status is 2xx.
    pub total_2xx: Distribution,
    /// The run by the second.
    pub series: Series,
}

impl Detail {
    /// Adds one complete request.
    pub fn record(&mut self, sample: &Sample) {
        if sample.is_2xx() {
            self.total_2xx.record(sample.total());
        }
        self.series.record(sample);
    }

    /// Adds another worker's part.
    pub fn merge(&mut self, other: Self) {
        self.total_2xx.merge(&other.total_2xx);
        self.series.merge(other.series);
    }
}
