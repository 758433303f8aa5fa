//! The values on the command line, after ab's order rules and before anything is decided from them.

use std::ffi::OsString;
use std::time::Duration;

use super::{Judging, Percent, Refusal, Several};

/// What speaks HTTP on an open connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Prepared bytes out, the head read with httparse, the body counted.
    Wire,
    /// hyper.
    Hyper,
}

/// The HTTP version of the request line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0, ab's only one and the default.
    #[default]
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2, by ALPN over TLS and by prior knowledge without (RFC 9113, section 3).
    Http2,
}

/// Credentials for Basic authentication (RFC 7617), `user:password` as typed without leading blanks; ab asks for no
/// colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// For the server (`-A`).
    Server(Vec<u8>),
    /// For the proxy (`-P`).
    Proxy(Vec<u8>),
}

/// What was typed. Values are within their ranges, but for `-c`, which ab judges after the URL.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the command line")]
pub struct Args {
    /// The URL; `None` with `--demo`, perhaps with `--urls`, or where `offence` says that it is missing.
    pub url: Option<OsString>,
    /// `--urls`; `-` is standard input.
    pub urls: Option<OsString>,
    /// `--shuffle`.
    pub shuffle: Option<u64>,
    /// `--by-url`.
    pub by_url: bool,
    /// What is wrong with the command line, to be reported once `body` has been read. `None` if nothing is.
    pub offence: Option<Refusal>,
    /// Worth a hint at the end of the run; whole sentences.
    pub remarks: Vec<String>,

    /// `-n`, or the 50,000 that `-t` put in its place. At least 1.
    pub requests: Option<u64>,
    /// `-t`, unless that was 0, which limits nothing in ab.
    pub time_limit: Option<Duration>,
    /// `-c`, any whole number.
    pub concurrency: Option<i64>,
    /// `-s`, at least a second.
    pub silence: Option<Duration>,
    /// `-W`; 0 is one a core.
    pub workers: Option<usize>,
    /// `-R`.
    pub ramp: Duration,
    /// `-k`.
    pub keep_alive: bool,
    /// `-r`.
    pub tolerate: bool,
    /// `-l`.
    pub variable_length: bool,

    /// The method that `-i`, `-p`, `-u` and `-m` chose together; a token (RFC 9110, section 5.6.2).
    pub method: Option<String>,
    /// The file of `-p` or `-u`; `-` is standard input.
    pub body: Option<OsString>,
    /// `-T`. Like all values that go into a header line, without CR, LF and NUL.
    pub content_type: Option<Vec<u8>>,
    /// `-C`, all of them.
    pub cookies: Vec<Vec<u8>>,
    /// `-H`, all of them, as typed.
    pub headers: Vec<Vec<u8>>,
    /// `-A` and `-P`, in the order given.
    pub credentials: Vec<Credentials>,
    /// `--http1.0`, `--http1.1` or `--http2`, whichever is last; `None` if none was given.
    pub version: Option<Version>,
    /// `--rate`, in requests a second, above 0.
    pub rate: Option<f64>,
    /// `--ramp-up`.
    pub ramp_up: Option<Duration>,
    /// `--duration`, above zero.
    pub duration: Option<Duration>,
    /// `--streams`, at least 1.
    pub streams: Option<usize>,

    /// `-X`: host, an IPv6 address without brackets, and port.
    pub proxy: Option<(String, u16)>,
    /// `--connect-to`: host, an IPv6 address without brackets, and port.
    pub connect_to: Option<(String, Option<u16>)>,
    /// `--unix-socket`: a path, or `@` and the name of an abstract socket. Not empty.
    pub unix_socket: Option<OsString>,
    /// `--all-addresses`.
    pub all_addresses: bool,
    /// `-B`, split at commas.
    pub bind: Vec<String>,
    /// `-b`, in bytes, above 0.
    pub socket_buffer: Option<usize>,
    /// `--engine`.
    pub engine: Option<Engine>,

    /// `-v`.
    pub verbosity: u32,
    /// `-q`.
    pub quiet: bool,
    /// `-Q`.
    pub no_banner: bool,
    /// `-d`.
    pub no_percentiles: bool,
    /// `-S`.
    pub no_confidence: bool,
    /// `-w`, or one of `-x -y -z`, which imply it.
    pub html: bool,
    /// `-x`.
    pub table_attributes: Option<OsString>,
    /// `-y`.
    pub row_attributes: Option<OsString>,
    /// `-z`.
    pub cell_attributes: Option<OsString>,
    /// `-g`.
    pub gnuplot: Option<OsString>,
    /// `-e`.
    pub csv: Option<OsString>,
    /// `--samples`.
    pub samples: Option<OsString>,
    /// `--save`.
    pub save: Option<OsString>,
    /// `--json`.
    pub json: bool,
    /// `--percentiles`, in ascending order.
    pub percentiles: Option<Vec<Percent>>,
    /// The options on how runs are judged.
    pub judging: Judging,
    /// `--partial`.
    pub partial: bool,
    /// The options about several runs.
    pub several: Several,
    /// `--demo`.
    pub demo: bool,

    /// `-I`.
    pub no_server_name: bool,
    /// `-f`, as typed: one of ab's names, in any case.
    pub protocol: Option<String>,
    /// `-Z`.
    pub ciphers: Option<OsString>,
    /// `-E`.
    pub certificate: Option<OsString>,
    /// `--cert`.
    pub client_certificate: Option<OsString>,
    /// `--key`.
    pub client_key: Option<OsString>,
    /// `--verify`.
    pub verify: bool,
    /// `--cacert`.
    pub trusted: Option<OsString>,
}
