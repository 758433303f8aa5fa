//! What an error on a stream or its connection comes to.
//!
//! In come h2's error and what the connection itself has shown. A server can refuse, reset or abandon one exchange and
//! go on with the others (RFC 9113, sections 5.4, 6.4 and 6.8), which HTTP/1 does not know.

use h2::Reason;

use super::Session;
use crate::proto::Break;
use crate::proto::hyper::Received;

impl Session {
    /// What broke an exchange.
    pub(super) fn fault(&self, error: &h2::Error, received: &Received) -> Break {
        let track = &self.shared.track;
        if let Some(foreign) = track.foreign() {
            return foreign;
        }
        let broken = if error.is_reset() && error.is_remote() {
            of_reset(error.reason())
        } else if error.is_reset() {
            // The response contradicts itself, and the one way in which servers do that is to end it too early.
            if received.missing() > 0 { Break::Closed } else { Break::NotHttp }
        } else if error.is_go_away() {
            if error.is_remote() { Break::Unprocessed } else { Break::NotHttp }
        } else {
            track.end().unwrap_or(Break::Closed)
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
