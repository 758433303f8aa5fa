//! A plan, a result and a summary for tests.

use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::{
    ByUrl, Circumstances, DocumentLength, Ending, Failure, Failures, HtmlRow, Outcome, Phase, Rates, Row,
    Statuses, Summary, Tape, TlsLines, UrlRow, Version,
};
use crate::plan::{
    Destination, Field, Load, Network, Output, Place, Plan, Request, Requests, Scheme, Target,
};
use crate::record::{Recording, Sample, Stamps, Tally};
use crate::run::RunResult;

/// One plain GET.
pub(crate) fn plan() -> Plan {
    Plan {
        target: Target { scheme: Scheme::Http, host: "127.0.0.1".into(), port: 8080, path: b"/doc".to_vec() },
        requests: Requests::one(Request {
            method: "GET".into(),
            version: Version::Http10,
            fields: [].into(),
            body: None,
            head: Bytes::from_static(b"GET /doc HTTP/1.0\r\n\r\n"),
            for_hyper: None,
            expects_continue: false,
        }),
        load: Load {
            requests: 1,
            time_limit: None,
            concurrency: 1,
            streams: 1,
            workers: 1,
            ramp: Duration::ZERO,
            rate: None,
            silence: Duration::from_secs(30),
            keep_alive: false,
            tolerate: false,
            fixed_length: true,
        },
        network: Network {
            destination: Destination::Server(Place { host: "127.0.0.1".into(), port: 8080 }),
            all_addresses: false,
            bind: Vec::new(),
            socket_buffer: None,
        },
        tls: None,
        output: Output {
            verbosity: 0,
            quiet: false,
            banner: true,
            percentiles: true,
            confidence: true,
            partial: false,
            protocol: false,
            by_url: false,
            html: None,
            files: Vec::new(),
        },
        remarks: Vec::new(),
    }
}

/// One plain GET with this header line.
pub(crate) fn plan_with_field(line: &str) -> Plan {
    let mut plan = plan();
    change_request(&mut plan, |request| request.fields = [Field { line: line.as_bytes().to_vec() }].into());
    plan
}

/// Changes the one request of a plan.
pub(crate) fn change_request(plan: &mut Plan, change: impl FnOnce(&mut Request)) {
    let mut request = plan.requests.first().clone();
    change(&mut request);
    plan.requests = Requests::one(request);
}

/// A run of a second in which nothing was complete.
pub(crate) fn run_result() -> RunResult {
    let began = SystemTime::UNIX_EPOCH + Duration::from_secs(1_760_000_000);
    RunResult {
        recording: Recording::default(),
        elapsed: 1_000_000,
        ending: Ending::Complete,
        version: None,
        stream_limit: None,
        server_software: b"FaultServer/1.0".to_vec(),
        document_length: Some(100),
        addresses: Vec::new(),
        tunnel_refusal: None,
        location: None,
        handshake: None,
        speaks_tls: false,
        server_keeps: false,
        began,
        ended: began + Duration::from_secs(1),
        workers: 1,
        cores: 4,
        cpu: 100_000,
        busiest: 100_000,
    }
}

/// So many answers, all 200.
fn all_good(count: u64) -> Statuses {
    let mut statuses = Statuses::default();
    (0..count).for_each(|_| statuses.count(200));
    statuses
}

/// A table of two URLs and those beyond.
pub(crate) fn by_url() -> ByUrl {
    let row = |name: &str, [complete, failed, non_2xx, sum, max]: [u64; 5], percentiles| UrlRow {
        name: name.into(),
        tally: Tally { complete, failed, non_2xx, sum, max },
        mean: sum / complete,
        percentiles,
    };
    let slow =
        row("POST /b?x=<1>&y @body.json", [20, 2, 1, 3_001_000, 1_200_345], Some([140_210, 1_090_000]));
    let fast = row("GET /", [1_000_000, 0, 0, 700_000_000, 98_765], Some([690, 1_400]));
    ByUrl { rows: vec![slow, fast], others: Some(row("(7 others)", [70, 0, 70, 7_000, 250], None)) }
}

/// A good run of a hundred requests over TLS.
pub(crate) fn staging() -> Summary {
    let row = |phase, [min, mean, median, max]: [u64; 4], deviation| Row {
        phase,
        min: min * 1000,
        mean: mean * 1000,
        deviation,
        median: median * 1000,
        max: max * 1000,
    };
    let html_row = |phase, [min, average, max]: [i64; 3]| HtmlRow { phase, min, average, max };
    let percentiles =
        [(50, 305), (66, 336), (75, 345), (80, 358), (90, 379), (95, 429), (98, 475), (99, 492), (100, 492)];
    Summary {
        server_software: b"nginx/1.18.0".to_vec(),
        hostname: "staging.example.com".into(),
        port: 443,
        tls: Some(TlsLines {
            protocol: "TLSv1.2,ECDHE-RSA-AES128-GCM-SHA256,2048,128".into(),
            temp_key: None,
            server_name: None,
        }),
        protocol: None,
        document_path: b"/api/some-list/?month=11&year=2025".to_vec(),
        document_length: DocumentLength::Fixed(6133),
        concurrency: 10,
        elapsed: 3_368_190,
        complete: 100,
        failures: Failures::default(),
        write_errors: 0,
        non_2xx: 0,
        keep_alive: None,
        transferred: 642_500,
        sent: None,
        html: 613_300,
        rates: Rates::new(10, 3_368_190, 100, 642_500, None),
        table: Some([
            row(Phase::Connect, [39, 77, 69, 193], 31_500.0),
            row(Phase::Processing, [81, 226, 225, 375], 67_600.0),
            row(Phase::Waiting, [81, 226, 225, 375], 67_600.0),
            row(Phase::Total, [145, 303, 305, 492], 67_900.0),
        ]),
        html_table: Some([
            html_row(Phase::Connect, [39, 77, 193]),
            html_row(Phase::Processing, [106, 226, 299]),
            html_row(Phase::Total, [145, 303, 492]),
        ]),
        percentiles: percentiles.map(|(percent, ms)| (percent, ms * 1000)).to_vec(),
        served: Vec::new(),
        by_url: None,
        url_names: Vec::new(),
        schedule: None,
        circumstances: Circumstances {
            statuses: all_good(100),
            requests: 100,
            ..Circumstances::new(&plan(), &run_result())
        },
    }
}

/// Four requests in the order in which they ended: a good one that took 40 ms, one of an odd length on its connection,
/// one that was closed within its head, and one that had no connection.
pub(crate) fn tape() -> Tape {
    let mut tape = Tape::default();
    let mut add = |[start, connected, written, first_byte, done]: [u64; 5], outcome, status, kept_alive| {
        tape.record(&Sample {
            url: 0,
            stamps: Stamps { start, connected, written, first_byte, done },
            outcome,
            status,
            document: if status.is_some() { 6133 } else { 0 },
            missing: 0,
            kept_alive,
            write_error: false,
            planned: None,
        });
    };
    add([12, 1_499, 1_510, 35_000, 40_012], Outcome::Good, Some(200), true);
    add([40_012, 40_012, 40_020, 41_511, 41_512], Outcome::Failed(Failure::Length), Some(404), true);
    add(
        [2_000_000, 2_000_800, 2_000_900, 2_001_000, 2_001_000],
        Outcome::Failed(Failure::Receive),
        None,
        false,
    );
    add(
        [1_999_000, 3_999_000, 3_999_000, 3_999_000, 3_999_000],
        Outcome::Failed(Failure::Connect),
        None,
        false,
    );
    tape
}
