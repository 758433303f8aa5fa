//! The plan of a run as far as two runs must have it in common to be compared.
//!
//! In comes the [`Plan`], out go [`Conditions`], as they stand in the file. What is only about how a run is shown is
//! not among them, and nothing that is secret.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::count::{bounded, bounded_option};
use super::{Network, Requests, version};
use crate::plan::{self, Plan, Scheme, Trust, UNBOUNDED, Version};
use crate::record::Micros;

/// What a run was to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Where the requests went.
    pub target: Target,
    /// What was asked for, in turn.
    pub requests: Requests,
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

/// See [`plan::Load`]. Times are in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Requests that the run was to make; `None` if time alone was to end it.
    #[serde(deserialize_with = "bounded_option")]
    pub requests: Option<u64>,
    /// The time after which it was to end.
    #[serde(rename = "time_limit_us", deserialize_with = "bounded_option")]
    pub time_limit: Option<Micros>,
    /// Connections at a time.
    pub concurrency: u32,
    /// Worker threads.
    pub workers: u32,
    /// Time over which connections were opened at the start.
    #[serde(rename = "ramp_up_us", deserialize_with = "bounded")]
    pub ramp: Micros,
    /// Requests a second, if they were sent on a schedule.
    #[serde(rename = "rate_per_second")]
    pub rate: Option<f64>,
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
        let first = plan.requests.first();
        let engine = if first.for_hyper.is_some() { "hyper" } else { "wire" };
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
            requests: Requests::new(&plan.requests, &plan.target.path),
            version: first.version,
            engine: engine.to_owned(),
            streams: small(plan.load.streams),
            load: Load::new(&plan.load, workers),
            network: Network::new(&plan.network),
            tls: plan.tls.as_ref().map(Tls::new),
        }
    }

    /// Requests in flight at a time: the report's concurrency level.
    pub fn in_flight(&self) -> usize {
        let number = |count| usize::try_from(count).unwrap_or(usize::MAX);
        number(self.load.concurrency).saturating_mul(number(self.streams))
    }
}

impl Load {
    fn new(load: &plan::Load, workers: usize) -> Self {
        // All are within what the command line takes, far below the end of these types.
        let micros = |time: Duration| Micros::try_from(time.as_micros()).unwrap_or(Micros::MAX);
        Self {
            requests: Some(load.requests).filter(|requests| *requests != UNBOUNDED),
            time_limit: load.time_limit.map(micros),
            concurrency: small(load.concurrency),
            workers: small(workers),
            ramp: micros(load.ramp),
            rate: load.rate,
            silence: micros(load.silence),
            keep_alive: load.keep_alive,
            tolerate: load.tolerate,
            fixed_length: load.fixed_length,
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

/// A number that the command line keeps far below the end of 32 bits.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
