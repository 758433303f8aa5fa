//! A plan, a result and a summary for tests.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::{
    Address, Asides, ByUrl, Circumstances, DocumentLength, Ending, Failure, Failures, HtmlRow, Outcome,
    Percent, Phase, Rates, Row, Share, Statuses, Summary, Tape, TlsLines, UrlRow, Version,
};
use crate::plan::{
    Destination, Field, Load, Network, Output, Place, Plan, Request, Requests, Scheme, Target, testing,
};
use crate::record::{Cause, Detail, Planned, Recording, Sample, Stamps, Streak, Tally, Urls};
use crate::run::RunResult;
use crate::saved::{Machine, Run};

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
            by_url: false,
            html: None,
            json: None,
            files: Vec::new(),
        },
        gates: Vec::new(),
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
        workers: 1,
        cpu: 100_000,
        busiest: 100_000,
        last_statuses: Streak::None,
    }
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

/// The run that this plan led to.
pub(crate) fn run(plan: &Plan, result: RunResult) -> Run {
    Run::new(plan, result, Machine { os: "linux".into(), arch: "x86_64".into(), cores: 2 })
}

/// What is made of it.
pub(crate) fn summary(plan: &Plan, result: RunResult) -> Summary {
    Summary::new(&run(plan, result), &plan.output, Asides::of(plan))
}

/// What is printed where JSON with these two percentiles is asked for.
pub(crate) fn json_output() -> Output {
    Output { json: Some(vec![Percent::whole(50), Percent::all_but_thousandths(1)]), ..plan().output }
}

/// Five requests in two and a half seconds, of all kinds, over these many URLs in turn, on schedule or not.
fn five(mut recording: Recording, urls: u32, on_schedule: bool) -> Recording {
    let mut add = |url: u32, [start, done]: [u64; 2], status, outcome| {
        recording.record(&Sample {
            url: url % urls,
            stamps: Stamps { start, connected: start, written: start + 9, first_byte: done - 5, done },
            outcome,
            status,
            document: 100,
            missing: 0,
            kept_alive: outcome == Outcome::Good,
            write_error: false,
            planned: (on_schedule && url > 0).then(|| Planned { at: start - 700, late: url > 2 }),
        });
    };
    add(0, [0, 1_500], Some(200), Outcome::Good);
    add(1, [1_000, 1_234_567], Some(200), Outcome::Good);
    add(2, [1_500, 999_999], Some(503), Outcome::Good);
    add(3, [1_000_000, 2_400_000], Some(200), Outcome::Failed(Failure::Length));
    add(4, [1_234_567, 2_000_000], None, Outcome::Failed(Failure::Receive));
    recording.causes.count(Cause::Closed, 1);
    recording.unfinished = 2;
    (recording.received, recording.sent, recording.document) = (800, 300, 500);
    if let Some(detail) = &mut recording.detail {
        detail.series.observe(1_000_000, 300, 2);
        detail.series.observe(2_400_000, 500, 1);
    }
    recording
}

/// A run of five requests, with all details.
pub(crate) fn mixed() -> Run {
    let mut plan = plan_with_field("X-Key: secret");
    plan.load = Load { requests: 10, concurrency: 2, keep_alive: true, ..plan.load };
    let recording = five(Recording::new(Some(Detail::default()), None, Urls::default()), 1, false);
    run(&plan, RunResult { recording, elapsed: 2_500_000, ending: Ending::TimeLimit, ..run_result() })
}

/// The same of a run with all that ab does not have: a list of two URLs, a schedule, HTTP/2, two addresses, no limit on
/// the requests.
pub(crate) fn modern() -> Run {
    let list = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&list, "/a\n/b?c @/dev/null\n/a\n").unwrap();
    let plan = testing::plan(&format!(
        "--urls {} --shuffle 9223372036854775806 --by-url --http2 --streams 3 -c 2 --rate 2.1 --duration 3 --ramp-up 1 \
         --all-addresses http://127.0.0.1:8080/",
        testing::quoted(list.path())
    ))
    .unwrap();
    let mut recording = five(Recording::new(Some(Detail::default()), None, Urls::new(2, true)), 2, true);
    recording.shares = vec![
        Share { connections: 2, unconnected: 0, complete: 4, failed: 1 },
        Share { connections: 0, unconnected: 3, complete: 1, failed: 1 },
    ];
    let addresses = ["127.0.0.1:8080", "[::1]:8080"].map(|address| Address::Ip(address.parse().unwrap()));
    run(
        &plan,
        RunResult {
            recording,
            elapsed: 2_500_000,
            ending: Ending::TimeLimit,
            version: Some(Version::Http2),
            stream_limit: Some(2),
            addresses: addresses.into(),
            ..run_result()
        },
    )
}

/// A good run of a thousand requests, so many a second, that began so many seconds after others. Half of the requests took
/// ten seconds by that number, one in twenty a tenth more, one in a hundred a fifth.
pub(crate) fn timed(rps: u32, at: u64) -> Run {
    let mut plan = plan();
    plan.load = Load { requests: 1000, concurrency: 10, keep_alive: true, ..plan.load };
    let mut result = run_result();
    let usual = 10_000_000 / u64::from(rps);
    for request in 0..1000 {
        let time = match request {
            0..950 => usual,
            950..990 => usual * 11 / 10,
            _ => usual * 12 / 10,
        };
        result.recording.record(&Sample {
            stamps: Stamps { start: 0, connected: 0, written: 0, first_byte: time, done: time },
            outcome: Outcome::Good,
            status: Some(200),
            document: 100,
            missing: 0,
            kept_alive: true,
            write_error: false,
            planned: None,
            url: 0,
        });
    }
    result.elapsed = 1_000_000_000 / u64::from(rps);
    result.began += Duration::from_secs(at);
    result.cpu = result.elapsed / 10;
    Run { rab: "1.2.3".into(), ..run(&plan, result) }
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
    let mut statuses = Statuses::default();
    statuses.add(200, 100);
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
        url_names: Arc::default(),
        schedule: None,
        figures: None,
        series: None,
        circumstances: Circumstances {
            statuses,
            requests: Some(100),
            ..summary(&plan(), run_result()).circumstances
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
