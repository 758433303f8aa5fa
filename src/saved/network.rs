//! Where connections were to go, and where they went.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use serde::{Deserialize, Serialize};

use super::count::{Count, bounded_option};
use super::text;
use crate::plan::{self, Place};
use crate::record::Share;
use crate::run::Address;

/// See [`plan::Network`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Where connections were to go.
    pub destination: Destination,
    /// To all addresses of the destination in turn.
    pub all_addresses: bool,
    /// Local addresses, as typed.
    pub local_addresses: Vec<String>,
    /// Bytes in the buffers of a socket, if they were set.
    #[serde(rename = "socket_buffer_bytes", deserialize_with = "bounded_option")]
    pub socket_buffer: Option<u64>,
}

/// See [`plan::Destination`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Destination {
    /// The host and port of the URL, or those in their place.
    Server {
        /// Name or address, an IPv6 address without brackets.
        host: String,
        /// Port.
        port: u16,
    },
    /// A forward proxy.
    Proxy {
        /// Its name or address.
        host: String,
        /// Its port.
        port: u16,
        /// Through it the target is reached by a tunnel.
        tunnel: bool,
    },
    /// A unix socket.
    UnixSocket {
        /// As typed.
        #[serde(with = "text")]
        path: Vec<u8>,
    },
}

impl Network {
    pub(super) fn new(network: &plan::Network) -> Self {
        let destination = match &network.destination {
            plan::Destination::Server(Place { host, port }) => {
                Destination::Server { host: host.clone(), port: *port }
            }
            plan::Destination::Proxy { place: Place { host, port }, tunnel } => {
                Destination::Proxy { host: host.clone(), port: *port, tunnel: tunnel.is_some() }
            }
            plan::Destination::Unix(path) => Destination::UnixSocket { path: path.as_bytes().to_vec() },
        };
        Self {
            destination,
            all_addresses: network.all_addresses,
            local_addresses: network.bind.clone(),
            socket_buffer: network.socket_buffer.map(|bytes| bytes as u64),
        }
    }

    /// The proxy, if there is one.
    pub fn proxy(&self) -> Option<Place> {
        match &self.destination {
            Destination::Proxy { host, port, .. } => Some(Place { host: host.clone(), port: *port }),
            Destination::Server { .. } | Destination::UnixSocket { .. } => None,
        }
    }
}

/// See [`Address`].
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum SavedAddress {
    Ip(SocketAddr),
    Unix {
        #[serde(with = "text")]
        unix_socket: Vec<u8>,
    },
}

impl From<&Address> for SavedAddress {
    fn from(address: &Address) -> Self {
        match address {
            Address::Ip(address) => Self::Ip(*address),
            Address::Unix(path) => Self::Unix { unix_socket: path.as_bytes().to_vec() },
        }
    }
}

impl From<SavedAddress> for Address {
    fn from(saved: SavedAddress) -> Self {
        match saved {
            SavedAddress::Ip(address) => Self::Ip(address),
            SavedAddress::Unix { unix_socket } => Self::Unix(OsString::from_vec(unix_socket)),
        }
    }
}

/// See [`Share`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedShare {
    connections: Count,
    unconnected: Count,
    complete: Count,
    failed: Count,
}

impl From<&Share> for SavedShare {
    fn from(share: &Share) -> Self {
        let Share { connections, unconnected, complete, failed } = *share;
        Self {
            connections: Count(connections),
            unconnected: Count(unconnected),
            complete: Count(complete),
            failed: Count(failed),
        }
    }
}

impl From<SavedShare> for Share {
    fn from(saved: SavedShare) -> Self {
        let SavedShare { connections, unconnected, complete, failed } = saved;
        Self {
            connections: connections.0,
            unconnected: unconnected.0,
            complete: complete.0,
            failed: failed.0,
        }
    }
}
