//! The connection below TLS.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::net::meter::Meter;
use crate::net::socket::Socket;

/// So many of the first bytes are enough to tell TLS from HTTP: the header of a record.
const BEGINNING: usize = 5;

/// A connection that notes what TLS does not tell: that bytes move, what the first ones were, and that the peer
/// has closed.
#[derive(Debug)]
pub(super) struct Raw {
    socket: Socket,
    meter: Rc<Meter>,
    beginning: Vec<u8>,
    ended: bool,
}

impl Raw {
    pub(super) fn new(socket: Socket, meter: Rc<Meter>) -> Self {
        Self { socket, meter, beginning: Vec::with_capacity(BEGINNING), ended: false }
    }

    /// The first bytes that came.
    pub(super) fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// The peer has closed the connection, and that has been read.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn socket(&self) -> &Socket {
        &self.socket
    }
}

impl AsyncRead for Raw {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buffer))?;
        let new = &buffer.filled()[before..];
        self.ended |= new.is_empty() && buffer.remaining() > 0;
        self.meter.add_below(new.len());
        let missing = BEGINNING - self.beginning.len();
        self.beginning.extend(new.iter().take(missing));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Raw {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.socket).poll_write(cx, bytes))?;
        self.meter.add_below(count);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.socket).poll_write_vectored(cx, pieces))?;
        self.meter.add_below(count);
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
