//! The one loop: take a ticket, make the request, record it, close or keep the connection.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use super::slot::{Silence, Slot};
use super::worker::Worker;
use super::{Ending, Fatal, SocketCall};
use crate::net::{DialError, HandshakeError, Stream};
use crate::proto::{Break, End, Reply, Session, Terms};
use crate::record::{Failure, Micros, Outcome, Sample, Stamps};

/// One request in flight at a time, over one connection at a time.
pub(super) struct Lane<'a> {
    worker: &'a Worker,
    slot: Rc<Slot>,
    /// The connection that waits for the next request.
    idle: Option<Session>,
    /// The connection on which a response has ended, and which is to be closed.
    parting: Option<Stream>,
    /// When the last exchange ended: the next one on the same connection starts then, as in ab.
    last_done: Micros,
}

/// Why a request has no reply.
enum Unanswered {
    /// There is no connection.
    Dial(DialError),
    /// Nothing moved for too long; on a connection that stood since then, or while connecting.
    Silence { connected: Option<Micros> },
}

impl<'a> Lane<'a> {
    pub(super) fn new(worker: &'a Worker, slot: Rc<Slot>) -> Self {
        Self { worker, slot, idle: None, parting: None, last_done: 0 }
    }

    /// Makes requests until there are no tickets left, or the run ends.
    pub(super) async fn run(mut self) {
        while self.worker.take_ticket() {
            match self.request().await {
                Ok(sample) => self.worker.record(&sample),
                Err(fatal) => return self.worker.shared.end(Ending::Failed(fatal)),
            }
            if let Some(stream) = self.parting.take() {
                self.worker.closing.close(stream, &self.worker.scratch).await;
            }
        }
        if let Some(idle) = self.idle.take() {
            idle.into_stream().leave();
        }
    }

    /// Makes one request, over a new connection if there is none that can be used.
    async fn request(&mut self) -> Result<Sample, Fatal> {
        let idle = self.usable_idle().await;
        let start = if idle.is_some() { self.last_done } else { self.now() };
        let reused = idle.is_some();
        let mut attempt = self.attempt(idle, start).await;
        let lost = reused && attempt.as_ref().is_ok_and(|(reply, _)| reply.is_lost());
        if lost && self.worker.plan().request.is_idempotent() {
            // The server closed just as the request went out, as it may at any time (RFC 9112, section 9.3.1).
            self.worker.count_resent();
            attempt = self.attempt(None, start).await;
        }
        let (reply, connected) = match attempt {
            Ok(answered) => answered,
            Err(unanswered) => return self.judge_unanswered(start, &unanswered),
        };
        self.last_done = reply.done;
        let stamps = Stamps {
            start,
            connected,
            written: reply.written.unwrap_or(reply.done),
            first_byte: reply.first_byte.unwrap_or(reply.done),
            done: reply.done,
        };
        self.judge(stamps, &reply, lost)
    }

    /// The connection of the last request, if it can carry another one.
    async fn usable_idle(&mut self) -> Option<Session> {
        let mut session = self.idle.take()?;
        let spent = poll_fn(|cx| Poll::Ready(session.is_spent(cx))).await;
        (!spent).then_some(session)
    }

    /// One exchange, and when its connection stood.
    async fn attempt(&mut self, idle: Option<Session>, start: Micros) -> Result<(Reply, Micros), Unanswered> {
        let (mut session, connected) = match idle {
            Some(session) => (session, start),
            None => self.connect().await?,
        };
        let worker = self.worker;
        let terms = Terms {
            request: &worker.plan().request,
            keep_alive: worker.plan().load.keep_alive,
            clock: worker.shared.clock,
            scratch: &worker.scratch,
            document: &worker.document,
            witness: worker,
        };
        let reply = self.slot.watched(session.exchange(&terms)).await;
        let reply = reply.map_err(|Silence| Unanswered::Silence { connected: Some(connected) })?;
        match reply.end {
            End::Whole { reusable: true, .. } => self.idle = Some(session),
            End::Whole { closed: false, .. } => self.parting = Some(session.into_stream()),
            End::Whole { .. } | End::Broken(_) => {}
        }
        Ok((reply, connected))
    }

    async fn connect(&mut self) -> Result<(Session, Micros), Unanswered> {
        let shared = &self.worker.shared;
        let dialled = self.slot.watched(shared.route.dial(&self.slot.meter)).await;
        let stream =
            dialled.map_err(|Silence| Unanswered::Silence { connected: None })?.map_err(Unanswered::Dial)?;
        let connected = self.now();
        self.worker.greet(&stream);
        let session = Session::open(&shared.plan.request, stream, shared.clock).await;
        let session = session.map_err(|error| Unanswered::Dial(DialError::Connect(error)))?;
        Ok((session, connected))
    }

    /// What an answer, whole or broken, comes to.
    fn judge(&self, stamps: Stamps, reply: &Reply, lost: bool) -> Result<Sample, Fatal> {
        let sample = |outcome| Sample {
            stamps,
            outcome,
            status: reply.status,
            document: reply.document,
            kept_alive: matches!(reply.end, End::Whole { reusable: true, .. }),
            write_error: reply.end == End::Broken(Break::Send),
        };
        let failed = |failure| Ok(sample(Outcome::Failed(failure)));
        match reply.end {
            End::Whole { .. } => {
                let expected = self.worker.shared.settle_document_length(reply.document);
                let odd = self.worker.plan().load.fixed_length && reply.document != expected;
                Ok(sample(if odd { Outcome::Failed(Failure::Length) } else { Outcome::Good }))
            }
            End::Broken(Break::Closed) => failed(Failure::Receive),
            End::Broken(Break::Reset(_)) if lost => failed(Failure::Receive),
            End::Broken(Break::Reset(errno)) => {
                self.tolerate(Fatal::Socket { call: SocketCall::Receive, errno })?;
                failed(Failure::Receive)
            }
            End::Broken(Break::Refused(alert)) => {
                self.worker.shared.handshake_failed(&HandshakeError::late_alert(alert));
                self.worker.shared.early_failure()?;
                failed(Failure::Connect)
            }
            End::Broken(Break::Tls) => {
                self.worker.shared.speaks_tls.store(true, Ordering::Relaxed);
                failed(Failure::Exception)
            }
            End::Broken(Break::HeadTooLong) => {
                self.worker.shared.early_failure()?;
                failed(Failure::Exception)
            }
            End::Broken(Break::NotHttp | Break::Send) => failed(Failure::Exception),
        }
    }

    /// What no answer at all comes to.
    fn judge_unanswered(&self, start: Micros, unanswered: &Unanswered) -> Result<Sample, Fatal> {
        let (failure, connected) = match unanswered {
            Unanswered::Silence { connected: Some(connected) } => (Failure::Receive, Some(*connected)),
            Unanswered::Silence { connected: None } | Unanswered::Dial(_) => (Failure::Connect, None),
        };
        match unanswered {
            Unanswered::Silence { .. } => self.tolerate(Fatal::Timeout)?,
            Unanswered::Dial(DialError::Handshake(error)) => self.worker.shared.handshake_failed(error),
            Unanswered::Dial(error) => self.tolerate_dial_error(error)?,
        }
        if failure == Failure::Connect {
            self.worker.shared.early_failure()?;
        }
        let done = self.now();
        let stamps =
            Stamps { start, connected: connected.unwrap_or(done), written: done, first_byte: done, done };
        let outcome = Outcome::Failed(failure);
        Ok(Sample { stamps, outcome, status: None, document: 0, kept_alive: false, write_error: false })
    }

    fn tolerate_dial_error(&self, error: &DialError) -> Result<(), Fatal> {
        let (call, error, hopeless) = match error {
            DialError::Socket(error) => (SocketCall::Socket, error, true),
            DialError::Bind(error) => (SocketCall::Bind, error, true),
            DialError::NoLocalPort(error) => (SocketCall::Connect, error, true),
            DialError::Connect(error) => (SocketCall::Receive, error, false),
            // A handshake that fails ends no run.
            DialError::Handshake(_) => return Ok(()),
        };
        let fatal = Fatal::Socket { call, errno: error.raw_os_error().unwrap_or_default() };
        if hopeless { Err(fatal) } else { self.tolerate(fatal) }
    }

    /// With `-r` the run goes on after such an error, otherwise it ends.
    fn tolerate(&self, error: Fatal) -> Result<(), Fatal> {
        if !self.worker.plan().load.tolerate {
            return Err(error);
        }
        if self.worker.plan().output.verbosity >= 1 {
            self.worker.shared.observer.receive_error(&error);
        }
        Ok(())
    }

    fn now(&self) -> Micros {
        self.worker.shared.clock.now()
    }
}
