//! Runs from JSON.
//!
//! In come the bytes of a file, which anybody may have cut, changed or made up; out go [`Run`]s that hold together, or
//! a [`LoadError`] that says what is wrong and what to do.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::error::Category;

use super::check::check;
use super::count::Count;
use super::save::{AllTimes, Bytes, Counts, Document, SavedLengths, SavedRun, SavedServer, Schedule};
use super::series::SavedSeries;
use super::urls::Listed;
use super::{Conditions, Run, SCHEMA, SCHEMA_VERSION, Server, urls};
use crate::record::{Cause, Causes, Detail, Lengths, Recording, Share, Statuses, Streak, Urls};
use crate::run::Address;

/// No file of saved runs is as large: a run takes a megabyte at most, and a list of a million URLs some hundred.
const MOST_BYTES: u64 = 1 << 30;

/// Why a file gives no runs. `Display` says what the file is, or lacks, as the rest of a sentence that begins with its
/// name.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The system does not give it.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// It is larger than any file of saved runs.
    #[error("is no saved run: it is larger than any")]
    TooLarge,
    /// There is nothing in it.
    #[error("is empty, so no saved run; rab saves one with --save FILE")]
    Empty,
    /// It ends too early.
    #[error("is cut short in line {0}; copy it once more, or save the run again")]
    CutShort(usize),
    /// It is something else.
    #[error("is not JSON, so no saved run (line {0}, column {1}); rab saves one with --save FILE")]
    NotJson(usize, usize),
    /// It is JSON of something else.
    #[error("is JSON, but no saved run; rab saves one with --save FILE")]
    NotOurs,
    /// It is of a later rab.
    #[error(
        "is a saved run in a newer format, version {found}, written by rab {rab}; this rab reads versions up to \
             {SCHEMA_VERSION}: use rab {rab} or a newer one"
    )]
    Newer {
        /// The version of the format.
        found: u64,
        /// The version of rab that wrote it.
        rab: String,
    },
    /// A field is missing or has another type.
    #[error("is a damaged saved run: {0}")]
    Malformed(serde_json::Error),
    /// Its numbers contradict each other.
    #[error("is a damaged saved run: in run {number}, {what}")]
    Inconsistent {
        /// Which run, counted from 1.
        number: usize,
        /// What is wrong, as a clause.
        what: String,
    },
}

/// What every version of the format begins with.
#[derive(Deserialize)]
struct Beginning {
    schema: String,
    schema_version: u64,
    #[serde(default)]
    rab: String,
}

/// Reads the runs of a file.
pub fn read(path: &Path) -> Result<Vec<Run>, LoadError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(LoadError::Unreadable)?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(LoadError::Unreadable)?;
    if bytes.len() as u64 == MOST_BYTES { Err(LoadError::TooLarge) } else { from_json(&bytes) }
}

/// The runs that these bytes hold; at least one.
pub fn from_json(bytes: &[u8]) -> Result<Vec<Run>, LoadError> {
    if bytes.trim_ascii().is_empty() {
        return Err(LoadError::Empty);
    }
    let beginning: Beginning = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => LoadError::NotOurs,
        _ => broken(error, bytes),
    })?;
    if beginning.schema != SCHEMA {
        return Err(LoadError::NotOurs);
    }
    if beginning.schema_version > SCHEMA_VERSION {
        // What is not ours is not printed as it is.
        let rab = beginning.rab.chars().filter(char::is_ascii_graphic).take(20).collect();
        return Err(LoadError::Newer { found: beginning.schema_version, rab });
    }
    let document: Document = serde_json::from_slice(bytes).map_err(|error| broken(error, bytes))?;
    let runs = (1..)
        .zip(document.runs)
        .map(|(number, saved)| restore(saved).map_err(|what| LoadError::Inconsistent { number, what }));
    let runs: Vec<Run> = runs.collect::<Result<_, _>>()?;
    if runs.is_empty() { Err(LoadError::NotOurs) } else { Ok(runs) }
}

/// What is wrong with JSON that cannot be read.
fn broken(error: serde_json::Error, bytes: &[u8]) -> LoadError {
    let last_line = bytes.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    // A number that is cut after its point is no number.
    let is_at_end = error.column() == last_line.len() && bytes.starts_with(b"{");
    match error.classify() {
        Category::Syntax if is_at_end => LoadError::CutShort(error.line()),
        Category::Eof => LoadError::CutShort(error.line()),
        Category::Syntax => LoadError::NotJson(error.line(), error.column()),
        Category::Data | Category::Io => LoadError::Malformed(error),
    }
}

/// A run from its parts; what is wrong with them, as a clause.
fn restore(saved: SavedRun) -> Result<Run, String> {
    let began = began(saved.started_unix_us).ok_or("it began at a time that no clock shows")?;
    let conditions = saved.plan;
    check_plan(&conditions)?;
    let mut recording = timed(saved.times)?;
    count(&mut recording, &saved.counts, &saved.bytes);
    recording.failures = saved.failures.into();
    recording.causes = causes(saved.causes)?;
    recording.statuses = statuses(saved.statuses)?;
    recording.odd_lengths = lengths(saved.odd_document_lengths)?;
    recording.shares = saved.shares.into_iter().map(Share::from).collect();
    match (saved.schedule, conditions.load.rate) {
        (Some(Schedule { late, since_planned }), Some(_)) => {
            recording.late = late.0;
            recording.since_planned = since_planned.restore().map_err(damaged("since_planned"))?;
        }
        (None, None) => {}
        _ => return Err("it has only one of a rate and what came of it".to_owned()),
    }
    let saves_urls = saved.urls.is_some();
    let listed = saved.urls.map(|saved| urls::restore(saved, conditions.requests.urls));
    let Listed { names: url_names, urls } = listed.transpose()?.unwrap_or_default();
    recording.urls = urls;
    let series = saved.series.map(SavedSeries::restore).transpose();
    match (&mut recording.detail, series.map_err(|flaw| format!("its series is damaged: {flaw}"))?) {
        (Some(detail), Some(series)) => detail.series = series,
        (None, None) => {}
        _ => return Err("it has only one of a series and the times of 2xx alone".to_owned()),
    }
    let server = server(saved.server);
    check(&recording, &server)?;
    Ok(Run {
        rab: saved.rab,
        machine: saved.machine,
        conditions,
        began,
        elapsed: saved.elapsed_us.0,
        cpu: saved.client.cpu_us.0,
        busiest: saved.client.busiest_us.0,
        ending: saved.ending.into(),
        server,
        recording,
        url_names,
        saves_urls,
    })
}

/// Looks at what no plan says.
fn check_plan(conditions: &Conditions) -> Result<(), String> {
    if conditions.requests.urls == 0 {
        return Err("its plan has no request".to_owned());
    }
    if conditions.load.rate.is_some_and(|rate| rate <= 0.0) {
        return Err("its rate is not above 0".to_owned());
    }
    Ok(())
}

fn began(unix_us: i64) -> Option<SystemTime> {
    let distance = Duration::from_micros(unix_us.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    if unix_us < 0 { epoch.checked_sub(distance) } else { epoch.checked_add(distance) }
}

/// A recording with these times.
fn timed(times: AllTimes) -> Result<Recording, String> {
    let AllTimes { connect, processing, waiting, total, total_2xx } = times;
    let phases = [
        connect.restore().map_err(damaged("connect"))?,
        processing.restore().map_err(damaged("processing"))?,
        waiting.restore().map_err(damaged("waiting"))?,
        total.restore().map_err(damaged("total"))?,
    ];
    let total_2xx = total_2xx.map(|times| times.restore().map_err(damaged("total_2xx"))).transpose()?;
    let detail = total_2xx.map(|total_2xx| Detail { total_2xx, ..Detail::default() });
    Ok(Recording::new(detail, None, Urls::default()).with_phases(phases))
}

/// Names the histogram that a flaw is in.
fn damaged(name: &str) -> impl Fn(String) -> String {
    move |flaw| format!("the histogram of `{name}` is damaged: {flaw}")
}

fn count(recording: &mut Recording, counts: &Counts, bytes: &Bytes) {
    recording.complete = counts.complete.0;
    recording.unfinished = counts.unfinished.0;
    recording.write_errors = counts.write_errors.0;
    recording.kept_alive = counts.kept_alive.0;
    recording.resent = counts.resent.0;
    recording.cut_short = counts.cut_short.0;
    recording.missing = bytes.missing.0;
    recording.received = bytes.received.0;
    recording.sent = bytes.sent.0;
    recording.document = bytes.document.0;
}

fn causes(saved: BTreeMap<String, Count>) -> Result<Causes, String> {
    let mut causes = Causes::default();
    for (name, count) in saved {
        let cause =
            Cause::named(&name).ok_or("a cause of failures has a name that this rab does not know")?;
        causes.count(cause, count.0);
    }
    Ok(causes)
}

fn statuses(saved: BTreeMap<u16, Count>) -> Result<Statuses, String> {
    let mut statuses = Statuses::default();
    for (status, count) in saved {
        if status > 999 {
            return Err(format!("{status} is no status code"));
        }
        statuses.add(status, count.0);
    }
    Ok(statuses)
}

fn lengths(saved: Option<SavedLengths>) -> Result<Lengths, String> {
    let Some(SavedLengths { least, greatest, counts }) = saved else { return Ok(Lengths::default()) };
    let counts = counts.into_iter().map(|(length, times)| (length, times.0));
    Lengths::restore(Some((least.0, greatest.0)), counts)
        .ok_or_else(|| "its lengths of documents are not within their range".to_owned())
}

fn server(saved: SavedServer) -> Server {
    Server {
        software: saved.software,
        version: saved.version,
        stream_limit: saved.stream_limit,
        document_length: saved.document_bytes,
        addresses: saved.addresses.into_iter().map(Address::from).collect(),
        tunnel_refusal: saved.tunnel_refusal,
        tls: saved.tls,
        speaks_tls: saved.answers_in_tls,
        keeps: saved.keeps_connections,
        location: None,
        last_statuses: Streak::None,
    }
}
