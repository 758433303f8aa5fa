//! The way to the server: which addresses there are, which one is next, and what is laid on a connection to it.
//!
//! In comes the plan, out go [`Stream`]s that are ready for HTTP: a socket, through a proxy a tunnel on it, and for https
//! TLS on that.

use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use super::address::Address;
use super::connect::Sockets;
use super::meter::Meter;
use super::resolve::{LookupError, resolve};
use super::socket::Socket;
use super::stream::Stream;
use super::tls::{Connector, HandshakeError};
use super::tunnel::{self, TunnelError};
use crate::plan::{Destination, Place, Plan};

/// Bytes that fit in one packet on every path (RFC 8200, section 5: 1280 with the headers of IP and TCP).
const PACKET: usize = 1200;

/// Where connections go to and come from; shared by all workers.
pub struct Route {
    /// The addresses of the server, or of the proxy. Never empty.
    remote: Vec<Address>,
    choice: Choice,
    sockets: Sockets,
    /// What a proxy is asked for before TLS.
    tunnel: Option<Bytes>,
    tls: Option<Connector>,
}

/// Which of several addresses a connection goes to.
enum Choice {
    /// The first that took a connection serves the whole run.
    First(OnceLock<usize>),
    /// One after the other (`--all-addresses`).
    InTurn(AtomicUsize),
}

/// There is no way to the server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// A name has no address.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// What the plan says about TLS does not go together.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

/// No connection, by the step that failed.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// No socket: no descriptor is left, or the system lacks the address family.
    #[error("socket: {0}")]
    Socket(io::Error),
    /// The local address cannot be used.
    #[error("bind: {0}")]
    Bind(io::Error),
    /// No local port is left.
    #[error("connect: {0}")]
    NoLocalPort(io::Error),
    /// The server did not take the connection.
    #[error("connect: {0}")]
    Connect(io::Error),
    /// The proxy made no tunnel.
    #[error(transparent)]
    Tunnel(TunnelError),
    /// The TLS handshake failed.
    #[error(transparent)]
    Handshake(HandshakeError),
}

impl Route {
    /// Looks up the names of a plan: where connections go to, and the local addresses.
    pub fn resolve(plan: &Plan) -> Result<Self, RouteError> {
        let network = &plan.network;
        let mut local = Vec::new();
        for name in &network.bind {
            // As in ab, the first address of a name is the one that is bound.
            local.extend(resolve(name, 0, local.first().copied())?.first().map(SocketAddr::ip));
        }
        let all = |place: &Place| {
            let found = resolve(&place.host, place.port, local.first().copied())?;
            Ok::<_, LookupError>(found.into_iter().map(Address::Ip).collect())
        };
        let (remote, tunnel) = match &network.destination {
            Destination::Server(place) => (all(place)?, None),
            Destination::Proxy { place, tunnel } => (all(place)?, tunnel.clone()),
            Destination::Unix(path) => (vec![Address::Unix(path.clone())], None),
        };
        let choice = if network.all_addresses {
            Choice::InTurn(AtomicUsize::new(0))
        } else {
            Choice::First(OnceLock::new())
        };
        Ok(Self {
            remote,
            choice,
            sockets: Sockets::new(local, network.socket_buffer, is_one_packet(plan)),
            tunnel,
            tls: plan.tls.as_ref().map(Connector::new).transpose().map_err(RouteError::Tls)?,
        })
    }

    /// The addresses that connections go to: the one that works, or as long as none has, all of them; and all in any
    /// case where they are used in turn.
    pub fn addresses(&self) -> &[Address] {
        match &self.choice {
            Choice::First(first) => {
                let chosen = first.get().and_then(|&at| self.remote.get(at));
                chosen.map_or(&self.remote, std::slice::from_ref)
            }
            Choice::InTurn(_) => &self.remote,
        }
    }

    /// Prepares new connections for documents of so many bytes.
    pub fn expect(&self, document: u64) {
        self.sockets.expect(document, self.addresses());
    }

    /// So many addresses may be told apart by what came of them; 0 where one serves the whole run.
    pub fn turns(&self) -> usize {
        match self.choice {
            Choice::First(_) => 0,
            Choice::InTurn(_) => self.remote.len(),
        }
    }

    /// Which addresses a new connection should try, by their numbers, one after the other until one takes it.
    pub fn candidates(&self) -> Range<usize> {
        match &self.choice {
            Choice::First(first) => first.get().map_or(0..self.remote.len(), |&at| at..at + 1),
            Choice::InTurn(turn) => {
                let at = turn.fetch_add(1, Ordering::Relaxed).checked_rem(self.remote.len());
                at.map_or(0..0, |at| at..at + 1)
            }
        }
    }

    /// Opens a connection to one of the [`candidates`](Self::candidates), ready for HTTP. The first that takes a
    /// connection is the one that works.
    pub async fn dial(&self, number: usize, meter: &Rc<Meter>) -> Result<Stream, DialError> {
        let mut socket = match &self.remote[number] {
            Address::Ip(address) => self.sockets.tcp(*address).await.map(Socket::Tcp),
            Address::Unix(path) => self.sockets.unix(path).await.map(Socket::Unix),
        }
        .map_err(|error| self.judge_reset(error))?;
        if let Choice::First(first) = &self.choice {
            // Another one may have been first.
            let _ = first.set(number);
        }
        if let (Some(request), Socket::Tcp(tcp)) = (&self.tunnel, &mut socket) {
            tunnel::open(tcp, request, meter).await.map_err(DialError::Tunnel)?;
        }
        let Some(tls) = &self.tls else {
            return Ok(Stream::plain(socket, Rc::clone(meter)));
        };
        let secured = tls.connect(socket, meter).await.map_err(DialError::Handshake)?;
        Ok(Stream::secured(secured, Rc::clone(meter)))
    }

    /// A reset that meets a connection before anything is said on it might as well have come a moment later.
    fn judge_reset(&self, error: DialError) -> DialError {
        match error {
            DialError::Connect(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                match (&self.tunnel, &self.tls) {
                    (Some(_), _) => DialError::Tunnel(error.into()),
                    (None, Some(_)) => DialError::Handshake(HandshakeError::broken(&error)),
                    (None, None) => DialError::Connect(error),
                }
            }
            other => other,
        }
    }
}

/// Whether what is sent on a connection before anything is received is one packet.
fn is_one_packet(plan: &Plan) -> bool {
    plan.tls.is_none() && plan.requests.iter().all(|request| request.is_one_write(PACKET))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(choice: Choice) -> Route {
        let remote =
            ["127.0.0.1:1", "127.0.0.2:1", "[::1]:1"].map(|address| Address::Ip(address.parse().unwrap()));
        Route {
            remote: remote.into(),
            choice,
            sockets: Sockets::new(Vec::new(), None, true),
            tunnel: None,
            tls: None,
        }
    }

    #[test]
    fn the_first_address_that_works_is_the_only_one() {
        let route = route(Choice::First(OnceLock::from(1)));
        assert_eq!((route.candidates(), route.turns()), (1..2, 0));
        assert_eq!(route.addresses(), &route.remote[1..2]);
    }

    #[test]
    fn as_long_as_none_has_worked_all_are_tried() {
        let route = route(Choice::First(OnceLock::new()));
        assert_eq!((route.candidates(), route.candidates(), route.addresses().len()), (0..3, 0..3, 3));
    }

    #[test]
    fn in_turn_each_connection_has_one_address() {
        let route = route(Choice::InTurn(AtomicUsize::new(usize::MAX - 1)));
        let turns: Vec<_> = (0..5).map(|_| route.candidates()).collect();
        assert!(turns.iter().all(|turn| turn.len() == 1 && turn.end <= 3));
        assert_eq!(turns[2..], [0..1, 1..2, 2..3]);
        assert_eq!((route.turns(), route.addresses().len()), (3, 3));
    }
}
