//! The one loop: take a ticket, make the request, record it, keep the connection or part with it.

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use super::fault::Fault;
use super::slot::{Silence, Slot};
use super::worker::Worker;
use super::{Ending, Fatal, HandshakeError};
use crate::net::{DialError, Stream};
use crate::proto::{Break, End, Reply, Session, Terms};
use crate::record::{Failure, Micros, Outcome, Sample, Stamps};

/// One request in flight at a time, over one connection at a time.
pub(super) struct Lane<'a> {
    worker: &'a Worker,
    slot: Rc<Slot>,
    /// The connection that waits for the next request.
    idle: Option<Session>,
    /// The connection that is to be parted with, and how its last exchange ended.
    parting: Option<(Stream, End)>,
    /// When the last exchange ended: the next one on the same connection starts then, as in ab.
    last_done: Micros,
}

/// What came of a try to make a request.
struct Attempt {
    /// When the connection stood; `None` if there never was one.
    connected: Option<Micros>,
    answer: Result<Reply, Fault>,
}

impl<'a> Lane<'a> {
    pub(super) fn new(worker: &'a Worker, slot: Rc<Slot>) -> Self {
        Self { worker, slot, idle: None, parting: None, last_done: 0 }
    }

    /// Makes requests until there are no tickets left, or the run ends.
    pub(super) async fn run(mut self) {
        while let Some(ticket) = self.worker.take_ticket() {
            let url = self.worker.plan().requests.url_of(ticket);
            match self.request(url).await {
                Ok(sample) => self.worker.record(&sample),
                Err(fatal) => return self.worker.shared.end(Ending::Failed(fatal)),
            }
            self.part().await;
        }
        if let Some(idle) = self.idle.take() {
            idle.into_stream().leave();
        }
    }

    /// Makes one request of this URL, over a new connection if there is none that can be used.
    async fn request(&mut self, url: u32) -> Result<Sample, Fatal> {
        let idle = self.usable_idle().await;
        let mut is_reused = idle.is_some();
        let start = if is_reused { self.last_done } else { self.now() };
        let mut attempt = self.attempt(url, idle, start).await;
        if is_reused && attempt.was_in_vain() && self.worker.plan().requests[url].is_idempotent() {
            // The server closed just as the request went out, as it may at any time (RFC 9112, section 9.3.1).
            self.part().await;
            self.worker.count_resent();
            is_reused = false;
            attempt = self.attempt(url, None, start).await;
        }
        self.judge(url, start, attempt, is_reused)
    }

    /// The connection of the last request, if it can carry another one.
    async fn usable_idle(&mut self) -> Option<Session> {
        let mut session = self.idle.take()?;
        let spent = poll_fn(|cx| Poll::Ready(session.is_spent(cx))).await;
        (!spent).then_some(session)
    }

    /// One exchange, over this connection or a new one.
    async fn attempt(&mut self, url: u32, idle: Option<Session>, start: Micros) -> Attempt {
        let (mut session, connected) = match idle {
            Some(session) => (session, start),
            None => match self.connect().await {
                Ok(connection) => connection,
                Err(fault) => return Attempt { connected: None, answer: Err(fault) },
            },
        };
        let worker = self.worker;
        let terms = Terms {
            request: &worker.plan().requests[url],
            keep_alive: worker.plan().load.keep_alive,
            clock: worker.shared.clock,
            scratch: &worker.scratch,
            document: &worker.document,
            witness: worker,
        };
        let answer = self.slot.watched(session.exchange(&terms)).await;
        match answer {
            Ok(Reply { end: End::Whole { reusable: true, .. }, .. }) => self.idle = Some(session),
            Ok(Reply { end, .. }) => self.parting = Some((session.into_stream(), end)),
            Err(Silence) => self.parting = Some((session.into_stream(), End::Broken(Break::Closed))),
        }
        Attempt { connected: Some(connected), answer: answer.map_err(|Silence| Fault::silence(true)) }
    }

    /// A new connection, and when it stood. Until one has been made, every address is tried, in order.
    async fn connect(&self) -> Result<(Session, Micros), Fault> {
        let shared = &self.worker.shared;
        let mut fault = Fault::of_dial(&DialError::Connect(io::ErrorKind::AddrNotAvailable.into()));
        for &address in shared.route.addresses() {
            let dialled = self.slot.watched(shared.route.dial(address, &self.slot.meter)).await;
            fault = match dialled {
                Ok(Ok(stream)) => return self.open(stream).await,
                Ok(Err(error)) => {
                    if let DialError::Handshake(error) = &error {
                        shared.handshake_failed(error);
                    }
                    Fault::of_dial(&error)
                }
                Err(Silence) => Fault::silence(false),
            };
        }
        Err(fault)
    }

    async fn open(&self, stream: Stream) -> Result<(Session, Micros), Fault> {
        let connected = self.now();
        self.worker.greet(&stream);
        let shared = &self.worker.shared;
        match Session::open(shared.plan.requests.first(), stream, shared.clock).await {
            Ok(session) => Ok((session, connected)),
            Err(error) => Err(Fault::of_dial(&DialError::Connect(error))),
        }
    }

    /// What an attempt comes to: a sample, or the end of the run.
    fn judge(&mut self, url: u32, start: Micros, attempt: Attempt, is_reused: bool) -> Result<Sample, Fatal> {
        let (reply, fault) = match attempt.answer {
            Ok(reply) => (Some(reply), self.fault_of(&reply, is_reused)),
            Err(fault) => (None, Some(fault)),
        };
        let outcome = match (fault, reply) {
            (Some(fault), _) => {
                self.worker.bear(&fault)?;
                Outcome::Failed(fault.failure)
            }
            (None, Some(reply)) if !self.worker.has_expected_length(url, reply.document) => {
                Outcome::Failed(Failure::Length)
            }
            (None, _) => Outcome::Good,
        };
        let done = reply.map_or_else(|| self.now(), |reply| reply.done);
        self.last_done = done;
        let end = reply.map(|reply| reply.end);
        Ok(Sample {
            url,
            stamps: Stamps {
                start,
                connected: attempt.connected.unwrap_or(done),
                written: reply.and_then(|reply| reply.written).unwrap_or(done),
                first_byte: reply.and_then(|reply| reply.first_byte).unwrap_or(done),
                done,
            },
            outcome,
            status: reply.and_then(|reply| reply.status),
            document: reply.map_or(0, |reply| reply.document),
            missing: reply.map_or(0, |reply| reply.missing),
            kept_alive: matches!(end, Some(End::Whole { reusable: true, .. })),
            write_error: end == Some(End::Broken(Break::Send)),
        })
    }

    /// What is wrong with a reply, if it broke off, and what there is to tell about that.
    fn fault_of(&self, reply: &Reply, is_reused: bool) -> Option<Fault> {
        let End::Broken(broken) = reply.end else { return None };
        let shared = &self.worker.shared;
        match broken {
            Break::Refused(alert) => shared.handshake_failed(&HandshakeError::late_alert(alert)),
            Break::Tls => shared.speaks_tls.store(true, Ordering::Relaxed),
            _ => {}
        }
        Some(Fault::of_break(broken, is_reused && reply.is_lost()))
    }

    /// Parts with the connection that will not be used again, if there is one.
    async fn part(&mut self) {
        if let Some((stream, end)) = self.parting.take() {
            self.worker.closing.part(stream, end).await;
        }
    }

    fn now(&self) -> Micros {
        self.worker.shared.clock.now()
    }
}

impl Attempt {
    /// On a reused connection: nothing came that could be the answer, so that the request may not have been seen.
    fn was_in_vain(&self) -> bool {
        self.answer.as_ref().is_ok_and(|reply| reply.is_lost() || reply.is_noise())
    }
}
