//! A connection after its handshake.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustls::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

use super::failure::Refused;
use super::handshake::Handshake;
use super::raw::Raw;
use crate::net::socket::Socket;

/// A TLS connection. How it ends is told in the terms of a plain one.
#[derive(Debug)]
pub(in crate::net) struct Secured {
    tls: TlsStream<Raw>,
    /// The peer has sent something of HTTP.
    has_spoken: bool,
    /// The peer's `close_notify` has been answered.
    has_answered: bool,
}

impl Secured {
    pub(super) fn new(tls: TlsStream<Raw>) -> Self {
        Self { tls, has_spoken: false, has_answered: false }
    }

    /// What was agreed on in the handshake.
    pub(in crate::net) fn handshake(&self) -> Option<Handshake> {
        Handshake::of(self.tls.get_ref().1)
    }

    /// The protocol that the server chose of those it was offered (ALPN).
    pub(in crate::net) fn application_protocol(&self) -> Option<&[u8]> {
        self.tls.get_ref().1.alpn_protocol()
    }

    /// The connection below.
    pub(in crate::net) fn socket(&self) -> &Socket {
        self.tls.get_ref().0.socket()
    }

    /// The peer has closed the connection below as well.
    pub(in crate::net) fn is_hung_up(&self) -> bool {
        self.tls.get_ref().0.has_ended()
    }

    /// After the end of TLS: waits for that of the connection below, so that the peer has closed first.
    pub(in crate::net) fn poll_hang_up(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut beyond = [0; 64];
        let (raw, _) = self.tls.get_mut();
        while !raw.has_ended() {
            if ready!(Pin::new(&mut *raw).poll_read(cx, &mut ReadBuf::new(&mut beyond))).is_err() {
                break;
            }
        }
        Poll::Ready(())
    }

    /// Reads what has been decrypted; nothing at the peer's close.
    ///
    /// A close of the connection without `close_notify` counts as a close here. TLS wants them told apart, since somebody on the way
    /// may have cut the answer short; that is no concern of a benchmark, and many servers never send one. (ab fails
    /// such a response by its length.)
    pub(in crate::net) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<usize>> {
        let before = buffer.filled().len();
        let outcome = ready!(Pin::new(&mut self.tls).poll_read(cx, buffer));
        let count = buffer.filled().len() - before;
        self.has_spoken |= count > 0;
        match outcome {
            Ok(()) => {
                if count == 0 && buffer.remaining() > 0 {
                    self.answer_close(cx);
                }
                Poll::Ready(Ok(count))
            }
            Err(error) => Poll::Ready(self.judge(error)),
        }
    }

    /// Answers `close_notify` with our own, as far as the socket takes it now: nobody waits for it.
    fn answer_close(&mut self, cx: &mut Context<'_>) {
        if !std::mem::replace(&mut self.has_answered, true) {
            self.tls.get_mut().1.send_close_notify();
            let _ = Pin::new(&mut self.tls).poll_flush(cx);
        }
    }

    fn judge(&self, error: io::Error) -> io::Result<usize> {
        let source = error.get_ref().and_then(|source| source.downcast_ref::<Error>());
        match source {
            None if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            // In TLS 1.3 the client is done before the server has judged its certificate.
            Some(Error::AlertReceived(alert)) if !self.has_spoken => {
                Err(io::Error::new(io::ErrorKind::ConnectionRefused, Refused(u8::from(*alert))))
            }
            // The server gives up in the midst of an answer.
            Some(Error::AlertReceived(_)) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, error)),
            _ => Err(error),
        }
    }

    /// Takes as much of the pieces as fits; [`poll_flush`](Self::poll_flush) makes sure that it goes out.
    pub(in crate::net) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tls).poll_write_vectored(cx, pieces)
    }

    /// Sends what has been taken.
    pub(in crate::net) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tls).poll_flush(cx)
    }

    /// Says that nothing more will be sent.
    pub(in crate::net) fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tls).poll_shutdown(cx)
    }
}
