//! What is known of a connection from outside of the library: when the frames of each exchange pass, whether they are
//! HTTP/2 at all, and how they end.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use tokio::sync::SetOnce;

use super::super::{Break, is_tls, reset_number};
use super::frames::{DATA, Frame, Frames, HEADER};
use crate::record::Micros;

/// What passes of one exchange.
#[derive(Debug, Default)]
pub(super) struct Passage {
    /// When the request was written to its end.
    pub(super) written: Cell<Option<Micros>>,
    /// When the response was read to its end.
    pub(super) ended: Cell<Option<Micros>>,
    /// Bytes of the document.
    pub(super) document: Cell<u64>,
}

impl Passage {
    /// Forgets the exchange before.
    pub(super) fn begin(&self) {
        self.written.set(None);
        self.ended.set(None);
        self.document.set(0);
    }

    fn receive(&self, frame: Frame, now: Micros) {
        if frame.kind == DATA {
            self.document.set(self.document.get() + frame.content as u64);
        }
        if frame.ends_stream() {
            self.ended.set(Some(now));
        }
    }
}

/// What is known of a connection from outside of the library.
#[derive(Debug)]
pub(super) struct Track {
    last_read: Cell<Micros>,
    received: RefCell<Frames>,
    sent: RefCell<Frames>,
    /// The exchanges, by their streams.
    passages: RefCell<HashMap<u32, Rc<Passage>>>,
    /// The server's first frame has been read, or never will be.
    begun: SetOnce<()>,
    closed: SetOnce<()>,
    /// How reading ended.
    read_end: Cell<Option<Break>>,
    /// Why writing failed.
    write_error: RefCell<Option<io::Error>>,
    /// The run is through with it.
    is_left: Cell<bool>,
    /// It is to be closed by a reset.
    resets: Cell<bool>,
}

/// Notes what passes of an exchange, until it is dropped.
pub(super) struct Following<'a> {
    track: &'a Track,
    stream: u32,
}

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.track.passages.borrow_mut().remove(&self.stream);
    }
}

impl Track {
    /// Of a new connection.
    pub(super) fn new() -> Self {
        Self {
            last_read: Cell::default(),
            received: RefCell::default(),
            sent: RefCell::new(Frames::of_client()),
            passages: RefCell::default(),
            begun: SetOnce::new(),
            closed: SetOnce::new(),
            read_end: Cell::default(),
            write_error: RefCell::default(),
            is_left: Cell::default(),
            resets: Cell::default(),
        }
    }

    /// When bytes were last read.
    pub(super) fn last_read(&self) -> Micros {
        self.last_read.get()
    }

    /// Follows the exchange on this stream, whose request is about to go out.
    pub(super) fn follow(&self, stream: u32, passage: &Rc<Passage>) -> Following<'_> {
        self.passages.borrow_mut().insert(stream, Rc::clone(passage));
        Following { track: self, stream }
    }

    /// Waits for the end of the server's first frame, or that of the connection; whether it was the former.
    pub(super) async fn begun(&self) -> bool {
        self.begun.wait().await;
        self.received.borrow().begin_with_settings()
    }

    /// Waits until the connection is closed on this side.
    pub(super) async fn closed(&self) {
        self.closed.wait().await;
    }

    /// The run is through with the connection, which may be closed in the ordinary way.
    pub(super) fn leave(&self) {
        self.is_left.set(true);
    }

    /// The connection is closed by a reset.
    pub(super) fn reset_on_close(&self) {
        self.resets.set(true);
    }

    /// Whether it is.
    pub(super) fn resets(&self) -> bool {
        self.resets.get()
    }

    /// Both sides have said what they had to, and the connection is about to be closed. Whoever closes first keeps its
    /// port in `TIME_WAIT`, and a server that says goodbye leaves that to its clients: in the midst of a run a reset keeps
    /// no port.
    pub(super) fn shut_down(&self) {
        if !self.is_left.get() && self.read_end.get() != Some(Break::Closed) {
            self.reset_on_close();
        }
    }

    /// It is closed on this side.
    pub(super) fn close(&self) {
        // The first may have been said before; nobody else says the second.
        let _ = self.begun.set(());
        let _ = self.closed.set(());
    }

    /// Reading has come to its end.
    pub(super) fn end_reading(&self, end: Break) {
        self.read_end.set(Some(end));
    }

    /// Writing has failed.
    pub(super) fn fail_writing(&self, error: io::Error) {
        self.write_error.replace(Some(error));
    }

    /// What the server speaks, if that is not HTTP/2.
    pub(super) fn foreign(&self) -> Option<Break> {
        let received = self.received.borrow();
        match received.beginning() {
            // It begins without being asked.
            [] => (self.end() == Some(Break::Closed)).then_some(Break::NoPreface),
            beginning if is_tls(beginning) => Some(Break::Tls),
            // The end came before that of the header.
            beginning if beginning.len() < HEADER => Some(Break::NotHttp2),
            _ => (!received.begin_with_settings()).then_some(Break::NotHttp2),
        }
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

    /// Takes note of bytes that were read, takes out frames that say nothing, and returns how many are left.
    ///
    /// h2 counts such frames as long as the connection lasts, and ends it after 100, as if they were an attack. Some
    /// servers send one with every response.
    pub(super) fn note_read(&self, bytes: &mut [u8], now: Micros) -> usize {
        self.last_read.set(now);
        let mut idle = Vec::new();
        self.received.borrow_mut().feed(bytes, |frame, end| {
            let _ = self.begun.set(());
            if frame.is_idle() && end >= HEADER {
                idle.push(end);
            }
            if frame.kind == DATA || frame.ends_stream() {
                self.pass(frame, |passage| passage.receive(frame, now));
            }
        });
        take_out(bytes, &idle)
    }

    /// Takes note of bytes that were written.
    pub(super) fn note_written(&self, bytes: &[u8], now: Micros) {
        self.sent.borrow_mut().feed(bytes, |frame, _| {
            if frame.ends_stream() {
                self.pass(frame, |passage| passage.written.set(Some(now)));
            }
        });
    }

    fn pass(&self, frame: Frame, note: impl FnOnce(&Passage)) {
        if let Some(passage) = self.passages.borrow().get(&frame.stream) {
            note(passage);
        }
    }
}

/// Takes out the frames without payload that end at these places, and returns how many bytes are left.
fn take_out(bytes: &mut [u8], ends: &[usize]) -> usize {
    let (mut kept, mut from) = (0, 0);
    for end in ends.iter().copied().chain([bytes.len() + HEADER]) {
        let until = end - HEADER;
        if kept < from {
            bytes.copy_within(from..until, kept);
        }
        kept += until - from;
        from = end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &[u8] = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64";

    /// What a server is taken for that has sent this, and then closed or not.
    fn foreign(bytes: &[u8], end: Option<Break>) -> Option<Break> {
        let track = Track::new();
        track.note_read(&mut bytes.to_vec(), 1);
        track.read_end.set(end);
        track.foreign()
    }

    #[test]
    fn what_is_not_http_2_is_told_apart() {
        let closed = Some(Break::Closed);
        for (bytes, expected) in [
            (SETTINGS, None),
            (&SETTINGS[..9], None),
            (&SETTINGS[..5], Some(Break::NotHttp2)),
            (b"HTTP/1.1 400 Bad Request\r\n", Some(Break::NotHttp2)),
            (b"HTTP", Some(Break::NotHttp2)),
            (b"\x15\x03\x01\0\x02\x02\x46", Some(Break::Tls)),
            (b"", Some(Break::NoPreface)),
        ] {
            assert_eq!(foreign(bytes, closed), expected, "{bytes:?}");
        }
        assert_eq!(foreign(b"", None), None);
        assert_eq!(foreign(b"", Some(Break::Reset(104))), None);
    }

    #[test]
    fn each_exchange_has_its_own_passage() {
        let track = Track::new();
        let [one, three] = [1, 3].map(|stream| {
            let passage = Rc::default();
            std::mem::forget(track.follow(stream, &passage));
            passage
        });
        let frame = |kind, flags, stream, length: usize| {
            let payload = vec![b'x'; length];
            [&[0, 0, u8::try_from(length).unwrap(), kind, flags, 0, 0, 0, stream][..], &payload].concat()
        };
        track.note_written(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 1);
        track.note_written(&[frame(1, 5, 1, 9), frame(1, 4, 3, 9)].concat(), 2);
        track.note_written(&frame(0, 1, 3, 9), 3);
        track.note_read(&mut SETTINGS.to_vec(), 4);
        track.note_read(&mut [frame(1, 4, 1, 9), frame(0, 0, 1, 30), frame(0, 1, 3, 7)].concat(), 5);
        track.note_read(&mut frame(0, 1, 1, 0), 6);
        let seen =
            |passage: &Rc<Passage>| (passage.written.get(), passage.ended.get(), passage.document.get());
        assert_eq!(seen(&one), (Some(2), Some(6), 30));
        assert_eq!(seen(&three), (Some(3), Some(5), 7));
    }

    #[test]
    fn frames_that_say_nothing_are_taken_out() {
        let empty = b"\0\0\0\0\0\0\0\0\x01".as_slice();
        let ping = b"\0\0\x08\x06\0\0\0\0\0opaque!!".as_slice();
        for (pieces, expected) in [
            (vec![ping, ping], [ping, ping].concat()),
            (vec![empty, ping, empty, empty, ping, empty], [ping, ping].concat()),
            (vec![empty, empty], vec![]),
        ] {
            let track = Track::new();
            let mut bytes = pieces.concat();
            let kept = track.note_read(&mut bytes, 1);
            assert_eq!(bytes[..kept], expected);
        }
        // One that came in two pieces has begun to go on already.
        let track = Track::new();
        let (first, second) = empty.split_at(5);
        assert_eq!(track.note_read(&mut first.to_vec(), 1), 5);
        assert_eq!(track.note_read(&mut second.to_vec(), 1), 4);
    }
}
