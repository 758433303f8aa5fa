//! What a request costs in each part that it passes: reading its response, recording it, and at the end the statistics.
//!
//! `cargo bench --bench parts`; criterion compares with the run before.

#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

use rab::proto::fuzzing::outcome;
use rab::record::{Outcome, Phase, Recording, Sample, Stamps};
use rab::stats::ab;

/// What nginx answers.
const SHORT: &str = "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\nContent-Type: \
                     text/plain\r\nContent-Length: 6\r\nConnection: keep-alive\r\n\r\nHello\n";

/// A good request that took about so many microseconds, on a new connection or on one that was there.
fn sample(time: u64, is_new: bool) -> Sample {
    let connected = if is_new { time / 4 } else { 0 };
    let stamps = Stamps { start: 0, connected, written: connected + 3, first_byte: time, done: time + 5 };
    Sample {
        stamps,
        outcome: Outcome::Good,
        status: Some(200),
        document: 6,
        missing: 0,
        kept_alive: !is_new,
        write_error: false,
        planned: None,
        url: 0,
    }
}

/// Times as a server has them: most near each other, a few far off.
fn times() -> impl Iterator<Item = u64> {
    (0..100_000_u64).map(|number| 200 + number * 7919 % 500 + if number % 1000 == 0 { 200_000 } else { 0 })
}

fn recording() -> Recording {
    let mut recording = Recording::default();
    times().for_each(|time| recording.record(&sample(time, time % 10 == 0)));
    recording
}

fn responses(criterion: &mut Criterion) {
    let fields = format!("X-Some-Field: {}\r\n", "v".repeat(60)).repeat(40);
    let long = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 0\r\n\r\n");
    let chunks = format!("400\r\n{}\r\n", "x".repeat(1024)).repeat(64);
    let chunked = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
    let mut group = criterion.benchmark_group("response");
    for (name, text) in [("short", SHORT), ("40 fields", &long), ("64 chunks", &chunked)] {
        assert!(outcome(text.as_bytes(), &[], false, false).result.is_ok());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| outcome(black_box(text.as_bytes()), &[], false, false));
        });
    }
    group.finish();
}

fn records(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("record");
    for (name, is_new) in [("kept connection", false), ("new connection", true)] {
        let samples: Vec<_> = times().map(|time| sample(time, is_new)).collect();
        let (mut recording, mut next) = (recording(), samples.iter().cycle());
        group.throughput(Throughput::Elements(1));
        group.bench_function(name, |bencher| {
            bencher.iter(|| recording.record(black_box(next.next().unwrap())));
        });
    }
    group.finish();
    let part = recording();
    criterion.bench_function("merge", |bencher| {
        let parts = || (part.clone(), part.clone());
        bencher.iter_batched(parts, |(mut mine, theirs)| mine.merge(theirs), BatchSize::LargeInput);
    });
}

fn statistics(criterion: &mut Criterion) {
    let recording = recording();
    let total = recording.phase(Phase::Total);
    let mut group = criterion.benchmark_group("statistics");
    group.bench_function("table", |bencher| {
        bencher.iter(|| Phase::ALL.map(|phase| ab::Row::new(black_box(&recording), phase)));
    });
    group.bench_function("percentiles", |bencher| {
        bencher.iter(|| ab::percentiles(black_box(&total)));
    });
    group.bench_function("curve", |bencher| {
        bencher.iter(|| ab::served_curve(black_box(&total)));
    });
    group.finish();
}

criterion_group!(parts, responses, records, statistics);
criterion_main!(parts);
