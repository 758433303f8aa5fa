//! What the lanes of one thread have in common: the place they read to, their tickets, and their recording.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Fatal;
use super::fault::{Consequence, Fault};
use super::shared::Shared;
use crate::net::Stream;
use crate::plan::Plan;
use crate::proto::{Closing, ResponseHead, Scratch, Witness, scratch};
use crate::record::{Detail, Micros, Recording, Sample, Tape};

/// With several workers, each adds to the common progress so many times within a progress interval.
const PROGRESS_PARTS: u64 = 64;

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
    pub(super) scratch: Scratch,
    pub(super) closing: Closing,
    /// Bytes of documents, those of unfinished responses included.
    pub(super) document: Cell<u64>,
    tickets: Cell<u64>,
    /// Requests that have begun.
    begun: Cell<u64>,
    recording: RefCell<Recording>,
    last_done: Cell<Micros>,
    /// Complete requests that the common progress does not know of yet.
    unreported: Cell<u64>,
    /// How many of them are gathered before it is told.
    report_after: u64,
    /// The run's first response head has come.
    has_head: Cell<bool>,
    /// The server has kept a connection.
    has_kept: Cell<bool>,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let report_after = match (shared.plan.progress_interval(), shared.plan.load.workers) {
            (Some(every), workers) if workers != 1 => (every / PROGRESS_PARTS).max(1),
            _ => 1,
        };
        let output = &shared.plan.output;
        let recording = Recording::with(
            output.needs_detail().then(Detail::default),
            output.needs_tape().then(Tape::default),
        );
        let scratch = scratch();
        Self {
            shared,
            closing: Closing::new(Rc::clone(&scratch)),
            scratch,
            document: Cell::new(0),
            tickets: Cell::new(0),
            begun: Cell::new(0),
            recording: RefCell::new(recording),
            last_done: Cell::new(0),
            unreported: Cell::new(0),
            report_after,
            has_head: Cell::new(false),
            has_kept: Cell::new(false),
        }
    }

    /// Hands over what was gathered; bytes in and out are counted elsewhere.
    pub(super) fn take_part(&self) -> Part {
        let mut recording = self.recording.take();
        recording.document = self.document.get();
        recording.unfinished = self.begun.get().saturating_sub(recording.complete);
        Part { recording, last_done: self.last_done.get() }
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
        if left == 0 {
            // Every worker finds out for itself; the first one is enough for those who wait for their turn.
            let _ = self.shared.exhausted.set(());
        }
        self.tickets.set(left.saturating_sub(1));
        self.begun.set(self.begun.get() + u64::from(left > 0));
        left > 0
    }

    /// Whether a document is as long as the first one that came whole, or need not be.
    pub(super) fn has_expected_length(&self, document: u64) -> bool {
        let expected = self.shared.settle_document_length(document);
        !self.plan().load.fixed_length || document == expected
    }

    /// Goes on after a fault, if the run may.
    pub(super) fn bear(&self, fault: &Fault) -> Result<(), Fatal> {
        match &fault.consequence {
            Consequence::Ends(fatal) => return Err(fatal.clone()),
            Consequence::EndsUnlessTolerated(fatal) if !self.plan().load.tolerate => {
                return Err(fatal.clone());
            }
            Consequence::EndsUnlessTolerated(fatal) if self.plan().output.verbosity >= 1 => {
                self.shared.observer.receive_error(fatal);
            }
            Consequence::EndsUnlessTolerated(_) | Consequence::GoesOn => {}
        }
        if fault.is_early {
            self.shared.early_failure()?;
        }
        self.recording.borrow_mut().causes.count(fault.cause, 1);
        Ok(())
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

    /// Notes what the connections have done up to a time, where the run is kept by the second.
    pub(super) fn observe(&self, until: Micros, received: u64, connections: u64) {
        if let Some(detail) = &mut self.recording.borrow_mut().detail {
            detail.series.observe(until, received, connections);
        }
    }

    /// When its last request was complete.
    pub(super) fn last_done(&self) -> Micros {
        self.last_done.get()
    }

    /// Tells the common progress of what it does not know yet.
    pub(super) fn report(&self) {
        if let Some(every) = self.plan().progress_interval() {
            self.shared.add_complete(self.unreported.take(), every);
        }
    }
}

impl Witness for Worker {
    fn wants_bytes(&self) -> bool {
        self.plan().output.shows_heads()
    }

    fn head_bytes(&self, so_far: &[u8]) {
        self.shared.observer.head_received(so_far);
    }

    fn head(&self, head: &ResponseHead<'_>) {
        if !self.has_head.replace(true) {
            // Another worker may have been first.
            self.shared.server_software.get_or_init(|| head.server.to_vec());
            let _ = self.shared.first_head.set(());
        }
        if head.persistent && !self.has_kept.replace(true) {
            self.shared.server_keeps.store(true, Ordering::Relaxed);
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
