//! What the system connects with: TCP, or a unix socket. Everything above speaks to either in the same way.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use rustix::net::RecvFlags;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// A connected socket.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Receives up to the length of `scratch` and throws it away. Linux drops what TCP has received without copying it
    /// (`MSG_TRUNC`, tcp(7)); over a unix socket the flag spares nothing (unix(7)).
    pub(super) fn poll_discard(
        &mut self,
        cx: &mut Context<'_>,
        scratch: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let tcp = match self {
            Self::Tcp(tcp) if cfg!(target_os = "linux") => tcp,
            socket => {
                let mut buffer = ReadBuf::new(scratch);
                ready!(Pin::new(socket).poll_read(cx, &mut buffer))?;
                return Poll::Ready(Ok(buffer.filled().len()));
            }
        };
        loop {
            ready!(tcp.poll_read_ready(cx))?;
            let received = tcp.try_io(Interest::READABLE, || {
                let (_, count) = rustix::net::recv(&*tcp, &mut *scratch, RecvFlags::TRUNC)?;
                Ok(count)
            });
            match received {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    /// Writes without a question to the runtime.
    pub(super) fn send_at_once(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let socket = match self {
            Self::Tcp(tcp) => SockRef::from(tcp),
            Self::Unix(unix) => SockRef::from(unix),
        };
        match pieces {
            [piece] => socket.send(piece),
            pieces => socket.send_vectored(pieces),
        }
    }

    /// Whether the runtime has heard that the peer has closed.
    pub(super) fn is_read_closed(&self) -> bool {
        let Self::Tcp(tcp) = self else { return false };
        let mut cx = Context::from_waker(Waker::noop());
        match pin!(tcp.ready(Interest::READABLE)).poll(&mut cx) {
            Poll::Ready(ready) => ready.is_ok_and(tokio::io::Ready::is_read_closed),
            Poll::Pending => false,
        }
    }

    /// Lets the close be a reset, which keeps no port of this machine in `TIME_WAIT`. A unix socket has no port, and
    /// closes as ever.
    pub(super) fn close_by_reset(&self) {
        if let Self::Tcp(tcp) = self {
            // If the option cannot be set, dropping closes in the ordinary way.
            let _ = SockRef::from(tcp).set_linger(Some(Duration::ZERO));
        }
    }
}

/// Does the same with whichever socket it is.
macro_rules! either {
    ($socket:expr, $inner:ident => $work:expr) => {
        match $socket {
            Socket::Tcp($inner) => $work,
            Socket::Unix($inner) => $work,
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(&mut *self, socket => Pin::new(socket).poll_read(cx, buffer))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        either!(&mut *self, socket => Pin::new(socket).poll_write(cx, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut *self, socket => Pin::new(socket).poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut *self, socket => Pin::new(socket).poll_shutdown(cx))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(&mut *self, socket => Pin::new(socket).poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        either!(self, socket => socket.is_write_vectored())
    }
}
