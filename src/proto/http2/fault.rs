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
            foreign
        } else if error.is_reset() && error.is_remote() {
            of_reset(error.reason())
        } else if error.is_reset() && self.passage.ended.get().is_some() && received.missing() > 0 {
            // Nothing but that is wrong with it, as far as HTTP/1 would know.
            Break::Closed
        } else if error.is_go_away() && error.is_remote() {
            Break::Unprocessed
        } else if error.is_reset() || error.is_go_away() {
            Break::Malformed
        } else {
            track.end().unwrap_or(Break::Closed)
        }
    }
}

fn of_reset(reason: Option<Reason>) -> Break {
    match reason {
        // Said only of what has not been processed (RFC 9113, section 8.7).
        Some(Reason::REFUSED_STREAM) => Break::Unprocessed,
        Some(Reason::HTTP_1_1_REQUIRED) => Break::Http11Wanted,
        _ => Break::StreamReset,
    }
}
