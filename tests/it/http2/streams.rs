//! How many requests are in flight on a connection, and what the server has to say about that.

use std::time::Duration;

use super::http2;
use crate::support::http2::frame::{code, setting};
use crate::support::http2::{Event, Plan, Then};
use crate::support::rab::Rab;
use crate::support::report::Counts;
use crate::support::server::Gate;

/// Answers as soon as so many requests wait on the connection, all of them, the last one first.
fn in_bunches(size: usize) -> Plan {
    Plan::by(move |link, _| {
        let waiting = link.waiting();
        if waiting.len() == size {
            waiting.iter().rev().for_each(|stream| link.answer(*stream, 200, b"hello"));
        }
        Then::Keep
    })
}

#[test]
fn as_many_as_the_option_says_on_each_connection() {
    // The first request goes alone, and with it the connection that the others wait for.
    let plan = Plan::by(|link, request| {
        let waiting = link.waiting();
        // Whoever comes to the end of the requests has no full bunch left.
        if request.number == 0 || waiting.len() == 5 || request.number >= 101 - 10 {
            link.answer_all(200, b"hello");
        }
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 101 -c 2 --streams 5 -s 10", &server);
    let report = done.good_report();
    assert_eq!(report.counts(), Counts::good(101), "{done}");
    assert!(server.connections().len() <= 2);
    assert_eq!(server.most_open(), 5);
    assert_eq!(report.count("Concurrency Level"), Some(10));
    assert_eq!(report.count("Keep-Alive requests"), Some(101), "--streams implies -k: {done}");
    // Of the two lines one is per request in flight; they are rounded to three decimals.
    let [each, all] = ["Time per request", "Time per request (all)"].map(|line| report.number(line).unwrap());
    assert!((each - 10.0 * all).abs() <= 0.006, "{done}");
}

#[test]
fn one_is_the_default() {
    let server = in_bunches(1).start();
    let done = http2("-n 6 -c 2 -k", &server);
    assert_eq!(done.good_report().counts(), Counts::good(6), "{done}");
    assert_eq!(done.report().count("Concurrency Level"), Some(2));
    assert_eq!(server.most_open(), 1);
}

#[test]
fn requests_that_cannot_be_shared_out_evenly() {
    for (options, count) in [
        ("-n 7 -c 2 --streams 3", 7),
        ("-n 101 -c 7 --streams 13", 101),
        ("-n 6 --streams 6", 6),
        ("-n 100 -c 3 --streams 7 -W 2", 100),
        ("-n 50 -c 5 --streams 10 -W 3", 50),
        ("-n 1 --streams 1", 1),
        ("-n 9 -c 3 --streams 3 -R 5", 9),
    ] {
        let server = Plan::always(b"hello").start();
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(count), "{done}");
        assert_eq!(server.requests() as u64, count, "{done}");
        let connections = server.connections().len() as u64;
        let most: u64 = options.split("-c ").nth(1).map_or(1, |rest| rest[..1].parse().unwrap());
        assert!(connections <= most, "{connections} {done}");
    }
}

#[test]
fn a_limit_below_is_kept_to_and_hinted_at() {
    for (limit, settings) in [
        (1, &[(setting::MAX_CONCURRENT_STREAMS, 1)]),
        (2, &[(setting::MAX_CONCURRENT_STREAMS, 2)]),
        (9, &[(setting::MAX_CONCURRENT_STREAMS, 9)]),
    ] {
        // Only the first request goes out before the server has said its limit.
        let server = in_bunches(1).settings(settings).start();
        let done = http2("-n 40 -c 2 --streams 10", &server);
        assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
        assert!(server.most_open() <= limit, "{done}");
        let noun = if limit == 1 { "1 request" } else { &format!("{limit} requests") };
        done.assert_hint(&[&format!("takes {noun} at a time on a connection"), "--streams 10", "-c"]);
        assert_eq!(done.hints().len(), 1, "{done}");
    }
}

#[test]
fn a_limit_that_is_used_in_full() {
    let plan = Plan::by(|link, request| {
        let waiting = link.waiting();
        if request.number == 0 || waiting.len() == 3 {
            link.answer_all(200, b"hello");
        }
        Then::Keep
    });
    let server = plan.settings(&[(setting::MAX_CONCURRENT_STREAMS, 3)]).start();
    let done = http2("-n 31 --streams 10 -s 10", &server);
    assert_eq!(done.good_report().counts(), Counts::good(31), "{done}");
    assert_eq!(server.most_open(), 3);
}

#[test]
fn a_limit_above_needs_no_word() {
    let server = in_bunches(1).settings(&[(setting::MAX_CONCURRENT_STREAMS, 100)]).start();
    let done = http2("-n 40 --streams 10", &server);
    assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
    assert_eq!(done.hints(), [""; 0]);
}

/// The server takes less and less, and then more again.
#[test]
fn a_limit_that_changes_in_the_middle() {
    let plan = Plan::by(|link, request| {
        match request.number {
            10 => link.settings(&[(setting::MAX_CONCURRENT_STREAMS, 1)]),
            20 => link.settings(&[(setting::MAX_CONCURRENT_STREAMS, 4)]),
            _ => {}
        }
        link.answer(request.stream, 200, b"hello");
        Then::Keep
    });
    let server = plan.settings(&[(setting::MAX_CONCURRENT_STREAMS, 8)]).start();
    let done = http2("-n 60 --streams 8 -s 10", &server);
    assert_eq!(done.good_report().counts(), Counts::good(60), "{done}");
    assert!(
        server.connections()[0].events.iter().filter(|event| **event == Event::SettingsTaken).count() == 3
    );
}

/// A server may take nothing for a while. A client that is never let in waits for no longer than `-s` says.
#[test]
fn a_limit_of_none() {
    let none = &[(setting::MAX_CONCURRENT_STREAMS, 0)];
    for options in ["-n 4 -k -s 1", "-n 4 --streams 2 -s 1"] {
        // The first request may be there before the client knows.
        let server = Plan::by(|_, _| Then::Keep).settings(none).start();
        let done = http2(options, &server);
        assert!(server.requests() <= 1);
        done.assert_ended("apr_pollset_poll: The timeout specified has expired (70007)", 119, 0);
    }
}

#[test]
fn settings_that_come_late() {
    // The server waits for the first request before it says a word.
    for options in ["-n 20 --streams 5", "-n 20 -k", "-n 20 -c 2 --streams 4"] {
        let plan = Plan::by(move |link, request| {
            if request.place == 0 {
                // Time for a client to send more than one request, which it may not yet.
                std::thread::sleep(Duration::from_millis(10));
                link.settings(&[(setting::MAX_CONCURRENT_STREAMS, 1)]);
                link.await_confirmation();
            }
            link.answer(request.stream, 200, b"hello");
            Then::Keep
        });
        let server = plan.on_open(|_| Then::Keep).start();
        let done = http2(&format!("{options} -s 10"), &server);
        assert_eq!(done.good_report().counts(), Counts::good(20), "{done}");
        assert_eq!(server.most_open(), 1, "{done}");
    }

    // It says them some time after it has seen the client's.
    let gate = Gate::default();
    let door = gate.clone();
    let plan = in_bunches(1).on_open(move |link| {
        door.pass(|| false);
        link.settings(&[(setting::MAX_CONCURRENT_STREAMS, 2)]);
        Then::Keep
    });
    let server = plan.start();
    let running = Rab::new(["--http2", "-n", "20", "--streams", "5", &server.url()]).start();
    gate.open();
    let done = running.wait();
    assert_eq!(done.good_report().counts(), Counts::good(20), "{done}");
}

/// Whoever refuses a stream has done nothing about it, whatever the method.
#[test]
fn a_refused_stream_is_sent_again() {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), "data").unwrap();
    let post = format!("-p {}", body.path().display());
    for method in ["", "-i", &post] {
        for options in ["-n 20 -k", "-n 20 --streams 4", "-n 20 -c 2 --streams 2"] {
            let plan = Plan::by(|link, request| {
                if request.number % 3 == 1 {
                    link.reset(request.stream, code::REFUSED_STREAM);
                } else {
                    link.bare(request.stream, 200, &[]);
                }
                Then::Keep
            });
            let server = plan.start();
            let done = http2(&format!("{method} {options} -s 10"), &server);
            assert_eq!(done.good_report().counts(), Counts::good(20), "{done}");
            // 30 requests, of which every third one is refused; the last refused one may be the last at all.
            let refused = server.requests() - 20;
            assert!((9..=10).contains(&refused), "{refused} {done}");
            done.assert_hint(&[&format!("{refused} requests were sent once more")]);
        }
    }
}

#[test]
fn a_server_that_refuses_every_stream_gets_them_a_limited_number_of_times() {
    let plan = Plan::by(|link, request| {
        match request.number {
            0 => link.answer(request.stream, 200, b"hello"),
            _ => link.reset(request.stream, code::REFUSED_STREAM),
        }
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 4 -k", &server);
    assert_eq!(done.good_report().counts(), Counts::receive(4, 3), "{done}");
    assert!(server.requests() <= 301, "{}", server.requests());
    let never = Plan::by(|link, request| {
        link.reset(request.stream, code::REFUSED_STREAM);
        Then::Keep
    });
    let server = never.start();
    let done = http2("-n 4 --streams 2", &server);
    assert_eq!(done.good_report().counts(), Counts::receive(4, 4), "{done}");
    assert!(server.requests() <= 400, "{}", server.requests());
}

/// No stream is opened on one connection that the other one has room for.
#[test]
fn the_limit_is_that_of_each_connection() {
    let gate = Gate::default();
    let plan = Plan::by(move |link, request| {
        if link.number() == 1 {
            gate.open();
        } else if request.place == 1 {
            // So that the second connection has a part in it.
            gate.pass(|| false);
        }
        link.answer(request.stream, 200, b"hello");
        Then::Keep
    })
    .on_open(|link| {
        let limit = if link.number() == 0 { 1 } else { 5 };
        link.settings(&[(setting::MAX_CONCURRENT_STREAMS, limit)]);
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 60 -c 2 --streams 5", &server);
    assert_eq!(done.good_report().counts(), Counts::good(60), "{done}");
    done.assert_hint(&["takes 1 request at a time"]);
    let most_open: Vec<_> = server.connections().iter().map(|connection| connection.most_open).collect();
    assert!(most_open.len() == 2 && most_open[0] == 1 && most_open[1] <= 5, "{most_open:?}");
}
