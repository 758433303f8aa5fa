//! One run: under which conditions, and what came of it.

use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Conditions;
use crate::plan::{Plan, Version};
use crate::record::{MOST_DISTRIBUTIONS, Micros, Recording, Streak};
use crate::run::{Address, Ending, Handshake, RunResult};

/// All that is known of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The version of rab that measured it.
    pub rab: String,
    /// The machine that it was measured from.
    pub machine: Machine,
    /// What was to be done.
    pub conditions: Conditions,
    /// When the run began, on the wall clock, in whole microseconds.
    pub began: SystemTime,
    /// From just before the first connection to the last event.
    pub elapsed: Micros,
    /// Processor time that the program took meanwhile, user's and system's, over all threads.
    pub cpu: Micros,
    /// Processor time of the worker thread that took most of it.
    pub busiest: Micros,
    /// Why the run ended.
    pub ending: Ending,
    /// What was seen of the server.
    pub server: Server,
    /// The numbers of all complete requests.
    pub recording: Recording,
    /// The name of each URL of a list, by its number; empty without a list, or if a file does not have them.
    pub url_names: Arc<[Box<str>]>,
    /// A file of the run has what is known of each URL: those of a short list always, those of a long one with `--by-url`.
    pub saves_urls: bool,
}

/// What a machine is, as far as that says anything about a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The operating system, such as `linux`.
    pub os: String,
    /// The processor architecture, such as `x86_64`.
    pub arch: String,
    /// Cores that the program may use.
    pub cores: u32,
}

/// What was seen of the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Server {
    /// The `Server` field of the first response up to its first blank; empty if it has none.
    pub software: Vec<u8>,
    /// The version in which it first answered.
    pub version: Option<Version>,
    /// How many requests it takes at a time on one connection, if that is fewer than were to be in flight.
    pub stream_limit: Option<u64>,
    /// Length in bytes of the first document that was received well; of those of the first URL, if there are many.
    pub document_length: Option<u64>,
    /// The addresses that connections went to; with `--all-addresses` in the order of the recording's shares.
    pub addresses: Vec<Address>,
    /// The status by which the proxy first refused to make a tunnel.
    pub tunnel_refusal: Option<u16>,
    /// What the first TLS handshake agreed on.
    pub tls: Option<Secured>,
    /// An answer over plain TCP was TLS.
    pub speaks_tls: bool,
    /// It has kept a connection open after a response, or would have.
    pub keeps: bool,
    /// The `Location` field of the first 3xx response that had one. Stays out of files: it may hold what is secret.
    pub location: Option<Vec<u8>>,
    /// The last statuses, as far as they are alike. Stays out of files, whose series shows more.
    pub last_statuses: Streak,
}

/// What a TLS handshake has agreed on, under OpenSSL's names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secured {
    /// The version: `TLSv1.3`.
    pub version: String,
    /// The cipher suite.
    pub cipher: String,
    /// Bits of the cipher's key.
    pub cipher_bits: u32,
    /// Bits of the key of the server's certificate; 0 if they are not known.
    pub certificate_bits: u32,
    /// Kind and bits of the ephemeral key.
    pub temp_key: Option<String>,
}

impl Run {
    /// The run that a plan led to. Its tape stays with it, but goes to no file.
    pub fn new(plan: &Plan, result: RunResult, machine: Machine) -> Self {
        let url_names = Arc::clone(plan.requests.names());
        let is_short = url_names.len() <= MOST_DISTRIBUTIONS;
        Self {
            rab: env!("CARGO_PKG_VERSION").to_owned(),
            machine,
            conditions: Conditions::new(plan, result.workers),
            began: result.began,
            elapsed: result.elapsed,
            cpu: result.cpu,
            busiest: result.busiest,
            ending: result.ending,
            server: Server {
                software: result.server_software,
                version: result.version,
                stream_limit: result.stream_limit.map(|limit| limit as u64),
                document_length: result.document_length,
                addresses: result.addresses,
                tunnel_refusal: result.tunnel_refusal,
                tls: result.handshake.as_ref().map(Secured::new),
                speaks_tls: result.speaks_tls,
                keeps: result.server_keeps,
                location: result.location,
                last_statuses: result.last_statuses,
            },
            recording: result.recording,
            saves_urls: !url_names.is_empty() && (is_short || plan.output.by_url),
            url_names,
        }
    }
}

impl Secured {
    fn new(handshake: &Handshake) -> Self {
        Self {
            version: handshake.version.to_owned(),
            cipher: handshake.suite.name.to_owned(),
            cipher_bits: u32::from(handshake.suite.bits),
            certificate_bits: handshake.certificate.as_ref().map_or(0, |certificate| certificate.key_bits),
            temp_key: handshake.temp_key.map(ToOwned::to_owned),
        }
    }

    /// The value of ab's line: version, cipher, bits of the certificate's key, bits of the cipher.
    pub fn protocol(&self) -> String {
        format!("{},{},{},{}", self.version, self.cipher, self.certificate_bits, self.cipher_bits)
    }
}
