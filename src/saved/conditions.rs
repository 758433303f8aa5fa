//! The plan of a run as far as two runs must have it in common to be compared.
//!
//! In comes the [`Plan`], out go [`Conditions`], as they stand in the file. What is only about how a run is shown is
//! not among them, and nothing that is secret.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::count::{bounded, bounded_option};
use super::{headers, text};
use crate::plan::{self, Plan, Scheme, Trust, Version};
use crate::record::Micros;

/// What a run was to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// Where the requests went.
    pub target: Target,
    /// What was asked for, in turn. Never empty.
    pub requests: Vec<Request>,
    /// The HTTP version of the requests.
    #[serde(rename = "http_version", with = "version")]
    pub version: Version,
    /// What spoke HTTP: `wire` or `hyper`.
    pub engine: String,
    /// Requests in flight at a time on one connection. More than one takes a protocol that can do that.
    pub streams: u32,
    /// How much, how many at once, for how long.
    pub load: Load,
    /// How connections were made.
    pub network: Network,
    /// How TLS was spoken; `None` for http.
    pub tls: Option<Tls>,
}

/// The server, as the URL names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// `http` or `https`.
    pub scheme: String,
    /// The host, an IPv6 address without its brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The method.
    pub method: String,
    /// Path and query as typed.
    #[serde(with = "text")]
    pub path: Vec<u8>,
    /// The names of the header fields, as sent.
    pub header_names: Vec<String>,
    /// A digest of the header lines, in which secrets have no part.
    pub headers_sha256: String,
    /// The body, if there is one.
    pub body: Option<Body>,
}

/// A request's body, which is not kept itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// Its length.
    #[serde(deserialize_with = "bounded")]
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
}

/// See [`plan::Load`]. Times are in microseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Requests that the run was to make.
    #[serde(deserialize_with = "bounded")]
    pub requests: u64,
    /// The time after which it was to end.
    #[serde(rename = "time_limit_us", deserialize_with = "bounded_option")]
    pub time_limit: Option<Micros>,
    /// Connections at a time.
    pub concurrency: u32,
    /// Worker threads.
    pub workers: u32,
    /// Time between opening one connection and the next at the start.
    #[serde(rename = "ramp_us", deserialize_with = "bounded")]
    pub ramp: Micros,
    /// How long a connection might be silent.
    #[serde(rename = "silence_us", deserialize_with = "bounded")]
    pub silence: Micros,
    /// Connections were used again.
    pub keep_alive: bool,
    /// A broken connection failed its request instead of ending the run.
    pub tolerate: bool,
    /// Every document had to be as long as the first.
    pub fixed_length: bool,
}

/// See [`plan::Network`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Host and port of the proxy.
    pub proxy: Option<String>,
    /// Local addresses, as typed.
    pub local_addresses: Vec<String>,
    /// Bytes in the buffers of a socket, if they were set.
    #[serde(rename = "socket_buffer_bytes", deserialize_with = "bounded_option")]
    pub socket_buffer: Option<u64>,
}

/// See [`plan::Tls`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tls {
    /// The suites that were offered, by their OpenSSL names, most wanted first.
    pub suites: Vec<String>,
    /// The name that was sent (SNI).
    pub server_name: Option<String>,
    /// The server's certificate was verified.
    pub verified: bool,
    /// The client had a certificate.
    pub client_certificate: bool,
}

impl Conditions {
    /// Those of a plan, whose load is spread over so many workers.
    pub fn new(plan: &Plan, workers: usize) -> Self {
        let engine = if plan.request.for_hyper.is_some() { "hyper" } else { "wire" };
        let scheme = match plan.target.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        Self {
            target: Target {
                scheme: scheme.to_owned(),
                host: plan.target.host.clone(),
                port: plan.target.port,
            },
            requests: vec![Request::new(&plan.request, &plan.target.path)],
            version: plan.request.version,
            engine: engine.to_owned(),
            // HTTP/1 answers one request after the other.
            streams: 1,
            load: Load::new(&plan.load, workers),
            network: Network::new(&plan.network),
            tls: plan.tls.as_ref().map(Tls::new),
        }
    }

    /// Path and query of the first request, which is the report's document.
    pub fn path(&self) -> &[u8] {
        self.requests.first().map_or(b"", |request| &request.path)
    }

    /// Whether requests have a body.
    pub fn has_body(&self) -> bool {
        self.requests.iter().any(|request| request.body.is_some())
    }
}

impl Request {
    fn new(request: &plan::Request, path: &[u8]) -> Self {
        let body =
            |body: &bytes::Bytes| Body { bytes: body.len() as u64, sha256: headers::body_sha256(body) };
        Self {
            method: request.method.clone(),
            path: path.to_vec(),
            header_names: headers::names(&request.fields),
            headers_sha256: headers::sha256(&request.fields),
            body: request.body.as_ref().map(body),
        }
    }
}

impl Load {
    fn new(load: &plan::Load, workers: usize) -> Self {
        // All are within what the command line takes, far below the end of these types.
        let micros = |time: Duration| Micros::try_from(time.as_micros()).unwrap_or(Micros::MAX);
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            requests: load.requests,
            time_limit: load.time_limit.map(micros),
            concurrency: small(load.concurrency),
            workers: small(workers),
            ramp: micros(load.ramp),
            silence: micros(load.silence),
            keep_alive: load.keep_alive,
            tolerate: load.tolerate,
            fixed_length: load.fixed_length,
        }
    }
}

impl Network {
    fn new(network: &plan::Network) -> Self {
        let proxy = network.proxy.as_ref();
        Self {
            proxy: proxy.map(ToString::to_string),
            local_addresses: network.bind.clone(),
            socket_buffer: network.socket_buffer.map(|bytes| bytes as u64),
        }
    }
}

impl Tls {
    fn new(tls: &plan::Tls) -> Self {
        Self {
            suites: tls.suites.iter().map(|suite| suite.name.to_owned()).collect(),
            server_name: tls.server_name.clone(),
            verified: matches!(tls.trust, Trust::Roots(_)),
            client_certificate: tls.identity.is_some(),
        }
    }
}

/// The HTTP version as the request line has it.
mod version {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Version;

    const ALL: [Version; 2] = [Version::Http10, Version::Http11];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(version: &Version, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(version.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
        let text = String::deserialize(deserializer)?;
        let found = ALL.into_iter().find(|version| version.as_str() == text);
        found.ok_or_else(|| D::Error::custom(format!("this rab knows no version of HTTP named `{text}`")))
    }
}
