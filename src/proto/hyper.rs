//! The hyper engine: HTTP left to the library, on a stream that still counts and stamps every byte.
//!
//! The connection is driven by the same task that waits for the response, so that a request costs no hop between
//! tasks.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::header::{CONNECTION, LOCATION, SERVER, TRANSFER_ENCODING};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use super::clock::Clock;
use super::head::{ConnectionOptions, ResponseHead, is_chunked};
use super::{Break, End, MAX_HEAD_BYTES, Reply, Terms, is_tls, reset_number};
use crate::net::{self, Stream};
use crate::plan::Request;
use crate::record::Micros;

/// How long a body waits for the `100 Continue` that was asked for (RFC 9110, section 10.1.1: not for ever).
const CONTINUE_WITHIN: Duration = Duration::from_secs(1);

/// A connection that speaks HTTP/1 through hyper.
pub struct Session {
    sender: SendRequest<Outgoing>,
    connection: Connection<TokioIo<Stamped>, Outgoing>,
    /// What became of the connection, once it has ended.
    ended: Option<hyper::Result<()>>,
    stamps: Rc<Stamps>,
    /// The request but for its body.
    message: hyper::Request<()>,
}

impl Session {
    pub(super) async fn open(
        stream: Stream,
        clock: Clock,
        message: hyper::Request<()>,
    ) -> hyper::Result<Self> {
        let stamps = Rc::new(Stamps::default());
        let io = TokioIo::new(Stamped { stream, stamps: Rc::clone(&stamps), clock });
        let (sender, connection) = Builder::new()
            .title_case_headers(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .max_buf_size(MAX_HEAD_BYTES)
            .handshake(io)
            .await?;
        Ok(Self { sender, connection, ended: None, stamps, message })
    }

    pub(super) fn into_stream(self) -> Stream {
        self.connection.into_parts().io.into_inner().stream
    }

    pub(super) fn is_spent(&mut self, cx: &mut Context<'_>) -> bool {
        self.drive(cx);
        self.ended.is_some() || !self.sender.is_ready()
    }

    /// Lets the connection read and write what it can.
    fn drive(&mut self, cx: &mut Context<'_>) {
        if self.ended.is_none()
            && let Poll::Ready(ended) = self.connection.poll_without_shutdown(cx)
        {
            self.ended = Some(ended);
        }
    }

    pub(super) async fn exchange(&mut self, terms: &Terms<'_>) -> Reply {
        self.stamps.written.set(None);
        self.stamps.first_byte.set(None);
        let (mut status, mut document) = (None, 0);
        let end = match self.respond(terms, &mut status, &mut document).await {
            Ok(persistent) => self.whole(terms, persistent).await,
            Err(error) => End::Broken(self.fault(&error)),
        };
        Reply {
            written: self.stamps.written.get(),
            first_byte: self.stamps.first_byte.get(),
            done: terms.clock.now(),
            status,
            document,
            end,
        }
    }

    /// Sends the request, takes the response to its end, and returns whether the server keeps the connection.
    async fn respond(
        &mut self,
        terms: &Terms<'_>,
        status: &mut Option<u16>,
        document: &mut u64,
    ) -> hyper::Result<bool> {
        let mut response =
            pin!(self.sender.send_request(Outgoing::message(self.message.clone(), terms.request)));
        let response = poll_fn(|cx| {
            self.drive(cx);
            response.as_mut().poll(cx)
        })
        .await?;
        *status = Some(response.status().as_u16());
        show_head(&response, terms);
        let persistent = is_persistent(&response);
        let mut body = response.into_body();
        let mut next_frame = |session: &mut Self, cx: &mut Context<'_>| {
            session.drive(cx);
            Pin::new(&mut body).poll_frame(cx)
        };
        while let Some(frame) = poll_fn(|cx| next_frame(self, cx)).await {
            let count = frame?.data_ref().map_or(0, Bytes::len) as u64;
            *document += count;
            terms.document.set(terms.document.get() + count);
        }
        Ok(persistent)
    }

    /// The response is whole: what about its connection? That the peer has closed it meanwhile is no matter here, as
    /// it is none for the wire engine; that something else came is.
    async fn whole(&mut self, terms: &Terms<'_>, persistent: bool) -> End {
        poll_fn(|cx| {
            self.drive(cx);
            Poll::Ready(())
        })
        .await;
        let has_body = terms.request.body.as_ref().is_some_and(|body| !body.is_empty());
        let usable = match &self.ended {
            None => true,
            // hyper also ends a connection whose response came before the request was sent.
            Some(Ok(())) => !has_body,
            Some(Err(_)) => false,
        };
        End::Whole { reusable: terms.keep_alive && persistent && usable, closed: false }
    }

    /// What broke the exchange, from the error of the response or, where that only says that the connection is gone,
    /// from that of the connection.
    fn fault(&self, error: &hyper::Error) -> Break {
        let found = match &self.ended {
            Some(Err(cause)) if error.is_canceled() || error.is_closed() => fault(cause),
            _ => fault(error),
        };
        if found == Break::NotHttp && self.stamps.begins_as_tls.get() { Break::Tls } else { found }
    }
}

fn fault(error: &hyper::Error) -> Break {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            if let Some(alert) = net::refusal(io) {
                return Break::Refused(alert);
            }
            return match io.kind() {
                io::ErrorKind::UnexpectedEof => Break::Closed,
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Break::NotHttp,
                _ => reset_number(io).or(io.raw_os_error()).map_or(Break::NotHttp, Break::Reset),
            };
        }
        source = cause.source();
    }
    if error.is_parse_too_large() {
        Break::HeadTooLong
    } else if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
        Break::Closed
    } else {
        Break::NotHttp
    }
}

/// Whether the server keeps the connection after this response, by the rules of the wire engine.
fn is_persistent(response: &hyper::Response<Incoming>) -> bool {
    let headers = response.headers();
    let mut connection = ConnectionOptions::default();
    connection.keep_alive |= headers.contains_key("keep-alive");
    headers.get_all(CONNECTION).iter().for_each(|value| connection.add(value.as_bytes()));
    let chunked = headers.get_all(TRANSFER_ENCODING).iter().next_back();
    let bounded = response.body().size_hint().exact().is_some()
        || chunked.is_some_and(|value| is_chunked(value.as_bytes()));
    bounded && connection.persist(response.version() == hyper::Version::HTTP_11)
}

/// Shows the head to the witness, put together again from hyper's parts where its bytes are wanted.
fn show_head(response: &hyper::Response<Incoming>, terms: &Terms<'_>) {
    let field = |name| response.headers().get(name).map(hyper::header::HeaderValue::as_bytes);
    if terms.witness.wants_bytes() {
        let mut bytes = format!("{:?} {}\r\n", response.version(), response.status()).into_bytes();
        for (name, value) in response.headers() {
            bytes.extend_from_slice(name.as_str().as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        terms.witness.head_bytes(&bytes);
    }
    let status = response.status().as_u16();
    terms.witness.head(&ResponseHead::new(status, field(SERVER), field(LOCATION)));
}

/// When the bytes of the current exchange went out and came in.
#[derive(Debug, Default)]
struct Stamps {
    /// The last write.
    written: Cell<Option<Micros>>,
    /// The first read.
    first_byte: Cell<Option<Micros>>,
    /// The first read begins like a TLS record.
    begins_as_tls: Cell<bool>,
}

/// A stream that notes when bytes pass.
struct Stamped {
    stream: Stream,
    stamps: Rc<Stamps>,
    clock: Clock,
}

impl AsyncRead for Stamped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if buffer.filled().len() > before && self.stamps.first_byte.get().is_none() {
            self.stamps.first_byte.set(Some(self.clock.now()));
            self.stamps.begins_as_tls.set(is_tls(&buffer.filled()[before..]));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stamped {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.stamps.written.set(Some(self.clock.now()));
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, pieces))?;
        self.stamps.written.set(Some(self.clock.now()));
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// A request body in one piece.
struct Outgoing {
    bytes: Option<Bytes>,
    /// The body waits for the server's `100 Continue`.
    held_back: Option<HeldBack>,
}

/// Ends when the server asks for the body, or when it has had its time.
struct HeldBack {
    asked_for: oneshot::Receiver<()>,
    timer: Pin<Box<Sleep>>,
}

impl Outgoing {
    /// The request as hyper takes it.
    fn message(head: hyper::Request<()>, request: &Request) -> hyper::Request<Self> {
        let bytes = request.body.clone().filter(|bytes| !bytes.is_empty());
        let mut body = Self { bytes, held_back: None };
        if !request.expects_continue() {
            return head.map(|()| body);
        }
        let (ask, asked_for) = oneshot::channel();
        body.held_back = Some(HeldBack { asked_for, timer: Box::pin(sleep(CONTINUE_WITHIN)) });
        let mut message = head.map(|()| body);
        // The callback may come more than once, and from anywhere as far as its type says.
        let ask = Arc::new(Mutex::new(Some(ask)));
        hyper::ext::on_informational(&mut message, move |_| {
            if let Some(ask) = ask.lock().ok().and_then(|mut ask| ask.take()) {
                let _ = ask.send(());
            }
        });
        message
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(held_back) = &mut self.held_back {
            let asked_for = Pin::new(&mut held_back.asked_for).poll(cx).is_ready();
            if !asked_for && held_back.timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.held_back = None;
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, Bytes::len) as u64)
    }
}
