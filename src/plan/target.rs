//! The URL as ab reads it: `[scheme://]host[:port]/path`, the path sent as typed.
//!
//! The reading itself is in `location`; here is what comes out.

use std::net::Ipv6Addr;

/// How the server is spoken to below HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Plain TCP.
    Http,
    /// TLS.
    Https,
}

impl Scheme {
    /// The port that a URL of this scheme need not name.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Where the document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `http` or `https`.
    pub scheme: Scheme,
    /// The host as the report shows it and as it is looked up: an IPv6 address stands without its brackets.
    pub host: String,
    /// The port, the scheme's own if the URL names none.
    pub port: u16,
    /// Path and query as typed, without the fragment; starts with `/`. Bytes, since ab sends what it is given.
    pub path: Vec<u8>,
}

impl Target {
    /// The host and, unless it is the scheme's own, the port, as a `Host` field carries them (RFC 9110, section
    /// 7.2): an IPv6 address is in brackets.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.default_port() { self.bracketed() } else { self.host_and_port() }
    }

    /// The host and the port in any case, as a CONNECT has them (RFC 9112, section 3.2.3).
    pub(super) fn host_and_port(&self) -> String {
        format!("{}:{}", self.bracketed(), self.port)
    }

    fn bracketed(&self) -> String {
        if self.host.parse::<Ipv6Addr>().is_ok() { format!("[{}]", self.host) } else { self.host.clone() }
    }
}
