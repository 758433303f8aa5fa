//! A worker: a thread with a runtime of its own, its share of the slots, and its own recording.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::lane::Lane;
use super::shared::Shared;
use super::slot::{LOOKS, Slot};
use crate::net::Stream;
use crate::plan::Plan;
use crate::proto::{Closing, ResponseHead, SCRATCH_BYTES, Witness};
use crate::record::{Micros, Recording, Sample};

/// With several workers, each adds to the common progress so many times within a progress interval.
const PROGRESS_PARTS: u64 = 64;

/// From this level on, response heads are shown.
const SHOWS_HEADS: u32 = 2;

/// What a worker leaves behind.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) recording: Recording,
    /// When its last request was complete.
    pub(super) last_done: Micros,
}

/// What the lanes of one thread have in common.
pub(super) struct Worker {
    pub(super) shared: Arc<Shared>,
    /// Where everything is read to.
    pub(super) scratch: RefCell<Box<[u8]>>,
    pub(super) closing: Closing,
    /// Bytes of documents, those of unfinished responses included.
    pub(super) document: Cell<u64>,
    tickets: Cell<u64>,
    recording: RefCell<Recording>,
    last_done: Cell<Micros>,
    /// Complete requests that the common progress does not know of yet.
    unreported: Cell<u64>,
    /// How many of them are gathered before it is told.
    report_after: u64,
    /// The run's first response head has come.
    has_head: Cell<bool>,
}

impl Worker {
    /// Runs the slots of these numbers (counted over the whole run) until there are no tickets left or the run ends.
    pub(super) fn run(shared: Arc<Shared>, slots: impl Iterator<Item = usize>) -> io::Result<Part> {
        let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
        let worker = Rc::new(Self::new(shared));
        let watched: Vec<Rc<Slot>> = runtime.block_on(async {
            let mut lanes = JoinSet::new();
            let mut watched = Vec::new();
            for number in slots {
                let slot = Rc::new(Slot::default());
                watched.push(Rc::clone(&slot));
                lanes.spawn_local(Self::lane(Rc::clone(&worker), number, slot));
            }
            tokio::select! {
                // Once the run has ended, nothing else is to be recorded.
                biased;
                _ = worker.shared.ending.wait() => {}
                () = worker.watch(&watched) => {}
                () = async { while lanes.join_next().await.is_some() {} } => {}
            }
            watched
        });
        drop(runtime);
        let mut recording = worker.recording.take();
        recording.received = watched.iter().map(|slot| slot.meter.received()).sum();
        recording.sent = watched.iter().map(|slot| slot.meter.sent()).sum();
        recording.document = worker.document.get();
        Ok(Part { recording, last_done: worker.last_done.get() })
    }

    fn new(shared: Arc<Shared>) -> Self {
        let report_after = match (shared.plan.progress_interval(), shared.plan.load.workers) {
            (Some(every), workers) if workers != 1 => (every / PROGRESS_PARTS).max(1),
            _ => 1,
        };
        let recording =
            if shared.plan.output.needs_tape() { Recording::with_tape() } else { Recording::default() };
        Self {
            shared,
            scratch: RefCell::new(vec![0; SCRATCH_BYTES].into_boxed_slice()),
            closing: Closing::default(),
            document: Cell::new(0),
            tickets: Cell::new(0),
            recording: RefCell::new(recording),
            last_done: Cell::new(0),
            unreported: Cell::new(0),
            report_after,
            has_head: Cell::new(false),
        }
    }

    /// One slot's life: the first connection of a run goes alone; when its first response head has come, the address
    /// is known to work and the others start.
    async fn lane(worker: Rc<Self>, number: usize, slot: Rc<Slot>) {
        if number > 0 {
            worker.shared.first_head.wait().await;
            let ramp = worker.plan().load.ramp;
            if !ramp.is_zero() {
                sleep(ramp.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX))).await;
            }
        }
        Lane::new(&worker, slot).run().await;
        worker.report();
    }

    /// Looks after silent slots, for ever.
    async fn watch(&self, slots: &[Rc<Slot>]) {
        let interval = (self.plan().load.silence / LOOKS).max(Duration::from_millis(1));
        loop {
            sleep(interval).await;
            for slot in slots {
                slot.look();
            }
        }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.shared.plan
    }

    /// Takes one ticket; `false` if the run has given out all it had.
    pub(super) fn take_ticket(&self) -> bool {
        if self.tickets.get() == 0 {
            self.tickets.set(self.shared.budget.claim());
        }
        let left = self.tickets.get();
        self.tickets.set(left.saturating_sub(1));
        left > 0
    }

    /// Takes note of what TLS has agreed on with the server.
    pub(super) fn greet(&self, stream: &Stream) {
        let shows = self.wants_bytes();
        if (shows || self.shared.handshake.get().is_none())
            && let Some(handshake) = stream.handshake()
        {
            if shows {
                self.shared.observer.handshake_done(&handshake);
            }
            self.shared.handshake.get_or_init(|| handshake);
        }
    }

    /// Counts a complete request.
    pub(super) fn record(&self, sample: &Sample) {
        self.recording.borrow_mut().record(sample);
        self.last_done.set(self.last_done.get().max(sample.stamps.done));
        self.unreported.set(self.unreported.get() + 1);
        if self.unreported.get() >= self.report_after {
            self.report();
        }
    }

    /// Counts a request that has to be sent once more.
    pub(super) fn count_resent(&self) {
        self.recording.borrow_mut().resent += 1;
    }

    fn report(&self) {
        if let Some(every) = self.plan().progress_interval() {
            self.shared.add_complete(self.unreported.take(), every);
        }
    }
}

impl Witness for Worker {
    fn wants_bytes(&self) -> bool {
        self.plan().output.verbosity >= SHOWS_HEADS
    }

    fn head_bytes(&self, so_far: &[u8]) {
        self.shared.observer.head_received(so_far);
    }

    fn head(&self, head: &ResponseHead<'_>) {
        if !self.has_head.replace(true) {
            // Another worker may have been first.
            let _ = self.shared.first_head.set(head.server.to_vec());
        }
        if head.status / 100 == 3
            && let Some(location) = head.location
        {
            self.shared.location.get_or_init(|| location.to_vec());
        }
        if self.wants_bytes() {
            self.shared.observer.status(head.status);
        }
    }
}
