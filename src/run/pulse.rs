//! Once a second, a look at the connections of a worker, where the run is kept by the second.
//!
//! What is complete brings its own time along. The bytes that came, and the connections that were open, have none: they
//! count for the second in which the look finds them.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::sleep_until;

use super::link::Link;
use super::worker::Worker;
use crate::record::Micros;

/// Microseconds from one look to the next.
const BEAT: Micros = 1_000_000;

/// A worker's connections, looked at by the second.
pub(super) struct Pulse<'a> {
    worker: &'a Worker,
    links: &'a [(usize, Rc<Link>)],
    /// Bytes received up to the last look.
    received: Cell<u64>,
    /// When that was.
    looked: Cell<Micros>,
}

impl<'a> Pulse<'a> {
    pub(super) fn new(worker: &'a Worker, links: &'a [(usize, Rc<Link>)]) -> Self {
        Self { worker, links, received: Cell::new(0), looked: Cell::new(0) }
    }

    /// Looks at the end of each second, for ever.
    pub(super) async fn beat(&self) {
        let clock = self.worker.shared.clock;
        loop {
            // Where a look comes late, those in between are lost, and what came meanwhile counts for the last second.
            let next = (clock.now() / BEAT + 1) * BEAT;
            sleep_until((clock.origin() + Duration::from_micros(next)).into()).await;
            self.look(clock.now() / BEAT * BEAT);
        }
    }

    /// Looks once more, at the end: of the run, or of what this worker has to do in it.
    pub(super) fn last(&self) {
        let shared = &self.worker.shared;
        let has_ended = shared.ending.get().is_some();
        self.look(if has_ended { shared.clock.now() } else { self.worker.last_done() });
    }

    fn look(&self, until: Micros) {
        let received = self.links.iter().map(|(_, link)| link.meter.received()).sum();
        let before = self.received.replace(received);
        let looked = self.looked.replace(until.max(self.looked.get()));
        let connections = self.links.iter().map(|(_, link)| link.meter.take_most_open().min(1)).sum();
        // A worker that has been idle since the last look has had that second counted.
        let connections = if until > looked { connections } else { 0 };
        self.worker.observe(until.max(looked), received.saturating_sub(before), connections);
    }
}
