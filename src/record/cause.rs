//! What exactly made a request fail: finer than the four classes of ab's report.

use super::Failure;

/// Why a request failed. Each cause belongs to one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Nobody listens on the address.
    ConnectionRefused,
    /// No connection for another reason, such as an address that cannot be reached.
    NoConnection,
    /// The proxy made no tunnel.
    NoTunnel,
    /// Connecting took longer than a connection may be silent (`-s`).
    ConnectSilence,
    /// The TLS handshake failed.
    TlsHandshake,
    /// The server refused the handshake after its own part of it, mostly for want of a client certificate.
    TlsRefused,
    /// The connection was silent for too long (`-s`).
    Silence,
    /// The connection ended before the response was whole.
    Closed,
    /// The server reset the connection before the response was whole.
    Reset,
    /// The server ended this exchange alone (HTTP/2, `RST_STREAM`).
    StreamReset,
    /// The server said again and again that it had done nothing about the request (HTTP/2).
    Unprocessed,
    /// The document is not as long as the first one.
    Length,
    /// The answer is not HTTP, or its framing is broken.
    NotHttp,
    /// The server does not speak HTTP/2, which it was asked for.
    NotHttp2,
    /// The answer to plain HTTP is TLS.
    TlsAnswer,
    /// The head of the response is longer than any that is read.
    HeadTooLong,
    /// The request could not be sent.
    NotSent,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::ConnectionRefused,
        Self::NoConnection,
        Self::NoTunnel,
        Self::ConnectSilence,
        Self::TlsHandshake,
        Self::TlsRefused,
        Self::Silence,
        Self::Closed,
        Self::Reset,
        Self::StreamReset,
        Self::Unprocessed,
        Self::Length,
        Self::NotHttp,
        Self::NotHttp2,
        Self::TlsAnswer,
        Self::HeadTooLong,
        Self::NotSent,
    ];

    /// The class in which the report counts it.
    pub fn class(self) -> Failure {
        match self {
            Self::ConnectionRefused
            | Self::NoConnection
            | Self::NoTunnel
            | Self::ConnectSilence
            | Self::TlsHandshake
            | Self::TlsRefused => Failure::Connect,
            Self::Silence | Self::Closed | Self::Reset | Self::StreamReset | Self::Unprocessed => {
                Failure::Receive
            }
            Self::Length => Failure::Length,
            Self::NotHttp | Self::NotHttp2 | Self::TlsAnswer | Self::HeadTooLong | Self::NotSent => {
                Failure::Exception
            }
        }
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConnectionRefused => "connection_refused",
            Self::NoConnection => "no_connection",
            Self::NoTunnel => "no_tunnel",
            Self::ConnectSilence => "connect_silence",
            Self::TlsHandshake => "tls_handshake",
            Self::TlsRefused => "tls_refused",
            Self::Silence => "silence",
            Self::Closed => "closed",
            Self::Reset => "reset",
            Self::StreamReset => "stream_reset",
            Self::Unprocessed => "unprocessed",
            Self::Length => "length",
            Self::NotHttp => "not_http",
            Self::NotHttp2 => "not_http2",
            Self::TlsAnswer => "tls_answer",
            Self::HeadTooLong => "head_too_long",
            Self::NotSent => "not_sent",
        }
    }

    /// The cause of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.name() == name)
    }
}

/// How many requests failed, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Causes([u64; Cause::ALL.len()]);

impl Causes {
    /// Counts so many failed requests.
    pub fn count(&mut self, cause: Cause, times: u64) {
        self.0[cause as usize] += times;
    }

    /// Adds those of another worker.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// The causes that there were, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Cause, u64)> + '_ {
        Cause::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_its_place_and_its_name() {
        for (place, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!((cause as usize, Cause::named(cause.name())), (place, Some(cause)));
        }
        assert_eq!(Cause::named("bad luck"), None);
    }

    #[test]
    fn causes_are_counted_one_by_one() {
        let (mut one, mut two) = (Causes::default(), Causes::default());
        one.count(Cause::Reset, 1);
        two.count(Cause::Reset, 2);
        two.count(Cause::Closed, 1);
        one.merge(&two);
        assert_eq!(one.iter().collect::<Vec<_>>(), [(Cause::Closed, 1), (Cause::Reset, 3)]);
    }
}
