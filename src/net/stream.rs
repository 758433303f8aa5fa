//! An open connection that counts its bytes, the same way for every engine.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::meter::{Meter, Opened};
use super::socket::Socket;
use super::tls::{Handshake, Secured};

/// Bytes that are thrown away at once where they have to be copied for that, so that they stay in the cache.
const COPIED_AT_ONCE: usize = 256 * 1024;

/// An open connection.
#[derive(Debug)]
pub struct Stream {
    io: Io,
    meter: Opened,
    /// Nothing was sent yet on a new connection, which therefore takes bytes, although the runtime has not heard so from
    /// the system.
    is_fresh: bool,
}

#[derive(Debug)]
enum Io {
    Plain(Socket),
    Secured(Box<Secured>),
}

impl Stream {
    pub(super) fn plain(socket: Socket, meter: Rc<Meter>) -> Self {
        Self { io: Io::Plain(socket), meter: Opened::new(meter), is_fresh: true }
    }

    pub(super) fn secured(secured: Secured, meter: Rc<Meter>) -> Self {
        Self { io: Io::Secured(Box::new(secured)), meter: Opened::new(meter), is_fresh: false }
    }

    /// What was agreed on in the TLS handshake; `None` without TLS.
    pub fn handshake(&self) -> Option<Handshake> {
        match &self.io {
            Io::Plain(_) => None,
            Io::Secured(secured) => secured.handshake(),
        }
    }

    /// The protocol that was agreed on in the TLS handshake (ALPN, RFC 7301); `None` without TLS, or if the server chose
    /// none.
    pub fn application_protocol(&self) -> Option<&[u8]> {
        match &self.io {
            Io::Plain(_) => None,
            Io::Secured(secured) => secured.application_protocol(),
        }
    }

    /// Whether the connection is secured by TLS.
    pub fn is_secured(&self) -> bool {
        matches!(self.io, Io::Secured(_))
    }

    /// Reads what is there into `buffer`; 0 bytes are the peer's close.
    pub fn poll_read_into(&mut self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_fill(cx, &mut ReadBuf::new(buffer))
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        let before = buffer.filled().len();
        let count = match &mut self.io {
            Io::Plain(socket) => {
                ready!(Pin::new(socket).poll_read(cx, buffer))?;
                buffer.filled().len() - before
            }
            Io::Secured(secured) => ready!(secured.poll_read(cx, buffer))?,
        };
        self.meter.add_received(count);
        Poll::Ready(Ok(count))
    }

    /// Receives up to `most` bytes and throws them away, without copying them where the system can (Linux drops
    /// them in the kernel, unless they are encrypted or come over a unix socket); `scratch` takes them elsewhere. 0
    /// bytes are the peer's close.
    pub fn poll_discard(
        &mut self,
        cx: &mut Context<'_>,
        scratch: &mut [u8],
        most: usize,
    ) -> Poll<io::Result<usize>> {
        let most = most.min(scratch.len());
        match &mut self.io {
            Io::Plain(socket) => {
                let count = ready!(socket.poll_discard(cx, &mut scratch[..most]))?;
                self.meter.add_received(count);
                Poll::Ready(Ok(count))
            }
            Io::Secured(_) => self.poll_read_into(cx, &mut scratch[..most.min(COPIED_AT_ONCE)]),
        }
    }

    /// Writes as much of two pieces, one after the other, as the connection takes at once. Only after a flush is it
    /// sure that they have left.
    pub fn poll_write_pieces(
        &mut self,
        cx: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        match (first.is_empty(), second.is_empty()) {
            (_, true) => self.poll_send(cx, &[IoSlice::new(first)]),
            (true, false) => self.poll_send(cx, &[IoSlice::new(second)]),
            (false, false) => self.poll_send(cx, &[IoSlice::new(first), IoSlice::new(second)]),
        }
    }

    fn poll_send(&mut self, cx: &mut Context<'_>, pieces: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if std::mem::take(&mut self.is_fresh)
            && let Some(written) = self.send_at_once(pieces)
        {
            return Poll::Ready(written);
        }
        let written = match (&mut self.io, pieces) {
            (Io::Plain(socket), [piece]) => Pin::new(socket).poll_write(cx, piece),
            (Io::Plain(socket), pieces) => Pin::new(socket).poll_write_vectored(cx, pieces),
            (Io::Secured(secured), pieces) => secured.poll_write(cx, pieces),
        };
        let count = ready!(written)?;
        self.meter.add_sent(count);
        Poll::Ready(Ok(count))
    }

    /// Writes on a plain connection without a question to the runtime; `None` if that is not possible.
    fn send_at_once(&self, pieces: &[IoSlice<'_>]) -> Option<io::Result<usize>> {
        let Io::Plain(socket) = &self.io else { return None };
        let sent = socket.send_at_once(pieces);
        match sent {
            Ok(count) => self.meter.add_sent(count),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
            Err(_) => {}
        }
        Some(sent)
    }

    /// Whether an idle connection can no longer be used: the peer has closed or reset it, or has sent bytes that no
    /// request asked for. What TLS says for itself, such as a session ticket, is no such thing. Costs a system call
    /// only when something has arrived.
    pub fn is_spent(&mut self, cx: &mut Context<'_>) -> bool {
        self.poll_read_into(cx, &mut [0; 64]).is_ready()
    }

    /// After a read has met the end: the peer has closed the connection, and not only TLS on it.
    pub fn is_hung_up(&self) -> bool {
        match &self.io {
            Io::Plain(_) => true,
            Io::Secured(secured) => secured.is_hung_up(),
        }
    }

    /// After a read that did not fill its buffer, and was made since the runtime last heard from the system: the peer
    /// had closed the connection before, so that the read took all there was. Needs no read that meets the end.
    pub fn is_exhausted(&self) -> bool {
        matches!(&self.io, Io::Plain(socket) if socket.is_read_closed())
    }

    /// After a read has met the end: waits until the peer has closed the connection as well.
    pub fn poll_hang_up(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.io {
            Io::Plain(_) => Poll::Ready(()),
            Io::Secured(secured) => secured.poll_hang_up(cx),
        }
    }

    /// Leaves an idle connection, with a goodbye in TLS as far as the socket takes it at once.
    pub fn leave(mut self) {
        if let Io::Secured(secured) = &mut self.io {
            let _ = secured.poll_shutdown(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Closes the connection by a reset, so that no port of this machine is kept in `TIME_WAIT`.
    pub fn reset(self) {
        match &self.io {
            Io::Plain(socket) => socket.close_by_reset(),
            Io::Secured(secured) => secured.socket().close_by_reset(),
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll_fill(cx, buffer).map_ok(|_| ())
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_send(cx, &[IoSlice::new(bytes)])
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Io::Secured(secured) => secured.poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.io {
            Io::Plain(socket) => Pin::new(socket).poll_shutdown(cx),
            Io::Secured(secured) => secured.poll_shutdown(cx),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_send(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}
