//! Where connections go, and how they are made.
//!
//! In come the arguments and what they ask for, out goes a [`Network`]. Wherever connections go, the `Host` field, the
//! name in TLS and the report are about the target of the URL. What does not go together is refused by name.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::SocketAddr;

use bytes::Bytes;

use super::{Request, Target, tunnel};
use crate::args::{Args, Refusal, shown};

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name or address, an IPv6 address without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
}

/// As ab shows a proxy: `host:port`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Where connections go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// To the host and port of the URL, or to those in their place (`--connect-to`).
    Server(Place),
    /// To a forward proxy (`-X`).
    Proxy {
        /// Where it is.
        place: Place,
        /// The request for a tunnel to the target, which https needs; without it, the proxy is sent the requests
        /// themselves.
        tunnel: Option<Bytes>,
    },
    /// To a unix socket (`--unix-socket`): a path that fits into a socket address. With `@` in front it is the name of
    /// an abstract socket, on systems that have these.
    Unix(OsString),
}

/// How connections are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Where they go.
    pub destination: Destination,
    /// They go to all addresses of the destination in turn (`--all-addresses`), and not to the first that works.
    pub all_addresses: bool,
    /// Local addresses, used in turn (`-B`, several times or with commas); names are allowed, as in ab.
    pub bind: Vec<String>,
    /// Send and receive buffer of a socket in bytes (`-b`); `None` leaves the system's choice.
    pub socket_buffer: Option<usize>,
}

/// Options that do not go together, and why.
const APART: [(&str, &str, &str); 7] = [
    ("-X", "--connect-to", "with -X it is the proxy that connects to the server"),
    ("-X", "--unix-socket", "connections go to the one or to the other"),
    ("--connect-to", "--unix-socket", "connections go to the one or to the other"),
    ("-B", "--unix-socket", "a unix socket is not reached from a local address"),
    ("--all-addresses", "--unix-socket", "a unix socket is a single address"),
    ("--demo", "--connect-to", "--demo benchmarks a server of its own"),
    ("--demo", "--unix-socket", "--demo benchmarks a server of its own"),
];

impl Network {
    /// The proxy, if there is one.
    pub fn proxy(&self) -> Option<&Place> {
        match &self.destination {
            Destination::Proxy { place, .. } => Some(place),
            Destination::Server(_) | Destination::Unix(_) => None,
        }
    }

    /// How the target of a request is to be reached. Usage errors for options that do not go together, and for what
    /// cannot be the path of a socket; an error for a file that is no socket. One that is not there may yet come: it is
    /// a server that does not listen.
    pub(super) fn new(args: &Args, target: &Target, request: &Request) -> Result<Self, Refusal> {
        check(args)?;
        let destination = match (&args.proxy, &args.unix_socket) {
            (Some((host, port)), _) => Destination::Proxy {
                place: Place { host: host.clone(), port: *port },
                tunnel: tunnel::is_needed(args, target).then(|| tunnel::request(args, target, request)),
            },
            (None, Some(path)) => Destination::Unix(socket(path)?),
            (None, None) => Destination::Server(server(args, target)),
        };
        Ok(Self {
            destination,
            all_addresses: args.all_addresses,
            bind: args.bind.clone(),
            socket_buffer: args.socket_buffer,
        })
    }
}

fn check(args: &Args) -> Result<(), Refusal> {
    let is_given = |option| match option {
        "-X" => args.proxy.is_some(),
        "-B" => !args.bind.is_empty(),
        "--connect-to" => args.connect_to.is_some(),
        "--unix-socket" => args.unix_socket.is_some(),
        "--all-addresses" => args.all_addresses,
        _ => args.demo,
    };
    match APART.into_iter().find(|(one, other, _)| is_given(*one) && is_given(*other)) {
        Some((one, other, why)) => {
            Err(Refusal::usage(format!("{one} and {other} do not go together")).hint(why))
        }
        None => Ok(()),
    }
}

fn server(args: &Args, target: &Target) -> Place {
    match &args.connect_to {
        Some((host, port)) => Place { host: host.clone(), port: port.unwrap_or(target.port) },
        None => Place { host: target.host.clone(), port: target.port },
    }
}

fn socket(path: &OsString) -> Result<OsString, Refusal> {
    let is_short = SocketAddr::from_pathname(path).is_ok();
    if !is_short {
        let message = format!("--unix-socket: a path of {} bytes is too long for a unix socket", path.len());
        return Err(Refusal::usage(message)
            .hint("Linux takes 107 bytes; a relative path or a symbolic link may be short enough"));
    }
    match std::fs::metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            Err(Refusal::error(format!("--unix-socket: {} is not a socket", shown(path))))
        }
        _ => Ok(path.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{plan, quoted, refused};

    fn destination(line: &str) -> Destination {
        plan(line).unwrap().network.destination
    }

    fn place(host: &str, port: u16) -> Place {
        Place { host: host.into(), port }
    }

    #[test]
    fn connections_go_to_the_url_or_to_the_place_given_instead() {
        for (line, expected) in [
            ("http://h/", place("h", 80)),
            ("https://[::1]:8443/", place("::1", 8443)),
            ("--connect-to web-2 https://h/", place("web-2", 443)),
            ("--connect-to web-2 http://h:81/", place("web-2", 81)),
            ("--connect-to web-2:80 https://h:8443/", place("web-2", 80)),
            ("--connect-to x --connect-to [::1]:8080 http://h:81/", place("::1", 8080)),
        ] {
            assert_eq!(destination(line), Destination::Server(expected), "{line}");
        }
    }

    #[test]
    fn only_https_needs_a_tunnel() {
        let is_tunnel = |line: &str| match destination(line) {
            Destination::Proxy { place: Place { host, port }, tunnel } => {
                assert_eq!((host.as_str(), port), ("p", 3128));
                tunnel.is_some()
            }
            other => panic!("{other:?}"),
        };
        assert!(is_tunnel("-X p:3128 https://h/") && !is_tunnel("-X p:3128 http://h/"));
    }

    #[test]
    fn what_does_not_go_together_is_refused_by_name() {
        for (line, one, other) in [
            ("-X p:1 --connect-to x h/", "-X", "--connect-to"),
            ("--unix-socket s -X p:1 https://h/", "-X", "--unix-socket"),
            ("--unix-socket s --connect-to x h/", "--connect-to", "--unix-socket"),
            ("-B 127.0.0.1 --unix-socket s h/", "-B", "--unix-socket"),
            ("--unix-socket s --all-addresses h/", "--all-addresses", "--unix-socket"),
            ("--unix-socket s --demo", "--demo", "--unix-socket"),
            ("--demo --connect-to x", "--demo", "--connect-to"),
        ] {
            let refusal = refused(line);
            assert_eq!(refusal.message, format!("{one} and {other} do not go together"));
            assert_eq!((refusal.status, refusal.hints.len()), (22, 1), "{line}");
        }
        for line in
            ["-X p:1 --all-addresses h/", "--connect-to x --all-addresses -B a h/", "-b 9 --unix-socket s h/"]
        {
            assert!(plan(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_socket_is_a_short_path_at_which_there_is_no_other_file() {
        let longest = "s".repeat(107);
        assert_eq!(
            destination(&format!("--unix-socket {longest} h/")),
            Destination::Unix(longest.clone().into())
        );
        let refusal = refused(&format!("--unix-socket {longest}s h/"));
        assert_eq!(refusal.message, "--unix-socket: a path of 108 bytes is too long for a unix socket");
        assert_eq!(refusal.status, 22);
        let folder = tempfile::tempdir().unwrap();
        let refusal = refused(&format!("--unix-socket {} h/", quoted(folder.path())));
        assert!(refusal.message.ends_with(" is not a socket") && refusal.status == 1, "{refusal}");
        let path = folder.path().join("s");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let line = format!("--unix-socket {} h/", quoted(&path));
        assert_eq!(destination(&line), Destination::Unix(path.into()));
        assert_eq!(destination("--unix-socket @name h/"), Destination::Unix("@name".into()));
    }
}
