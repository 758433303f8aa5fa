//! Runs as JSON.
//!
//! In come [`Run`]s, out goes the text of a file, which `schema/rab-run-1.json` describes. The same types read it again
//! in `load`.

use std::collections::BTreeMap;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Serialize};

use super::count::{Count, bounded_option};
use super::ending::SavedEnding;
use super::network::{SavedAddress, SavedShare};
use super::run::{Machine, Secured};
use super::series::{SavedFailures, SavedSeries};
use super::times::Times;
use super::urls::SavedUrl;
use super::{Conditions, Run, SCHEMA, SCHEMA_VERSION, text, urls, version};
use crate::plan::Version;
use crate::record::{Lengths, Phase, Recording};
use crate::stats::ab;

/// A whole file.
#[derive(Serialize, Deserialize)]
pub(super) struct Document {
    schema: String,
    schema_version: u64,
    /// Who wrote the file.
    rab: String,
    pub(super) runs: Vec<SavedRun>,
}

/// See [`Run`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedRun {
    pub(super) rab: String,
    pub(super) machine: Machine,
    /// For people; the number beside it is what is read.
    #[serde(skip_deserializing)]
    started: String,
    pub(super) started_unix_us: i64,
    pub(super) elapsed_us: Count,
    pub(super) ending: SavedEnding,
    /// For people, derived from all the rest; not read back.
    #[serde(skip_deserializing)]
    summary: Option<Figures>,
    pub(super) plan: Conditions,
    pub(super) server: SavedServer,
    pub(super) client: Client,
    pub(super) counts: Counts,
    pub(super) failures: SavedFailures,
    pub(super) causes: BTreeMap<String, Count>,
    pub(super) statuses: BTreeMap<u16, Count>,
    pub(super) bytes: Bytes,
    pub(super) odd_document_lengths: Option<SavedLengths>,
    pub(super) times: AllTimes,
    pub(super) schedule: Option<Schedule>,
    /// By address, in the order of those of the server.
    pub(super) shares: Vec<SavedShare>,
    #[serde(serialize_with = "urls::lines")]
    pub(super) urls: Option<Vec<SavedUrl>>,
    pub(super) series: Option<SavedSeries>,
}

/// The figures that people look for first.
#[derive(Serialize)]
struct Figures {
    requests_per_second: f64,
    mean_us: u64,
    p50_us: u64,
    p95_us: u64,
    p99_us: u64,
}

/// See [`Server`](super::Server).
#[derive(Serialize, Deserialize)]
pub(super) struct SavedServer {
    #[serde(with = "text")]
    pub(super) software: Vec<u8>,
    #[serde(rename = "http_version", with = "version::option")]
    pub(super) version: Option<Version>,
    #[serde(deserialize_with = "bounded_option")]
    pub(super) stream_limit: Option<u64>,
    #[serde(deserialize_with = "bounded_option")]
    pub(super) document_bytes: Option<u64>,
    pub(super) addresses: Vec<SavedAddress>,
    pub(super) tunnel_refusal: Option<u16>,
    pub(super) tls: Option<Secured>,
    pub(super) answers_in_tls: bool,
    pub(super) keeps_connections: bool,
}

/// What the run cost this machine.
#[derive(Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) cpu_us: Count,
    pub(super) busiest_us: Count,
}

/// Counts of requests.
#[derive(Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) complete: Count,
    pub(super) unfinished: Count,
    pub(super) write_errors: Count,
    pub(super) kept_alive: Count,
    pub(super) resent: Count,
    pub(super) cut_short: Count,
}

/// Counts of bytes.
#[derive(Serialize, Deserialize)]
pub(super) struct Bytes {
    pub(super) received: Count,
    pub(super) sent: Count,
    pub(super) document: Count,
    pub(super) missing: Count,
}

/// See [`Lengths`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedLengths {
    pub(super) least: Count,
    pub(super) greatest: Count,
    pub(super) counts: BTreeMap<u64, Count>,
}

/// The times of all phases.
#[derive(Serialize, Deserialize)]
pub(super) struct AllTimes {
    pub(super) connect: Times,
    pub(super) processing: Times,
    pub(super) waiting: Times,
    pub(super) total: Times,
    pub(super) total_2xx: Option<Times>,
}

/// How a schedule was kept.
#[derive(Serialize, Deserialize)]
pub(super) struct Schedule {
    pub(super) late: Count,
    pub(super) since_planned: Times,
}

/// The text of a file with these runs.
///
/// # Panics
///
/// Never: all keys are strings or numbers, and no part can fail to be written.
#[expect(clippy::expect_used, reason = "see above")]
pub fn to_json(runs: &[Run]) -> String {
    let document = Document {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        rab: env!("CARGO_PKG_VERSION").to_owned(),
        runs: runs.iter().map(SavedRun::from).collect(),
    };
    serde_json::to_string_pretty(&document).expect("every run can be written") + "\n"
}

impl From<&Run> for SavedRun {
    fn from(run: &Run) -> Self {
        let Recording { failures, causes, statuses, detail, .. } = &run.recording;
        Self {
            rab: run.rab.clone(),
            machine: run.machine.clone(),
            started: rfc_3339(run.began),
            started_unix_us: timestamp(run.began).as_microsecond(),
            elapsed_us: Count(run.elapsed),
            ending: SavedEnding::from(&run.ending),
            summary: Figures::new(run),
            plan: run.conditions.clone(),
            server: SavedServer::new(&run.server),
            client: Client { cpu_us: Count(run.cpu), busiest_us: Count(run.busiest) },
            counts: Counts::new(&run.recording),
            failures: (*failures).into(),
            causes: causes.iter().map(|(cause, count)| (cause.name().to_owned(), Count(count))).collect(),
            statuses: statuses.iter().map(|(status, count)| (status, Count(count))).collect(),
            bytes: Bytes::new(&run.recording),
            odd_document_lengths: SavedLengths::new(&run.recording.odd_lengths),
            times: AllTimes::new(&run.recording),
            schedule: Schedule::new(run),
            shares: run.recording.shares.iter().map(SavedShare::from).collect(),
            urls: urls::saved(run),
            series: detail.as_ref().map(|detail| SavedSeries::from(&detail.series)),
        }
    }
}

/// The moment, 1970 if no calendar has it.
fn timestamp(moment: SystemTime) -> Timestamp {
    Timestamp::try_from(moment).unwrap_or_default()
}

/// In UTC with six decimals (RFC 3339).
fn rfc_3339(moment: SystemTime) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
    PRINTER.timestamp_to_string(&timestamp(moment))
}

impl Figures {
    fn new(run: &Run) -> Option<Self> {
        let times = &run.recording.phase(Phase::Total);
        let percentile = |percent| ab::percentile(times, percent);
        (times.count() > 0).then(|| Self {
            requests_per_second: times.count() as f64 / ab::seconds(run.elapsed.max(1)),
            mean_us: ab::mean(times),
            p50_us: percentile(50),
            p95_us: percentile(95),
            p99_us: percentile(99),
        })
    }
}

impl SavedServer {
    fn new(server: &super::Server) -> Self {
        Self {
            software: server.software.clone(),
            version: server.version,
            stream_limit: server.stream_limit,
            document_bytes: server.document_length,
            addresses: server.addresses.iter().map(SavedAddress::from).collect(),
            tunnel_refusal: server.tunnel_refusal,
            tls: server.tls.clone(),
            answers_in_tls: server.speaks_tls,
            keeps_connections: server.keeps,
        }
    }
}

impl Counts {
    fn new(recording: &Recording) -> Self {
        Self {
            complete: Count(recording.complete),
            unfinished: Count(recording.unfinished),
            write_errors: Count(recording.write_errors),
            kept_alive: Count(recording.kept_alive),
            resent: Count(recording.resent),
            cut_short: Count(recording.cut_short),
        }
    }
}

impl Bytes {
    fn new(recording: &Recording) -> Self {
        Self {
            received: Count(recording.received),
            sent: Count(recording.sent),
            document: Count(recording.document),
            missing: Count(recording.missing),
        }
    }
}

impl SavedLengths {
    fn new(lengths: &Lengths) -> Option<Self> {
        let (least, greatest) = lengths.range()?;
        let counts = lengths.counts().map(|(length, times)| (length, Count(times))).collect();
        Some(Self { least: Count(least), greatest: Count(greatest), counts })
    }
}

impl AllTimes {
    fn new(recording: &Recording) -> Self {
        let times = |phase| Times::from(&recording.phase(phase));
        Self {
            connect: times(Phase::Connect),
            processing: times(Phase::Processing),
            waiting: times(Phase::Waiting),
            total: times(Phase::Total),
            total_2xx: recording.detail.as_ref().map(|detail| Times::from(&detail.total_2xx)),
        }
    }
}

impl Schedule {
    /// `None` for a run without one.
    fn new(run: &Run) -> Option<Self> {
        let recording = &run.recording;
        run.conditions.load.rate.map(|_| Self {
            late: Count(recording.late),
            since_planned: Times::from(&recording.since_planned),
        })
    }
}
