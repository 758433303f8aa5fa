//! The report in JSON (`--json`), which `schema/rab-summary-1.json` describes.
//!
//! In comes a [`Summary`], out goes one document: all of ab's numbers under plain names, and what ab has no line for.
//! Times are whole microseconds where they are measured, and carry their unit in their name. A name once given stays.

mod parts;
mod times;

use std::collections::BTreeMap;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::Serialize;

use self::parts::{Share, Urls};
use self::times::{AllTimes, OnSchedule};
use super::series_json::SeriesFields;
use crate::summary::{
    Circumstances, DocumentLength, Ending, Fatal, Figures, Rates, Signal, Summary, Version, seconds,
};

/// What the document calls itself, and the version of its names.
const SCHEMA: (&str, u32) = ("rab-summary", 1);

/// Bytes in a kilobyte of ab's transfer rates, which are bytes here.
const KILOBYTE: f64 = 1024.0;

#[derive(Serialize)]
struct Report<'a> {
    schema: &'a str,
    schema_version: u32,
    rab: &'a str,
    target: Target<'a>,
    server_software: String,
    tls: Option<Tls<'a>>,
    document_bytes: Option<u64>,
    method: &'a str,
    urls: u64,
    http_version: &'a str,
    protocol: Option<&'a str>,
    engine: &'a str,
    concurrency: usize,
    streams: u32,
    stream_limit: Option<u64>,
    workers: u32,
    keep_alive: bool,
    started: String,
    started_unix_us: i64,
    elapsed_us: u64,
    ending: End,
    requests: Requests,
    failures: Failures,
    causes: BTreeMap<&'a str, u64>,
    statuses: BTreeMap<u16, u64>,
    bytes: Bytes,
    rates: Option<AllRates>,
    achieved_concurrency: f64,
    times: Option<AllTimes<'a>>,
    schedule: Option<OnSchedule<'a>>,
    by_url: Option<Urls<'a>>,
    shares: Vec<Share>,
    client: Client<'a>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    series: Option<SeriesFields>,
}

#[derive(Serialize)]
struct Target<'a> {
    scheme: &'a str,
    host: &'a str,
    port: u16,
    path: String,
}

#[derive(Serialize)]
struct Tls<'a> {
    protocol: &'a str,
    temp_key: Option<&'a str>,
    server_name: Option<&'a str>,
}

#[derive(Serialize)]
struct End {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Serialize)]
struct Requests {
    planned: Option<u64>,
    complete: u64,
    failed: u64,
    /// Whole responses with a status of 2xx.
    whole_2xx: u64,
    non_2xx: u64,
    write_errors: u64,
    kept_alive: Option<u64>,
    resent: u64,
    cut_short: u64,
    in_flight_at_end: u64,
}

#[derive(Serialize)]
struct Failures {
    connect: u64,
    receive: u64,
    length: u64,
    exceptions: u64,
}

#[derive(Serialize)]
struct Bytes {
    received: u64,
    sent: u64,
    document: u64,
    missing: u64,
}

#[derive(Serialize)]
struct AllRates {
    requests_per_second: f64,
    whole_2xx_per_second: f64,
    time_per_request_us: f64,
    time_per_request_across_all_us: f64,
    received_bytes_per_second: f64,
    sent_bytes_per_second: f64,
}

#[derive(Serialize)]
struct Client<'a> {
    cpu_us: u64,
    os: &'a str,
    arch: &'a str,
    cores: u32,
}

/// The document, with a line end; empty without the figures that it needs.
///
/// # Panics
///
/// Never: all keys are strings or numbers, and no part can fail to be written.
#[expect(clippy::expect_used, reason = "see above")]
pub(super) fn json(summary: &Summary) -> Vec<u8> {
    let Some(figures) = &summary.figures else { return Vec::new() };
    let mut bytes =
        serde_json::to_vec_pretty(&document(summary, figures)).expect("every part can be written");
    bytes.push(b'\n');
    bytes
}

fn document<'a>(summary: &'a Summary, figures: &'a Figures) -> Report<'a> {
    let (conditions, circumstances) = (&figures.conditions, &summary.circumstances);
    let began = timestamp(circumstances.began);
    Report {
        schema: SCHEMA.0,
        schema_version: SCHEMA.1,
        rab: &figures.rab,
        target: Target {
            scheme: &conditions.target.scheme,
            host: &summary.hostname,
            port: summary.port,
            path: text(&conditions.requests.first.path),
        },
        server_software: text(&summary.server_software),
        tls: summary.tls.as_ref().map(|tls| Tls {
            protocol: &tls.protocol,
            temp_key: tls.temp_key.as_deref(),
            server_name: tls.server_name.as_deref(),
        }),
        document_bytes: match summary.document_length {
            DocumentLength::Fixed(bytes) => Some(bytes),
            DocumentLength::Variable => None,
        },
        method: &conditions.requests.first.method,
        urls: conditions.requests.urls,
        http_version: conditions.version.as_str(),
        protocol: figures.version.map(Version::as_str),
        engine: &conditions.engine,
        concurrency: summary.concurrency,
        streams: conditions.streams,
        stream_limit: circumstances.stream_limit,
        workers: conditions.load.workers,
        keep_alive: conditions.load.keep_alive,
        started: format!("{began:.6}"),
        started_unix_us: began.as_microsecond(),
        elapsed_us: summary.elapsed,
        ending: End::new(circumstances),
        requests: Requests::new(summary, figures),
        failures: Failures::new(summary),
        causes: figures.causes.iter().map(|(cause, count)| (cause.name(), count)).collect(),
        statuses: figures.statuses.iter().collect(),
        bytes: Bytes {
            received: summary.transferred,
            sent: figures.sent,
            document: summary.html,
            missing: circumstances.cut_short.1,
        },
        rates: summary.rates.as_ref().map(|rates| AllRates::new(summary, figures, rates)),
        achieved_concurrency: figures.achieved_concurrency,
        times: AllTimes::new(figures),
        schedule: OnSchedule::new(summary, figures),
        by_url: summary.by_url.as_ref().map(Urls::new),
        shares: Share::all(circumstances),
        client: Client {
            cpu_us: figures.cpu,
            os: &figures.machine.os,
            arch: &figures.machine.arch,
            cores: figures.machine.cores,
        },
        series: summary.series.as_ref().map(SeriesFields::new),
    }
}

/// Bytes as text; what is no UTF-8 is replaced, since JSON has no other strings.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The moment, 1970 if no calendar has it.
fn timestamp(moment: SystemTime) -> Timestamp {
    Timestamp::try_from(moment).unwrap_or_default()
}

impl End {
    fn new(circumstances: &Circumstances) -> Self {
        let message = |fatal: &Fatal| Some(fatal.to_string().trim().to_owned());
        let (kind, signal, message) = match &circumstances.ending {
            Ending::Complete => ("complete", None, None),
            Ending::TimeLimit => ("time_limit", None, None),
            Ending::Interrupted(Signal::Interrupt) => ("interrupted", Some("SIGINT"), None),
            Ending::Interrupted(Signal::Terminate) => ("interrupted", Some("SIGTERM"), None),
            Ending::Failed(fatal) => ("failed", None, message(fatal)),
        };
        Self { kind, signal, message }
    }
}

impl Requests {
    fn new(summary: &Summary, figures: &Figures) -> Self {
        let circumstances = &summary.circumstances;
        Self {
            planned: circumstances.requests,
            complete: summary.complete,
            failed: summary.failures.total(),
            whole_2xx: count_2xx(figures),
            non_2xx: summary.non_2xx,
            write_errors: summary.write_errors,
            kept_alive: summary.keep_alive,
            resent: circumstances.resent,
            cut_short: circumstances.cut_short.0,
            in_flight_at_end: figures.unfinished,
        }
    }
}

impl Failures {
    fn new(summary: &Summary) -> Self {
        let failures = summary.failures;
        Self {
            connect: failures.connect,
            receive: failures.receive,
            length: failures.length,
            exceptions: failures.exceptions,
        }
    }
}

fn count_2xx(figures: &Figures) -> u64 {
    figures.total_2xx.as_ref().map_or(0, |times| times.count)
}

impl AllRates {
    fn new(summary: &Summary, figures: &Figures, rates: &Rates) -> Self {
        let time = seconds(summary.elapsed.max(1));
        Self {
            requests_per_second: rates.requests_per_second,
            whole_2xx_per_second: count_2xx(figures) as f64 / time,
            time_per_request_us: rates.ms_per_request * 1000.0,
            time_per_request_across_all_us: rates.ms_across_all * 1000.0,
            received_bytes_per_second: rates.received * KILOBYTE,
            sent_bytes_per_second: figures.sent as f64 / time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Asides, Output, fixture};
    use serde_json::Value;

    #[test]
    fn the_document_is_as_expected() {
        let modern = Output { by_url: true, ..fixture::json_output() };
        for (run, output, expected) in [
            (fixture::mixed(), fixture::json_output(), include_str!("expected/summary.json")),
            (fixture::modern(), modern, include_str!("expected/modern.json")),
        ] {
            let json = json(&Summary::new(&run, &output, Asides::default()));
            assert_eq!(String::from_utf8(json).unwrap(), expected);
        }
    }

    #[test]
    fn nothing_complete_has_no_rates_and_no_times() {
        let mut plan = fixture::plan();
        plan.output = fixture::json_output();
        let value: Value =
            serde_json::from_slice(&json(&fixture::summary(&plan, fixture::run_result()))).unwrap();
        assert_eq!((&value["rates"], &value["times"]), (&Value::Null, &Value::Null));
        assert_eq!(value["requests"]["complete"], 0);
    }
}
