//! What each event is: the class in which a request fails, and what that means for the run.
//!
//! In comes what went wrong on the network, out goes a [`Fault`]. This is the one place that decides it; the rules are
//! ab's where ab counts right.

use super::{Fatal, SocketCall};
use crate::net::DialError;
use crate::proto::Break;
use crate::record::{Cause, Failure};

/// What went wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The class in which the request fails, if the run goes on.
    pub(super) failure: Failure,
    /// The same, finer.
    pub(super) cause: Cause,
    pub(super) consequence: Consequence,
    /// Too many of these before anything has succeeded end the run.
    pub(super) is_early: bool,
}

/// What a fault means for the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Consequence {
    /// It goes on.
    GoesOn,
    /// It ends with this error, unless `-r` tolerates such.
    EndsUnlessTolerated(Fatal),
    /// It ends with this error, since no other request could do better.
    Ends(Fatal),
}

impl Fault {
    fn new(cause: Cause, consequence: Consequence) -> Self {
        let failure = cause.class();
        Self { failure, cause, consequence, is_early: failure == Failure::Connect }
    }

    /// Nothing moved for longer than `-s` allows: while connecting, or on a connection.
    pub(super) fn silence(is_connected: bool) -> Self {
        let cause = if is_connected { Cause::Silence } else { Cause::ConnectSilence };
        Self::new(cause, Consequence::EndsUnlessTolerated(Fatal::Timeout))
    }

    /// There is no connection.
    pub(super) fn of_dial(error: &DialError) -> Self {
        use Consequence::{Ends, EndsUnlessTolerated, GoesOn};
        let fatal = |call, error: &std::io::Error| Fatal::Socket {
            call,
            errno: error.raw_os_error().unwrap_or_default(),
        };
        let consequence = match error {
            DialError::Socket(error) => Ends(fatal(SocketCall::Socket, error)),
            DialError::Bind(error) => Ends(fatal(SocketCall::Bind, error)),
            DialError::NoLocalPort(error) => Ends(fatal(SocketCall::Connect, error)),
            // As in ab, a refused connection is met by the first read.
            DialError::Connect(error) => EndsUnlessTolerated(fatal(SocketCall::Receive, error)),
            DialError::Tunnel(_) | DialError::Handshake(_) => GoesOn,
        };
        let cause = match error {
            DialError::Tunnel(_) => Cause::NoTunnel,
            DialError::Handshake(_) => Cause::TlsHandshake,
            DialError::Connect(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                Cause::ConnectionRefused
            }
            _ => Cause::NoConnection,
        };
        Self::new(cause, consequence)
    }

    /// The server does not speak HTTP/2, as this shows, and never has in this run: there is nothing to measure.
    pub(super) fn not_http2(why: &'static str) -> Self {
        Self::new(Cause::NotHttp2, Consequence::Ends(Fatal::NotHttp2(why.into())))
    }

    /// The exchange broke. `is_lost` says that it did on a reused connection before anything of an answer came: the
    /// server may have closed it by right, so that this ends no run.
    pub(super) fn of_break(broken: Break, is_lost: bool) -> Self {
        use Consequence::{EndsUnlessTolerated, GoesOn};
        match broken {
            Break::Reset(errno) if !is_lost => {
                let fatal = Fatal::Socket { call: SocketCall::Receive, errno };
                Self::new(Cause::Reset, EndsUnlessTolerated(fatal))
            }
            Break::Closed | Break::NoPreface => Self::new(Cause::Closed, GoesOn),
            Break::Reset(_) => Self::new(Cause::Reset, GoesOn),
            Break::StreamReset | Break::Http11Wanted => Self::new(Cause::StreamReset, GoesOn),
            Break::Unprocessed => Self::new(Cause::Unprocessed, GoesOn),
            Break::Refused(_) => Self::new(Cause::TlsRefused, GoesOn),
            Break::NotHttp | Break::Malformed => Self::new(Cause::NotHttp, GoesOn),
            Break::NotHttp2 => Self::new(Cause::NotHttp2, GoesOn),
            Break::Tls => Self::new(Cause::TlsAnswer, GoesOn),
            Break::Send => Self::new(Cause::NotSent, GoesOn),
            Break::HeadTooLong => Self { is_early: true, ..Self::new(Cause::HeadTooLong, GoesOn) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::TunnelError;
    use std::io;

    /// Class, whether the run ends without `-r` and with it, and whether it counts towards the end of a run in which
    /// nothing succeeds.
    fn row(fault: &Fault) -> (Failure, bool, bool, bool) {
        let ends = fault.consequence != Consequence::GoesOn;
        let ends_in_any_case = matches!(fault.consequence, Consequence::Ends(_));
        (fault.failure, ends, ends_in_any_case, fault.is_early)
    }

    #[test]
    fn breaks_are_what_the_table_says() {
        let cases = [
            (Break::Closed, (Failure::Receive, false, false, false)),
            (Break::Reset(104), (Failure::Receive, true, false, false)),
            (Break::NotHttp, (Failure::Exception, false, false, false)),
            (Break::Tls, (Failure::Exception, false, false, false)),
            (Break::Send, (Failure::Exception, false, false, false)),
            (Break::HeadTooLong, (Failure::Exception, false, false, true)),
            (Break::Refused(116), (Failure::Connect, false, false, true)),
            (Break::NotHttp2, (Failure::Exception, false, false, false)),
            (Break::NoPreface, (Failure::Receive, false, false, false)),
            (Break::Malformed, (Failure::Exception, false, false, false)),
            (Break::Http11Wanted, (Failure::Receive, false, false, false)),
            (Break::StreamReset, (Failure::Receive, false, false, false)),
            (Break::Unprocessed, (Failure::Receive, false, false, false)),
        ];
        for (broken, expected) in cases {
            assert_eq!(row(&Fault::of_break(broken, false)), expected, "{broken:?}");
        }
        // On a reused connection the server may close at any time.
        assert_eq!(row(&Fault::of_break(Break::Reset(104), true)), (Failure::Receive, false, false, false));
    }

    #[test]
    fn without_a_connection_the_request_fails_to_connect() {
        let error = || io::Error::from_raw_os_error(99);
        let cases = [
            (DialError::Socket(error()), (Failure::Connect, true, true, true)),
            (DialError::Bind(error()), (Failure::Connect, true, true, true)),
            (DialError::NoLocalPort(error()), (Failure::Connect, true, true, true)),
            (DialError::Connect(error()), (Failure::Connect, true, false, true)),
            (DialError::Tunnel(TunnelError::Closed), (Failure::Connect, false, false, true)),
        ];
        for (error, expected) in cases {
            assert_eq!(row(&Fault::of_dial(&error)), expected, "{error:?}");
        }
    }

    #[test]
    fn every_fault_has_its_own_cause() {
        let broken = [
            Break::Closed,
            Break::Reset(104),
            Break::StreamReset,
            Break::Unprocessed,
            Break::Refused(116),
            Break::NotHttp,
            Break::NotHttp2,
            Break::Tls,
            Break::HeadTooLong,
            Break::Send,
        ];
        let mut causes: Vec<Cause> = broken.map(|broken| Fault::of_break(broken, false).cause).into();
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let unreachable = io::Error::from(io::ErrorKind::HostUnreachable);
        causes.extend(
            [
                DialError::Connect(refused),
                DialError::Connect(unreachable),
                DialError::Tunnel(TunnelError::Closed),
            ]
            .map(|error| Fault::of_dial(&error).cause),
        );
        causes.extend([true, false].map(|is_connected| Fault::silence(is_connected).cause));
        for (number, cause) in causes.iter().enumerate() {
            assert!(!causes[..number].contains(cause), "{cause:?}");
        }
        assert_eq!(Fault::not_http2("why").cause, Cause::NotHttp2);
    }

    #[test]
    fn silence_is_told_by_where_it_fell() {
        assert_eq!(row(&Fault::silence(true)), (Failure::Receive, true, false, false));
        assert_eq!(row(&Fault::silence(false)), (Failure::Connect, true, false, true));
    }
}
