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

/// After so many connections in a row that the server held open, it is not waited for any more.
const HELD_OPEN_IN_A_ROW: u32 = 3;

/// One of so many is waited for all the same: a server that was slow for a moment gets another chance.
const SECOND_CHANCE: u32 = 64;

/// Closes a worker's connections.
#[derive(Debug, Default)]
pub struct Closing {
    /// Connections in a row that the server did not close.
    held_open: Cell<u32>,
}

impl Closing {
    /// Closes a connection on which a response has ended. What still comes is counted and thrown away.
    pub async fn close(&self, mut stream: Stream, scratch: &RefCell<Box<[u8]>>) {
        let held_open = self.held_open.get();
        let waits = held_open < HELD_OPEN_IN_A_ROW || held_open.is_multiple_of(SECOND_CHANCE);
        let mut drained = |cx: &mut Context<'_>| poll_drain(&mut stream, cx, scratch);
        let closed = if waits {
            tokio::time::timeout(PATIENCE, poll_fn(drained)).await.is_ok()
        } else {
            poll_fn(|cx| Poll::Ready(drained(cx).is_ready())).await
        };
        self.held_open.set(if closed { 0 } else { held_open.wrapping_add(1) });
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
