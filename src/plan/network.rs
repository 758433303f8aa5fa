//! How connections are made.

use std::fmt;

/// A forward proxy (`-X`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Name or address, an IPv6 address without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

/// As ab shows it: `host:port`.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// How connections are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Connections go to this proxy instead of the target (`-X`).
    pub proxy: Option<Proxy>,
    /// Local addresses, used in turn (`-B`, several times or with commas); names are allowed, as in ab.
    pub bind: Vec<String>,
    /// Send and receive buffer of a socket in bytes (`-b`); `None` leaves the system's choice.
    pub socket_buffer: Option<usize>,
}
