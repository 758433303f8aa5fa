//! An open connection that counts its bytes, the same way for every engine.

use std::cell::Cell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use rustix::net::RecvFlags;
use socket2::SockRef;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// Bytes in and out on the connections of one slot, one after the other.
#[derive(Debug, Default)]
pub struct Meter {
    received: Cell<u64>,
    sent: Cell<u64>,
}

impl Meter {
    /// Bytes received.
    pub fn received(&self) -> u64 {
        self.received.get()
    }

    /// Bytes sent.
    pub fn sent(&self) -> u64 {
        self.sent.get()
    }

    fn add_received(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
    }

    fn add_sent(&self, bytes: usize) {
        self.sent.set(self.sent.get() + bytes as u64);
    }
}

/// An open connection.
#[derive(Debug)]
pub struct Stream {
    io: TcpStream,
    meter: Rc<Meter>,
}

impl Stream {
    pub(super) fn new(io: TcpStream, meter: Rc<Meter>) -> Self {
        Self { io, meter }
    }

    /// Reads what is there into `buffer`; 0 bytes are the peer's close.
    pub fn poll_read_into(&mut self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut space = ReadBuf::new(buffer);
        ready!(Pin::new(&mut self.io).poll_read(cx, &mut space))?;
        let count = space.filled().len();
        self.meter.add_received(count);
        Poll::Ready(Ok(count))
    }

    /// Receives up to `most` bytes and throws them away, without copying them where the system can (Linux drops
    /// them in the kernel); `scratch` takes them elsewhere. 0 bytes are the peer's close.
    pub fn poll_discard(
        &mut self,
        cx: &mut Context<'_>,
        scratch: &mut [u8],
        most: usize,
    ) -> Poll<io::Result<usize>> {
        let most = most.min(scratch.len());
        let scratch = &mut scratch[..most];
        if !cfg!(target_os = "linux") {
            return self.poll_read_into(cx, scratch);
        }
        loop {
            ready!(self.io.poll_read_ready(cx))?;
            let received = self.io.try_io(Interest::READABLE, || {
                let (_, count) = rustix::net::recv(&self.io, &mut *scratch, RecvFlags::TRUNC)?;
                Ok(count)
            });
            match received {
                Ok(count) => {
                    self.meter.add_received(count);
                    return Poll::Ready(Ok(count));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    /// Writes as much of two pieces, one after the other, as the connection takes at once.
    pub fn poll_write_pieces(
        &mut self,
        cx: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = match (first.is_empty(), second.is_empty()) {
            (_, true) => Pin::new(&mut self.io).poll_write(cx, first),
            (true, false) => Pin::new(&mut self.io).poll_write(cx, second),
            (false, false) => {
                Pin::new(&mut self.io).poll_write_vectored(cx, &[IoSlice::new(first), IoSlice::new(second)])
            }
        };
        let count = ready!(written)?;
        self.meter.add_sent(count);
        Poll::Ready(Ok(count))
    }

    /// Whether an idle connection can no longer be used: the peer has closed or reset it, or has sent bytes that no
    /// request asked for. Costs a system call only when something has arrived.
    pub fn is_spent(&mut self, cx: &mut Context<'_>) -> bool {
        self.poll_read_into(cx, &mut [0; 64]).is_ready()
    }

    /// Closes the connection by a reset, so that no port of this machine is kept in `TIME_WAIT`.
    pub fn reset(self) {
        // If the option cannot be set, dropping closes in the ordinary way.
        let _ = SockRef::from(&self.io).set_linger(Some(Duration::ZERO));
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buffer))?;
        self.meter.add_received(buffer.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_pieces(cx, bytes, &[])
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.io).poll_write_vectored(cx, pieces))?;
        self.meter.add_sent(count);
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}
