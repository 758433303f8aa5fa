//! The server's side of one connection.
//!
//! It holds the client to the protocol while a script does to it what it wants: the order of stream numbers, the number
//! of open streams, the room for bodies. A client that breaks a rule makes the thread of the connection panic, and with
//! that the test fails.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::TcpStream;

use super::frame::{Frame, block, fields_block, flag, kind, number, setting};
use super::{Event, Request, Shared};
use crate::support::tls::Tls;

/// The room for bodies with which every stream and connection begins (section 6.9.2).
const FIRST_WINDOW: i64 = 65_535;

/// The longest payload of a frame that nobody has to agree to (section 4.2).
const FRAME_BYTES: usize = 16_384;

/// What a client begins with (section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a connection is made of.
pub(super) trait Wire: Read + Write {
    fn tcp(&self) -> &TcpStream;
}

impl Wire for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Wire for Tls {
    fn tcp(&self) -> &TcpStream {
        &self.sock
    }
}

/// One of the client's streams.
struct Stream {
    /// Its place among the requests of the server, and of the connection.
    places: (usize, usize),
    /// Bytes of its body so far.
    body: usize,
    /// Bytes that the client may still send.
    room: i64,
    /// Bytes that the server may still send.
    window: i64,
    /// The client has sent it to its end.
    whole: bool,
    /// The server has sent the answer to its end, or one of the two has reset the stream.
    over: bool,
}

/// The server's side of one connection.
pub(crate) struct Link<'a> {
    wire: &'a mut dyn Wire,
    shared: &'a Shared,
    number: usize,
    streams: BTreeMap<u32, Stream>,
    /// Requests that nobody has looked at yet.
    pub(super) ready: VecDeque<Request>,
    /// Settings that the client has not acknowledged.
    unconfirmed: VecDeque<Vec<(u16, u32)>>,
    /// As many streams as the client has agreed to.
    limit: usize,
    /// The longest payload of a frame, as far as the client has agreed to it.
    longest: usize,
    /// Room for bodies on every new stream, as far as the client has agreed to it; that on the connection.
    room: (i64, i64),
    /// The client's windows: that of every new stream, that of the connection.
    windows: (i64, i64),
    /// The client's settings that wait for the server's own, which come first.
    unacknowledged: usize,
    /// The server has said its settings.
    has_begun: bool,
    /// The client has said goodbye.
    parted: bool,
}

impl<'a> Link<'a> {
    /// Reads the preface, and the settings behind it.
    pub(super) fn open(wire: &'a mut dyn Wire, shared: &'a Shared, number: usize) -> io::Result<Self> {
        let mut preface = [0; PREFACE.len()];
        wire.read_exact(&mut preface)?;
        assert_eq!(preface, PREFACE, "the client begins with the preface");
        let mut link = Self {
            wire,
            shared,
            number,
            streams: BTreeMap::new(),
            ready: VecDeque::new(),
            unconfirmed: VecDeque::new(),
            limit: usize::MAX,
            longest: FRAME_BYTES,
            room: (FIRST_WINDOW, FIRST_WINDOW),
            windows: (FIRST_WINDOW, FIRST_WINDOW),
            unacknowledged: 0,
            has_begun: false,
            parted: false,
        };
        let first = link.next()?;
        assert_eq!(first.map(|frame| frame.kind), Some(kind::SETTINGS), "the client says its settings first");
        Ok(link)
    }

    /// The number of the connection, counted from 0.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The streams whose requests are whole and not answered, in their order.
    pub(crate) fn waiting(&self) -> Vec<u32> {
        let waiting = self.streams.iter().filter(|(_, stream)| stream.whole && !stream.over);
        waiting.map(|(id, _)| *id).collect()
    }

    /// Writes any bytes at all.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        // A client that is gone is noticed where it is read from.
        let _ = self.wire.write_all(bytes).and_then(|()| self.wire.flush());
    }

    /// Writes frames, all at once.
    pub(crate) fn frames(&mut self, frames: &[Frame]) {
        for frame in frames {
            let ends = matches!(frame.kind, kind::DATA | kind::HEADERS) && frame.has(flag::END_STREAM);
            if let Some(stream) = self.streams.get_mut(&frame.stream) {
                stream.over |= ends || frame.kind == kind::RST_STREAM;
            }
        }
        self.raw(&frames.iter().flat_map(Frame::bytes).collect::<Vec<_>>());
    }

    fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: impl Into<Vec<u8>>) {
        self.frames(&[Frame::new(kind, flags, stream, payload)]);
    }

    /// Says its settings.
    pub(crate) fn settings(&mut self, settings: &[(u16, u32)]) {
        let bytes = settings.iter().flat_map(|(name, value)| {
            [name.to_be_bytes().as_slice(), value.to_be_bytes().as_slice()].concat()
        });
        self.unconfirmed.push_back(settings.to_vec());
        self.frame(kind::SETTINGS, 0, 0, bytes.collect::<Vec<_>>());
        self.has_begun = true;
        self.acknowledge();
    }

    /// Reads until the client has acknowledged all settings.
    pub(crate) fn await_confirmation(&mut self) {
        while !self.unconfirmed.is_empty() && matches!(self.next(), Ok(Some(_))) {}
    }

    /// Answers with a body and its length, in one write.
    pub(crate) fn answer(&mut self, stream: u32, status: u16, body: &[u8]) {
        let length = body.len().to_string();
        self.frames(&[head(stream, status, &[("content-length", &length)]), data(stream, body, true)]);
    }

    /// The same for all streams that wait.
    pub(crate) fn answer_all(&mut self, status: u16, body: &[u8]) {
        for stream in self.waiting() {
            self.answer(stream, status, body);
        }
    }

    /// The head of an answer, with more to come.
    pub(crate) fn head(&mut self, stream: u32, status: u16, fields: &[(&str, &str)]) {
        self.frames(&[head(stream, status, fields)]);
    }

    /// A whole answer that is nothing but a head.
    pub(crate) fn bare(&mut self, stream: u32, status: u16, fields: &[(&str, &str)]) {
        self.frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, stream, block(status, fields));
    }

    /// A piece of a body.
    pub(crate) fn data(&mut self, stream: u32, bytes: &[u8], is_last: bool) {
        self.frames(&[data(stream, bytes, is_last)]);
    }

    /// A body of so many bytes to its end, as the client's windows allow; reads while there is no room.
    pub(crate) fn body(&mut self, stream: u32, mut left: usize) -> io::Result<()> {
        while left > 0 {
            let window = self.streams.get(&stream).map_or(0, |stream| stream.window).min(self.windows.1);
            let count = usize::try_from(window).unwrap_or(0).min(left).min(FRAME_BYTES);
            if count == 0 {
                self.next()?.ok_or(io::ErrorKind::UnexpectedEof)?;
                continue;
            }
            left -= count;
            self.windows.1 -= i64::try_from(count).unwrap();
            self.streams.get_mut(&stream).unwrap().window -= i64::try_from(count).unwrap();
            self.data(stream, &vec![b'x'; count], left == 0);
        }
        Ok(())
    }

    /// Trailers, which end an answer.
    pub(crate) fn trailers(&mut self, stream: u32, fields: &[(&str, &str)]) {
        self.frame(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, stream, fields_block(fields));
    }

    /// Ends one stream.
    pub(crate) fn reset(&mut self, stream: u32, code: u32) {
        self.frame(kind::RST_STREAM, 0, stream, code.to_be_bytes());
    }

    /// Says that nothing after a stream will be looked at.
    pub(crate) fn go_away(&mut self, last: u32, code: u32) {
        self.frame(kind::GOAWAY, 0, 0, [last.to_be_bytes(), code.to_be_bytes()].concat());
    }

    /// Lets the client send so many bytes more, on a stream or (0) on the connection.
    pub(crate) fn grant(&mut self, stream: u32, bytes: u32) {
        match self.streams.get_mut(&stream) {
            Some(stream) => stream.room += i64::from(bytes),
            None => self.room.1 += i64::from(bytes),
        }
        self.frame(kind::WINDOW_UPDATE, 0, stream, bytes.to_be_bytes());
    }

    /// Asks for a sign of life.
    pub(crate) fn ping(&mut self, opaque: [u8; 8]) {
        self.frame(kind::PING, 0, 0, opaque);
    }

    fn open_streams(&self) -> usize {
        self.streams.values().filter(|stream| !stream.over).count()
    }

    /// Reads the next frame, and takes note of what it says; `None` at the end of the connection.
    pub(super) fn next(&mut self) -> io::Result<Option<Frame>> {
        let Some(frame) = Frame::read(&mut self.wire)? else { return Ok(None) };
        assert!(frame.payload.len() <= self.longest, "a frame of {} bytes", frame.payload.len());
        let is_ack = frame.has(flag::ACK);
        match frame.kind {
            kind::HEADERS => self.begin(&frame),
            kind::DATA => self.take_data(&frame),
            kind::SETTINGS if is_ack => self.confirm(),
            kind::SETTINGS => self.obey(&frame),
            kind::WINDOW_UPDATE => self.widen(&frame),
            kind::PING if is_ack => {
                let opaque = frame.payload.clone();
                self.shared.tell(self.number, Event::Pong(opaque));
            }
            kind::PING => self.frame(kind::PING, flag::ACK, 0, frame.payload.clone()),
            kind::RST_STREAM => {
                let stream = self.streams.get_mut(&frame.stream).expect("a stream that is reset was opened");
                stream.over = true;
                self.shared.tell(self.number, Event::Reset(frame.stream, number(&frame.payload)));
            }
            kind::GOAWAY => {
                self.parted = true;
                self.shared.tell(self.number, Event::GoAway(number(&frame.payload[4..8])));
            }
            _ => {}
        }
        Ok(Some(frame))
    }

    /// A new stream.
    fn begin(&mut self, frame: &Frame) {
        let id = frame.stream;
        assert!(!self.parted, "a request after the goodbye");
        assert_eq!(id % 2, 1, "clients use odd streams");
        assert!(self.streams.keys().next_back().is_none_or(|last| *last < id), "streams go upwards");
        assert!(frame.has(flag::END_HEADERS), "requests of these tests have short heads");
        let open = self.open_streams() + 1;
        assert!(open <= self.limit, "{open} streams are open, {} were agreed on", self.limit);
        let places = self.shared.count_request(self.number, open);
        let (room, window) = (self.room.0, self.windows.0);
        let stream = Stream { places, body: 0, room, window, whole: false, over: false };
        self.streams.insert(id, stream);
        self.offer(id, frame.has(flag::END_STREAM));
    }

    fn take_data(&mut self, frame: &Frame) {
        let length = frame.payload.len();
        let bytes = i64::try_from(length).unwrap();
        self.room.1 -= bytes;
        let stream = self.streams.get_mut(&frame.stream).expect("a body belongs to a request");
        assert!(!stream.whole, "a body goes on after its end");
        stream.room -= bytes;
        stream.body += length;
        assert!(stream.room >= 0 && self.room.1 >= 0, "a body beyond the room for it");
        if self.shared.plan.grants && length > 0 {
            let length = u32::try_from(length).unwrap();
            self.grant(0, length);
            self.grant(frame.stream, length);
        }
        self.offer(frame.stream, frame.has(flag::END_STREAM));
    }

    /// Lets the script have the request, when it is time.
    fn offer(&mut self, id: u32, is_whole: bool) {
        let stream = self.streams.get_mut(&id).unwrap();
        let is_new = stream.body == 0 && !stream.whole;
        stream.whole |= is_whole;
        if is_whole || (is_new && self.shared.plan.at_head) {
            let ((number, place), body) = (stream.places, stream.body);
            self.ready.push_back(Request { stream: id, number, place, body, is_whole });
        }
    }

    /// The client has taken note of settings, and keeps to them from here on.
    fn confirm(&mut self) {
        for (name, value) in self.unconfirmed.pop_front().expect("only what was sent is acknowledged") {
            match name {
                setting::MAX_CONCURRENT_STREAMS => self.limit = value as usize,
                setting::MAX_FRAME_SIZE => self.longest = value as usize,
                setting::INITIAL_WINDOW_SIZE => {
                    let change = i64::from(value) - self.room.0;
                    self.room.0 = i64::from(value);
                    self.streams.values_mut().for_each(|stream| stream.room += change);
                }
                _ => {}
            }
        }
        self.shared.tell(self.number, Event::SettingsTaken);
    }

    /// Takes note of the client's settings.
    fn obey(&mut self, frame: &Frame) {
        for pair in frame.payload.chunks_exact(6) {
            if number(&pair[..2]) == u32::from(setting::INITIAL_WINDOW_SIZE) {
                self.windows.0 = i64::from(number(&pair[2..]));
            }
        }
        self.unacknowledged += 1;
        if self.has_begun {
            self.acknowledge();
        }
    }

    /// Says that the client's settings are known.
    pub(crate) fn acknowledge(&mut self) {
        for _ in 0..std::mem::take(&mut self.unacknowledged) {
            self.frame(kind::SETTINGS, flag::ACK, 0, []);
        }
    }

    fn widen(&mut self, frame: &Frame) {
        let bytes = i64::from(number(&frame.payload));
        assert!(bytes > 0, "a window is widened by nothing");
        match self.streams.get_mut(&frame.stream) {
            Some(stream) => stream.window += bytes,
            None if frame.stream == 0 => self.windows.1 += bytes,
            None => panic!("the window of a stream that is not"),
        }
        assert!(self.windows.1 <= i64::from(i32::MAX), "a window beyond the widest");
    }
}

/// The frame with the head of an answer, with more to come.
pub(crate) fn head(stream: u32, status: u16, fields: &[(&str, &str)]) -> Frame {
    Frame::new(kind::HEADERS, flag::END_HEADERS, stream, block(status, fields))
}

/// The frame with a piece of a body.
pub(crate) fn data(stream: u32, bytes: &[u8], is_last: bool) -> Frame {
    Frame::new(kind::DATA, if is_last { flag::END_STREAM } else { 0 }, stream, bytes)
}
