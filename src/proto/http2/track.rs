//! The stream as h2 sees it: one that notes when bytes pass, whether they are HTTP/2 at all, and how they
//! end.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::SetOnce;

use super::super::{Break, Clock, is_tls, receive_error, reset_number};
use crate::net::Stream;
use crate::record::Micros;

/// The length of a frame's header (RFC 9113, section 4.1).
const FRAME_HEADER: usize = 9;

/// The type of a SETTINGS frame, with which every server begins (sections 3.4 and 6.5).
const SETTINGS: u8 = 4;

/// What is known of a connection from outside of hyper.
#[derive(Debug, Default)]
pub(super) struct Track {
    last_read: Cell<Micros>,
    last_write: Cell<Micros>,
    /// The requests that go out with the next write.
    unwritten: RefCell<Vec<Rc<Cell<Option<Micros>>>>>,
    beginning: Cell<Beginning>,
    /// The server's first frame has been read, or never will be.
    begun: SetOnce<()>,
    closed: SetOnce<()>,
    /// How reading ended.
    read_end: Cell<Option<Break>>,
    /// Why writing failed.
    write_error: RefCell<Option<io::Error>>,
    resets: Cell<bool>,
}

/// What the server's first bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// The header of its first frame, so many bytes of which are there; the first of them.
    Header([u8; FRAME_HEADER], usize),
    /// So many bytes of its first frame are still to come.
    Settings(usize),
    /// HTTP/2.
    Http2,
    /// A TLS record.
    Tls,
    /// Anything else.
    Other,
}

impl Default for Beginning {
    fn default() -> Self {
        Self::Header([0; FRAME_HEADER], 0)
    }
}

impl Beginning {
    /// Goes on by the next bytes.
    fn feed(self, mut bytes: &[u8]) -> Self {
        let mut state = self;
        loop {
            state = match state {
                Self::Header(mut header, filled) => {
                    let count = bytes.len().min(FRAME_HEADER - filled);
                    header[filled..filled + count].copy_from_slice(&bytes[..count]);
                    bytes = &bytes[count..];
                    match filled + count {
                        FRAME_HEADER if header[3] == SETTINGS => {
                            Self::Settings(usize::from(header[1]) << 8 | usize::from(header[2]))
                        }
                        FRAME_HEADER if is_tls(&header) => Self::Tls,
                        FRAME_HEADER => Self::Other,
                        filled => return Self::Header(header, filled),
                    }
                }
                Self::Settings(left) if left <= bytes.len() => return Self::Http2,
                Self::Settings(left) => return Self::Settings(left - bytes.len()),
                known => return known,
            }
        }
    }

    /// Whether what has come, to its end, is no HTTP/2.
    fn is_foreign(self) -> Option<Break> {
        match self {
            Self::Header(header, filled) if filled > 0 && is_tls(&header[..filled]) => Some(Break::Tls),
            Self::Tls => Some(Break::Tls),
            Self::Header(_, 1..) | Self::Other => Some(Break::NotHttp2),
            Self::Header(..) | Self::Settings(_) | Self::Http2 => None,
        }
    }
}

impl Track {
    /// When bytes were last read.
    pub(super) fn last_read(&self) -> Micros {
        self.last_read.get()
    }

    /// When bytes were last written.
    pub(super) fn last_write(&self) -> Micros {
        self.last_write.get()
    }

    /// A request is about to be handed over; the next write says in this place when.
    pub(super) fn announce(&self, written: &Rc<Cell<Option<Micros>>>) {
        self.unwritten.borrow_mut().push(Rc::clone(written));
    }

    /// Waits for the end of the server's first frame, or that of the connection; whether it was the former.
    pub(super) async fn begun(&self) -> bool {
        self.begun.wait().await;
        self.beginning.get() == Beginning::Http2
    }

    /// Waits until the connection is closed on this side.
    pub(super) async fn closed(&self) {
        self.closed.wait().await;
    }

    /// From now on the connection is closed by a reset, so that no port of this machine is kept in `TIME_WAIT`.
    pub(super) fn reset_on_close(&self) {
        self.resets.set(true);
    }

    /// What the server speaks, if that is not HTTP/2.
    pub(super) fn foreign(&self) -> Option<Break> {
        self.beginning.get().is_foreign()
    }

    /// Why the connection is gone, as far as the system has said so.
    pub(super) fn end(&self) -> Option<Break> {
        match (self.read_end.get(), &*self.write_error.borrow()) {
            (Some(Break::Closed) | None, Some(error)) => {
                Some(reset_number(error).map_or(Break::Send, Break::Reset))
            }
            (end, _) => end,
        }
    }

    fn note_read(&self, bytes: &[u8], now: Micros) {
        self.last_read.set(now);
        let beginning = self.beginning.get();
        if beginning != Beginning::Http2 {
            self.beginning.set(beginning.feed(bytes));
            if self.beginning.get() == Beginning::Http2 {
                let _ = self.begun.set(());
            }
        }
    }

    fn note_written(&self, now: Micros) {
        self.last_write.set(now);
        for written in self.unwritten.borrow_mut().drain(..) {
            written.set(Some(now));
        }
    }
}

/// A stream with its track.
///
/// As under HTTP/1, a write that fails is not told to the library, since the read side may still hold answers.
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

    /// Passes on what came of a write, or waits for ever if that is an error.
    fn unless_failed<T>(&self, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match outcome {
            Poll::Ready(Err(error)) => {
                self.track.write_error.replace(Some(error));
                Poll::Pending
            }
            other => other,
        }
    }

    fn note_written(&self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        let count = ready!(self.unless_failed(outcome))?;
        self.track.note_written(self.clock.now());
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
        let outcome = ready!(self.stream()?.poll_read(cx, buffer));
        match &outcome {
            Ok(()) if buffer.filled().len() == before => self.track.read_end.set(Some(Break::Closed)),
            Ok(()) => self.track.note_read(&buffer.filled()[before..], self.clock.now()),
            Err(error) => self.track.read_end.set(Some(receive_error(error))),
        }
        Poll::Ready(outcome)
    }
}

impl AsyncWrite for Tracked {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = self.stream()?.poll_write(cx, bytes);
        self.note_written(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = self.stream()?.poll_write_vectored(cx, pieces);
        self.note_written(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = self.stream()?.poll_flush(cx);
        self.unless_failed(outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.track.resets.get() {
            return Poll::Ready(Ok(()));
        }
        self.stream()?.poll_shutdown(cx)
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take().filter(|_| self.track.resets.get()) {
            stream.reset();
        }
        // The first may have been said before; nobody else says the second.
        let _ = self.track.begun.set(());
        let _ = self.track.closed.set(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(pieces: &[&[u8]]) -> Beginning {
        pieces.iter().fold(Beginning::default(), |beginning, piece| beginning.feed(piece))
    }

    #[test]
    fn http_2_begins_with_settings_however_they_are_cut() {
        let settings = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64";
        assert_eq!(fed(&[settings]), Beginning::Http2);
        for cut in 0..settings.len() {
            let (first, second) = settings.split_at(cut);
            assert_eq!(fed(&[first]).is_foreign().is_some(), (1..FRAME_HEADER).contains(&cut), "{cut}");
            assert_eq!(fed(&[first, second]), Beginning::Http2, "{cut}");
            assert_ne!(fed(&[first]), Beginning::Http2, "{cut}");
        }
        assert_eq!(fed(&[b"\0\0\0\x04\0\0\0\0\0"]), Beginning::Http2);
    }

    #[test]
    fn what_else_begins_is_told_apart() {
        assert_eq!(fed(&[b"HTTP/1.1 400 Bad Request\r\n"]).is_foreign(), Some(Break::NotHttp2));
        assert_eq!(fed(&[b"HTTP"]).is_foreign(), Some(Break::NotHttp2));
        assert_eq!(fed(&[b"\x15\x03\x01\0\x02\x02\x46"]).is_foreign(), Some(Break::Tls));
        assert_eq!(fed(&[]).is_foreign(), None);
    }
}
