//! Room for large documents from a server on this machine.
//!
//! The system lets a receive buffer grow by what a connection has shown it can take in a round trip. Within one machine
//! that is next to nothing: the window stays small, and what is measured is how fast this program and the server take
//! turns; besides, most of what the server's system does is then done, and counted, on this side. So where a server on
//! this machine is about to send much, the buffer is large from the start, if the system allows that
//! (`net.core.rmem_max` on Linux). Elsewhere the system knows best.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use socket2::{Domain, Protocol, Socket, Type};

use super::address::Address;

/// A document of so many bytes is limited by the receive buffer.
const LARGE_DOCUMENT: u64 = 1024 * 1024;

/// The receive buffer for such documents, in bytes.
const LARGE_BUFFER: usize = 4 * 1024 * 1024;

/// Whether new connections get the large buffer.
#[derive(Debug, Default)]
pub(super) struct Room {
    is_large: AtomicBool,
}

impl Room {
    /// Documents of so many bytes will come from one of these addresses.
    pub(super) fn expect(&self, document: u64, remote: &[Address]) {
        let is_local = remote.iter().all(
            |address| matches!(address, Address::Ip(address) if address.ip().to_canonical().is_loopback()),
        );
        if document >= LARGE_DOCUMENT && is_local && is_granted() {
            self.is_large.store(true, Ordering::Relaxed);
        }
    }

    /// Makes it on a socket that is not connected yet.
    pub(super) fn make(&self, socket: &Socket) -> io::Result<()> {
        if self.is_large.load(Ordering::Relaxed) { socket.set_recv_buffer_size(LARGE_BUFFER) } else { Ok(()) }
    }
}

/// Whether the system gives a socket the large buffer. If not, it sets a smaller one without a word.
fn is_granted() -> bool {
    let granted = || {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
        socket.set_recv_buffer_size(LARGE_BUFFER)?;
        socket.recv_buffer_size()
    };
    granted().is_ok_and(|granted| granted >= LARGE_BUFFER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_large_buffer(document: u64, remote: &str) -> bool {
        let room = Room::default();
        room.expect(document, &[Address::Ip(remote.parse().unwrap())]);
        let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).unwrap();
        let before = socket.recv_buffer_size().unwrap();
        room.make(&socket).unwrap();
        let after = socket.recv_buffer_size().unwrap();
        assert!(after == before || after >= LARGE_BUFFER, "{before} {after}");
        after != before
    }

    #[test]
    fn only_large_documents_of_this_machine_get_room_and_only_where_the_system_grants_all_of_it() {
        for local in ["127.0.0.1:80", "127.8.0.1:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
            assert_eq!(has_large_buffer(LARGE_DOCUMENT, local), is_granted(), "{local}");
            assert!(!has_large_buffer(LARGE_DOCUMENT - 1, local), "{local}");
        }
        for remote in ["192.0.2.1:80", "[2001:db8::1]:80"] {
            assert!(!has_large_buffer(u64::MAX, remote), "{remote}");
        }
    }
}
