//! From an address to an open stream.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::io::Interest;
use tokio::net::TcpStream;

use super::meter::Meter;
use super::resolve::{LookupError, resolve};
use super::room::Room;
use super::stream::Stream;
use super::tls::{Connector, HandshakeError};
use crate::plan::Plan;

/// Bytes that fit in one packet on every path (RFC 8200, section 5: 1280 with the headers of IP and TCP).
const PACKET: usize = 1200;

/// Where connections go to and come from; shared by all workers.
pub struct Route {
    /// The addresses of the server, or of the proxy. Never empty.
    remote: Vec<SocketAddr>,
    /// The first of them that took a connection; it serves the whole run.
    chosen: OnceLock<SocketAddr>,
    /// Addresses to connect from, used in turn; empty leaves it to the system.
    local: Vec<IpAddr>,
    turn: AtomicUsize,
    socket_buffer: Option<usize>,
    /// The receive buffer where `-b` does not say.
    room: Room,
    /// What is sent on a connection before anything is received is one packet.
    is_one_packet: bool,
    tls: Option<Connector>,
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
    /// The TLS handshake failed.
    #[error(transparent)]
    Handshake(HandshakeError),
}

impl Route {
    /// Looks up the names of a plan: the proxy or else the target, and the local addresses.
    pub fn resolve(plan: &Plan) -> Result<Self, RouteError> {
        let (target, network) = (&plan.target, &plan.network);
        let mut local = Vec::new();
        for name in &network.bind {
            // As in ab, the first address of a name is the one that is bound.
            local.extend(resolve(name, 0, local.first().copied())?.first().map(SocketAddr::ip));
        }
        let (host, port) = match &network.proxy {
            Some(proxy) => (&proxy.host, proxy.port),
            None => (&target.host, target.port),
        };
        Ok(Self {
            remote: resolve(host, port, local.first().copied())?,
            chosen: OnceLock::new(),
            local,
            turn: AtomicUsize::new(0),
            socket_buffer: network.socket_buffer,
            room: Room::default(),
            is_one_packet: plan.tls.is_none() && plan.request.is_one_write(PACKET),
            tls: plan.tls.as_ref().map(Connector::new).transpose().map_err(RouteError::Tls)?,
        })
    }

    /// The addresses that connections go to: the one that works, or as long as none has, all of the name.
    pub fn addresses(&self) -> &[SocketAddr] {
        self.chosen.get().map_or(&self.remote, std::slice::from_ref)
    }

    /// Prepares new connections for documents of so many bytes.
    pub fn expect(&self, document: u64) {
        self.room.expect(document, self.addresses());
    }

    /// Opens a connection to one of the [`addresses`](Self::addresses), ready for HTTP. The first that takes a
    /// connection is the one that works.
    pub async fn dial(&self, address: SocketAddr, meter: &Rc<Meter>) -> Result<Stream, DialError> {
        let tcp = self.connect(address).await;
        if tcp.is_ok() {
            // Another one may have been first.
            let _ = self.chosen.set(address);
        }
        let Some(tls) = &self.tls else {
            return Ok(Stream::plain(tcp?, Rc::clone(meter)));
        };
        let tcp = tcp.map_err(|error| match error {
            // The reset met the connection before the handshake did, but as well might not have.
            DialError::Connect(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                DialError::Handshake(HandshakeError::broken(&error))
            }
            other => other,
        })?;
        let secured = tls.connect(tcp, meter).await.map_err(DialError::Handshake)?;
        Ok(Stream::secured(secured, Rc::clone(meter)))
    }

    async fn connect(&self, address: SocketAddr) -> Result<TcpStream, DialError> {
        let socket = self.socket(address)?;
        match socket.connect(&address.into()) {
            Err(error) if error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) => {
                return Err(connect_error(error));
            }
            _ => {}
        }
        let tcp = TcpStream::from_std(socket.into()).map_err(DialError::Socket)?;
        // A connection within this machine stands at once, and then there is nothing to wait for.
        if tcp.peer_addr().is_err() {
            let ready = tcp.ready(Interest::WRITABLE).await.map_err(connect_error)?;
            if ready.is_write_closed()
                && let Some(error) = tcp.take_error().map_err(connect_error)?
            {
                return Err(connect_error(error));
            }
        }
        Ok(tcp)
    }

    /// A socket that is ready to connect, and will not block.
    fn socket(&self, address: SocketAddr) -> Result<Socket, DialError> {
        let kind = Type::STREAM.nonblocking();
        let socket = Socket::new(Domain::for_address(address), kind, Some(Protocol::TCP));
        let socket = socket.map_err(DialError::Socket)?;
        if !self.is_one_packet {
            // A request of more than one write must not wait for the server's delayed acknowledgement.
            socket.set_tcp_nodelay(true).map_err(DialError::Socket)?;
        }
        if let Some(bytes) = self.socket_buffer {
            socket.set_send_buffer_size(bytes).map_err(DialError::Socket)?;
            socket.set_recv_buffer_size(bytes).map_err(DialError::Socket)?;
        } else {
            self.room.make(&socket).map_err(DialError::Socket)?;
        }
        if !self.local.is_empty() {
            let local = self.local[self.turn.fetch_add(1, Ordering::Relaxed) % self.local.len()];
            socket.set_reuse_address(true).map_err(DialError::Bind)?;
            socket.bind(&SocketAddr::new(local, 0).into()).map_err(|error| match error.kind() {
                // The address is ours, but each of its ports is taken.
                io::ErrorKind::AddrInUse => DialError::NoLocalPort(error),
                _ => DialError::Bind(error),
            })?;
        }
        Ok(socket)
    }
}

/// Why a connection did not come about.
fn connect_error(error: io::Error) -> DialError {
    match error.kind() {
        io::ErrorKind::AddrNotAvailable => DialError::NoLocalPort(error),
        _ => DialError::Connect(error),
    }
}
