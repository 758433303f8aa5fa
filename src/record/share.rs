//! What fell to one of several addresses.

use std::ops::AddAssign;

use super::Outcome;

/// The part that one address had in a run whose connections go to several in turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Connections that stood.
    pub connections: u64,
    /// Tries that led to none.
    pub unconnected: u64,
    /// Requests that ended, well or not, those without a connection included.
    pub complete: u64,
    /// Those of them that failed.
    pub failed: u64,
}

impl Share {
    /// Counts a connection that stands, or a try that led to none.
    pub fn count_connection(&mut self, stands: bool) {
        self.connections += u64::from(stands);
        self.unconnected += u64::from(!stands);
    }

    /// Counts a request by its end.
    pub fn count(&mut self, outcome: Outcome) {
        self.complete += 1;
        self.failed += u64::from(outcome != Outcome::Good);
    }
}

impl AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.connections += other.connections;
        self.unconnected += other.unconnected;
        self.complete += other.complete;
        self.failed += other.failed;
    }
}
