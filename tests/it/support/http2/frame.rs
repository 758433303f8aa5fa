//! Frames of HTTP/2 (RFC 9113, sections 4 and 6), byte for byte, and header blocks of the simplest kind (RFC 7541).

use std::io::{self, Read};

/// Types of frames.
pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const PUSH_PROMISE: u8 = 5;
    pub(crate) const PING: u8 = 6;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
}

/// Flags of frames.
pub(crate) mod flag {
    pub(crate) const END_STREAM: u8 = 1;
    pub(crate) const ACK: u8 = 1;
    pub(crate) const END_HEADERS: u8 = 4;
    pub(crate) const PADDED: u8 = 8;
    pub(crate) const PRIORITY: u8 = 0x20;
}

/// Numbers of settings.
pub(crate) mod setting {
    pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;
    pub(crate) const MAX_FRAME_SIZE: u16 = 5;
}

/// Error codes.
pub(crate) mod code {
    pub(crate) const NO_ERROR: u32 = 0;
    pub(crate) const PROTOCOL_ERROR: u32 = 1;
    pub(crate) const INTERNAL_ERROR: u32 = 2;
    pub(crate) const REFUSED_STREAM: u32 = 7;
    pub(crate) const CANCEL: u32 = 8;
    pub(crate) const ENHANCE_YOUR_CALM: u32 = 11;
    pub(crate) const HTTP_1_1_REQUIRED: u32 = 13;
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    pub(crate) fn new(kind: u8, flags: u8, stream: u32, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, flags, stream, payload: payload.into() }
    }

    /// As it goes over the wire.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let length = u32::try_from(self.payload.len()).unwrap().to_be_bytes();
        let head = [&length[1..], &[self.kind, self.flags], &self.stream.to_be_bytes()];
        [head.concat(), self.payload.clone()].concat()
    }

    /// The next one, or `None` at the end.
    pub(super) fn read(from: &mut (impl Read + ?Sized)) -> io::Result<Option<Self>> {
        let mut head = [0; 9];
        if from.read(&mut head[..1])? == 0 {
            return Ok(None);
        }
        from.read_exact(&mut head[1..])?;
        let mut payload = vec![0; number(&head[..3]) as usize];
        from.read_exact(&mut payload)?;
        let stream = number(&head[5..]) & 0x7fff_ffff;
        Ok(Some(Self { kind: head[3], flags: head[4], stream, payload }))
    }

    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A number of up to four bytes.
pub(crate) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// A response's header block: the status, then these fields, each as a literal that nobody has to remember.
pub(crate) fn block(status: u16, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = match status {
        // The only status of the static table that is used here.
        200 => vec![0x88],
        // A literal whose name is that of entry 8, `:status`.
        _ => [&[0x08, 3], status.to_string().as_bytes()].concat(),
    };
    block.extend(fields_block(fields));
    block
}

/// Fields without a status, as in trailers.
pub(crate) fn fields_block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            length(text.len(), &mut block);
            block.extend_from_slice(text.as_bytes());
        }
    }
    block
}

/// The length of a string that is not packed: an integer with a prefix of 7 bits (RFC 7541, section 5.1).
fn length(mut length: usize, block: &mut Vec<u8>) {
    if length < 127 {
        block.push(u8::try_from(length).unwrap());
        return;
    }
    block.push(127);
    length -= 127;
    while length >= 128 {
        block.push(u8::try_from(length % 128).unwrap() | 128);
        length /= 128;
    }
    block.push(u8::try_from(length).unwrap());
}
