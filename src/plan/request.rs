//! The request, prepared once: its parts for hyper, its bytes for wire.

use bytes::Bytes;

/// The HTTP version of the request line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0, ab's only one and the default.
    Http10,
    /// HTTP/1.1.
    Http11,
}

/// One header line, without its line end, in the spelling and place in which it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The whole line, `Name: value`. A line of `-H` is kept as typed, so it need not have a colon.
    pub line: Vec<u8>,
}

/// What is sent, the same bytes for every request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method: `GET`, or what `-i`, `-p`, `-u` and `-m` made of it. A token (RFC 9110, section 5.6.2).
    pub method: String,
    /// The request target: the path, or with a proxy the absolute URL.
    pub target: Vec<u8>,
    /// The version in the request line.
    pub version: Version,
    /// The header lines, all of them, in ab's order.
    pub fields: Vec<Field>,
    /// The body of `-p` or `-u`; `Some` even if the file is empty.
    pub body: Option<Bytes>,
    /// Request line, header lines and the empty line, as the wire engine writes them.
    pub head: Bytes,
}
