//! One exchange on an open connection: a request goes out, a response comes in, and both are timed.
//!
//! Two engines stand behind one [`Session`]. *wire* writes the prepared bytes as they are, reads the head with
//! httparse and counts the body; *hyper* leaves all of HTTP to the library of that name. They check each other: for
//! the same server they give the same [`Reply`], but for answers that hyper refuses. HTTP/2 is hyper's as well, by the
//! crate h2 that does it there.
//!
//! What a reply means for the run (a failure, a new connection, the end) is decided in [`run`](mod@crate::run).

mod chunked;
mod clock;
mod closing;
#[doc(hidden)]
pub mod fuzzing;
mod head;
mod http2;
mod hyper;
mod response;
mod wire;

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::task::Context;
use std::time::Duration;

pub use clock::Clock;
pub use closing::Closing;
pub use head::ResponseHead;
pub use http2::Invitation;

use tokio::time::timeout;

use crate::net::{self, Stream};
use crate::plan::{Request, Version};
use crate::record::Micros;

/// Bytes that are read at once.
const READ_BYTES: usize = 256 * 1024;

/// Bytes that are thrown away at once: more, since that touches no memory.
const DISCARD_BYTES: usize = 4 * 1024 * 1024;

/// The longest response head that is read.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;

/// How long a connection may take to come to its end.
const PATIENCE: Duration = Duration::from_millis(20);

/// How long a body waits for the `100 Continue` that was asked for (RFC 9110, section 10.1.1: not for ever).
const CONTINUE_WITHIN: Duration = Duration::from_secs(1);

/// What all exchanges of a slot have in common.
pub struct Terms<'a> {
    /// What is sent.
    pub request: &'a Request,
    /// Whether connections may be used again.
    pub keep_alive: bool,
    /// The run's clock.
    pub clock: Clock,
    /// Where bytes are read to before they are counted and forgotten.
    pub scratch: &'a Scratch,
    /// Counts the bytes of documents as they come.
    pub document: &'a Cell<u64>,
    /// Is told of every response head.
    pub witness: &'a dyn Witness,
}

/// What all connections of a worker share for reading.
pub type Scratch = Rc<RefCell<Reading>>;

/// A place to read to, where nothing stays, and the last head that was read.
pub struct Reading {
    /// Only the first [`READ_BYTES`] are ever written to, so that the system gives memory for no more.
    buffer: Box<[u8]>,
    recent: head::Recent,
}

/// Makes one.
pub fn scratch() -> Scratch {
    let buffer = vec![0; DISCARD_BYTES].into_boxed_slice();
    Rc::new(RefCell::new(Reading { buffer, recent: head::Recent::default() }))
}

/// Sees response heads while the response is still coming.
pub trait Witness {
    /// Whether [`head_bytes`](Self::head_bytes) is wanted.
    fn wants_bytes(&self) -> bool;

    /// The beginning of a response as far as it has come, after each read until its head is whole.
    fn head_bytes(&self, so_far: &[u8]);

    /// The head of a final response (interim 1xx are not shown) is whole.
    fn head(&self, head: &ResponseHead<'_>);
}

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// When the request was written to its end, if it was.
    pub written: Option<Micros>,
    /// When the first byte of the response came, if one did.
    pub first_byte: Option<Micros>,
    /// When the exchange ended.
    pub done: Micros,
    /// The final status code.
    pub status: Option<u16>,
    /// Bytes of the document, without chunk framing.
    pub document: u64,
    /// Bytes of the document that its head announces and that have not come.
    pub missing: u64,
    /// How it ended.
    pub end: End,
}

impl Reply {
    /// The connection was gone before anything of an answer came: on a reused one, the server may have closed it as
    /// the request went out.
    pub fn is_lost(&self) -> bool {
        matches!(self.end, End::Broken(Break::Closed | Break::Reset(_))) && self.first_byte.is_none()
    }

    /// The server has said that it did nothing about the request.
    pub fn is_unprocessed(&self) -> bool {
        self.end == End::Broken(Break::Unprocessed)
    }

    /// Something other than HTTP came: on a reused connection, what a server sent too late or too much for the request
    /// before, such as the body of an answer to HEAD.
    pub fn is_noise(&self) -> bool {
        self.end == End::Broken(Break::NotHttp) && self.status.is_none()
    }
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The response is whole.
    Whole {
        /// The connection can carry the next request.
        reusable: bool,
        /// The peer has closed already.
        closed: bool,
    },
    /// The response is not whole, and will not be.
    Broken(Break),
}

/// What broke an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// The peer closed before the response was whole.
    Closed,
    /// Receiving failed, or the peer reset the connection while the request was being sent. The system's number.
    Reset(i32),
    /// The answer is not HTTP, or its framing is broken.
    NotHttp,
    /// The answer is a TLS record, on a connection without TLS.
    Tls,
    /// The server refused the TLS handshake after all, by the alert of this number.
    Refused(u8),
    /// The head is longer than [`MAX_HEAD_BYTES`].
    HeadTooLong,
    /// Sending failed, and not by a reset.
    Send,
    /// The server does not speak HTTP/2, which it was asked for.
    NotHttp2,
    /// The peer closed before it said anything, where a server of HTTP/2 begins without being asked (RFC 9113,
    /// section 3.4).
    NoPreface,
    /// The answer breaks a rule of HTTP/2, or its frames do.
    Malformed,
    /// The server does not answer this request by HTTP/2 (`HTTP_1_1_REQUIRED`, RFC 9113, section 7).
    Http11Wanted,
    /// The server ended this exchange alone (`RST_STREAM`, RFC 9113, section 6.4).
    StreamReset,
    /// The server has said that it did nothing about the request, so that any request may be sent again: it had asked
    /// for a new connection (`GOAWAY`, RFC 9113, section 6.8), or had too many at a time.
    Unprocessed,
}

impl End {
    /// The response is whole.
    fn is_whole(self) -> bool {
        matches!(self, Self::Whole { .. })
    }
}

/// An open connection on which requests are made.
pub enum Session {
    /// ab's own dialect, byte for byte.
    Wire(wire::Session),
    /// HTTP/1 by hyper.
    Hyper(Box<hyper::Session>),
    /// HTTP/2 by hyper.
    Http2(Box<http2::Session>),
}

/// Why a new connection cannot be spoken on.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It broke at once.
    #[error(transparent)]
    Broken(#[from] io::Error),
    /// HTTP/2 was asked for in the TLS handshake, and not chosen.
    #[error("HTTP/2 was not chosen")]
    NotChosen,
}

impl Session {
    /// Begins to speak on a new connection, by the engine that this request, as all of the run, was prepared for.
    /// `streams` is how many requests may be in flight on it before the server has said how many it takes.
    pub async fn open(
        request: &Request,
        stream: Stream,
        clock: Clock,
        streams: usize,
    ) -> Result<Self, OpenError> {
        if request.for_hyper.is_none() {
            return Ok(Self::Wire(wire::Session::new(stream)));
        }
        if request.version == Version::Http2 {
            if stream.is_secured() && stream.application_protocol() != Some(b"h2") {
                return Err(OpenError::NotChosen);
            }
            let session = http2::Session::open(stream, clock, streams).await;
            return Ok(session.map_err(io::Error::other)?.into());
        }
        let session = hyper::Session::open(stream, clock).await;
        Ok(Self::Hyper(Box::new(session.map_err(io::Error::other)?)))
    }

    /// Makes one request.
    pub async fn exchange(&mut self, terms: &Terms<'_>) -> Reply {
        match self {
            Self::Wire(session) => session.exchange(terms).await,
            Self::Hyper(session) => session.exchange(terms).await,
            Self::Http2(session) => session.exchange(terms).await,
        }
    }

    /// Whether other lanes have had a response on the connection.
    pub fn has_answered(&self) -> bool {
        match self {
            Self::Wire(_) | Self::Hyper(_) => false,
            Self::Http2(session) => session.has_answered(),
        }
    }

    /// Lets other lanes use the connection at the same time; `None` if it has room for one request only.
    pub fn invitation(&self) -> Option<Invitation> {
        match self {
            Self::Wire(_) | Self::Hyper(_) => None,
            Self::Http2(session) => Some(session.invitation()),
        }
    }

    /// Whether the connection, idle since the last exchange, can no longer be used. No system call unless something
    /// has arrived on it.
    pub fn is_spent(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Wire(session) => session.is_spent(cx),
            Self::Hyper(session) => session.is_spent(cx),
            Self::Http2(session) => session.is_spent(),
        }
    }

    /// After an exchange that broke: whether the connection is still of use, since only that exchange was concerned.
    pub fn outlives_faults(&mut self) -> bool {
        match self {
            Self::Wire(_) | Self::Hyper(_) => false,
            Self::Http2(session) => !session.is_spent(),
        }
    }

    /// Parts with the connection, whose last exchange ended like this, and that will not be used again.
    pub async fn part(self, end: End, closing: &Closing) {
        match self {
            Self::Wire(session) => closing.part(session.into_stream(), end).await,
            Self::Hyper(session) => closing.part(session.into_stream(), end).await,
            Self::Http2(session) => drop(timeout(PATIENCE, session.part()).await),
        }
    }

    /// Closes the connection at once, in the middle of an exchange.
    pub fn abort(self) {
        match self {
            Self::Wire(session) => session.into_stream().reset(),
            Self::Hyper(session) => session.into_stream().reset(),
            Self::Http2(session) => session.abort(),
        }
    }

    /// Leaves the connection, idle as it is, with a goodbye.
    pub async fn leave(self) {
        match self {
            Self::Wire(session) => session.into_stream().leave(),
            Self::Hyper(session) => session.into_stream().leave(),
            // Others may still use it, and nobody waits for long.
            Self::Http2(session) => drop(timeout(PATIENCE, session.leave()).await),
        }
    }
}

impl From<http2::Session> for Session {
    fn from(session: http2::Session) -> Self {
        Self::Http2(Box::new(session))
    }
}

/// Whether bytes that are no HTTP are the beginning of a TLS record: its type, an alert or a part of a handshake, and
/// the first byte of its version (RFC 8446, section 5.1).
fn is_tls(beginning: &[u8]) -> bool {
    matches!(beginning, [21 | 22, 3, ..])
}

/// What a failed read comes to.
fn receive_error(error: &io::Error) -> Break {
    if let Some(alert) = net::refusal(error) {
        return Break::Refused(alert);
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => return Break::Closed,
        // What came over TLS could not be decrypted.
        io::ErrorKind::InvalidData => return Break::NotHttp,
        _ => {}
    }
    let number = reset_number(error).or(error.raw_os_error()).unwrap_or(CONNECTION_RESET);
    Break::Reset(number)
}

/// The number of a reset, in whichever of its forms the system reports it; `None` for other errors.
fn reset_number(error: &io::Error) -> Option<i32> {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    // Once a reset has been reported on one direction, the other one says "broken pipe".
    matches!(error.kind(), ConnectionReset | BrokenPipe | ConnectionAborted).then_some(CONNECTION_RESET)
}

/// The system's number for a connection that the peer reset.
const CONNECTION_RESET: i32 = rustix::io::Errno::CONNRESET.raw_os_error();
