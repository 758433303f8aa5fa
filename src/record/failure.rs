//! The four classes in which a request can fail, as ab's report names them.

use std::ops::AddAssign;

/// Why a request failed. A request fails in exactly one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// No connection: refused, unreachable, or silent for too long.
    Connect,
    /// The connection broke or ended before the response was whole.
    Receive,
    /// The document is not as long as the first one.
    Length,
    /// The answer is not HTTP, or its framing is broken, or the request could not be sent.
    Exception,
}

/// How many requests failed, by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Failures {
    /// See [`Failure::Connect`].
    pub connect: u64,
    /// See [`Failure::Receive`].
    pub receive: u64,
    /// See [`Failure::Length`].
    pub length: u64,
    /// See [`Failure::Exception`].
    pub exceptions: u64,
}

impl Failures {
    /// Counts one failed request.
    pub fn count(&mut self, failure: Failure) {
        match failure {
            Failure::Connect => self.connect += 1,
            Failure::Receive => self.receive += 1,
            Failure::Length => self.length += 1,
            Failure::Exception => self.exceptions += 1,
        }
    }

    /// All failed requests.
    pub fn total(&self) -> u64 {
        self.connect + self.receive + self.length + self.exceptions
    }

    /// Whether requests failed, and all of them by length alone.
    pub fn only_length(&self) -> bool {
        self.length > 0 && self.total() == self.length
    }
}

impl AddAssign for Failures {
    fn add_assign(&mut self, other: Self) {
        self.connect += other.connect;
        self.receive += other.receive;
        self.length += other.length;
        self.exceptions += other.exceptions;
    }
}
