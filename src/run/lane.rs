//! The one loop: take a ticket, make the request, record it, keep the connection or part with it.
//!
//! A lane has one request in flight at a time. Over HTTP/1 its connection is its own, over HTTP/2 other lanes may use it
//! as well; the loop is the same.

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use tokio::sync::Notify;

use super::fault::Fault;
use super::link::{Joined, Link};
use super::slot::{Silence, Slot};
use super::worker::Worker;
use super::{Ending, Fatal, HandshakeError};
use crate::net::{DialError, Stream};
use crate::plan::Version;
use crate::proto::{Break, End, OpenError, Reply, Session, Terms};
use crate::record::{Failure, Micros, Outcome, Planned, Sample, Stamps};

/// How a server says in the TLS handshake that it does not speak HTTP/2: it chooses none of the protocols it is asked for,
/// or another one, or refuses the handshake.
const NOT_CHOSEN: &str = "it did not choose it in the TLS handshake";

/// One request in flight at a time, over one connection at a time.
pub(super) struct Lane<'a> {
    worker: &'a Worker,
    link: Rc<Link>,
    /// Which of the connection's lanes this is.
    place: usize,
    slot: Rc<Slot>,
    /// The connection that waits for the next request.
    idle: Option<Session>,
    /// The connection that is to be parted with, and how its last exchange ended.
    parting: Option<(Session, End)>,
    /// The number of the address that the last connection went to.
    address: usize,
    /// Is told when a request that waits for its time is due.
    turn: Rc<Notify>,
    /// When the last exchange ended: the next one on the same connection starts then, as in ab.
    last_done: Micros,
}

/// What came of a try to make a request.
struct Attempt {
    /// When the connection stood; `None` if there never was one.
    connected: Option<Micros>,
    /// An answer had come on the connection before.
    is_reused: bool,
    answer: Result<Reply, Fault>,
}

impl<'a> Lane<'a> {
    pub(super) fn new(worker: &'a Worker, link: Rc<Link>, place: usize, slot: Rc<Slot>) -> Self {
        Self {
            worker,
            link,
            place,
            slot,
            idle: None,
            parting: None,
            address: 0,
            turn: Rc::default(),
            last_done: 0,
        }
    }

    /// Makes requests until there are no tickets left, or the run ends.
    pub(super) async fn run(mut self) {
        while self.has_room().await
            && let Some(ticket) = self.worker.take_ticket()
        {
            let url = self.worker.plan().requests.url_of(ticket);
            let planned = self.worker.due(ticket, &self.turn).await;
            self.worker.count_begun();
            match self.request(url, planned).await {
                Ok(sample) => self.worker.record(&sample, self.address),
                Err(fatal) => return self.worker.shared.end(Ending::Failed(fatal)),
            }
            self.part().await;
        }
        if let Some(idle) = self.idle.take() {
            idle.leave().await;
        }
    }

    /// Waits until the connection has room for this lane; `false` if there is nothing left to do before it has.
    async fn has_room(&self) -> bool {
        if self.place < self.link.width() {
            return true;
        }
        tokio::select! {
            biased;
            () = self.worker.shared.exhausted.wait() => false,
            () = self.link.room(self.place) => true,
        }
    }

    /// Makes one request of this URL, over a new connection if there is none that can be used.
    async fn request(&mut self, url: u32, planned: Option<Planned>) -> Result<Sample, Fatal> {
        let idle = self.usable_idle().await;
        // What waited for its time did not start before.
        let start = if idle.is_some() && planned.is_none() { self.last_done } else { self.now() };
        let mut attempt = self.attempt(url, idle, start).await;
        while self.may_try_again(url, &attempt) {
            self.part().await;
            self.worker.count_resent();
            let idle = self.usable_idle().await;
            attempt = self.attempt(url, idle, start).await;
        }
        let sample = self.judge(url, start, attempt)?;
        Ok(Sample { planned, ..sample })
    }

    /// Whether a request that failed is to go out once more.
    fn may_try_again(&self, url: u32, attempt: &Attempt) -> bool {
        let Ok(reply) = &attempt.answer else { return false };
        if reply.is_unprocessed() {
            return self.link.bears_refusal();
        }
        // On a reused connection, nothing came that could be the answer, so that the request may not have been seen: the
        // server closed just as it went out, as it may at any time (RFC 9112, section 9.3.1).
        let was_in_vain = attempt.is_reused && (reply.is_lost() || reply.is_noise());
        was_in_vain && self.worker.plan().requests[url].is_idempotent()
    }

    /// The connection of the last request, if it can carry another one.
    async fn usable_idle(&mut self) -> Option<Session> {
        let mut session = self.idle.take()?;
        let spent = poll_fn(|cx| Poll::Ready(session.is_spent(cx))).await;
        (!spent).then_some(session)
    }

    /// One exchange, over this connection or a new one.
    async fn attempt(&mut self, url: u32, idle: Option<Session>, start: Micros) -> Attempt {
        let was_idle = idle.is_some();
        let (mut session, connected) = match idle {
            Some(session) => (session, start),
            None => match self.connect(start).await {
                Ok(connection) => connection,
                Err(fault) => return Attempt { connected: None, is_reused: false, answer: Err(fault) },
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
        let is_reused = was_idle || session.has_answered();
        if answer.is_ok_and(|reply| reply.status.is_some()) {
            self.link.count_answer();
        }
        match answer {
            Ok(Reply { end: End::Whole { reusable: true, .. }, .. }) => self.idle = Some(session),
            Ok(Reply { end: End::Broken(_), .. }) if terms.keep_alive && session.outlives_faults() => {
                self.idle = Some(session);
            }
            Ok(Reply { end, .. }) => self.parting = Some((session, end)),
            Err(Silence) => session.abort(),
        }
        let answer = answer.map_err(|Silence| Fault::silence(true));
        Attempt { connected: Some(connected), is_reused, answer }
    }

    /// A connection that others share, or a new one; and since when it can be used.
    async fn connect(&mut self, start: Micros) -> Result<(Session, Micros), Fault> {
        if self.worker.plan().load.streams == 1 {
            return self.dial().await;
        }
        let link = Rc::clone(&self.link);
        match link.join().await {
            Joined::Session { session, address, has_waited } => {
                self.address = address;
                Ok((session, if has_waited { self.now() } else { start }))
            }
            Joined::Dialling(alone) => match self.dial().await {
                Ok((session, connected)) => {
                    link.publish(&session, self.address, &self.worker.shared);
                    Ok((session, connected))
                }
                Err(fault) => {
                    alone.fail(&fault, self.address);
                    Err(fault)
                }
            },
            Joined::Failed { fault, address } => {
                self.address = address;
                Err(fault)
            }
        }
    }

    /// A new connection, and when it stood. Until one has been made, every address is tried, in order, unless they are
    /// used in turn.
    async fn dial(&mut self) -> Result<(Session, Micros), Fault> {
        let shared = &self.worker.shared;
        let mut fault = Fault::of_dial(&DialError::Connect(io::ErrorKind::AddrNotAvailable.into()));
        for address in shared.route.candidates() {
            self.address = address;
            let dialled = self.slot.watched(shared.route.dial(address, &self.link.meter)).await;
            fault = match dialled {
                Ok(Ok(stream)) => return self.open(stream).await,
                Ok(Err(error)) => {
                    match &error {
                        DialError::Tunnel(error) => shared.tunnel_failed(error),
                        DialError::Handshake(error)
                            if error.is_for_want_of_a_protocol() && self.asks_for_http2() =>
                        {
                            return Err(Fault::not_http2(NOT_CHOSEN));
                        }
                        DialError::Handshake(error) => shared.handshake_failed(error),
                        _ => {}
                    }
                    Fault::of_dial(&error)
                }
                Err(Silence) => Fault::silence(false),
            };
        }
        self.worker.count_connection(self.address, false);
        Err(fault)
    }

    async fn open(&self, stream: Stream) -> Result<(Session, Micros), Fault> {
        let connected = self.now();
        self.worker.count_connection(self.address, true);
        self.worker.greet(&stream);
        let shared = &self.worker.shared;
        match Session::open(shared.plan.requests.first(), stream, shared.clock, self.link.width()).await {
            Ok(session) => Ok((session, connected)),
            Err(OpenError::Broken(error)) => Err(Fault::of_dial(&DialError::Connect(error))),
            Err(OpenError::NotChosen) if self.asks_for_http2() => Err(Fault::not_http2(NOT_CHOSEN)),
            Err(OpenError::NotChosen) => Err(Fault::of_break(Break::NotHttp2, false)),
        }
    }

    /// HTTP/2 is asked for, and it is not known yet whether the server speaks it.
    fn asks_for_http2(&self) -> bool {
        let shared = &self.worker.shared;
        shared.plan.requests.first().version == Version::Http2 && shared.version.get().is_none()
    }

    /// What an attempt comes to: a sample, or the end of the run.
    fn judge(&mut self, url: u32, start: Micros, attempt: Attempt) -> Result<Sample, Fatal> {
        let (reply, fault) = match attempt.answer {
            Ok(reply) => (Some(reply), self.fault_of(&reply, attempt.is_reused)),
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
            planned: None,
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
        let is_not_http2 = match broken {
            Break::NotHttp2 => Some("it answered in something else"),
            Break::NoPreface => Some("it closed the connection without an answer"),
            Break::Tls => Some("it answered in TLS"),
            Break::Http11Wanted => Some("it asks for HTTP/1.1 instead"),
            _ => None,
        };
        if let Some(how) = is_not_http2.filter(|_| self.asks_for_http2()) {
            return Some(Fault::not_http2(how));
        }
        Some(Fault::of_break(broken, is_reused && reply.is_lost()))
    }

    /// Parts with the connection that will not be used again, if there is one.
    async fn part(&mut self) {
        if let Some((session, end)) = self.parting.take() {
            session.part(end, &self.worker.closing).await;
        }
    }

    fn now(&self) -> Micros {
        self.worker.shared.clock.now()
    }
}
