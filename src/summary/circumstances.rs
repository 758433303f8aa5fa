//! How a run went, beyond the numbers of ab's report: what the hints are about.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use super::{Address, Asides, Ending, FileFormat, Micros, Output, Share, Statuses, Streak, Trouble, Version};
use crate::record::{Lengths, Recording};
use crate::saved::Run;

/// Lengths of the documents received whole, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The least.
    pub least: u64,
    /// The most frequent.
    pub most_common: u64,
    /// The greatest.
    pub greatest: u64,
}

/// Why the scheme of the URL may not be the server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeDoubt {
    /// A plain request was answered with TLS.
    AnsweredInTls,
    /// No TLS handshake came to its end.
    NeverSecured,
}

impl SchemeDoubt {
    fn new(run: &Run) -> Option<Self> {
        let Run { conditions, server, .. } = run;
        if server.speaks_tls {
            return Some(Self::AnsweredInTls);
        }
        // With a proxy on the way, it may as well be this that says nothing.
        let is_direct = conditions.network.proxy().is_none();
        (is_direct && conditions.tls.is_some() && server.tls.is_none()).then_some(Self::NeverSecured)
    }
}

/// How busy the client was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// Processor time of the worker thread that took most of it.
    pub busiest: Micros,
    /// Worker threads that there were.
    pub workers: u64,
    /// The most that the load could be spread over.
    pub connections: u64,
    /// The most that can be busy at a time.
    pub cores: u64,
    /// hyper spoke HTTP/1, where the other engine takes less time for a request.
    pub by_hyper: bool,
}

impl Client {
    fn new(run: &Run) -> Self {
        let Run { conditions, machine, .. } = run;
        Self {
            busiest: run.busiest,
            workers: conditions.load.workers.into(),
            connections: conditions.load.concurrency.into(),
            cores: machine.cores.into(),
            by_hyper: conditions.engine == "hyper" && conditions.version != Version::Http2,
        }
    }
}

/// How the run went, beyond the numbers of ab's report.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the run")]
pub struct Circumstances {
    /// Why the run ended.
    pub ending: Ending,
    /// When the run began, on the wall clock.
    pub began: SystemTime,
    /// When it ended, on the wall clock.
    pub ended: SystemTime,
    /// So many requests were asked for; `None` if time alone was to end the run.
    pub requests: Option<u64>,
    /// The limit on the time of the run (`-t`, `--duration`).
    pub time_limit: Option<Duration>,
    /// A connection was allowed to be silent for so long (`-s`).
    pub silence: Duration,
    /// The report goes to standard output even if an error ended the run (`--partial`).
    pub partial: bool,
    /// The run is saved to a file (`--save`), unless nothing is complete.
    pub saves: bool,
    /// A table of the URLs is to follow the report (`--by-url`).
    pub by_url: bool,
    /// The addresses that connections went to.
    pub addresses: Vec<Address>,
    /// What fell to each of them, if connections went to all of them in turn (`--all-addresses`).
    pub shares: Vec<Share>,
    /// The status by which the proxy first refused to make a tunnel.
    pub tunnel_refusal: Option<u16>,
    /// Requests to be in flight on one connection (`--streams`).
    pub streams: u32,
    /// How many of them the server takes, if that is fewer.
    pub stream_limit: Option<u64>,
    /// The server has kept a connection open after a response, or would have.
    pub server_keeps: bool,
    /// Broken connections did not end the run (`-r`).
    pub tolerate: bool,
    /// The HTTP version of the requests.
    pub version: Version,
    /// How many URLs the run is about.
    pub urls: u64,
    /// Failed requests, if they are of some URLs and not of others.
    pub failing: Option<Trouble>,
    /// Answers with a status that is not 2xx, likewise.
    pub refusing: Option<Trouble>,
    /// Requests have a body under ab's default type, `text/plain`.
    pub plain_text_body: bool,
    /// When the bearer token of the requests expires, if they have one that says so.
    pub token_expiry: Option<Timestamp>,
    /// How often each status was answered.
    pub statuses: Statuses,
    /// The last of them, as far as they are alike.
    pub last_statuses: Streak,
    /// The `Location` field of the first 3xx response that had one.
    pub location: Option<Vec<u8>>,
    /// Which lengths were seen, if some were not that of the first document; `None` with many URLs.
    pub sizes: Option<Sizes>,
    /// Responses that ended before the length that their head announces, and the bytes that these lack.
    pub cut_short: (u64, u64),
    /// Requests that went out once more, since the server had closed the reused connection.
    pub resent: u64,
    /// Why the scheme of the URL may not be the server's.
    pub scheme_doubt: Option<SchemeDoubt>,
    /// How busy the client was.
    pub client: Client,
    /// Remarks about the command line, in whole sentences.
    pub remarks: Vec<String>,
}

impl Circumstances {
    pub(super) fn new(run: &Run, output: &Output, asides: Asides) -> Self {
        let Run { conditions, server, recording, .. } = run;
        let (load, urls) = (&conditions.load, conditions.requests.urls);
        let trouble = |count| Trouble::new(&run.url_names, &recording.urls, count);
        let time = |micros: Micros| Duration::from_micros(micros);
        Self {
            ending: run.ending.clone(),
            began: run.began,
            ended: run.began.checked_add(time(run.elapsed)).unwrap_or(run.began),
            requests: load.requests,
            time_limit: load.time_limit.map(time),
            silence: time(load.silence),
            partial: output.partial,
            saves: output.writes(FileFormat::SavedRun),
            by_url: output.by_url,
            addresses: server.addresses.clone(),
            shares: recording.shares.clone(),
            tunnel_refusal: server.tunnel_refusal,
            streams: conditions.streams,
            stream_limit: server.stream_limit,
            server_keeps: server.keeps,
            tolerate: load.tolerate,
            version: conditions.version,
            urls,
            failing: trouble(|tally| tally.failed),
            refusing: trouble(|tally| tally.non_2xx),
            plain_text_body: asides.plain_text_body,
            token_expiry: asides.token_expiry,
            statuses: recording.statuses.clone(),
            last_statuses: server.last_statuses,
            location: server.location.clone(),
            sizes: if urls == 1 { sizes(recording, server.document_length) } else { None },
            cut_short: (recording.cut_short, recording.missing),
            resent: recording.resent,
            scheme_doubt: SchemeDoubt::new(run),
            client: Client::new(run),
            remarks: asides.remarks,
        }
    }
}

/// The lengths of all whole documents. The recording counts the odd ones one by one; all good ones are as long as the
/// first.
fn sizes(recording: &Recording, first: Option<u64>) -> Option<Sizes> {
    recording.odd_lengths.range()?;
    let mut all = Lengths::default();
    if let Some(first) = first {
        all.count(first, recording.complete.saturating_sub(recording.failures.total()));
    }
    all.merge(&recording.odd_lengths);
    let (least, greatest) = all.range()?;
    Some(Sizes { least, most_common: all.most_common()?, greatest })
}
