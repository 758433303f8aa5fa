//! The hyper engine: HTTP left to the library, on a stream that still counts and stamps every byte.
//!
//! The connection is driven by the same task that waits for the response, so that a request costs no hop between
//! tasks.

mod outgoing;
mod stamped;

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::header::{CONNECTION, LOCATION, SERVER, TRANSFER_ENCODING};
use hyper_util::rt::TokioIo;
use tokio::task::coop::unconstrained;

use super::clock::Clock;
use super::head::{ConnectionOptions, ResponseHead, is_chunked};
use super::{Break, End, MAX_HEAD_BYTES, Reply, Terms, reset_number};
use crate::net::{self, Stream};
use crate::plan::{Request, Version};
use outgoing::Outgoing;
use stamped::{Passage, Stamped};

/// What has come of a response.
#[derive(Debug, Default)]
pub(super) struct Received {
    pub(super) status: Option<u16>,
    /// Bytes of the document.
    pub(super) document: u64,
    /// How many its head announces.
    pub(super) announced: Option<u64>,
}

impl Received {
    /// Bytes that were announced and have not come.
    pub(super) fn missing(&self) -> u64 {
        self.announced.map_or(0, |announced| announced.saturating_sub(self.document))
    }
}

/// A connection that speaks HTTP/1 through hyper.
pub struct Session {
    sender: SendRequest<Outgoing>,
    connection: Connection<TokioIo<Stamped>, Outgoing>,
    /// What became of the connection, once it has ended.
    ended: Option<hyper::Result<()>>,
    passage: Rc<Passage>,
}

impl Session {
    pub(super) async fn open(stream: Stream, clock: Clock) -> hyper::Result<Self> {
        let passage = Rc::new(Passage::default());
        let io = TokioIo::new(Stamped { stream, passage: Rc::clone(&passage), clock });
        let (sender, connection) = Builder::new()
            .title_case_headers(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .max_buf_size(MAX_HEAD_BYTES)
            .handshake(io)
            .await?;
        Ok(Self { sender, connection, ended: None, passage })
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
        self.passage.begin();
        let mut received = Received::default();
        let end = match self.respond(terms, &mut received).await {
            Ok(persistent) => {
                let usable = self.is_usable(terms.request);
                End::Whole { reusable: terms.keep_alive && persistent && usable, closed: false }
            }
            Err(error) => End::Broken(self.fault(&error)),
        };
        Reply {
            written: self.passage.written.get(),
            first_byte: self.passage.first_byte.get(),
            done: terms.clock.now(),
            status: received.status,
            document: received.document,
            missing: received.missing(),
            end,
        }
    }

    /// Sends the request, takes the response to its end, and returns whether the server keeps the connection.
    async fn respond(&mut self, terms: &Terms<'_>, received: &mut Received) -> hyper::Result<bool> {
        let message = Outgoing::message(terms.request);
        let mut response = pin!(self.sender.send_request(message));
        let response = poll_fn(|cx| {
            self.drive(cx);
            poll_aside(response.as_mut())
        })
        .await?;
        received.status = Some(response.status().as_u16());
        received.announced = response.body().size_hint().exact();
        let persistent = show_head(&response, terms) && is_bounded(&response);
        let mut body = response.into_body();
        while !body.is_end_stream() {
            let mut next = pin!(poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)));
            let frame = poll_fn(|cx| {
                // hyper takes no more of a body than it was asked for.
                let frame = poll_aside(next.as_mut());
                if frame.is_ready() {
                    return frame;
                }
                self.drive(cx);
                poll_aside(next.as_mut())
            });
            let Some(frame) = frame.await else { break };
            let count = frame?.data_ref().map_or(0, Bytes::len) as u64;
            received.document += count;
            terms.document.set(terms.document.get() + count);
        }
        Ok(persistent)
    }

    /// After a whole response: whether the connection could carry another request. That the peer has closed it
    /// meanwhile is no matter here, as it is none for the wire engine; that something else came is, and so is a
    /// request that was answered before it was sent.
    fn is_usable(&self, request: &Request) -> bool {
        let body = request.body.as_ref().map_or(0, Bytes::len);
        // hyper spells the head in its own way, but never in fewer bytes than none.
        let is_sent = self.passage.sent.get() > body && self.passage.write_error.borrow().is_none();
        is_sent && !matches!(self.ended, Some(Err(_)))
    }

    /// What broke the exchange, from the error of the response or, where that only says that the connection is gone,
    /// from that of the connection.
    fn fault(&self, error: &hyper::Error) -> Break {
        let found = match &self.ended {
            Some(Err(cause)) if error.is_canceled() || error.is_closed() => fault(cause),
            _ => fault(error),
        };
        match (found, &*self.passage.write_error.borrow()) {
            (Break::NotHttp, _) if self.passage.begins_as_tls.get() => Break::Tls,
            // The one limit of hyper that a shorter head can pass is that on the number of its lines.
            (Break::HeadTooLong, _) if self.passage.received.get() < MAX_HEAD_BYTES => Break::NotHttp,
            (Break::Closed, Some(error)) => reset_number(error).map_or(Break::Send, Break::Reset),
            (found, _) => found,
        }
    }
}

/// Polls what only the connection can bring on, right before or after that is driven: to wake the task for it would be to
/// poll everything once more for nothing. What has no waker must not be held up by the runtime's budget either.
fn poll_aside<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    pin!(unconstrained(future)).poll(&mut Context::from_waker(Waker::noop()))
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

/// Whether the response ends before its connection does.
fn is_bounded(response: &hyper::Response<Incoming>) -> bool {
    let is_last_chunked = || {
        let coding = response.headers().get_all(TRANSFER_ENCODING).iter().next_back();
        coding.is_some_and(|value| is_chunked(value.as_bytes()))
    };
    response.body().size_hint().exact().is_some() || is_last_chunked()
}

/// Shows the head to the witness, put together again from hyper's parts where its bytes are wanted, and returns whether
/// the server keeps the connection, by the rules of the wire engine.
pub(super) fn show_head<B>(response: &hyper::Response<B>, terms: &Terms<'_>) -> bool {
    let headers = response.headers();
    let version = match response.version() {
        hyper::Version::HTTP_2 => Version::Http2,
        hyper::Version::HTTP_11 => Version::Http11,
        _ => Version::Http10,
    };
    if terms.witness.wants_bytes() {
        let mut bytes = if version == Version::Http2 {
            // It has no reason phrase (RFC 9113, section 8.3.2).
            format!("{} {}\r\n", version.as_str(), response.status().as_str()).into_bytes()
        } else {
            format!("{} {}\r\n", version.as_str(), response.status()).into_bytes()
        };
        for (name, value) in headers {
            bytes.extend_from_slice(name.as_str().as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value.as_bytes());
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        terms.witness.head_bytes(&bytes);
    }
    let mut options = ConnectionOptions::default();
    let (mut server, mut location) = (None, None);
    // One walk costs less than four look-ups.
    for (name, value) in headers {
        if name == SERVER {
            server = server.or(Some(value.as_bytes()));
        } else if name == LOCATION {
            location = location.or(Some(value.as_bytes()));
        } else if name == CONNECTION {
            options.add(value.as_bytes());
        } else if name.as_str() == "keep-alive" {
            options.keep_alive = true;
        }
    }
    let persists = options.persist(version != Version::Http10);
    let head = ResponseHead::new(version, response.status().as_u16(), persists, server, location);
    terms.witness.head(&head);
    head.persistent
}
