//! Where text goes: the standard streams, behind one door, and files.
//!
//! A reader that has gone away (`rab … | head -1`) ends the output quietly and not the run. Any other error is kept
//! until the end, since what was measured is worth more than where it was to be shown.

mod files;
mod replace;

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use files::{FileError, OutputFile};

/// Standard output and standard error, shared by all who write on them.
pub struct Console {
    out: Mutex<Channel>,
    err: Mutex<Channel>,
}

struct Channel {
    writer: Box<dyn Write + Send>,
    failure: Option<io::Error>,
}

impl Console {
    /// A console on two writers.
    pub fn new(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) -> Self {
        let channel = |writer| Mutex::new(Channel { writer, failure: None });
        Self { out: channel(out), err: channel(err) }
    }

    /// Writes to standard output, at once.
    pub fn out(&self, text: impl AsRef<[u8]>) {
        lock(&self.out).write(text.as_ref());
    }

    /// Writes to standard error, at once.
    pub fn err(&self, text: impl AsRef<[u8]>) {
        lock(&self.err).write(text.as_ref());
    }

    /// Why standard output is not whole, if it is not and its reader still wants it.
    pub fn out_failure(&self) -> Option<io::Error> {
        lock(&self.out).failure.take().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }
}

impl Channel {
    fn write(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.writer.write_all(bytes).and_then(|()| self.writer.flush()).err();
        }
    }
}

fn lock(channel: &Mutex<Channel>) -> MutexGuard<'_, Channel> {
    // A writer that panicked has left a text cut short, which is no reason to lose the next one.
    channel.lock().unwrap_or_else(PoisonError::into_inner)
}
