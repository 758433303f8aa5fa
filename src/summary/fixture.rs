//! A plan, a result and a summary for tests.

use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::{
    Asides, Circumstances, DocumentLength, Ending, Failure, Failures, HtmlRow, Outcome, Percent, Phase,
    Rates, Row, Statuses, Summary, Tape, TlsLines, Version,
};
use crate::plan::{Field, Load, Network, Output, Plan, Request, Scheme, Target};
use crate::record::{Cause, Detail, Recording, Sample, Stamps};
use crate::run::RunResult;
use crate::saved::{Machine, Run};

/// One plain GET.
pub(crate) fn plan() -> Plan {
    Plan {
        target: Target { scheme: Scheme::Http, host: "127.0.0.1".into(), port: 8080, path: b"/doc".to_vec() },
        request: Request {
            method: "GET".into(),
            version: Version::Http10,
            fields: Vec::new(),
            body: None,
            head: Bytes::from_static(b"GET /doc HTTP/1.0\r\n\r\n"),
            for_hyper: None,
            expects_continue: false,
        },
        load: Load {
            requests: 1,
            time_limit: None,
            concurrency: 1,
            workers: 1,
            ramp: Duration::ZERO,
            silence: Duration::from_secs(30),
            keep_alive: false,
            tolerate: false,
            fixed_length: true,
        },
        network: Network { proxy: None, bind: Vec::new(), socket_buffer: None },
        tls: None,
        output: Output {
            verbosity: 0,
            quiet: false,
            banner: true,
            percentiles: true,
            confidence: true,
            partial: false,
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
    plan.request.fields = vec![Field { line: line.as_bytes().to_vec() }];
    plan
}

/// A run of a second in which nothing was complete.
pub(crate) fn run_result() -> RunResult {
    let began = SystemTime::UNIX_EPOCH + Duration::from_secs(1_760_000_000);
    RunResult {
        recording: Recording::default(),
        elapsed: 1_000_000,
        ending: Ending::Complete,
        server_software: b"FaultServer/1.0".to_vec(),
        document_length: Some(100),
        addresses: Vec::new(),
        location: None,
        handshake: None,
        speaks_tls: false,
        server_keeps: false,
        began,
        workers: 1,
        cpu: 100_000,
    }
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

/// A run of five requests in two and a half seconds, of all kinds, with all details.
pub(crate) fn mixed() -> Run {
    let mut plan = plan();
    plan.load = Load { requests: 10, concurrency: 2, keep_alive: true, ..plan.load };
    plan.request.fields = vec![Field { line: b"X-Key: secret".to_vec() }];
    let mut result = run_result();
    result.recording = Recording::with(Some(Detail::default()), None);
    let recording = &mut result.recording;
    let mut add = |[start, done]: [u64; 2], status, outcome| {
        recording.record(&Sample {
            stamps: Stamps { start, connected: start, written: start + 9, first_byte: done - 5, done },
            outcome,
            status,
            document: 100,
            missing: 0,
            kept_alive: outcome == Outcome::Good,
            write_error: false,
        });
    };
    add([0, 1_500], Some(200), Outcome::Good);
    add([1_000, 1_234_567], Some(200), Outcome::Good);
    add([1_500, 999_999], Some(503), Outcome::Good);
    add([1_000_000, 2_400_000], Some(200), Outcome::Failed(Failure::Length));
    add([1_234_567, 2_000_000], None, Outcome::Failed(Failure::Receive));
    recording.causes.count(Cause::Closed, 1);
    recording.unfinished = 2;
    (recording.received, recording.sent, recording.document) = (800, 300, 500);
    if let Some(detail) = &mut recording.detail {
        detail.series.observe(1_000_000, 300, 2);
        detail.series.observe(2_400_000, 500, 1);
    }
    result.elapsed = 2_500_000;
    result.ending = Ending::TimeLimit;
    run(&plan, result)
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
        });
    }
    result.elapsed = 1_000_000_000 / u64::from(rps);
    result.began += Duration::from_secs(at);
    result.cpu = result.elapsed / 10;
    Run { rab: "1.2.3".into(), ..run(&plan, result) }
}

/// What is made of it with this output.
pub(crate) fn measured(output: &Output) -> Summary {
    Summary::new(&mixed(), output, Asides::default())
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
        [(50, 305), (66, 336), (75, 345), (80, 358), (90, 379), (95, 429), (98, 475), (99, 492)];
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
        percentiles: percentiles
            .into_iter()
            .chain([(100, 492)])
            .map(|(percent, ms)| (percent, ms * 1000))
            .collect(),
        served: Vec::new(),
        figures: None,
        series: None,
        circumstances: Circumstances {
            statuses,
            requests: 100,
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
            stamps: Stamps { start, connected, written, first_byte, done },
            outcome,
            status,
            document: if status.is_some() { 6133 } else { 0 },
            missing: 0,
            kept_alive,
            write_error: false,
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
