//! The wire engine: one prepared message out, one response in, nothing kept.
//!
//! Sending and receiving go on side by side, since a server may answer while a large body is still being sent, and
//! may stop reading until its answer is taken.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use tokio::time::{Sleep, sleep};

use super::head::Recent;
use super::response::{Progress, Response};
use super::{
    Break, CONTINUE_WITHIN, End, READ_BYTES, Reading, Reply, Terms, is_tls, receive_error, reset_number,
};
use crate::net::Stream;
use crate::plan::Request;
use crate::record::Micros;

/// From this many bytes on, a body is thrown away without being looked at.
const WORTH_SKIPPING: u64 = 16 * 1024;

/// After so many bytes that had to be looked at, other tasks and the clock have their turn.
const FAIR_SHARE: usize = 1024 * 1024;

/// A connection that speaks HTTP/1 by prepared bytes.
pub struct Session {
    stream: Stream,
}

impl Session {
    pub(super) fn new(stream: Stream) -> Self {
        Self { stream }
    }

    pub(super) fn into_stream(self) -> Stream {
        self.stream
    }

    pub(super) fn is_spent(&mut self, cx: &mut Context<'_>) -> bool {
        self.stream.is_spent(cx)
    }

    pub(super) async fn exchange(&mut self, terms: &Terms<'_>) -> Reply {
        let mut exchange = Exchange {
            stream: &mut self.stream,
            terms,
            message: Message::new(terms.request),
            response: Response::new(terms.request.is_head()),
            written: None,
            first_byte: None,
            reads: 0,
        };
        let end = poll_fn(|cx| exchange.poll(cx)).await;
        exchange.into_reply(end)
    }
}

/// The part of a request that has not been sent.
struct Message<'a> {
    head: &'a [u8],
    body: &'a [u8],
    /// What the connection has taken has left it: TLS keeps back what the socket does not take.
    flushed: bool,
    /// The body waits until the server asks for it, or until this has run out.
    held_back: Option<Pin<Box<Sleep>>>,
    /// Sending failed; the response may be there all the same.
    failed: Option<io::Error>,
}

impl<'a> Message<'a> {
    fn new(request: &'a Request) -> Self {
        Self {
            head: &request.head,
            body: request.body.as_deref().unwrap_or_default(),
            flushed: false,
            held_back: request.expects_continue.then(|| Box::pin(sleep(CONTINUE_WITHIN))),
            failed: None,
        }
    }

    fn is_sent(&self) -> bool {
        self.is_taken() && self.flushed
    }

    fn is_taken(&self) -> bool {
        self.head.is_empty() && self.body.is_empty()
    }

    /// Sends what can be sent now, and arranges to be called again if more can be sent later.
    fn send(&mut self, cx: &mut Context<'_>, stream: &mut Stream) {
        while !self.is_sent() && self.failed.is_none() {
            if self.is_taken() {
                match Pin::new(&mut *stream).poll_flush(cx) {
                    Poll::Ready(Ok(())) => self.flushed = true,
                    Poll::Ready(Err(error)) => self.failed = Some(error),
                    Poll::Pending => return,
                }
                continue;
            }
            let body = if self.is_held_back(cx) { &[] } else { self.body };
            if self.head.is_empty() && body.is_empty() {
                return;
            }
            match stream.poll_write_pieces(cx, self.head, body) {
                Poll::Ready(Ok(count)) => {
                    let of_head = count.min(self.head.len());
                    self.head = &self.head[of_head..];
                    self.body = &self.body[count - of_head..];
                }
                Poll::Ready(Err(error)) => self.failed = Some(error),
                Poll::Pending => return,
            }
        }
    }

    fn is_held_back(&mut self, cx: &mut Context<'_>) -> bool {
        let waits = self.held_back.as_mut().is_some_and(|timer| timer.as_mut().poll(cx).is_pending());
        if !waits {
            self.held_back = None;
        }
        waits
    }
}

struct Exchange<'a> {
    stream: &'a mut Stream,
    terms: &'a Terms<'a>,
    message: Message<'a>,
    response: Response,
    written: Option<Micros>,
    first_byte: Option<Micros>,
    /// How many reads the response took so far, with that of the close which ends it.
    reads: u32,
}

impl Exchange<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        loop {
            // What cannot be sent may be answered all the same: a server that does not want the rest of a body answers,
            // closes and resets. The failed connection is readable in any case, so that the wait has an end.
            self.message.send(cx, self.stream);
            if self.written.is_none() && self.message.is_sent() {
                self.written = Some(self.terms.clock.now());
            }
            match self.poll_receive(cx) {
                // The server has asked for the body.
                Poll::Ready(None) => self.message.held_back = None,
                Poll::Ready(Some(end)) => return Poll::Ready(end),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Takes what has arrived; `None` once the server asks for a body that is held back.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Option<End>> {
        let mut looked_at = 0;
        loop {
            if looked_at > FAIR_SHARE {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            let terms = self.terms;
            let Reading { buffer, recent } = &mut *terms.scratch.borrow_mut();
            let skippable = self.response.skippable();
            let skips = skippable >= WORTH_SKIPPING;
            let received = if skips {
                self.stream.poll_discard(cx, buffer, usize::try_from(skippable).unwrap_or(usize::MAX))
            } else {
                self.stream.poll_read_into(cx, &mut buffer[..READ_BYTES])
            };
            let mut is_drained = false;
            let progress = match received {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Some(self.broken(receive_error(&error)))),
                Poll::Ready(Ok(0)) => {
                    self.reads += 1;
                    return Poll::Ready(Some(self.closed()));
                }
                Poll::Ready(Ok(count)) if skips => {
                    self.reads += 1;
                    self.count(|response| response.skip(count))
                }
                Poll::Ready(Ok(count)) => {
                    looked_at += count;
                    is_drained = count < READ_BYTES;
                    match self.take(&buffer[..count], recent) {
                        Ok(progress) => progress,
                        Err(broken) => return Poll::Ready(Some(self.broken(broken))),
                    }
                }
            };
            if let Progress::Whole { surplus } = progress {
                let reusable = surplus == 0
                    && self.terms.keep_alive
                    && self.response.is_persistent()
                    && self.message.is_sent();
                // Where the close came with the response, it need not be waited for.
                let closed = !reusable && is_drained && self.stream.is_exhausted();
                return Poll::Ready(Some(End::Whole { reusable, closed }));
            }
            if self.response.has_continued() && self.message.held_back.is_some() {
                return Poll::Ready(None);
            }
        }
    }

    /// Makes something of received bytes.
    fn take(&mut self, bytes: &[u8], recent: &mut Recent) -> Result<Progress, Break> {
        self.reads += 1;
        let is_first = self.first_byte.is_none();
        if is_first {
            self.first_byte = Some(self.terms.clock.now());
        }
        let witness = self.terms.witness;
        if witness.wants_bytes() && self.response.is_in_head() {
            witness.head_bytes(&[self.response.partial_head(), bytes].concat());
        }
        let progress = self.count(|response| response.feed(bytes, recent, &mut |head| witness.head(head)));
        if progress == Err(Break::NotHttp) && is_first && is_tls(bytes) {
            return Err(Break::Tls);
        }
        if self.response.is_untouched() {
            // That was an interim response; the one that counts has not begun.
            self.first_byte = None;
            self.reads = 0;
        }
        progress
    }

    /// Does something to the response, and adds what that made of its document to the slot's count.
    fn count<T>(&mut self, change: impl FnOnce(&mut Response) -> T) -> T {
        let before = self.response.document();
        let outcome = change(&mut self.response);
        let total = &self.terms.document;
        total.set(total.get() + self.response.document() - before);
        outcome
    }

    fn closed(&self) -> End {
        match self.response.close() {
            // Where only TLS has ended, the connection is still to be closed.
            Ok(()) => End::Whole { reusable: false, closed: self.stream.is_hung_up() },
            Err(broken) => self.broken(broken),
        }
    }

    /// A response that broke off is the fault of the sending side if that failed first.
    fn broken(&self, otherwise: Break) -> End {
        let fault = match &self.message.failed {
            Some(error) => reset_number(error).map_or(Break::Send, Break::Reset),
            None => otherwise,
        };
        End::Broken(fault)
    }

    fn into_reply(self, end: End) -> Reply {
        let done = match (end, self.first_byte) {
            // The usual case: all of it came with the first byte, and so has that byte's stamp.
            (End::Whole { .. }, Some(first_byte)) if self.reads == 1 => first_byte,
            _ => self.terms.clock.now(),
        };
        Reply {
            written: self.written,
            first_byte: self.first_byte,
            done,
            status: self.response.status(),
            document: self.response.document(),
            missing: self.response.missing(),
            end,
        }
    }
}
