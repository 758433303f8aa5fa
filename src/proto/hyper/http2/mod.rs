//! HTTP/2 through hyper: many exchanges at a time on one connection.
//!
//! In comes an open stream, out go [`Session`]s: handles to the one connection, each for one exchange at a time. What
//! hyper wants done beside the exchanges (reading and writing frames, one future a request) runs as tasks of the same
//! thread.
//!
//! Frames of several exchanges share reads and writes, so that these are stamped where they happen, on the connection:
//! a request is written with the first write after it was handed over, and the stamps of a response are those of the
//! read that brought its frames.

mod fault;
mod track;

use std::cell::{Cell, OnceCell};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::{Rc, Weak};

use bytes::Bytes;
use hyper::body::Body;
use hyper::client::conn::http2::{Builder, Connection, SendRequest};
use hyper::rt::Executor;
use hyper_util::rt::TokioIo;
use tokio::task::{AbortHandle, spawn_local};

use super::super::clock::Clock;
use super::super::{End, MAX_HEAD_BYTES, Reply, Terms};
use super::outgoing::Outgoing;
use super::{Received, show_head};
use crate::net::Stream;
use crate::record::Micros;
use track::{Track, Tracked};

/// Bytes that a server may send ahead on one stream. A client that takes all at once loses nothing by a large window,
/// and a small one would measure how soon it is opened again.
const STREAM_WINDOW: u32 = 16 * 1024 * 1024;

/// The same for all streams of a connection.
const CONNECTION_WINDOW: u32 = 256 * 1024 * 1024;

/// One exchange at a time on a connection that others may use as well.
pub struct Session {
    sender: SendRequest<Outgoing>,
    shared: Rc<Shared>,
    /// When the request of the exchange was written.
    written: Rc<Cell<Option<Micros>>>,
}

/// What all sessions of a connection have in common. With the last of them it goes, and the connection ends.
struct Shared {
    sender: SendRequest<Outgoing>,
    track: Rc<Track>,
    /// A response head has come.
    has_answered: Cell<bool>,
    tasks: Tasks,
}

/// Leads to a connection as long as anybody uses it.
pub struct Invitation {
    shared: Weak<Shared>,
    track: Rc<Track>,
}

impl Invitation {
    /// A handle to the connection, if it takes requests.
    pub fn accept(&self) -> Option<Session> {
        let shared = self.shared.upgrade()?;
        let session = Session { sender: shared.sender.clone(), shared, written: Rc::default() };
        (!session.is_spent()).then_some(session)
    }

    /// Waits until the server has said how many exchanges it takes at a time; `None` if the connection ends before.
    pub async fn stream_limit(self) -> Option<usize> {
        drop(self.shared);
        self.track.settled().await;
        self.track.limit()
    }
}

/// Runs what hyper wants to run; the first task of a connection is the one that owns its stream.
#[derive(Clone, Default)]
struct Tasks(Rc<OnceCell<AbortHandle>>);

impl<F: Future<Output = ()> + 'static> Executor<F> for Tasks {
    fn execute(&self, task: F) {
        let task = spawn_local(task);
        self.0.get_or_init(|| task.abort_handle());
    }
}

impl Session {
    /// Begins to speak; at first with no more than so many exchanges at a time.
    pub(in super::super) async fn open(stream: Stream, clock: Clock, streams: usize) -> hyper::Result<Self> {
        let track = Rc::new(Track::default());
        let tasks = Tasks::default();
        let io = TokioIo::new(Tracked::new(stream, Rc::clone(&track), clock));
        let (sender, connection) = Builder::new(tasks.clone())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(streams)
            .max_header_list_size(u32::try_from(MAX_HEAD_BYTES).unwrap_or(u32::MAX))
            .handshake(io)
            .await?;
        spawn_local(drive(connection, Rc::clone(&track)));
        let shared = Rc::new(Shared { sender: sender.clone(), track, has_answered: Cell::new(false), tasks });
        Ok(Self { sender, shared, written: Rc::default() })
    }

    /// Lets others use the connection as well.
    pub(in super::super) fn invitation(&self) -> Invitation {
        Invitation { shared: Rc::downgrade(&self.shared), track: Rc::clone(&self.shared.track) }
    }

    /// Whether the connection takes no more requests.
    pub(in super::super) fn is_spent(&self) -> bool {
        self.sender.is_closed()
    }

    /// Closes the connection at once, whoever else uses it.
    pub(in super::super) fn abort(self) {
        self.shared.track.reset_on_close();
        if let Some(owner) = self.shared.tasks.0.get() {
            owner.abort();
        }
    }

    /// Parts with the connection after it was of use: it says goodbye, and is closed by a reset.
    pub(in super::super) fn part(self) {
        self.shared.track.reset_on_close();
    }

    /// Leaves the connection, and waits until the last one to leave has said goodbye and closed it.
    pub(in super::super) async fn leave(self) {
        let track = Rc::clone(&self.shared.track);
        drop(self);
        track.closed().await;
    }

    pub(in super::super) async fn exchange(&mut self, terms: &Terms<'_>) -> Reply {
        let mut received = Received::default();
        let mut first_byte = None;
        self.written.set(None);
        let end = match self.respond(terms, &mut received, &mut first_byte).await {
            Ok(()) => End::Whole { reusable: terms.keep_alive && !self.is_spent(), closed: false },
            Err(error) => End::Broken(self.fault(&error, &received)),
        };
        let track = &self.shared.track;
        let done = if end.is_whole() { track.last_read() } else { terms.clock.now() };
        Reply {
            written: self.written.get().or(first_byte.and(Some(track.last_write()))),
            first_byte,
            done,
            status: received.status,
            document: received.document,
            missing: received.missing(),
            end,
        }
    }

    /// Sends the request, and takes the response to its end.
    async fn respond(
        &mut self,
        terms: &Terms<'_>,
        received: &mut Received,
        first_byte: &mut Option<Micros>,
    ) -> hyper::Result<()> {
        let Some(head) = &terms.request.for_hyper else { return Ok(()) };
        let track = &self.shared.track;
        if terms.request.body.is_none() {
            track.announce(&self.written);
        }
        let response = self.sender.send_request(Outgoing::message(head.clone(), terms.request)).await?;
        *first_byte = Some(track.last_read());
        self.shared.has_answered.set(true);
        received.status = Some(response.status().as_u16());
        received.announced = response.body().size_hint().exact();
        show_head(&response, terms);
        let mut body = pin!(response.into_body());
        while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
            let count = frame?.data_ref().map_or(0, Bytes::len) as u64;
            received.document += count;
            terms.document.set(terms.document.get() + count);
        }
        Ok(())
    }
}

/// Hands requests to the connection until it takes no more, and makes known how many it takes at a time.
async fn drive(mut connection: Connection<TokioIo<Tracked>, Outgoing, Tasks>, track: Rc<Track>) {
    let mut begun = pin!(track.begun());
    // Why it ends is told by what that does to the exchanges.
    let _ = poll_fn(|cx| {
        if track.limit().is_none() && begun.as_mut().poll(cx).is_ready() {
            track.settle(Some(connection.current_max_send_streams()));
        }
        Pin::new(&mut connection).poll(cx)
    })
    .await;
    track.settle(None);
}
