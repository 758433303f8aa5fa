//! The frames of one direction, by their headers alone (RFC 9113, section 4.1).
//!
//! In come bytes as they are read or written, however they are cut; out goes each frame when its last byte has passed.
//! What is in it is the library's business. When it passed, and how much of it is a document, is ours.

/// The client's connection preface (section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The length of a frame's header.
pub(super) const HEADER: usize = 9;

/// Types of frames (section 6).
pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const SETTINGS: u8 = 4;

/// The last frame of its stream's direction, of DATA and HEADERS.
const END_STREAM: u8 = 1;

/// The receiver's word about SETTINGS, and none of its own.
const ACK: u8 = 1;

/// DATA with padding, whose length is the first byte of the payload.
const PADDED: u8 = 8;

/// A frame that has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: u8,
    flags: u8,
    /// The stream it belongs to; 0 is the connection.
    pub(super) stream: u32,
    /// Bytes of its payload.
    length: usize,
    /// The same without the padding of DATA.
    pub(super) content: usize,
}

impl Frame {
    /// Whether it says nothing at all: DATA without a byte, and more to come.
    pub(super) fn is_idle(self) -> bool {
        self.kind == DATA && self.length == 0 && !self.ends_stream()
    }

    /// Whether its stream has come to its end in this direction.
    pub(super) fn ends_stream(self) -> bool {
        matches!(self.kind, DATA | HEADERS) && self.flags & END_STREAM != 0
    }
}

/// The frames of one direction.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Bytes that belong to no frame are still to come.
    preface: usize,
    header: [u8; HEADER],
    /// So many bytes of the header are there.
    filled: usize,
    /// So many bytes of the payload are still to come.
    left: usize,
    /// The frame that is passing, once its header is there.
    current: Option<Frame>,
    first: Option<[u8; HEADER]>,
}

impl Frames {
    /// What a client sends: frames after the preface.
    pub(super) fn of_client() -> Self {
        Self { preface: PREFACE.len(), ..Self::default() }
    }

    /// The header of the first frame, as far as it has passed.
    pub(super) fn beginning(&self) -> &[u8] {
        match &self.first {
            Some(first) => first,
            None => &self.header[..self.filled],
        }
    }

    /// Whether these are the first bytes of a server of HTTP/2, which says its settings first (section 3.4).
    pub(super) fn begin_with_settings(&self) -> bool {
        self.first.is_some_and(|header| header[3] == SETTINGS && header[4] & ACK == 0)
    }

    /// Goes on by these bytes, and tells of each frame that ends in them, and at which of them.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut ended: impl FnMut(Frame, usize)) {
        let whole = bytes.len();
        let skipped = self.preface.min(bytes.len());
        self.preface -= skipped;
        bytes = &bytes[skipped..];
        while !bytes.is_empty() {
            let Some(current) = &mut self.current else {
                bytes = self.fill(bytes);
                if let Some(frame) = self.current.take_if(|_| self.left == 0) {
                    ended(frame, whole - bytes.len());
                }
                continue;
            };
            if current.kind == DATA && current.flags & PADDED != 0 {
                current.flags &= !PADDED;
                current.content = current.content.saturating_sub(1 + usize::from(bytes[0]));
            }
            let count = self.left.min(bytes.len());
            self.left -= count;
            bytes = &bytes[count..];
            if let Some(frame) = self.current.take_if(|_| self.left == 0) {
                ended(frame, whole - bytes.len());
            }
        }
    }

    /// Takes bytes of the header, and returns the others.
    fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (header, others) = bytes.split_at(bytes.len().min(HEADER - self.filled));
        self.header[self.filled..self.filled + header.len()].copy_from_slice(header);
        self.filled += header.len();
        if self.filled == HEADER {
            self.filled = 0;
            self.first.get_or_insert(self.header);
            let [a, b, c, kind, flags, stream @ ..] = self.header;
            self.left = u32::from_be_bytes([0, a, b, c]) as usize;
            let stream = u32::from_be_bytes(stream) & 0x7fff_ffff;
            self.current = Some(Frame { kind, flags, stream, length: self.left, content: self.left });
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    }

    fn fed(mut frames: Frames, pieces: &[&[u8]]) -> (Frames, Vec<Frame>) {
        let mut all = Vec::new();
        for piece in pieces {
            frames.feed(piece, |frame, _| all.push(frame));
        }
        (frames, all)
    }

    #[test]
    fn a_server_begins_with_settings_of_its_own() {
        let begins = |bytes: &[u8]| fed(Frames::default(), &[bytes]).0.begin_with_settings();
        assert!(begins(&bytes(SETTINGS, 0, 0, &[])) && begins(&bytes(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1])));
        assert!(!begins(&bytes(SETTINGS, ACK, 0, &[])) && !begins(&bytes(DATA, 0, 1, b"hello")));
        assert!(!begins(b"HTTP/1.1 400 Bad Request\r\n") && !begins(b"") && !begins(b"\0\0\0\x04"));
    }

    #[test]
    fn frames_that_say_nothing_are_found_where_they_end() {
        let (empty, last) = (bytes(DATA, 0, 1, b""), bytes(DATA, END_STREAM, 1, b""));
        let all =
            [bytes(HEADERS, 4, 1, b"x"), empty.clone(), bytes(DATA, PADDED, 1, &[0]), empty, last].concat();
        let mut found = Vec::new();
        Frames::default().feed(&all, |frame, end| found.extend(frame.is_idle().then_some(end)));
        assert_eq!(found, [19, 38]);
    }

    #[test]
    fn padding_is_no_content() {
        let padded = bytes(DATA, PADDED | END_STREAM, 3, &[&[2][..], b"hello", &[0; 2]].concat());
        let (_, frames) = fed(Frames::default(), &[&padded]);
        assert_eq!((frames[0].content, frames[0].ends_stream()), (5, true));
        // More than there is: the library makes an error of it.
        let (_, frames) = fed(Frames::default(), &[&bytes(DATA, PADDED, 3, &[200, 1])]);
        assert_eq!(frames[0].content, 0);
    }

    #[test]
    fn what_is_no_http_2_goes_by() {
        let (frames, ended) = fed(Frames::default(), &[b"HTTP/1.1 400 Bad Request\r\n"]);
        assert_eq!((frames.beginning(), ended.len()), (b"HTTP/1.1 ".as_slice(), 0));
        assert_eq!(fed(Frames::default(), &[b"HT"]).0.beginning(), b"HT");
    }

    proptest! {
        #[test]
        fn frames_are_the_same_however_they_are_cut(
            shapes in prop::collection::vec((0..10_u8, any::<u8>(), 0..9_u32, 1..40_usize), 1..8),
            cuts in prop::collection::vec(1..12_usize, 1..20),
        ) {
            let whole: Vec<u8> = shapes
                .iter()
                .flat_map(|&(kind, flags, stream, length)| bytes(kind, flags, stream, &vec![0; length]))
                .collect();
            let sent = [PREFACE, &whole].concat();
            let mut pieces = Vec::new();
            let (mut rest, mut cuts) = (sent.as_slice(), cuts.iter().cycle());
            while let Some((piece, others)) = rest.split_at_checked(*cuts.next().unwrap()) {
                pieces.push(piece);
                rest = others;
            }
            pieces.push(rest);
            let at_once = fed(Frames::default(), &[&whole]).1;
            prop_assert_eq!(at_once.len(), shapes.len());
            prop_assert_eq!(&fed(Frames::of_client(), &pieces).1, &at_once);
        }
    }
}
