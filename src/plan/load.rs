//! How much, how many at once, and for how long.

use std::time::Duration;

/// The load of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// The run ends when so many requests are complete (`-n`; 50,000 after `-t`). At least 1.
    pub requests: u64,
    /// The run ends after this time (`-t`), if the requests have not come to an end before.
    pub time_limit: Option<Duration>,
    /// Connections at a time (`-c`), 1 to 200,000.
    pub concurrency: usize,
    /// Worker threads (`-W`); 0 means one a core. More than `concurrency` are not started.
    pub workers: usize,
    /// Time between opening one connection and the next at the start (`-R`); zero opens them together.
    pub ramp: Duration,
    /// A connection without a byte in or out for this long has timed out (`-s`).
    pub silence: Duration,
    /// Connections are used again (`-k`).
    pub keep_alive: bool,
    /// A broken connection fails its request instead of ending the run (`-r`).
    pub tolerate: bool,
    /// Every document must be as long as the first (ab's rule, unless `-l`).
    pub fixed_length: bool,
}
