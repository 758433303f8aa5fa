//! HTTP/2: many exchanges at a time on one connection.
//!
//! In comes an open stream, out go [`Session`]s: handles to the one connection, each for one exchange at a time. A task of
//! the same thread reads and writes the frames of all of them.
//!
//! HTTP/2 is hyper's own, by h2, the crate that does it within hyper. What hyper puts around that (a channel to the
//! connection, a task and two more channels a request) is for clients that come from other threads, and costs a third of
//! all that a request costs.
//!
//! Frames of several exchanges share reads and writes, so that these are stamped where they happen, on the connection:
//! a request is written with the first write after it was handed over, and the stamps of a response are those of the
//! read that brought its frames.

mod fault;
mod track;

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use hyper::StatusCode;
use hyper::header::CONTENT_LENGTH;
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::timeout;

use super::clock::Clock;
use super::hyper::{Received, show_head};
use super::{CONTINUE_WITHIN, End, MAX_HEAD_BYTES, Reply, Terms};
use crate::net::Stream;
use crate::plan::{ForHyper, Request};
use crate::record::Micros;
use track::{Track, Tracked};

/// Bytes that a server may send ahead on one stream. A client that takes all at once loses nothing by a large window,
/// and a small one would measure how soon it is opened again.
const STREAM_WINDOW: u32 = 16 * 1024 * 1024;

/// The same for all streams of a connection.
const CONNECTION_WINDOW: u32 = 256 * 1024 * 1024;

/// One exchange at a time on a connection that others may use as well.
pub struct Session {
    sender: SendRequest<Bytes>,
    shared: Rc<Shared>,
    /// When the request of the exchange was written.
    written: Rc<Cell<Option<Micros>>>,
}

/// What all sessions of a connection have in common. With the last of them it goes, and the connection ends.
struct Shared {
    sender: SendRequest<Bytes>,
    track: Rc<Track>,
    /// A response head has come.
    has_answered: Cell<bool>,
    /// The task that reads and writes.
    driver: AbortHandle,
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
        let mut session = Session { sender: shared.sender.clone(), shared, written: Rc::default() };
        (!session.is_spent()).then_some(session)
    }

    /// Waits until the server has said how many exchanges it takes at a time; `None` if the connection ends before.
    pub async fn stream_limit(self) -> Option<usize> {
        if !self.track.begun().await {
            return None;
        }
        // The task that has read it has understood it as well before it gave way.
        self.shared.upgrade().map(|shared| shared.sender.current_max_send_streams())
    }
}

impl Session {
    /// Begins to speak; at first with no more than so many exchanges at a time.
    pub(super) async fn open(stream: Stream, clock: Clock, streams: usize) -> Result<Self, h2::Error> {
        let track = Rc::new(Track::default());
        let (sender, connection) = Builder::new()
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(streams)
            .max_header_list_size(u32::try_from(MAX_HEAD_BYTES).unwrap_or(u32::MAX))
            .handshake(Tracked::new(stream, Rc::clone(&track), clock))
            .await?;
        // Why it ends is told by what that does to the exchanges.
        let driver = spawn_local(async { drop(connection.await) }).abort_handle();
        let shared =
            Rc::new(Shared { sender: sender.clone(), track, has_answered: Cell::new(false), driver });
        Ok(Self { sender, shared, written: Rc::default() })
    }

    /// Lets others use the connection as well.
    pub(super) fn invitation(&self) -> Invitation {
        Invitation { shared: Rc::downgrade(&self.shared), track: Rc::clone(&self.shared.track) }
    }

    /// Whether the connection takes no more requests.
    pub(super) fn is_spent(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        matches!(self.sender.poll_ready(&mut cx), Poll::Ready(Err(_)))
    }

    /// Closes the connection at once, whoever else uses it.
    pub(super) fn abort(self) {
        self.shared.track.reset_on_close();
        self.shared.driver.abort();
    }

    /// Parts with the connection after it was of use: it says goodbye, and is closed by a reset.
    pub(super) fn part(self) {
        self.shared.track.reset_on_close();
    }

    /// Leaves the connection, and waits until the last one to leave has said goodbye and closed it.
    pub(super) async fn leave(self) {
        let track = Rc::clone(&self.shared.track);
        drop(self);
        track.closed().await;
    }

    pub(super) async fn exchange(&mut self, terms: &Terms<'_>) -> Reply {
        let mut received = Received::default();
        let mut first_byte = None;
        self.written.set(None);
        let end = match self.respond(terms, &mut received, &mut first_byte).await {
            Ok(()) => End::Whole { reusable: terms.keep_alive && !self.is_spent(), closed: false },
            Err(error) => End::Broken(self.fault(&error, &received)),
        };
        let track = &self.shared.track;
        Reply {
            written: self.written.get().or(first_byte.and(Some(track.last_write()))),
            first_byte,
            done: if end.is_whole() { track.last_read() } else { terms.clock.now() },
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
    ) -> Result<(), h2::Error> {
        let Some(head) = terms.request.for_hyper.as_ref().map(ForHyper::message) else { return Ok(()) };
        let track = Rc::clone(&self.shared.track);
        poll_fn(|cx| self.sender.poll_ready(cx)).await?;
        let body = terms.request.body.clone().filter(|body| !body.is_empty());
        let (mut response, outgoing) = self.sender.send_request(head, body.is_none())?;
        match body {
            None => track.announce(&self.written),
            Some(body) => send(body, outgoing, terms.request, &mut response).await?,
        }
        let response = response.await?;
        *first_byte = Some(track.last_read());
        self.shared.has_answered.set(true);
        received.status = Some(response.status().as_u16());
        received.announced = announced(&response, terms.request);
        show_head(&response, terms);
        let mut body = response.into_body();
        while let Some(piece) = poll_fn(|cx| body.poll_data(cx)).await {
            let count = piece?.len();
            received.document += count as u64;
            terms.document.set(terms.document.get() + count as u64);
            // It has been taken: the server may send as much again.
            body.flow_control().release_capacity(count)?;
        }
        Ok(())
    }
}

/// Hands over the body, as soon as it may go out; what the server has no room for waits in the connection.
async fn send(
    body: Bytes,
    mut outgoing: SendStream<Bytes>,
    request: &Request,
    response: &mut ResponseFuture,
) -> Result<(), h2::Error> {
    if request.expects_continue {
        let asked = timeout(CONTINUE_WITHIN, is_asked_for(response));
        // Who has waited for long enough sends it all the same.
        if !asked.await.unwrap_or(Ok(true))? {
            return Ok(());
        }
    }
    outgoing.send_data(body, true)
}

/// Waits until the server asks for the body, or has answered without.
async fn is_asked_for(response: &mut ResponseFuture) -> Result<bool, h2::Error> {
    while let Some(interim) = poll_fn(|cx| response.poll_informational(cx)).await {
        if interim?.status() == StatusCode::CONTINUE {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The length of the document that the head announces, if it says so and there is one.
fn announced(response: &hyper::Response<RecvStream>, request: &Request) -> Option<u64> {
    let bodiless = request.is_head() || matches!(response.status().as_u16(), 204 | 304);
    let length = response.headers().get(CONTENT_LENGTH).filter(|_| !bodiless)?;
    length.to_str().ok()?.parse().ok()
}
