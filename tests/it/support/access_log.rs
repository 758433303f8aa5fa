//! The access log of a real server, in one form for all of them.

use std::collections::BTreeSet;
use std::path::Path;

use super::daemon::poll;

/// What a server has to say about one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    /// Number of the connection; no two that are open together have the same.
    pub(crate) connection: u64,
    /// How many requests had come over it, this one included.
    pub(crate) request: u64,
    pub(crate) method: String,
    pub(crate) status: u16,
    /// Bytes of the body that was sent.
    pub(crate) body_bytes_sent: u64,
    /// Bytes sent in all.
    pub(crate) bytes_sent: u64,
    /// Bytes received: request line and head, and with some servers the body.
    pub(crate) request_length: u64,
    /// Version of TLS and cipher suite, as OpenSSL calls them; `-` without TLS.
    pub(crate) tls: [String; 2],
}

/// The lines after the first `seen` ones, once there are so many of them: a server writes the line after the response.
pub(crate) fn read(path: &Path, seen: usize, requests: usize) -> Vec<Logged> {
    poll(&format!("{requests} requests in {} after {seen} others", path.display()), || {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        (text.matches('\n').count() >= seen + requests).then(|| text.lines().skip(seen).map(parse).collect())
    })
}

/// The number of connections in these lines.
pub(crate) fn connections(log: &[Logged]) -> usize {
    log.iter().map(|line| line.connection).collect::<BTreeSet<_>>().len()
}

fn parse(line: &str) -> Logged {
    let words: Vec<&str> = line.split(' ').collect();
    let [connection, request, method, status, body, sent, length, protocol, cipher] = words[..] else {
        panic!("not a line of the log: {line}");
    };
    let number = |word: &str| word.parse::<u64>().unwrap();
    Logged {
        connection: number(connection),
        request: number(request),
        method: method.to_owned(),
        status: status.parse().unwrap(),
        body_bytes_sent: number(body),
        bytes_sent: number(sent),
        request_length: number(length),
        tls: [protocol.to_owned(), cipher.to_owned()],
    }
}
