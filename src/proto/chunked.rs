//! The chunked transfer coding (RFC 9112, section 7.1): counts the payload and finds the end.

use super::head::Malformed;

/// Longest line of chunk size and extensions, and longest trailer section, in bytes.
const MAX_OVERHEAD: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the beginning of a size: no digit yet.
    SizeStart,
    /// Within the digits.
    Size,
    /// After the size, in blanks or extensions, which mean nothing here.
    Extension,
    /// After the CR of a size line.
    SizeLf,
    /// So many bytes of payload are to come.
    Data,
    /// After the payload of a chunk.
    DataCr,
    DataLf,
    /// At the beginning of a trailer line.
    TrailerStart,
    Trailer,
    /// After the CR of the empty line.
    EndLf,
    Done,
}

/// Follows a chunked body through any number of pieces.
#[derive(Debug, Clone)]
pub(super) struct Decoder {
    state: State,
    /// Payload bytes left in the chunk; while its size is read, the size so far.
    left: u64,
    /// Bytes of the current line or trailer section, to bound them.
    overhead: usize,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self { state: State::SizeStart, left: 0, overhead: 0 }
    }

    /// Payload bytes that are left in the current chunk, so that they can be skipped.
    pub(super) fn skippable(&self) -> u64 {
        if self.state == State::Data { self.left } else { 0 }
    }

    /// Counts payload bytes that were not looked at; at most [`skippable`](Self::skippable) of them.
    pub(super) fn skip(&mut self, count: u64) {
        self.left = self.left.saturating_sub(count);
        if self.state == State::Data && self.left == 0 {
            self.state = State::DataCr;
        }
    }

    /// The last chunk and its trailers are behind.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Takes the next piece, adds its payload to `payload` (also where the framing breaks further on), and returns how
    /// many bytes belong to the body: fewer than given only if it has ended.
    pub(super) fn feed(&mut self, bytes: &[u8], payload: &mut u64) -> Result<usize, Malformed> {
        let mut used = 0;
        while used < bytes.len() && self.state != State::Done {
            if self.state == State::Data {
                let there = bytes.len() - used;
                let count = there.min(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.skip(count as u64);
                *payload += count as u64;
                used += count;
            } else {
                self.state = self.step(bytes[used])?;
                used += 1;
            }
        }
        Ok(used)
    }

    /// Takes one byte that is not payload.
    fn step(&mut self, byte: u8) -> Result<State, Malformed> {
        self.overhead += 1;
        if self.overhead > MAX_OVERHEAD {
            return Err(Malformed);
        }
        match (self.state, byte) {
            (State::SizeStart | State::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => self.digit(byte),
            (State::Size, b' ' | b'\t' | b';') => Ok(State::Extension),
            (State::Size | State::Extension, b'\r') => Ok(State::SizeLf),
            (State::Extension, other) if other != b'\n' => Ok(State::Extension),
            (State::SizeLf, b'\n') => {
                self.overhead = 0;
                Ok(if self.left == 0 { State::TrailerStart } else { State::Data })
            }
            (State::DataCr, b'\r') => Ok(State::DataLf),
            (State::DataLf, b'\n') => {
                self.overhead = 0;
                Ok(State::SizeStart)
            }
            (State::TrailerStart, b'\r') => Ok(State::EndLf),
            (State::Trailer, b'\n') => Ok(State::TrailerStart),
            (State::TrailerStart | State::Trailer, _) => Ok(State::Trailer),
            (State::EndLf, b'\n') => Ok(State::Done),
            _ => Err(Malformed),
        }
    }

    fn digit(&mut self, byte: u8) -> Result<State, Malformed> {
        let digit = (byte as char).to_digit(16).ok_or(Malformed)?;
        // At the first digit, `left` is 0: the chunk before has been taken to its end.
        self.left = self.left.checked_mul(16).ok_or(Malformed)? + u64::from(digit);
        Ok(State::Size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes used, payload, and whether the body has ended, when it comes in pieces.
    fn decode(pieces: &[&[u8]]) -> (Result<usize, Malformed>, u64, bool) {
        let (mut decoder, mut payload, mut used) = (Decoder::new(), 0, 0);
        for piece in pieces {
            match decoder.feed(piece, &mut payload) {
                Ok(count) => used += count,
                Err(malformed) => return (Err(malformed), payload, false),
            }
        }
        (Ok(used), payload, decoder.is_done())
    }

    #[test]
    fn payload_is_counted_without_its_framing() {
        let body = [
            b"3c;name=\"v\"\r\n",
            &[b'x'; 60][..],
            b"\r\n28 \r\n",
            &[b'y'; 40],
            b"\r\n0\r\nX-Sum: 1\r\n\r\n",
        ];
        let body = body.concat();
        assert_eq!(decode(&[&body]), (Ok(body.len()), 100, true));
    }

    #[test]
    fn the_end_is_exact() {
        assert_eq!(decode(&[b"1\r\na\r\n0\r\n\r\nHTTP/1.1"]), (Ok(11), 1, true));
    }

    #[test]
    fn broken_framing_is_malformed() {
        for body in ["x\r\n", "\r\n", "3\r\nabcd\r\n", "3\nabc\r\n", "11111111111111111\r\n", "1\r\naXY"] {
            assert_eq!(decode(&[body.as_bytes()]).0, Err(Malformed), "{body:?}");
        }
    }

    #[test]
    fn endless_extensions_and_trailers_are_malformed() {
        assert!(decode(&[format!("1;{}", "x".repeat(MAX_OVERHEAD)).as_bytes()]).0.is_err());
        assert!(decode(&[format!("0\r\n{}", "a: b\r\n".repeat(MAX_OVERHEAD / 6 + 1)).as_bytes()]).0.is_err());
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(bytes in "[0-9a-f;\r\n x]{0,40}", cut in 0_usize..40) {
            let bytes = bytes.as_bytes();
            let (one, two) = bytes.split_at(cut.min(bytes.len()));
            prop_assert_eq!(decode(&[one, two]), decode(&[bytes]));
        }
    }
}
