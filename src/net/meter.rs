//! Counts the bytes of connections.

use std::cell::Cell;

/// Bytes in and out on the connections of one slot, one after the other.
///
/// Under TLS the bytes are those of HTTP, as in ab. That something moves below them, in a handshake for example, is
/// counted apart, since it tells a slow connection from a silent one.
#[derive(Debug, Default)]
pub struct Meter {
    received: Cell<u64>,
    sent: Cell<u64>,
    below: Cell<u64>,
}

impl Meter {
    /// Bytes received.
    pub fn received(&self) -> u64 {
        self.received.get()
    }

    /// Bytes sent.
    pub fn sent(&self) -> u64 {
        self.sent.get()
    }

    /// Grows whenever anything moves.
    pub fn activity(&self) -> u64 {
        self.received.get() + self.sent.get() + self.below.get()
    }

    pub(super) fn add_received(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
    }

    pub(super) fn add_sent(&self, bytes: usize) {
        self.sent.set(self.sent.get() + bytes as u64);
    }

    /// Bytes of TLS records, in or out.
    pub(super) fn add_below(&self, bytes: usize) {
        self.below.set(self.below.get() + bytes as u64);
    }
}
