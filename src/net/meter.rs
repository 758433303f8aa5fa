//! Counts the bytes of connections.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

/// Bytes in and out on the connections of one slot, one after the other.
///
/// Under TLS the bytes are those of HTTP, as in ab. That something moves below them, in a handshake for example, is
/// counted apart, since it tells a slow connection from a silent one.
#[derive(Debug, Default)]
pub struct Meter {
    received: Cell<u64>,
    sent: Cell<u64>,
    below: Cell<u64>,
    open: Cell<u64>,
    most_open: Cell<u64>,
}

/// Counts one connection as open for as long as this is there.
#[derive(Debug)]
pub(super) struct Opened(Rc<Meter>);

impl Opened {
    pub(super) fn new(meter: Rc<Meter>) -> Self {
        meter.open.set(meter.open.get() + 1);
        meter.most_open.set(meter.most_open.get().max(meter.open.get()));
        Self(meter)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.open.set(self.0.open.get().saturating_sub(1));
    }
}

impl Deref for Opened {
    type Target = Meter;

    fn deref(&self) -> &Meter {
        &self.0
    }
}

impl Meter {
    /// The most connections that were open at once since this was asked last.
    pub fn take_most_open(&self) -> u64 {
        self.most_open.replace(self.open.get())
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_counts_while_it_is_open_and_in_the_stretch_in_which_it_closes() {
        let meter = Rc::new(Meter::default());
        let one = Opened::new(Rc::clone(&meter));
        one.add_received(5);
        assert_eq!((meter.take_most_open(), meter.received()), (1, 5));
        drop(one);
        assert_eq!([meter.take_most_open(), meter.take_most_open()], [1, 0]);
    }
}
