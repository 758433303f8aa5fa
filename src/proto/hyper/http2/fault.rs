//! What an error on a stream or its connection comes to.
//!
//! In come hyper's error and what the connection itself has shown. A server can refuse, reset or abandon one exchange and
//! go on with the others (RFC 9113, sections 5.4, 6.4 and 6.8), which HTTP/1 does not know.

use std::error::Error;

use h2::Reason;

use super::super::super::Break;
use super::super::Received;
use super::Session;

impl Session {
    /// What broke an exchange.
    pub(super) fn fault(&self, error: &hyper::Error, received: &Received) -> Break {
        let track = &self.shared.track;
        let of_http2 = cause(error);
        if let Some(foreign) = track.foreign() {
            return foreign;
        }
        let broken = match of_http2 {
            Some(error) if error.is_reset() && error.is_remote() => of_reset(error.reason()),
            // The response contradicts itself, and the one way in which servers do that is to end it too early.
            Some(error) if error.is_reset() && received.missing() > 0 => Break::Closed,
            Some(error) if error.is_reset() => Break::NotHttp,
            Some(error) if error.is_go_away() && error.is_remote() => Break::Unprocessed,
            Some(error) if error.is_go_away() => Break::NotHttp,
            Some(_) => track.end().unwrap_or(Break::Closed),
            // hyper did not take the request any more.
            None => track.end().unwrap_or(Break::Unprocessed),
        };
        match broken {
            // A server that has answered nothing on this connection will not do better on the next one.
            Break::Unprocessed if !self.shared.has_answered.get() => Break::StreamReset,
            other => other,
        }
    }
}

fn of_reset(reason: Option<Reason>) -> Break {
    // Said only of what has not been processed (RFC 9113, section 8.7).
    if reason == Some(Reason::REFUSED_STREAM) { Break::Unprocessed } else { Break::StreamReset }
}

/// The HTTP/2 error behind one of hyper's.
fn cause(error: &hyper::Error) -> Option<&h2::Error> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(found) = error.downcast_ref::<h2::Error>() {
            return Some(found);
        }
        source = error.source();
    }
    None
}
