//! Signals that end a run: the first one asks for the report, a second one ends the process at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

use super::Signal;

/// Exit codes of a process that a signal ends are the signal's number on top of this.
const BY_SIGNAL: i32 = 128;

/// Listens to the signals, from its making on.
pub(super) struct Signals {
    interrupt: Stream,
    terminate: Stream,
}

impl Signals {
    /// Takes the signals over. To be called within a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        let armed = Arc::new(AtomicBool::new(false));
        for number in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(number, BY_SIGNAL + number, Arc::clone(&armed))?;
            // The first signal arms the second one at any time, also after the run, where a pipe that nobody reads
            // may hold up what is written.
            signal_hook::flag::register(number, Arc::clone(&armed))?;
        }
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the first one.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}
