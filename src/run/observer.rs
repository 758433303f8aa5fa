//! What can be seen of a run while it goes on.

use super::{Fatal, Handshake, HandshakeError, TunnelError};

/// Is told of a run's events. Called from all workers; what it does costs the run time.
pub trait Observer: Send + Sync {
    /// So many requests are complete: a multiple of the plan's progress interval.
    fn progress(&self, complete: u64);

    /// The beginning of a response as far as it has come, with `-v 2` and above.
    fn head_received(&self, so_far: &[u8]);

    /// The status of a response, with `-v 2` and above.
    fn status(&self, status: u16);

    /// A TLS handshake is done, with `-v 2` and above.
    fn handshake_done(&self, handshake: &Handshake);

    /// A TLS handshake failed in a way in which none has failed before in this run.
    fn handshake_failed(&self, error: &HandshakeError);

    /// A proxy made no tunnel, for a reason for which none has been refused before in this run.
    fn tunnel_failed(&self, error: &TunnelError);

    /// A receive error that does not end the run, with `-r` and `-v 1` and above.
    fn receive_error(&self, error: &Fatal);
}
