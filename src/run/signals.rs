//! Signals that end a run: the first one asks for the report, the next one ends the process at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

use super::Signal;

/// Exit codes of a process that a signal ends are the signal's number on top of this.
const BY_SIGNAL: i32 = 128;

/// Listens to the signals during a run.
pub(super) struct Signals {
    interrupt: Stream,
    terminate: Stream,
    /// One has come; the next one ends the process.
    armed: Arc<AtomicBool>,
    registered: Vec<SigId>,
}

impl Signals {
    /// Takes the signals over. To be called within a runtime.
    pub(super) fn listen() -> io::Result<Self> {
        let armed = Arc::new(AtomicBool::new(false));
        Ok(Self {
            registered: end_process_if(&armed)?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            armed,
        })
    }

    /// Waits for the first one.
    pub(super) async fn next(&mut self) -> Signal {
        let signal = tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        };
        self.armed.store(true, Ordering::Relaxed);
        signal
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // The next run of the process is to have a first signal of its own.
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Gives the signals back after the last run, so that one is enough to end a process that still writes its reports.
pub fn release_signals() -> io::Result<()> {
    end_process_if(&Arc::new(AtomicBool::new(true))).map(drop)
}

/// Has a signal end the process if the condition holds when it comes.
fn end_process_if(condition: &Arc<AtomicBool>) -> io::Result<Vec<SigId>> {
    let register = |number| {
        signal_hook::flag::register_conditional_shutdown(number, BY_SIGNAL + number, Arc::clone(condition))
    };
    [SIGINT, SIGTERM].into_iter().map(register).collect()
}
