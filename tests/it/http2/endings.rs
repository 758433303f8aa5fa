//! How a run ends in the midst of streams: by silence, the clock, a signal.

use std::time::Duration;

use super::http2;
use crate::support::http2::{Plan, Then};
use crate::support::rab::{Rab, ask};
use crate::support::report::Counts;

/// Answers so many requests, and no more.
fn falling_silent(after: usize) -> Plan {
    Plan::by(move |link, request| {
        if request.number < after {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    })
}

#[test]
fn silence_ends_the_run() {
    for options in ["-n 9 -k", "-n 9 --streams 3"] {
        let done = http2(&format!("{options} -s 1"), &falling_silent(4).start());
        done.assert_ended("apr_pollset_poll: The timeout specified has expired (70007)", 119, 4);
        done.assert_hint(&["-s", "-r"]);
    }
}

/// Requests that share a connection are silent together. With `-r` each of them has failed, and the others go out on a
/// new one.
#[test]
fn silence_with_r_fails_what_was_in_flight() {
    let plan = Plan::by(|link, request| {
        if link.number() > 0 || request.place == 0 {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 15 --streams 5 -s 1 -r", &server);
    assert_eq!(done.good_report().counts(), Counts::receive(15, 5), "{done}");
    assert_eq!(server.connections().len(), 2);
    assert!(done.took < Duration::from_secs(10), "the five were silent at the same time: {done}");
}

/// One stream without an answer among others that go on: it waits until they are through.
#[test]
fn one_silent_stream_among_busy_ones() {
    let plan = Plan::by(|link, request| {
        if request.number != 3 {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    let done = http2("-n 50 --streams 4 -s 1 -r", &plan.start());
    assert_eq!(done.good_report().counts(), Counts::receive(50, 1), "{done}");
}

#[test]
fn the_clock_ends_a_run_in_the_midst_of_streams() {
    let server = falling_silent(7).start();
    let done = ask("--http2 -t 1 --streams 4", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(7), "{done}");
    assert!(done.took < Duration::from_secs(10), "{done}");
    assert_eq!(server.ended_connections().len(), 1);
}

#[test]
fn the_clock_ends_a_run_in_the_midst_of_a_body() {
    let plan = Plan::by(|link, request| {
        if request.number < 2 {
            link.answer(request.stream, 200, b"hello");
        } else {
            link.head(request.stream, 200, &[("content-length", "5")]);
            link.data(request.stream, b"hel", false);
        }
        Then::Keep
    });
    let done = ask("--http2 -t 1 --streams 2", &plan.start().url());
    let report = done.good_report();
    assert_eq!(report.counts(), Counts::good(2), "{done}");
    assert_eq!(done.hints(), [""; 0], "what was cut by the clock is not cut short: {done}");
}

#[test]
fn a_signal_reports_what_is_complete() {
    for (options, streams) in [("-k", 1), ("--streams 4", 4), ("-c 2 --streams 2 -W 2", 4)] {
        let server = falling_silent(10).start();
        let words: Vec<_> = options.split_whitespace().collect();
        let url = server.url();
        let running =
            Rab::new(["--http2", "-n", "50"].into_iter().chain(words).chain([url.as_str()])).start();
        server.wait_for_requests(10 + streams);
        running.interrupt();
        let done = running.wait();
        assert_eq!(done.code(), 1, "{done}");
        assert_eq!(done.report().counts(), Counts::good(10), "{done}");
        server.ended_connections();
    }
}

#[test]
fn a_signal_before_anything_was_said() {
    let server = Plan::by(|_, _| Then::Keep).on_open(|_| Then::Keep).start();
    let running = Rab::new(["--http2", "-n", "5", "--streams", "2", &server.url()]).start();
    server.wait_for_requests(1);
    running.terminate();
    let done = running.wait();
    assert_eq!(done.code(), 143, "{done}");
    assert_eq!(done.report().counts(), Counts::good(0), "{done}");
}
