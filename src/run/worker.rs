//! What the lanes of one thread have in common: the place they read to, their tickets, and their recording.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::io;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::Fatal;
use super::fault::{Consequence, Fault};
use super::pacer::Pacer;
use super::shared::Shared;
use tokio::sync::Notify;

use crate::net::Stream;
use crate::plan::{FileFormat, Plan};
use crate::proto::{Closing, ResponseHead, Scratch, Witness, scratch};
use crate::record::{Detail, Micros, Planned, Recording, Sample, Share, Streak, Tape, Urls};

/// With several workers, each adds to the common progress so many times within a progress interval.
const PROGRESS_PARTS: u64 = 64;

/// What a worker leaves behind.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) recording: Recording,
    /// When its last request was complete.
    pub(super) last_done: Micros,
    /// The last statuses, as far as they are alike.
    pub(super) last_statuses: Streak,
    /// Processor time of its thread, user's and system's.
    pub(super) cpu: Micros,
}

/// What the lanes of one thread have in common.
pub(super) struct Worker {
    pub(super) shared: Arc<Shared>,
    /// Where everything is read to.
    pub(super) scratch: Scratch,
    pub(super) closing: Closing,
    /// Bytes of documents, those of unfinished responses included.
    pub(super) document: Cell<u64>,
    tickets: Cell<Range<u64>>,
    /// Holds requests back until they are due, if they are sent on schedule.
    pacer: Option<Pacer>,
    /// Requests that have begun.
    begun: Cell<u64>,
    recording: RefCell<Recording>,
    last_done: Cell<Micros>,
    last_statuses: Cell<Streak>,
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
    /// Must be called on the runtime.
    pub(super) fn new(shared: Arc<Shared>) -> io::Result<Self> {
        let report_after = match (shared.plan.progress_interval(), shared.plan.load.workers) {
            (Some(every), workers) if workers != 1 => (every / PROGRESS_PARTS).max(1),
            _ => 1,
        };
        let mut recording = recording(&shared.plan);
        recording.shares = vec![Share::default(); shared.route.turns()];
        let scratch = scratch();
        let pacer = if shared.schedule.is_some() { Some(Pacer::new(shared.clock)?) } else { None };
        Ok(Self {
            shared,
            closing: Closing::new(Rc::clone(&scratch)),
            scratch,
            document: Cell::new(0),
            tickets: Cell::default(),
            pacer,
            begun: Cell::new(0),
            recording: RefCell::new(recording),
            last_done: Cell::new(0),
            last_statuses: Cell::default(),
            unreported: Cell::new(0),
            report_after,
            has_head: Cell::new(false),
            has_kept: Cell::new(false),
        })
    }

    /// Lets requests go when they are due; ends only if the system fails it.
    pub(super) async fn pace(&self) -> io::Error {
        match &self.pacer {
            Some(pacer) => pacer.run().await,
            None => pending().await,
        }
    }

    /// Waits until the request with this ticket is due, and says when that is; `None` if it goes at once.
    pub(super) async fn due(&self, ticket: u64, turn: &Rc<Notify>) -> Option<Planned> {
        let (schedule, pacer) = (self.shared.schedule.as_ref()?, self.pacer.as_ref()?);
        pacer.wait(schedule, ticket, turn).await
    }

    /// Counts a request that begins now; one that waits for its time has a ticket, and has not begun.
    pub(super) fn count_begun(&self) {
        self.begun.set(self.begun.get() + 1);
    }

    /// Hands over what was gathered; bytes in and out, and the time of the thread, are counted elsewhere.
    pub(super) fn take_part(&self) -> Part {
        let mut recording = self.recording.take();
        recording.document = self.document.get();
        recording.unfinished = self.begun.get().saturating_sub(recording.complete);
        Part { recording, last_done: self.last_done.get(), last_statuses: self.last_statuses.get(), cpu: 0 }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.shared.plan
    }

    /// Takes one ticket; `None` if the run has given out all it had.
    pub(super) fn take_ticket(&self) -> Option<u64> {
        let mut tickets = self.tickets.take();
        if tickets.is_empty() {
            tickets = self.shared.budget.claim();
        }
        let ticket = tickets.next();
        if ticket.is_none() {
            // Every worker finds out for itself; the first one is enough for those who wait for their turn.
            let _ = self.shared.exhausted.set(());
        }
        self.tickets.set(tickets);
        ticket
    }

    /// Whether a document is as long as the first one of its URL that came whole, or need not be.
    pub(super) fn has_expected_length(&self, url: u32, document: u64) -> bool {
        let expected = self.shared.settle_document_length(url, document);
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

    /// Counts a complete request, which went to the address of this number.
    pub(super) fn record(&self, sample: &Sample, address: usize) {
        let mut recording = self.recording.borrow_mut();
        recording.record(sample);
        if let Some(share) = recording.shares.get_mut(address) {
            share.count(sample.outcome);
        }
        drop(recording);
        self.last_done.set(self.last_done.get().max(sample.stamps.done));
        if let Some(status) = sample.status {
            let mut streak = self.last_statuses.get();
            streak.count(status, sample.stamps.done);
            self.last_statuses.set(streak);
        }
        self.unreported.set(self.unreported.get() + 1);
        if self.unreported.get() >= self.report_after {
            self.report();
        }
    }

    /// Counts a connection to the address of this number, or a try that led to none.
    pub(super) fn count_connection(&self, address: usize, stands: bool) {
        if let Some(share) = self.recording.borrow_mut().shares.get_mut(address) {
            share.count_connection(stands);
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

/// Nothing yet, with room for what this plan has to remember.
fn recording(plan: &Plan) -> Recording {
    let (requests, output) = (&plan.requests, &plan.output);
    let detail = output.needs_detail().then(Detail::default);
    let tape = output.needs_tape().then(|| {
        if requests.is_list() && output.writes(FileFormat::Samples) {
            Tape::with_urls()
        } else {
            Tape::default()
        }
    });
    let urls = if requests.is_list() { Urls::new(requests.count(), output.by_url) } else { Urls::default() };
    Recording::new(detail, tape, urls)
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
            self.shared.version.get_or_init(|| head.version);
            self.shared.server_software.get_or_init(|| head.server.to_vec());
            if let Some(schedule) = &self.shared.schedule {
                schedule.begin(self.shared.clock.now());
            }
            self.shared.route.expect(head.announced.unwrap_or(0));
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
