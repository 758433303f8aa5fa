//! The request, prepared once: its parts for hyper, its bytes for wire.
//!
//! There may be a hundred thousand of them (`--urls`), most of which differ in their target alone. So what they can share
//! they do share: all that stands behind an [`Arc`], and the body.

use std::sync::Arc;

use bytes::Bytes;
use hyper::Uri;

pub use crate::args::Version;

impl Version {
    /// As the request line has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http10 => "HTTP/1.0",
            Self::Http11 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
        }
    }
}

/// One header line, without its line end, in the spelling and place in which it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The whole line, `Name: value`. A line of `-H` is kept as typed, so it need not have a colon.
    pub line: Vec<u8>,
}

impl Field {
    /// Name and value: what stands before the first colon, and what follows it, without the blanks around. `None`
    /// for a line without a colon.
    pub fn parts(&self) -> Option<(&[u8], &[u8])> {
        let colon = self.line.iter().position(|byte| *byte == b':')?;
        Some((&self.line[..colon], self.line[colon + 1..].trim_ascii()))
    }

    /// Whether this is a field of that name, in any case. A blank before the colon makes another name, as in ab.
    pub fn is(&self, name: &str) -> bool {
        self.parts().is_some_and(|(own, _)| own.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// What is sent, the same bytes every time.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method: `GET`, or what `-i`, `-p`, `-u` and `-m` or a line of `--urls` made of it. A token (RFC 9110, section
    /// 5.6.2).
    pub method: Arc<str>,
    /// The version in the request line.
    pub version: Version,
    /// The header lines, all of them, in ab's order.
    pub fields: Arc<[Field]>,
    /// The body of `-p`, `-u` or a line of `--urls`; `Some` even if the file is empty.
    pub body: Option<Bytes>,
    /// Request line, header lines and the empty line, as the wire engine writes them.
    pub head: Bytes,
    /// The same for the hyper engine, without the body; `None` if the wire engine is to send.
    pub for_hyper: Option<ForHyper>,
    /// The body waits for the server to say 100 (RFC 9110, section 10.1.1): `Expect: 100-continue` was given with
    /// `-H`, there is a body that is not empty, and the version is 1.1.
    pub expects_continue: bool,
}

/// A request as hyper takes it, but for its body.
#[derive(Debug, Clone)]
pub struct ForHyper {
    /// All but the target.
    pub(super) common: Arc<hyper::Request<()>>,
    pub(super) target: Uri,
}

impl ForHyper {
    /// The request whole, for hyper to keep.
    pub fn message(&self) -> hyper::Request<()> {
        let mut message = hyper::Request::clone(&self.common);
        *message.uri_mut() = self.target.clone();
        message
    }
}

impl Request {
    /// Whether sending it twice does what sending it once does (RFC 9110, section 9.2.2), by its method.
    pub fn is_idempotent(&self) -> bool {
        matches!(&*self.method, "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE")
    }

    /// The target, as it stands in the request line.
    pub fn target(&self) -> &[u8] {
        let line = self.head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let rest = line.get(self.method.len() + 1..).unwrap_or_default();
        let end = rest.iter().rposition(|byte| *byte == b' ').unwrap_or(rest.len());
        &rest[..end]
    }

    /// Whether the wire engine sends it in one write of so many bytes at most.
    pub fn is_one_write(&self, most: usize) -> bool {
        let body = self.body.as_ref().map_or(0, Bytes::len);
        self.for_hyper.is_none() && !self.expects_continue && self.head.len() + body <= most
    }

    /// Whether responses have no body: `-i`, or `-m HEAD`.
    pub fn is_head(&self) -> bool {
        &*self.method == "HEAD"
    }
}
