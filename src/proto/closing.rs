//! Who closes first.
//!
//! The side that closes first keeps the connection's ports in `TIME_WAIT` for a minute. A client that always did
//! would run out of ports after some 28,000 requests, so where a response ends the connection rab lets the server
//! close. A server that keeps it open all the same is not waited for again: its connections are closed by a reset,
//! which leaves no `TIME_WAIT` behind.
//!
//! Over TLS the server says `close_notify`, which the stream answers, and then closes. A server that waits for the
//! client to close the connection below is one that holds it open.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::net::Stream;

/// How long the server may take to close.
const PATIENCE: Duration = Duration::from_millis(20);

/// Closes a worker's connections.
#[derive(Debug, Default)]
pub struct Closing {
    /// The server was last seen to hold a connection open that it should have closed.
    held_open: Cell<bool>,
}

impl Closing {
    /// Closes a connection on which a response has ended. What still comes is counted and thrown away.
    pub async fn close(&self, mut stream: Stream, scratch: &RefCell<Box<[u8]>>) {
        let mut drained = |cx: &mut Context<'_>| poll_drain(&mut stream, cx, scratch);
        let closed = if self.held_open.get() {
            poll_fn(|cx| Poll::Ready(drained(cx).is_ready())).await
        } else {
            tokio::time::timeout(PATIENCE, poll_fn(drained)).await.is_ok()
        };
        self.held_open.set(!closed);
        if !closed {
            stream.reset();
        }
    }
}

/// Reads until the peer's close, that of TLS and that of the connection, or an error that comes to the same.
fn poll_drain(stream: &mut Stream, cx: &mut Context<'_>, scratch: &RefCell<Box<[u8]>>) -> Poll<()> {
    loop {
        match stream.poll_read_into(cx, &mut scratch.borrow_mut()) {
            Poll::Ready(Err(_)) => return Poll::Ready(()),
            Poll::Ready(Ok(0)) => return stream.poll_hang_up(cx),
            Poll::Ready(Ok(_)) => {}
            Poll::Pending => return Poll::Pending,
        }
    }
}
