//! How connections are parted with, and who closes first.
//!
//! The side that closes first keeps the connection's ports in `TIME_WAIT` for a minute. A client that always did
//! would run out of ports after some 28,000 requests, so where a response ends the connection rab lets the server
//! close. A server that keeps it open all the same is not waited for again: its connections are closed by a reset,
//! which leaves no `TIME_WAIT` behind, and so are those on which something broke. Now and then one of them is waited
//! for aside, where it holds up nobody: a server that was slow for a moment is let close again.
//!
//! Over TLS the server says `close_notify`, which the stream answers, and then closes. A server that waits for the
//! client to close the connection below is one that holds it open.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::task::spawn_local;
use tokio::time::timeout;

use super::{End, PATIENCE, READ_BYTES, Scratch};
use crate::net::Stream;

/// Parts with a worker's connections.
pub struct Closing {
    shared: Rc<Shared>,
}

/// What one that is waited for aside has in common with all others.
struct Shared {
    /// The server was last seen to hold a connection open that it should have closed.
    held_open: Cell<bool>,
    /// One is waited for aside.
    waiting_aside: Cell<bool>,
    scratch: Scratch,
}

impl Closing {
    /// For connections that are read to this place.
    pub fn new(scratch: Scratch) -> Self {
        let (held_open, waiting_aside) = (Cell::new(false), Cell::new(false));
        Self { shared: Rc::new(Shared { held_open, waiting_aside, scratch }) }
    }

    /// Parts with a connection whose last exchange ended like this, and that will not be used again. What still comes on
    /// it is counted and thrown away.
    pub async fn part(&self, stream: Stream, end: End) {
        match end {
            End::Broken(_) => stream.reset(),
            End::Whole { closed: true, .. } => drop(stream),
            End::Whole { closed: false, .. } => self.close(stream).await,
        }
    }

    async fn close(&self, stream: Stream) {
        let mut parting = Parting { stream: Some(stream), shared: Rc::clone(&self.shared) };
        // Mostly the close is there already, so that a timer is not set before it is needed.
        if poll_fn(|cx| Poll::Ready(parting.poll(cx).is_ready())).await {
            self.shared.held_open.set(false);
        } else if !self.shared.held_open.get() {
            let closed = timeout(PATIENCE, poll_fn(|cx| parting.poll(cx))).await.is_ok();
            self.shared.held_open.set(!closed);
        } else if !self.shared.waiting_aside.replace(true) {
            spawn_local(async move {
                let closed = timeout(PATIENCE, poll_fn(|cx| parting.poll(cx))).await.is_ok();
                parting.shared.held_open.set(!closed);
                parting.shared.waiting_aside.set(false);
            });
        }
    }
}

/// A connection that waits for the server's close. If that has not come when this is dropped, it is reset.
struct Parting {
    stream: Option<Stream>,
    shared: Rc<Shared>,
}

impl Parting {
    /// Reads until the peer's close, that of TLS and that of the connection, or an error that comes to the same.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while let Some(stream) = &mut self.stream {
            let closed =
                match stream.poll_read_into(cx, &mut self.shared.scratch.borrow_mut().buffer[..READ_BYTES]) {
                    Poll::Ready(Err(_)) => Poll::Ready(()),
                    Poll::Ready(Ok(0)) => stream.poll_hang_up(cx),
                    Poll::Ready(Ok(_)) => continue,
                    Poll::Pending => Poll::Pending,
                };
            if closed.is_pending() {
                return Poll::Pending;
            }
            self.stream = None;
        }
        Poll::Ready(())
    }
}

impl Drop for Parting {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            stream.reset();
        }
    }
}
