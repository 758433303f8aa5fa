//! Signals between runs.
//!
//! A run ends at the first signal and says so itself. Whoever makes several also needs to know of a signal that came when
//! a run was over, so that the next is not begun.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use tokio::time::sleep;

use super::Signal;
use super::signals::Signals;

/// The signals that have come since the first run began.
#[derive(Debug, Default)]
pub struct Interrupts {
    /// The number of the last one; 0 for none.
    seen: Arc<AtomicUsize>,
    is_listening: AtomicBool,
}

impl Interrupts {
    /// Takes note of signals from here on, beside the run that is about to begin. Before that a signal is to end the
    /// process, as it ends any.
    pub(super) fn listen(&self) -> io::Result<()> {
        if self.is_listening.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        for number in [SIGINT, SIGTERM] {
            // Both numbers are small and above 0.
            let value = usize::try_from(number).unwrap_or_default();
            signal_hook::flag::register_usize(number, Arc::clone(&self.seen), value)?;
        }
        Ok(())
    }

    /// The last signal, if one has come.
    pub fn seen(&self) -> Option<Signal> {
        match i32::try_from(self.seen.load(Ordering::SeqCst)) {
            Ok(SIGINT) => Some(Signal::Interrupt),
            Ok(SIGTERM) => Some(Signal::Terminate),
            _ => None,
        }
    }

    /// Lets time pass, until a signal comes at the latest; that is returned.
    pub fn pause(&self, time: Duration) -> io::Result<Option<Signal>> {
        if time.is_zero() {
            return Ok(self.seen());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut signals = Signals::listen()?;
            // One that came before is not heard again.
            if let Some(signal) = self.seen() {
                return Ok(Some(signal));
            }
            tokio::select! {
                signal = signals.next() => Ok(Some(signal)),
                () = sleep(time) => Ok(self.seen()),
            }
        })
    }
}
