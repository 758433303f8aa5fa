//! The monotonic clock of a run.

use std::time::Instant;

use crate::record::Micros;

/// Tells the microseconds since the run began.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// Microseconds since the beginning.
    pub fn now(&self) -> Micros {
        Micros::try_from(self.origin.elapsed().as_micros()).unwrap_or(Micros::MAX)
    }

    /// The beginning.
    pub fn origin(&self) -> Instant {
        self.origin
    }
}
