//! Why a run ended, with ab's messages and exit codes.

use std::borrow::Cow;
use std::fmt;
use std::io;

use crate::net::{LookupError, RouteError};
use crate::strerror::strerror;

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// All requests are complete.
    Complete,
    /// The time limit (`-t`) was reached.
    TimeLimit,
    /// A signal asked for the end; what is complete is reported.
    Interrupted(Signal),
    /// An error that ends the run.
    Failed(Fatal),
}

/// The signals that end a run with a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C; exit code 1, as ab.
    Interrupt,
    /// `kill`; exit code 143.
    Terminate,
}

/// The step at which the operating system refused, under ab's name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketCall {
    /// Creating a socket.
    Socket,
    /// Binding it to a local address.
    Bind,
    /// Connecting, where no local port is left.
    Connect,
    /// Everything that ab meets when it first reads: refused, unreachable, reset.
    Receive,
}

/// An error that ends the run. `Display` is ab's message, without a line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fatal {
    /// A name has no address: the resolver's own number (positive) and text.
    Lookup {
        /// The name that was looked up.
        name: String,
        /// The number of the `EAI_` error, without its sign.
        code: i32,
        /// The resolver's text.
        text: String,
    },
    /// TLS cannot be set up as it was asked for; why.
    Tls(String),
    /// The system refused a call on a socket.
    Socket {
        /// Which call.
        call: SocketCall,
        /// The system's error number.
        errno: i32,
    },
    /// HTTP/2 was asked for, and the server does not speak it; how it showed.
    NotHttp2(Cow<'static, str>),
    /// A connection was silent for longer than `-s` allows.
    Timeout,
    /// More than ten connections failed before anything succeeded.
    TooManyFailures,
}

/// What APR adds to a resolver's error number.
const APR_RESOLVER_ERRORS: i32 = 670_000;

/// APR's number for an expired timeout.
const APR_TIMEUP: i32 = 70_007;

impl Fatal {
    /// The exit code: ab hands the whole error number to `exit`, of which eight bits remain.
    pub fn exit_code(&self) -> u8 {
        let status = match self {
            Self::Lookup { code, .. } => APR_RESOLVER_ERRORS + code,
            Self::Socket { errno, .. } => *errno,
            Self::Timeout => APR_TIMEUP,
            Self::TooManyFailures | Self::Tls(_) | Self::NotHttp2(_) => 1,
        };
        // An error is never a success, even one without a number of its own.
        status.to_le_bytes()[0].max(1)
    }
}

impl fmt::Display for Fatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lookup { name, code, text } => {
                write!(f, "apr_sockaddr_info_get() for {name}: {text} ({})", APR_RESOLVER_ERRORS + code)
            }
            Self::Socket { call, errno } => {
                let call = match call {
                    SocketCall::Socket => "socket",
                    SocketCall::Bind => "bind",
                    SocketCall::Connect => "apr_socket_connect()",
                    SocketCall::Receive => "apr_socket_recv",
                };
                write!(f, "{call}: {} ({errno})", strerror(&io::Error::from_raw_os_error(*errno)))
            }
            Self::Tls(why) => write!(f, "TLS cannot be set up: {why}"),
            Self::NotHttp2(how) => write!(f, "the server does not speak HTTP/2: {how}"),
            Self::Timeout => write!(f, "apr_pollset_poll: The timeout specified has expired ({APR_TIMEUP})"),
            Self::TooManyFailures => f.write_str("\nTest aborted after 10 failures\n"),
        }
    }
}

impl std::error::Error for Fatal {}

impl From<LookupError> for Fatal {
    fn from(error: LookupError) -> Self {
        Self::Lookup { name: error.name, code: error.code, text: error.text }
    }
}

impl From<RouteError> for Fatal {
    fn from(error: RouteError) -> Self {
        match error {
            RouteError::Lookup(error) => error.into(),
            RouteError::Tls(why) => Self::Tls(why),
        }
    }
}

/// The system refused what a thread and its runtime are made of: descriptors, mostly.
impl From<io::Error> for Fatal {
    fn from(error: io::Error) -> Self {
        Self::Socket { call: SocketCall::Socket, errno: error.raw_os_error().unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_codes_are_as_ab() {
        let lookup =
            Fatal::Lookup { name: "x.invalid".into(), code: 2, text: "Name or service not known".into() };
        assert_eq!(
            lookup.to_string(),
            "apr_sockaddr_info_get() for x.invalid: Name or service not known (670002)"
        );
        assert_eq!(lookup.exit_code(), 50);
        let reset = Fatal::Socket { call: SocketCall::Receive, errno: 104 };
        assert_eq!(reset.to_string(), "apr_socket_recv: Connection reset by peer (104)");
        assert_eq!(reset.exit_code(), 104);
        let files = Fatal::Socket { call: SocketCall::Socket, errno: 24 };
        assert_eq!(files.to_string(), "socket: Too many open files (24)");
        assert_eq!(Fatal::Timeout.to_string(), "apr_pollset_poll: The timeout specified has expired (70007)");
        assert_eq!(Fatal::Timeout.exit_code(), 119);
        assert_eq!(Fatal::TooManyFailures.exit_code(), 1);
    }

    #[test]
    fn an_error_without_a_number_is_no_success() {
        assert_eq!(Fatal::Socket { call: SocketCall::Receive, errno: 0 }.exit_code(), 1);
        assert_eq!(Fatal::Socket { call: SocketCall::Receive, errno: 256 }.exit_code(), 1);
    }
}
