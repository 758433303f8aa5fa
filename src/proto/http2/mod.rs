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
//! a request is written when its last frame is, and a response ends with the read that brought its last frame.

mod fault;
mod frames;
mod track;
mod tracked;

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
use track::{Passage, Track};
use tracked::Tracked;

/// Bytes that a server may send ahead on one stream. A client that takes all at once loses nothing by a large window,
/// and a small one would measure how soon it is opened again.
const STREAM_WINDOW: u32 = 16 * 1024 * 1024;

/// The same for all streams of a connection.
const CONNECTION_WINDOW: u32 = 256 * 1024 * 1024;

/// One exchange at a time on a connection that others may use as well.
pub struct Session {
    sender: SendRequest<Bytes>,
    shared: Rc<Shared>,
    /// What passes of the exchange.
    passage: Rc<Passage>,
}

/// What all sessions of a connection have in common. With the last of them it goes, and the connection ends.
struct Shared {
    sender: SendRequest<Bytes>,
    track: Rc<Track>,
    /// A response head has come.
    has_answered: Cell<bool>,
    /// Somebody has closed it at once.
    is_aborted: Cell<bool>,
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
        let mut session = Session { sender: shared.sender.clone(), shared, passage: Rc::default() };
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
        let track = Rc::new(Track::new());
        let (sender, connection) = Builder::new()
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(streams)
            .max_header_list_size(u32::try_from(MAX_HEAD_BYTES).unwrap_or(u32::MAX))
            // Each malformed response fails its request, and how many there are is what is to be found out.
            .max_local_error_reset_streams(None)
            .handshake(Tracked::new(stream, Rc::clone(&track), clock))
            .await?;
        // Why it ends is told by what that does to the exchanges.
        let driver = spawn_local(async { drop(connection.await) }).abort_handle();
        let (has_answered, is_aborted) = (Cell::new(false), Cell::new(false));
        let shared = Rc::new(Shared { sender: sender.clone(), track, has_answered, is_aborted, driver });
        Ok(Self { sender, shared, passage: Rc::default() })
    }

    /// Lets others use the connection as well.
    pub(super) fn invitation(&self) -> Invitation {
        Invitation { shared: Rc::downgrade(&self.shared), track: Rc::clone(&self.shared.track) }
    }

    /// Whether the connection takes no more requests.
    pub(super) fn is_spent(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        self.shared.is_aborted.get() || matches!(self.sender.poll_ready(&mut cx), Poll::Ready(Err(_)))
    }

    /// Whether a response has come on the connection, to whomever.
    pub(super) fn has_answered(&self) -> bool {
        self.shared.has_answered.get()
    }

    /// Closes the connection at once, whoever else uses it.
    pub(super) fn abort(self) {
        self.shared.track.reset_on_close();
        self.shared.is_aborted.set(true);
        self.shared.driver.abort();
    }

    /// Parts with the connection, which takes no more requests. Whoever is the last to use it waits until it has said
    /// goodbye and is closed.
    pub(super) async fn part(self) {
        let is_last = Rc::strong_count(&self.shared) == 1;
        let track = Rc::clone(&self.shared.track);
        if is_last {
            // However soon the run is over.
            track.shut_down();
        }
        drop(self);
        if is_last {
            track.closed().await;
        }
    }

    /// Leaves the connection at the end of the run, and waits until the last one to leave has said goodbye and closed it.
    pub(super) async fn leave(self) {
        let track = Rc::clone(&self.shared.track);
        track.leave();
        drop(self);
        track.closed().await;
    }

    pub(super) async fn exchange(&mut self, terms: &Terms<'_>) -> Reply {
        let mut received = Received::default();
        let mut first_byte = None;
        self.passage.begin();
        let outcome = self.respond(terms, &mut received, &mut first_byte).await;
        let track = &self.shared.track;
        let ended = self.passage.ended.get().filter(|_| first_byte.is_some());
        let end = match outcome {
            Ok(()) => track.foreign().map_or(Ok(()), Err),
            // The response is whole; what broke is the request's body, or the connection behind it.
            Err(error) if ended.is_some() && !error.is_reset() && received.missing() == 0 => Ok(()),
            Err(error) => Err(self.fault(&error, &received)),
        };
        let end = match end {
            Ok(()) => End::Whole { reusable: terms.keep_alive && !self.is_spent(), closed: false },
            Err(broken) => End::Broken(broken),
        };
        let done = ended.filter(|_| end.is_whole()).unwrap_or_else(|| terms.clock.now());
        Reply {
            written: self.passage.written.get(),
            first_byte: first_byte.map(|first_byte| first_byte.min(done)),
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
    ) -> Result<(), h2::Error> {
        let Some(head) = terms.request.for_hyper.as_ref().map(ForHyper::message) else { return Ok(()) };
        let track = Rc::clone(&self.shared.track);
        poll_fn(|cx| self.sender.poll_ready(cx)).await?;
        let body = terms.request.body.clone().filter(|body| !body.is_empty());
        let (mut response, outgoing) = self.sender.send_request(head, body.is_none())?;
        let _following = track.follow(outgoing.stream_id().as_u32(), &self.passage);
        if let Some(body) = body {
            send(body, outgoing, terms.request, &mut response).await?;
        }
        let response = response.await?;
        if track.foreign().is_some() {
            // Not the answer of somebody who speaks HTTP/2, however much it looks like one.
            return Ok(());
        }
        *first_byte = Some(track.last_read());
        self.shared.has_answered.set(true);
        received.status = Some(response.status().as_u16());
        received.announced = announced(&response, terms.request);
        show_head(&response, terms);
        let mut body = response.into_body();
        let outcome = loop {
            let Some(piece) = poll_fn(|cx| body.poll_data(cx)).await else { break Ok(()) };
            let Ok(piece) = piece else { break piece.map(drop) };
            received.document += piece.len() as u64;
            terms.document.set(terms.document.get() + piece.len() as u64);
            // It has been taken: the server may send as much again.
            body.flow_control().release_capacity(piece.len())?;
        };
        // The library keeps the piece in which a document breaks its rules to itself.
        let kept_back = self.passage.document.get().saturating_sub(received.document);
        received.document += kept_back;
        terms.document.set(terms.document.get() + kept_back);
        outcome
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
