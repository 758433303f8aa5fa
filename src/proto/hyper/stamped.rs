//! The stream as hyper sees it: one that notes when bytes pass, and that outlives a failed write.

use std::cell::{Cell, RefCell};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::super::{Clock, is_tls};
use crate::net::Stream;
use crate::record::Micros;

/// What passed on the stream in the current exchange.
#[derive(Debug, Default)]
pub(super) struct Passage {
    /// The last write.
    pub(super) written: Cell<Option<Micros>>,
    /// The first read of the final response.
    pub(super) first_byte: Cell<Option<Micros>>,
    /// The first read begins like a TLS record.
    pub(super) begins_as_tls: Cell<bool>,
    /// Bytes read.
    pub(super) received: Cell<usize>,
    /// Bytes written.
    pub(super) sent: Cell<usize>,
    /// Why writing has failed.
    pub(super) write_error: RefCell<Option<io::Error>>,
}

impl Passage {
    /// Forgets the exchange before.
    pub(super) fn begin(&self) {
        self.written.set(None);
        self.first_byte.set(None);
        self.begins_as_tls.set(false);
        self.received.set(0);
        self.sent.set(0);
    }

    fn note_read(&self, bytes: &[u8], clock: Clock) {
        self.received.set(self.received.get() + bytes.len());
        if !bytes.is_empty() && self.first_byte.get().is_none() && !is_interim_alone(bytes) {
            self.first_byte.set(Some(clock.now()));
            self.begins_as_tls.set(is_tls(bytes));
        }
    }
}

/// Whether bytes are an interim response (1xx, but for 101) that no other response follows. hyper skips these without
/// a word, and the one that counts has not begun.
fn is_interim_alone(bytes: &[u8]) -> bool {
    let is_interim =
        bytes.starts_with(b"HTTP/1.") && bytes.get(9) == Some(&b'1') && bytes.get(9..12) != Some(b"101");
    is_interim && memmem::find(&bytes[1..], b"HTTP/1.").is_none()
}

/// A stream with a passage book.
///
/// A write that fails is not told to hyper, which would end the connection without looking for a response that is there
/// already: a server may answer early, stop reading, and reset. The failed connection becomes readable in any case, and
/// what is read then is the response, or the end.
pub(super) struct Stamped {
    pub(super) stream: Stream,
    pub(super) passage: Rc<Passage>,
    pub(super) clock: Clock,
}

impl Stamped {
    /// Passes on what came of a write, or waits for ever if that is an error.
    fn unless_failed<T>(&self, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match outcome {
            Poll::Ready(Err(error)) => {
                self.passage.write_error.replace(Some(error));
                Poll::Pending
            }
            other => other,
        }
    }

    fn note_written(&self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let count = ready!(self.unless_failed(outcome))?;
        self.passage.written.set(Some(self.clock.now()));
        self.passage.sent.set(self.passage.sent.get() + count);
        Poll::Ready(Ok(count))
    }
}

impl AsyncRead for Stamped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.passage.note_read(&buffer.filled()[before..], self.clock);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stamped {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note_written(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.note_written(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(cx);
        self.unless_failed(outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_interim_response_that_stands_alone_is_none_that_counts() {
        let cases: [(&[u8], bool); 5] = [
            (b"HTTP/1.1 100 Continue\r\n\r\n", true),
            (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", false),
            (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", false),
            (b"HTTP/1.1 200 OK\r\n\r\n", false),
            (b"HT", false),
        ];
        for (bytes, expected) in cases {
            assert_eq!(is_interim_alone(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
