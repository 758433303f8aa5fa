//! One request: when its stages were reached, and how it ended.

use super::Failure;

/// Microseconds on the run's monotonic clock, or between two of its stamps.
pub type Micros = u64;

/// When a request reached its stages, in microseconds since the start of the run.
///
/// A stage that was not reached stands at [`done`](Self::done). On a reused connection `start` equals `connected`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamps {
    /// Before connecting.
    pub start: Micros,
    /// The connection stands.
    pub connected: Micros,
    /// The request is written.
    pub written: Micros,
    /// The first byte of the response is there.
    pub first_byte: Micros,
    /// The last byte of the response is there, or the close that ends it.
    pub done: Micros,
}

/// The four rows of ab's table of connection times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Connection establishment.
    Connect,
    /// From the connection to the end of the response.
    Processing,
    /// From the written request to the first byte of the response.
    Waiting,
    /// All of it.
    Total,
}

impl Phase {
    /// All phases, in the order of the report.
    pub const ALL: [Self; 4] = [Self::Connect, Self::Processing, Self::Waiting, Self::Total];
}

impl Stamps {
    /// How long a phase took. Never negative: where the response begins before the request is written to its end,
    /// waiting is 0, as in ab.
    pub fn duration(&self, phase: Phase) -> Micros {
        match phase {
            Phase::Connect => self.connected.saturating_sub(self.start),
            Phase::Processing => self.done.saturating_sub(self.connected),
            Phase::Waiting => self.first_byte.saturating_sub(self.written),
            Phase::Total => self.done.saturating_sub(self.start),
        }
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The response is whole.
    Good,
    /// The request failed.
    Failed(Failure),
}

/// The place of a request in a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// When it was due.
    pub at: Micros,
    /// It went out later, since every connection was busy.
    pub late: bool,
}

/// One complete request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The number of its URL, counted from 0; 0 where there is only one.
    pub url: u32,
    /// When its stages were reached.
    pub stamps: Stamps,
    /// How it ended.
    pub outcome: Outcome,
    /// The status code of the final response, if its head was read.
    pub status: Option<u16>,
    /// Bytes of the document: the payload, without chunk framing.
    pub document: u64,
    /// Bytes of the document that its head announces and that have not come.
    pub missing: u64,
    /// The connection stays open for the next request.
    pub kept_alive: bool,
    /// The request could not be sent, and not because the peer reset the connection.
    pub write_error: bool,
    /// When it should have gone out, if it was sent on schedule.
    pub planned: Option<Planned>,
}

impl Sample {
    /// Whether this is a whole response, of whatever length, with a status of 2xx.
    pub fn is_2xx(&self) -> bool {
        let is_whole = matches!(self.outcome, Outcome::Good | Outcome::Failed(Failure::Length));
        is_whole && self.status.is_some_and(|status| status / 100 == 2)
    }

    /// How long all of it took.
    pub fn total(&self) -> Micros {
        self.stamps.duration(Phase::Total)
    }

    /// Whether this is one of ab's keep-alive requests: a response that is whole, of whatever length, and leaves its
    /// connection open.
    pub fn keeps_connection(&self) -> bool {
        self.kept_alive && matches!(self.outcome, Outcome::Good | Outcome::Failed(Failure::Length))
    }
}
