//! The response side of the wire engine, without its input and output: bytes go in, in any pieces, and out comes
//! what they make of a response.

use super::chunked::Decoder;
use super::head::{Framing, Malformed, Recent, ResponseHead};
use super::{Break, MAX_HEAD_BYTES};

/// A response as far as it has come.
#[derive(Debug)]
pub(super) struct Response {
    state: State,
    /// The request's method was HEAD.
    to_head_request: bool,
    /// The beginning of a head that did not come in one piece.
    partial_head: Vec<u8>,
    /// An interim `100 Continue` was met.
    continued: bool,
    /// The final status code, once the head is whole.
    status: Option<u16>,
    /// The server keeps the connection.
    persistent: bool,
    /// Bytes of the document.
    document: u64,
}

#[derive(Debug)]
enum State {
    Head,
    /// So many bytes are to come.
    Length(u64),
    Chunked(Decoder),
    Close,
    Whole,
}

/// How far a response is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// More is to come.
    More,
    /// The response is whole, and so many bytes stand behind its end.
    Whole {
        /// Bytes given that are not part of it.
        surplus: usize,
    },
}

impl Response {
    pub(super) fn new(to_head_request: bool) -> Self {
        Self {
            state: State::Head,
            to_head_request,
            partial_head: Vec::new(),
            continued: false,
            status: None,
            persistent: false,
            document: 0,
        }
    }

    pub(super) fn status(&self) -> Option<u16> {
        self.status
    }

    pub(super) fn document(&self) -> u64 {
        self.document
    }

    /// The server keeps the connection open after this response.
    pub(super) fn is_persistent(&self) -> bool {
        self.persistent
    }

    /// The server has asked for the body that was held back (RFC 9110, section 10.1.1).
    pub(super) fn has_continued(&self) -> bool {
        self.continued
    }

    /// Nothing of the final response has come.
    pub(super) fn is_untouched(&self) -> bool {
        matches!(self.state, State::Head) && self.partial_head.is_empty()
    }

    /// The head is not whole yet.
    pub(super) fn is_in_head(&self) -> bool {
        matches!(self.state, State::Head)
    }

    /// What has come of a head that is not whole.
    pub(super) fn partial_head(&self) -> &[u8] {
        &self.partial_head
    }

    /// Bytes of the document that surely come next, so that they can be counted without being looked at.
    pub(super) fn skippable(&self) -> u64 {
        match &self.state {
            State::Length(left) => *left,
            State::Chunked(decoder) => decoder.skippable(),
            State::Close => u64::MAX,
            State::Head | State::Whole => 0,
        }
    }

    /// Bytes that the head announces and that have not come.
    pub(super) fn missing(&self) -> u64 {
        if let State::Length(left) = self.state { left } else { 0 }
    }

    /// Counts bytes of the document that were not looked at; at most [`skippable`](Self::skippable) of them.
    pub(super) fn skip(&mut self, count: usize) -> Progress {
        self.document += count as u64;
        match &mut self.state {
            State::Length(left) => {
                *left -= (count as u64).min(*left);
                if *left == 0 {
                    self.state = State::Whole;
                    return Progress::Whole { surplus: 0 };
                }
            }
            State::Chunked(decoder) => decoder.skip(count as u64),
            State::Head | State::Close | State::Whole => {}
        }
        Progress::More
    }

    /// Takes the next bytes. `on_head` sees the final head when it is whole.
    pub(super) fn feed(
        &mut self,
        mut bytes: &[u8],
        recent: &mut Recent,
        on_head: &mut dyn FnMut(&ResponseHead<'_>),
    ) -> Result<Progress, Break> {
        while matches!(self.state, State::Head) {
            match self.feed_head(bytes, recent, on_head)? {
                Some(used) => bytes = &bytes[used..],
                None => return Ok(Progress::More),
            }
        }
        self.feed_body(bytes).map_err(|Malformed| Break::NotHttp)
    }

    /// The peer has closed: was that the end of the response?
    pub(super) fn close(&self) -> Result<(), Break> {
        match self.state {
            State::Close | State::Whole => Ok(()),
            _ => Err(Break::Closed),
        }
    }

    /// Takes a head, and returns how many of `bytes` belong to it once it is whole.
    fn feed_head(
        &mut self,
        bytes: &[u8],
        recent: &mut Recent,
        on_head: &mut dyn FnMut(&ResponseHead<'_>),
    ) -> Result<Option<usize>, Break> {
        let earlier = std::mem::take(&mut self.partial_head);
        let joined: Vec<u8>;
        // A head in one piece, the usual case, is read where it stands.
        let all = if earlier.is_empty() {
            bytes
        } else {
            joined = [&earlier, bytes].concat();
            &joined
        };
        // What stands behind the limit must not matter, or it would matter where the pieces were cut.
        let within_limit = &all[..all.len().min(MAX_HEAD_BYTES)];
        let head = recent.parse(within_limit, self.to_head_request).map_err(|Malformed| Break::NotHttp)?;
        let Some(head) = head else {
            if all.len() > MAX_HEAD_BYTES {
                return Err(Break::HeadTooLong);
            }
            self.partial_head = all.to_vec();
            return Ok(None);
        };
        if head.is_interim() {
            self.continued |= head.shown.status == 100;
        } else {
            self.status = Some(head.shown.status);
            self.persistent = head.shown.persistent && head.framing != Framing::Close;
            self.state = match head.framing {
                Framing::Length(0) => State::Whole,
                Framing::Length(length) => State::Length(length),
                Framing::Chunked => State::Chunked(Decoder::new()),
                Framing::Close => State::Close,
            };
            on_head(&head.shown);
        }
        Ok(Some(head.length - earlier.len()))
    }

    fn feed_body(&mut self, bytes: &[u8]) -> Result<Progress, Malformed> {
        let used = match &mut self.state {
            State::Head | State::Whole => 0,
            State::Close => {
                self.document += bytes.len() as u64;
                bytes.len()
            }
            State::Length(left) => {
                let count = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= count as u64;
                self.document += count as u64;
                if *left == 0 {
                    self.state = State::Whole;
                }
                count
            }
            State::Chunked(decoder) => {
                let used = decoder.feed(bytes, &mut self.document)?;
                if decoder.is_done() {
                    self.state = State::Whole;
                }
                used
            }
        };
        match self.state {
            State::Whole => Ok(Progress::Whole { surplus: bytes.len() - used }),
            _ => Ok(Progress::More),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fuzzing::outcome;
    use super::*;
    use proptest::prelude::*;

    const RESPONSES: [&[u8]; 10] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n",
        b"HTTP/1.0 404 Not Found\nServer: s\n\nuntil the end",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokand more",
        b"what is this\r\n\r\nno idea\n",
        b"HTTP/1.1 200 OK\r\nX: 1",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef",
    ];

    proptest! {
        #[test]
        fn a_response_cut_into_any_pieces_gives_the_same_outcome(
            which in 0..RESPONSES.len(),
            pieces in prop::collection::vec(1_usize..9, 0..60),
        ) {
            let whole = outcome(RESPONSES[which], &[], false, false);
            for skips in [false, true] {
                prop_assert_eq!(&outcome(RESPONSES[which], &pieces, false, skips), &whole);
            }
        }
    }

    #[test]
    fn outcomes_are_those_of_the_rfc() {
        let expected = [
            (Ok(()), Some(200), 5, true),
            (Ok(()), Some(200), 5, true),
            (Ok(()), Some(404), 13, false),
            (Ok(()), Some(204), 0, true),
            (Err(Break::Closed), Some(200), 5, true),
            (Err(Break::NotHttp), Some(200), 0, true),
            (Ok(()), Some(200), 2, true),
            (Err(Break::NotHttp), None, 0, false),
            (Err(Break::Closed), None, 0, false),
            (Err(Break::NotHttp), Some(200), 3, true),
        ];
        for (bytes, expected) in RESPONSES.iter().zip(expected) {
            let found = outcome(bytes, &[], false, false);
            let found = (found.result, found.status, found.document, found.persistent);
            assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn a_head_over_the_limit_is_told_apart_from_a_broken_one() {
        let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "f".repeat(MAX_HEAD_BYTES));
        let result = |text: &str, pieces: &[usize]| outcome(text.as_bytes(), pieces, false, false).result;
        assert_eq!(result(&long, &[]), Err(Break::HeadTooLong));
        assert_eq!(result(&long, &[60_000, 60_000]), Err(Break::HeadTooLong));
        let short = format!(
            "HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 0\r\n\r\n",
            "f".repeat(MAX_HEAD_BYTES - 100)
        );
        assert_eq!(result(&short, &[]), Ok(()));
    }

    #[test]
    fn what_stands_behind_the_limit_of_a_head_does_not_matter() {
        let text =
            format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: x\r\n\r\n", "f".repeat(MAX_HEAD_BYTES));
        for pieces in [&[][..], &[MAX_HEAD_BYTES], &[MAX_HEAD_BYTES + 1]] {
            let found = outcome(text.as_bytes(), pieces, false, false);
            assert_eq!(found.result, Err(Break::HeadTooLong), "{pieces:?}");
        }
    }

    #[test]
    fn surplus_bytes_belong_to_nobody() {
        let mut response = Response::new(false);
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP";
        assert_eq!(
            response.feed(bytes, &mut Recent::default(), &mut |_| {}),
            Ok(Progress::Whole { surplus: 4 })
        );
    }

    #[test]
    fn skipped_bytes_count_as_document() {
        let mut response = Response::new(false);
        let _ = response.feed(
            b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
            &mut Recent::default(),
            &mut |_| {},
        );
        assert_eq!(response.skippable(), 7);
        assert_eq!(response.skip(3), Progress::More);
        assert_eq!(response.skip(4), Progress::Whole { surplus: 0 });
        assert_eq!(response.document(), 10);
    }
}
