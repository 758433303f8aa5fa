//! What a connection is made to.

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;

/// An address to connect to. `Display` is how people write it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address {
    /// An IP address and a port.
    Ip(SocketAddr),
    /// A unix socket, as it was typed.
    Unix(OsString),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Unix(path) => Path::new(path).display().fmt(f),
        }
    }
}
