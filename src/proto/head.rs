//! Response heads: what ab takes for one, and how the response is framed (RFC 9112, section 6.3).

use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Status};

use crate::plan::Version;

/// Header lines that are parsed without an allocation; longer heads are parsed again with more room.
const USUAL_FIELDS: usize = 64;

/// What others may see of a final response's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseHead<'a> {
    /// The version in which the server answers.
    pub version: Version,
    /// The status code.
    pub status: u16,
    /// The server keeps the connection open after the response, if that does not end with it (RFC 9112, section 9.3).
    pub persistent: bool,
    /// The `Server` field up to its first blank, as ab shows it; empty if there is none.
    pub server: &'a [u8],
    /// The `Location` field.
    pub location: Option<&'a [u8]>,
    /// The length of the document in bytes, as far as the head says it and the engine needs it.
    pub announced: Option<u64>,
}

impl<'a> ResponseHead<'a> {
    /// A head made of a status, what it says about the connection, and whole field values.
    pub(super) fn new(
        version: Version,
        status: u16,
        persists: bool,
        server: Option<&'a [u8]>,
        location: Option<&'a [u8]>,
    ) -> Self {
        // After 101 the connection speaks another protocol.
        let persistent = persists && status != 101;
        let server = server.unwrap_or_default();
        let end = server.iter().position(|byte| *byte <= b' ').unwrap_or(server.len());
        Self { version, status, persistent, server: &server[..end], location, announced: None }
    }
}

/// Where a response ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// After so many bytes of body; 0 also where the status or the method rules a body out.
    Length(u64),
    /// At the last chunk.
    Chunked,
    /// At the close of the connection.
    Close,
}

impl Framing {
    fn length(self) -> Option<u64> {
        if let Self::Length(length) = self { Some(length) } else { None }
    }
}

/// A parsed head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head<'a> {
    /// Its length in bytes, the empty line included.
    pub(super) length: usize,
    /// The part that others see.
    pub(super) shown: ResponseHead<'a>,
    pub(super) framing: Framing,
}

impl Head<'_> {
    /// An interim response, to be followed by another one (RFC 9110, section 15.2). After 101 the connection speaks
    /// another protocol, so no other response follows.
    pub(super) fn is_interim(&self) -> bool {
        self.shown.status / 100 == 1 && self.shown.status != 101
    }
}

/// These bytes are not HTTP/1, or say two things about where the response ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// Reads a head from the beginning of `bytes`; `None` if it is not whole yet.
///
/// As lenient as ab: bare line feeds, folded lines, blanks before the colon and lines that are no field are taken.
pub(super) fn parse(bytes: &[u8], to_head_request: bool) -> Result<Option<Head<'_>>, Malformed> {
    let mut usual = [const { MaybeUninit::uninit() }; USUAL_FIELDS];
    match parse_into(bytes, to_head_request, &mut usual) {
        Err(httparse::Error::TooManyHeaders) => {
            // No field is shorter than "a:\n", so this is room for all of them.
            let mut many = vec![MaybeUninit::uninit(); bytes.len() / 3 + 1];
            parse_into(bytes, to_head_request, &mut many).map_err(|_| Malformed)?
        }
        Err(_) => Err(Malformed),
        Ok(outcome) => outcome,
    }
}

/// The last final head, kept to recognise it: servers answer one request with the same bytes again and again, until the
/// second in the `Date` field changes. What begins with a whole head is read as that head whatever follows, so that
/// the same bytes need not be parsed twice.
#[derive(Debug, Default)]
pub(super) struct Recent {
    /// A whole head; empty before the first one.
    bytes: Vec<u8>,
    server: Vec<u8>,
    location: Option<Vec<u8>>,
    version: Version,
    status: u16,
    persistent: bool,
    framing: Option<Framing>,
    to_head_request: bool,
}

impl Recent {
    /// The same as [`parse`].
    pub(super) fn parse<'a>(
        &'a mut self,
        bytes: &'a [u8],
        to_head_request: bool,
    ) -> Result<Option<Head<'a>>, Malformed> {
        if let Some(framing) = self.framing
            && self.to_head_request == to_head_request
            && bytes.starts_with(&self.bytes)
        {
            return Ok(Some(self.head(framing)));
        }
        let head = parse(bytes, to_head_request)?;
        if let Some(head) = head.filter(|head| !head.is_interim()) {
            self.keep(&bytes[..head.length], &head, to_head_request);
        }
        Ok(head)
    }

    fn keep(&mut self, bytes: &[u8], head: &Head<'_>, to_head_request: bool) {
        let fill = |place: &mut Vec<u8>, bytes: &[u8]| {
            place.clear();
            place.extend_from_slice(bytes);
        };
        fill(&mut self.bytes, bytes);
        fill(&mut self.server, head.shown.server);
        self.location = head.shown.location.map(<[u8]>::to_vec);
        self.version = head.shown.version;
        self.status = head.shown.status;
        self.persistent = head.shown.persistent;
        self.framing = Some(head.framing);
        self.to_head_request = to_head_request;
    }

    fn head(&self, framing: Framing) -> Head<'_> {
        let shown = ResponseHead {
            version: self.version,
            status: self.status,
            persistent: self.persistent,
            server: &self.server,
            location: self.location.as_deref(),
            announced: framing.length(),
        };
        Head { length: self.bytes.len(), shown, framing }
    }
}

type Outcome<'a> = Result<Option<Head<'a>>, Malformed>;

fn parse_into<'a>(
    bytes: &'a [u8],
    to_head_request: bool,
    room: &mut [MaybeUninit<Header<'a>>],
) -> Result<Outcome<'a>, httparse::Error> {
    let mut lenient = ParserConfig::default();
    lenient
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .ignore_invalid_headers_in_responses(true);
    let mut response = httparse::Response::new(&mut []);
    match lenient.parse_response_with_uninit_headers(&mut response, bytes, room)? {
        Status::Partial => Ok(Ok(None)),
        Status::Complete(length) => Ok(read_fields(&response, length, to_head_request).map(Some)),
    }
}

fn read_fields<'a>(
    response: &httparse::Response<'_, 'a>,
    length: usize,
    to_head_request: bool,
) -> Result<Head<'a>, Malformed> {
    let status = response.code.unwrap_or_default();
    let (mut server, mut location, mut body_length, mut chunked) = (None, None, None, None);
    let mut connection = ConnectionOptions::default();
    for field in response.headers.iter() {
        let is = |name: &str| field.name.eq_ignore_ascii_case(name);
        // Few names have the length of one that matters, so that most fields cost no comparison.
        match field.name.len() {
            6 if is("Server") => server = server.or(Some(field.value)),
            8 if is("Location") => location = location.or(Some(field.value)),
            10 if is("Connection") => connection.add(field.value),
            10 if is("Keep-Alive") => connection.keep_alive = true,
            14 if is("Content-Length") => {
                for value in list(field.value) {
                    let value = decimal(value)?;
                    if body_length.is_some_and(|earlier| earlier != value) {
                        return Err(Malformed);
                    }
                    body_length = Some(value);
                }
            }
            17 if is("Transfer-Encoding") => chunked = Some(is_chunked(field.value)),
            _ => {}
        }
    }
    let bodiless = to_head_request || status / 100 == 1 || status == 204 || status == 304;
    let framing = match (bodiless, chunked, body_length) {
        (true, ..) => Framing::Length(0),
        (false, Some(true), _) => Framing::Chunked,
        (false, Some(false), _) | (false, None, None) => Framing::Close,
        (false, None, Some(length)) => Framing::Length(length),
    };
    let version = if response.version == Some(1) { Version::Http11 } else { Version::Http10 };
    let persists = connection.persist(version == Version::Http11);
    let announced = framing.length();
    let shown = ResponseHead { announced, ..ResponseHead::new(version, status, persists, server, location) };
    Ok(Head { length, shown, framing })
}

/// What a response says about its connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ConnectionOptions {
    close: bool,
    /// Also said by a `Keep-Alive` field alone, as in ab.
    pub(super) keep_alive: bool,
}

impl ConnectionOptions {
    /// Takes the value of a `Connection` field.
    pub(super) fn add(&mut self, value: &[u8]) {
        for option in list(value) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// Whether the connection stays open (RFC 9112, section 9.3): by itself in HTTP/1.1, when asked for in 1.0.
    pub(super) fn persist(self, is_1_1: bool) -> bool {
        !self.close && (self.keep_alive || is_1_1)
    }
}

/// Whether a `Transfer-Encoding` value ends in the chunked coding.
pub(super) fn is_chunked(value: &[u8]) -> bool {
    list(value).last().is_some_and(|coding| coding.eq_ignore_ascii_case(b"chunked"))
}

/// The members of a comma-separated list (RFC 9110, section 5.6.1).
fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// A decimal number of nothing but digits (RFC 9110, section 8.6).
fn decimal(digits: &[u8]) -> Result<u64, Malformed> {
    if digits.is_empty() {
        return Err(Malformed);
    }
    digits.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0')).ok_or(Malformed)?;
        number.checked_mul(10).and_then(|number| number.checked_add(digit)).ok_or(Malformed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str) -> Head<'_> {
        parse(text.as_bytes(), false).unwrap().unwrap()
    }

    #[test]
    fn what_ab_takes_for_a_head_is_one() {
        let cases = [
            "HTTP/1.1 200 OK\nContent-Length: 5\n\n",
            "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.0 200 OK\r\ncontent-length : 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nthis is no field\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1  200  OK\r\nContent-Length: 5, 5\r\n\r\n",
        ];
        for text in cases {
            let head = whole(text);
            assert_eq!((head.shown.status, head.framing), (200, Framing::Length(5)), "{text:?}");
            assert_eq!(head.length, text.len(), "{text:?}");
        }
    }

    #[test]
    fn other_bytes_are_not_http() {
        for text in
            ["what is this\r\n\r\n", "\u{16}\u{3}\u{1}", "HTTP/1.1 abc\r\n\r\n", "HTTP/3.0 200 OK\r\n\r\n"]
        {
            assert_eq!(parse(text.as_bytes(), false), Err(Malformed), "{text:?}");
        }
    }

    #[test]
    fn lengths_that_contradict_each_other_are_malformed() {
        for fields in [
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 5x\r\n",
            "Content-Length:\r\n",
            "Content-Length: 18446744073709551616\r\n",
        ] {
            let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
            assert_eq!(parse(text.as_bytes(), false), Err(Malformed), "{fields:?}");
        }
    }

    #[test]
    fn framing_follows_the_rfc() {
        let cases = [
            ("200 OK\r\n", Framing::Close),
            ("200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 3\r\n", Framing::Chunked),
            ("200 OK\r\nTransfer-Encoding: gzip\r\n", Framing::Close),
            ("204 No Content\r\nContent-Length: 3\r\n", Framing::Length(0)),
            ("304 Not Modified\r\nContent-Length: 3\r\n", Framing::Length(0)),
        ];
        for (rest, framing) in cases {
            assert_eq!(whole(&format!("HTTP/1.1 {rest}\r\n")).framing, framing, "{rest:?}");
        }
        let to_head = parse(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", true).unwrap().unwrap();
        assert_eq!(to_head.framing, Framing::Length(0));
    }

    #[test]
    fn persistence_is_implied_by_1_1_and_asked_for_by_1_0() {
        let cases = [
            ("HTTP/1.1 200 OK\r\n", true),
            ("HTTP/1.1 200 OK\r\nConnection: Close\r\n", false),
            ("HTTP/1.1 200 OK\r\nConnection: upgrade, close\r\n", false),
            ("HTTP/1.0 200 OK\r\n", false),
            ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", true),
            ("HTTP/1.0 200 OK\r\nKeep-Alive: timeout=5\r\n", true),
        ];
        for (lines, persistent) in cases {
            assert_eq!(whole(&format!("{lines}\r\n")).shown.persistent, persistent, "{lines:?}");
        }
    }

    #[test]
    fn server_software_ends_at_the_first_blank() {
        let head = whole("HTTP/1.1 200 OK\r\nsERVER: Apache/2.4 (Unix) PHP\r\n\r\n");
        assert_eq!(head.shown.server, b"Apache/2.4");
        assert_eq!(whole("HTTP/1.1 200 OK\r\n\r\n").shown.server, b"");
    }

    #[test]
    fn any_number_of_fields_is_taken() {
        let text = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 7\r\n\r\n", "a:b\r\n".repeat(9000));
        assert_eq!(whole(&text).framing, Framing::Length(7));
    }

    const HEADS: [&[u8]; 8] = [
        b"HTTP/1.1 200 OK\r\nServer: a b\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nServer: a b\r\nContent-Length: 6\r\n\r\n",
        b"HTTP/1.0 302 Found\nLocation: /x\nKeep-Alive: 1\n\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nServer: a b\r\nContent-Len",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"no HTTP\r\n\r\n",
    ];

    proptest! {
        #[test]
        fn a_head_that_is_recognised_is_read_as_one_that_is_parsed(
            turns in prop::collection::vec((0..HEADS.len(), any::<bool>(), "[ \t\r\na:H]{0,9}"), 0..12)
        ) {
            let mut recent = Recent::default();
            for (which, to_head_request, rest) in turns {
                let bytes = [HEADS[which], rest.as_bytes()].concat();
                prop_assert_eq!(recent.parse(&bytes, to_head_request), parse(&bytes, to_head_request));
            }
        }
    }
}
