//! The stream as h2 sees it: one that tells its track what passes.

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::super::{Break, Clock, receive_error};
use super::track::Track;
use crate::net::Stream;

/// A stream with its track.
///
/// As under HTTP/1, a write that fails is not told to the library, since the read side may still hold answers: it is told
/// that all was written. A connection that takes no bytes any more has an end to be read, and that says the rest.
pub(super) struct Tracked {
    /// Gone once it is closed.
    stream: Option<Stream>,
    track: Rc<Track>,
    clock: Clock,
}

impl Tracked {
    pub(super) fn new(stream: Stream, track: Rc<Track>, clock: Clock) -> Self {
        Self { stream: Some(stream), track, clock }
    }

    fn stream(&mut self) -> io::Result<Pin<&mut Stream>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// What came of a write, or of a flush; `all` stands for it where it has failed.
    fn unless_failed<T>(&self, outcome: Poll<io::Result<T>>, all: T) -> Poll<T> {
        outcome.map(|outcome| {
            outcome.unwrap_or_else(|error| {
                self.track.fail_writing(error);
                all
            })
        })
    }

    /// Takes note of what a write has taken of these pieces.
    fn note_written(
        &self,
        outcome: Poll<io::Result<usize>>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all = pieces.iter().map(|piece| piece.len()).sum();
        let count = ready!(self.unless_failed(outcome, all));
        let now = self.clock.now();
        let mut left = count;
        for piece in pieces {
            let taken = left.min(piece.len());
            self.track.note_written(&piece[..taken], now);
            left -= taken;
        }
        Poll::Ready(Ok(count))
    }
}

impl AsyncRead for Tracked {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        loop {
            if let Err(error) = ready!(self.stream()?.poll_read(cx, buffer)) {
                self.track.end_reading(receive_error(&error));
                return Poll::Ready(Err(error));
            }
            if buffer.filled().len() == before {
                self.track.end_reading(Break::Closed);
                return Poll::Ready(Ok(()));
            }
            let kept = self.track.note_read(&mut buffer.filled_mut()[before..], self.clock.now());
            buffer.set_filled(before + kept);
            // Nothing would be the end.
            if kept > 0 {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for Tracked {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = self.stream()?.poll_write(cx, bytes);
        self.note_written(outcome, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = self.stream()?.poll_write_vectored(cx, pieces);
        self.note_written(outcome, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = self.stream()?.poll_flush(cx);
        self.unless_failed(outcome, ()).map(Ok)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.track.shut_down();
        if self.track.resets() {
            return Poll::Ready(Ok(()));
        }
        self.stream()?.poll_shutdown(cx)
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take().filter(|_| self.track.resets()) {
            stream.reset();
        }
        self.track.close();
    }
}
