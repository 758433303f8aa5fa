//! From an address to a connected socket.

use std::ffi::{OsStr, OsString};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::io::Interest;
use tokio::net::{TcpStream, UnixSocket, UnixStream};
use tokio::time::sleep;

use super::address::Address;
use super::room::Room;
use super::route::DialError;

/// How long to wait until a unix socket whose queue is full is asked again: at first, and at most.
const ASK_AGAIN: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(64));

/// What sockets are given before they connect; shared by all workers.
pub(super) struct Sockets {
    /// Addresses to connect from, used in turn; empty leaves it to the system.
    local: Vec<IpAddr>,
    turn: AtomicUsize,
    buffer: Option<usize>,
    /// The receive buffer where `-b` does not say.
    room: Room,
    /// What is sent on a connection before anything is received is one packet.
    is_one_packet: bool,
}

impl Sockets {
    /// With these addresses to connect from, and this size of their buffers in bytes.
    pub(super) fn new(local: Vec<IpAddr>, buffer: Option<usize>, is_one_packet: bool) -> Self {
        Self { local, turn: AtomicUsize::new(0), buffer, room: Room::default(), is_one_packet }
    }

    /// Prepares new sockets for documents of so many bytes from one of these addresses.
    pub(super) fn expect(&self, document: u64, addresses: &[Address]) {
        self.room.expect(document, addresses);
    }

    /// Connects to an IP address.
    pub(super) async fn tcp(&self, address: SocketAddr) -> Result<TcpStream, DialError> {
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
        self.size(&SockRef::from(&socket))?;
        if self.buffer.is_none() {
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

    /// Connects to a unix socket.
    ///
    /// Where the queue of the server is full, TCP tries again by itself until there is room; a unix socket that does not
    /// block says so at once, and nothing tells when there is room. So it is asked again, for as long as the caller has
    /// patience.
    pub(super) async fn unix(&self, path: &OsStr) -> Result<UnixStream, DialError> {
        let path = system_path(path);
        let (mut pause, longest) = ASK_AGAIN;
        loop {
            let socket = UnixSocket::new_stream().map_err(DialError::Socket)?;
            self.size(&SockRef::from(&socket))?;
            match socket.connect(&path).await {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    sleep(pause).await;
                    pause = (pause * 2).min(longest);
                }
                outcome => return outcome.map_err(DialError::Connect),
            }
        }
    }

    /// Sets the buffers of a socket (`-b`).
    fn size(&self, socket: &SockRef<'_>) -> Result<(), DialError> {
        let Some(bytes) = self.buffer else { return Ok(()) };
        let sized = socket.set_send_buffer_size(bytes).and_then(|()| socket.set_recv_buffer_size(bytes));
        sized.map_err(DialError::Socket)
    }
}

/// Why a connection did not come about.
fn connect_error(error: io::Error) -> DialError {
    match error.kind() {
        io::ErrorKind::AddrNotAvailable => DialError::NoLocalPort(error),
        _ => DialError::Connect(error),
    }
}

/// A path as the system takes it: where there are abstract sockets, their names begin with a NUL (unix(7)).
fn system_path(typed: &OsStr) -> OsString {
    match typed.as_bytes().strip_prefix(b"@") {
        Some(name) if cfg!(any(target_os = "linux", target_os = "android")) => {
            OsString::from_vec([b"\0", name].concat())
        }
        _ => typed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_an_at_sign_are_abstract_on_linux() {
        let expected = if cfg!(target_os = "linux") { "\0name" } else { "@name" };
        assert_eq!(system_path(OsStr::new("@name")), expected);
        for path in ["/run/s", "./@name", "s"] {
            assert_eq!(system_path(OsStr::new(path)), path);
        }
    }
}
