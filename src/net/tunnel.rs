//! A tunnel through a proxy (RFC 9110, section 9.3.6).
//!
//! In comes a connection to a proxy and the prepared CONNECT, out goes the same connection, at whose other end the server
//! is now; or a [`TunnelError`]. All of this is below HTTP's own exchange, like a handshake: its bytes are counted as
//! such.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::meter::Meter;
use super::text::harmless;

/// The longest head of an answer that is read.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// So many bytes are looked at in one go: most answers are shorter.
const PIECE: usize = 1024;

/// The proxy made no tunnel. `Display` is one line. Two failures of the same kind are equal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TunnelError {
    /// It answered with a status other than 2xx.
    #[error("proxy refused CONNECT: {line}")]
    Refused {
        /// The status code.
        status: u16,
        /// The status line as it came, but for what a terminal would obey.
        line: String,
    },
    /// It closed the connection before its answer was whole.
    #[error("proxy did not CONNECT: it closed the connection before its answer was whole")]
    Closed,
    /// It reset the connection.
    #[error("proxy did not CONNECT: it reset the connection")]
    Reset,
    /// Its answer is TLS.
    #[error("proxy did not CONNECT: it answered in TLS, and a proxy is spoken to in plain HTTP")]
    Tls,
    /// Its answer is something else.
    #[error("proxy did not CONNECT: its answer is not HTTP")]
    NotHttp,
    /// The head of its answer is longer than 64 KiB.
    #[error("proxy did not CONNECT: the head of its answer is longer than 64 KiB")]
    HeadTooLong,
    /// The system reports something else of the connection.
    #[error("proxy did not CONNECT: {0}")]
    Broken(String),
}

impl From<io::Error> for TunnelError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        match error.kind() {
            UnexpectedEof => Self::Closed,
            ConnectionReset | ConnectionAborted | BrokenPipe => Self::Reset,
            _ => Self::Broken(error.to_string()),
        }
    }
}

/// Asks for the tunnel. Interim responses are skipped, and whatever follows the head of the answer is left where it is:
/// it comes from the server, whatever the head says of a body.
pub(super) async fn open(tcp: &mut TcpStream, request: &[u8], meter: &Meter) -> Result<(), TunnelError> {
    tcp.write_all(request).await?;
    meter.add_below(request.len());
    loop {
        let head = read_head(tcp, meter).await?;
        match status(&head).ok_or(TunnelError::NotHttp)? {
            100 | 102..=199 => {}
            200..=299 => return Ok(()),
            status => {
                let end = head.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(head.len());
                let line = harmless(&String::from_utf8_lossy(&head[..end]));
                return Err(TunnelError::Refused { status, line });
            }
        }
    }
}

/// Reads up to the empty line, and not a byte more.
async fn read_head(tcp: &mut TcpStream, meter: &Meter) -> Result<Vec<u8>, TunnelError> {
    let mut head = Vec::new();
    let mut piece = [0; PIECE];
    loop {
        let from = head.len();
        let seen = tcp.peek(&mut piece).await?;
        if seen == 0 {
            return Err(TunnelError::Closed);
        }
        head.extend_from_slice(&piece[..seen]);
        let end = end_of_head(&head, from);
        head.truncate(end.unwrap_or(head.len()));
        // It is there, so that this does not wait.
        tcp.read_exact(&mut piece[..head.len() - from]).await?;
        meter.add_below(head.len() - from);
        match head.first() {
            Some(21 | 22) => return Err(TunnelError::Tls),
            _ if !begins_as_http(&head) => return Err(TunnelError::NotHttp),
            _ if head.len() > MAX_HEAD_BYTES => return Err(TunnelError::HeadTooLong),
            _ if end.is_some() => return Ok(head),
            _ => {}
        }
    }
}

/// Where the head ends, its empty line included, if that is there; nothing in front of `from` ends one. Bare line feeds
/// are taken for line ends (RFC 9112, section 2.2).
fn end_of_head(head: &[u8], from: usize) -> Option<usize> {
    let from = from.saturating_sub(3);
    let ends = |at: usize| head[..=at].ends_with(b"\n\r\n") || head[..=at].ends_with(b"\n\n");
    (from..head.len()).find(|&at| ends(at)).map(|at| at + 1)
}

/// Whether these bytes, which may be few, begin a response of HTTP/1.
fn begins_as_http(head: &[u8]) -> bool {
    const START: &[u8] = b"HTTP/1.";
    let common = head.len().min(START.len());
    head[..common] == START[..common]
}

/// The code in a status line, `HTTP/1.1 200 OK` (RFC 9112, section 4); proxies may leave out what follows it.
fn status(head: &[u8]) -> Option<u16> {
    let (version, rest) = head.strip_prefix(b"HTTP/1.")?.split_first()?;
    let (code, end) = rest.strip_prefix(b" ")?.split_at_checked(3)?;
    let is_status = version.is_ascii_digit() && code.iter().all(u8::is_ascii_digit) && *end.first()? <= b' ';
    let code: u16 = std::str::from_utf8(code).ok().filter(|_| is_status)?.parse().ok()?;
    (code >= 100).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_status_is_that_of_the_first_line() {
        for (head, expected) in [
            ("HTTP/1.1 200 Connection established\r\n\r\n", Some(200)),
            ("HTTP/1.0 407\r\n\r\n", Some(407)),
            ("HTTP/1.1 299\n\n", Some(299)),
            ("HTTP/1.1 20\r\n\r\n", None),
            ("HTTP/1.1 2000 x\r\n\r\n", None),
            ("HTTP/1.1 099 x\r\n\r\n", None),
            ("HTTP/1.1  200 x\r\n\r\n", None),
            ("HTTP/1.x 200 x\r\n\r\n", None),
            ("HTTP/1.1", None),
            ("HTTP/2 200\r\n\r\n", None),
        ] {
            assert_eq!(status(head.as_bytes()), expected, "{head:?}");
        }
    }

    #[test]
    fn what_cannot_become_http_is_known_at_once() {
        for (beginning, expected) in
            [("", true), ("HT", true), ("HTTP/1.1 2", true), ("220 m", false), ("HTTP/2", false)]
        {
            assert_eq!(begins_as_http(beginning.as_bytes()), expected, "{beginning}");
        }
    }

    #[test]
    fn errors_are_told_apart() {
        let line = |kind: io::ErrorKind| TunnelError::from(io::Error::from(kind)).to_string();
        assert!(line(io::ErrorKind::UnexpectedEof).contains("it closed"));
        assert!(line(io::ErrorKind::BrokenPipe).contains("it reset"));
        assert!(line(io::ErrorKind::TimedOut).starts_with("proxy did not CONNECT: "));
    }

    proptest! {
        #[test]
        fn a_head_ends_at_its_first_empty_line_however_it_comes(
            lines in prop::collection::vec("[a-z: ]{1,9}", 1..5),
            ends in prop::collection::vec(prop_oneof![Just("\n"), Just("\r\n")], 6),
            rest in "[a-z\r\n]{0,9}",
            step in 1_usize..9,
        ) {
            let lines: Vec<&str> = lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), end]).collect();
            let head = lines.concat() + ends[5];
            let whole = format!("{head}{rest}").into_bytes();
            let mut from = 0;
            let found = loop {
                let to = (from + step).min(whole.len());
                match end_of_head(&whole[..to], from) {
                    Some(end) => break end,
                    None => from = to,
                }
            };
            prop_assert_eq!(found, head.len());
        }
    }
}
