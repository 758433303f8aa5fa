//! The run: opens the connections, keeps requests in flight, and says why it ended.

mod ending;

pub use ending::{Ending, Fatal, Signal, SocketCall};

use crate::record::{Micros, Recording};

/// What a run leaves behind.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// The numbers of all complete requests.
    pub recording: Recording,
    /// From just before the first connection to the last event.
    pub elapsed: Micros,
    /// Why the run ended.
    pub ending: Ending,
    /// The `Server` field of the first response: its text up to the first blank; empty if it has none.
    pub server_software: Vec<u8>,
    /// Length in bytes of the first document that was received well.
    pub document_length: Option<u64>,
    /// The `Location` field of the first 3xx response that had one.
    pub location: Option<Vec<u8>>,
    /// When the run began, on the wall clock.
    pub began: std::time::SystemTime,
    /// When it ended, on the wall clock.
    pub ended: std::time::SystemTime,
}
