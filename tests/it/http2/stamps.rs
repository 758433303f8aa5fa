//! When things happen: the phases of requests that share a connection add up, and say what they say under HTTP/1.

use std::fs;

use super::http2;
use crate::support::http2::{Plan, Server, Then};

/// One request, in microseconds.
#[derive(Debug, Clone, Copy)]
struct Sample {
    start: u64,
    connect: u64,
    processing: u64,
    waiting: u64,
    total: u64,
}

/// The requests of a run with these options, in the order in which they began.
fn samples(options: &str, server: &Server, count: u64) -> Vec<Sample> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let done = http2(&format!("{options} --samples {}", file.path().display()), server);
    assert_eq!(done.good_report().counts().complete, count, "{done}");
    let text = fs::read_to_string(file.path()).unwrap();
    let lines = text.lines().skip(1).map(|line| {
        let words: Vec<_> = line.split(',').collect();
        let number = |place: usize| words[place].parse::<u64>().unwrap();
        Sample {
            start: number(0),
            connect: number(2),
            processing: number(3),
            waiting: number(4),
            total: number(5),
        }
    });
    let samples: Vec<_> = lines.collect();
    assert_eq!(samples.len() as u64, count);
    samples
}

#[track_caller]
fn assert_in_order(samples: &[Sample]) {
    for sample in samples {
        assert_eq!(sample.total, sample.connect + sample.processing, "{sample:?}");
        assert!(sample.waiting <= sample.processing, "{sample:?}");
    }
}

fn post(length: usize) -> (tempfile::NamedTempFile, String) {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; length]).unwrap();
    let option = format!("-p {}", body.path().display());
    (body, option)
}

#[test]
fn phases_add_up() {
    let (_small, small) = post(10);
    let (_large, large) = post(300_000);
    for method in ["", &small, &large] {
        for options in ["-n 40 -k", "-n 40", "-n 40 -c 2 --streams 5"] {
            assert_in_order(&samples(&format!("{method} {options}"), &Plan::always(b"hello").start(), 40));
        }
    }
}

/// Only who makes a connection or waits for it has connected.
#[test]
fn connecting_is_who_made_the_connection() {
    let server = Plan::always(b"hello").start();
    let samples = samples("-n 60 --streams 5", &server, 60);
    let connected = samples.iter().filter(|sample| sample.connect > 0).count();
    assert_eq!(connected, 1, "{samples:?}");
    assert!(samples[0].connect > 0);
}

/// The wait is that between the whole request and the first byte of the answer, of a request with a body, too.
#[test]
fn waiting_begins_when_the_request_is_written() {
    let (_small, small) = post(10);
    let (_large, large) = post(300_000);
    for method in ["", &small, &large] {
        for options in ["-n 4 -k", "-n 4", "-n 4 --streams 2"] {
            let plan = Plan::by(|link, request| {
                std::thread::sleep(std::time::Duration::from_millis(40));
                link.answer(request.stream, 200, b"hello");
                Then::Keep
            });
            for sample in samples(&format!("{method} {options}"), &plan.start(), 4) {
                // A busy machine may stamp a request some time after it has left.
                assert!(sample.waiting >= 10_000, "{method} {options} {sample:?}");
            }
        }
    }
}

/// The time in which the server takes the body is not time in which it thinks.
#[test]
fn waiting_does_not_begin_before_the_body_is_written() {
    let (_large, large) = post(100_000);
    let plan = Plan::by(|link, request| {
        if request.is_whole {
            link.answer(request.stream, 200, b"hello");
        } else {
            std::thread::sleep(std::time::Duration::from_millis(300));
            link.grant(0, 100_000);
            link.grant(request.stream, 100_000);
        }
        Then::Keep
    });
    for sample in samples(&format!("{large} -n 3 -k"), &plan.at_head().without_grants().start(), 3) {
        assert!(sample.processing - sample.waiting >= 290_000, "{sample:?}");
    }
}

/// An answer that begins before the body has gone out has nobody waiting for it.
#[test]
fn an_early_answer_has_no_wait() {
    let (_large, large) = post(3_000_000);
    let plan = Plan::by(|link, request| {
        if !request.is_whole {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    for options in ["-n 6 -k", "-n 6", "-n 6 --streams 3"] {
        let server = plan.clone().at_head().without_grants().start();
        let samples = samples(&format!("{large} {options}"), &server, 6);
        assert_in_order(&samples);
        assert!(samples.iter().all(|sample| sample.waiting == 0), "{samples:?}");
    }
}

/// A slow body counts as processing, and the one behind it is not kept waiting by it.
#[test]
fn a_slow_body_does_not_delay_the_others() {
    let plan = Plan::by(|link, request| {
        if request.number == 1 {
            link.head(request.stream, 200, &[]);
        } else {
            link.answer(request.stream, 200, b"hello");
        }
        if request.number == 40 {
            link.data(3, b"hello", true);
        }
        Then::Keep
    });
    let samples = samples("-n 41 --streams 3", &plan.start(), 41);
    assert_in_order(&samples);
    let slow = samples.iter().max_by_key(|sample| sample.processing).unwrap();
    assert!(slow.waiting < slow.processing, "{slow:?}");
}

/// Broken exchanges have stamps as well.
#[test]
fn stamps_of_what_failed() {
    let plan = Plan::by(|link, request| match request.number % 4 {
        0 => {
            link.answer(request.stream, 200, b"hello");
            Then::Keep
        }
        1 => {
            link.reset(request.stream, 2);
            Then::Keep
        }
        2 => {
            link.head(request.stream, 200, &[("content-length", "50")]);
            link.data(request.stream, b"hello", true);
            Then::Keep
        }
        _ => {
            link.head(request.stream, 200, &[]);
            Then::Close
        }
    });
    for options in ["-n 40 -k", "-n 40 --streams 3"] {
        let samples = samples(options, &plan.clone().start(), 40);
        assert_in_order(&samples);
        let last = samples.iter().map(|sample| sample.start + sample.total).max().unwrap();
        assert!(samples.iter().all(|sample| sample.start <= last), "{samples:?}");
    }
}
