//! GOAWAY (RFC 9113, section 6.8), from both sides: what was not processed goes out again, and nothing is counted twice.

use std::time::Duration;

use super::http2;
use crate::support::http2::frame::code;
use crate::support::http2::{End, Event, Plan, Then};
use crate::support::report::Counts;

/// Methods, one that may be repeated by anybody and one that may not.
fn methods() -> (tempfile::NamedTempFile, [String; 2]) {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), "data").unwrap();
    let post = format!("-p {}", body.path().display());
    (body, [String::new(), post])
}

/// After so many requests of a connection: goodbye, with the stream of the last one.
fn leaving_after(requests: usize, then: Then) -> Plan {
    Plan::by(move |link, request| {
        let is_last = request.place + 1 == requests;
        if request.place < requests {
            if is_last {
                link.go_away(request.stream, code::NO_ERROR);
            }
            link.answer(request.stream, 200, b"hello");
        }
        if is_last { then } else { Then::Keep }
    })
}

#[test]
fn a_connection_of_few_requests() {
    let (_body, methods) = methods();
    for method in &methods {
        for requests in [1, 2, 10] {
            for then in [Then::Keep, Then::Close] {
                for options in ["-n 60 -k", "-n 60 --streams 5", "-n 60 -c 3 --streams 4 -W 2"] {
                    let server = leaving_after(requests, then).start();
                    let done = http2(&format!("{method} {options} -s 10"), &server);
                    assert_eq!(done.good_report().counts(), Counts::good(60), "{requests} {then:?} {done}");
                    // A request that was not answered came to a connection that had said goodbye already.
                    let answered: usize =
                        server.requests_per_connection().iter().map(|count| (*count).min(requests)).sum();
                    assert_eq!(answered, 60, "{done}");
                }
            }
        }
    }
}

/// nginx, for example, says goodbye as soon as the last request it takes has come, before its answer.
#[test]
fn a_goodbye_before_the_only_answer() {
    let plan = Plan::by(|link, request| {
        if request.place == 0 {
            link.go_away(request.stream, code::NO_ERROR);
            // So that they come in two reads; nothing depends on how long it is.
            std::thread::sleep(Duration::from_millis(5));
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    let (_body, methods) = methods();
    for method in &methods {
        for streams in [1, 4, 30] {
            let done = http2(&format!("{method} -n 60 -k --streams {streams} -s 10"), &plan.clone().start());
            assert_eq!(done.good_report().counts(), Counts::good(60), "{done}");
        }
    }
}

/// The polite way: first that the end is near, then where it is.
#[test]
fn a_goodbye_in_two_steps() {
    let plan = Plan::by(|link, request| {
        match request.place {
            2 => link.go_away(i32::MAX as u32, code::NO_ERROR),
            4 => link.go_away(request.stream, code::NO_ERROR),
            _ => {}
        }
        if request.place <= 4 {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    for options in ["-n 40 -k", "-n 40 --streams 6"] {
        let done = http2(&format!("{options} -s 10"), &plan.clone().start());
        assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
    }
}

/// Requests in flight below the last stream are answered after the goodbye.
#[test]
fn what_was_processed_is_waited_for() {
    let plan = Plan::by(|link, request| {
        let waiting = link.waiting();
        if request.number == 0 {
            link.answer(request.stream, 200, b"hello");
        } else if waiting.len() == 4 {
            link.go_away(waiting[1], code::NO_ERROR);
            waiting[..2].iter().for_each(|stream| link.answer(*stream, 200, b"hello"));
        } else if link.number() > 0 {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 21 --streams 4 -s 10", &server);
    assert_eq!(done.good_report().counts(), Counts::good(21), "{done}");
    done.assert_hint(&["2 requests were sent once more", "ended the connection"]);
    assert_eq!(server.requests(), 23);
}

/// A goodbye with an error ends what it does not answer for, and the run goes on.
#[test]
fn an_error_on_every_connection_that_never_answered() {
    for error in [code::NO_ERROR, code::PROTOCOL_ERROR, code::INTERNAL_ERROR, code::ENHANCE_YOUR_CALM] {
        for then in [Then::Keep, Then::Close] {
            for options in ["-n 6 -k", "-n 6", "-n 6 -c 2 --streams 3"] {
                let plan = Plan::by(move |link, _| {
                    link.go_away(0, error);
                    then
                });
                let server = plan.start();
                let done = http2(&format!("{options} -s 10"), &server);
                assert_eq!(done.good_report().counts(), Counts::receive(6, 6), "{error} {then:?} {done}");
                assert!(server.connections().len() <= 60, "{}", server.connections().len());
            }
        }
    }
}

#[test]
fn an_error_on_every_connection_at_once() {
    let plan = Plan::always(b"hello").on_open(|link| {
        link.settings(&[]);
        link.go_away(0, code::ENHANCE_YOUR_CALM);
        Then::Close
    });
    for options in ["-n 6 -k", "-n 6", "-n 6 -c 2 --streams 3"] {
        let done = http2(&format!("{options} -s 10"), &plan.clone().start());
        let counts = done.good_report().counts();
        assert_eq!((counts.complete, counts.receive), (6, 6), "{done}");
    }
}

/// A balancer that drains sends away new connections for a moment.
#[test]
fn a_new_connection_that_is_sent_away_at_once_is_no_failure() {
    let (_body, methods) = methods();
    for method in &methods {
        let plan = Plan::by(|link, request| {
            if link.number() % 2 == 1 {
                link.go_away(0, code::NO_ERROR);
                return Then::Close;
            }
            if request.place == 4 {
                link.go_away(request.stream, code::NO_ERROR);
            }
            if request.place <= 4 {
                link.answer(request.stream, 200, b"hello");
            }
            Then::Keep
        });
        for options in ["-n 30 -k", "-n 30 --streams 3"] {
            let done = http2(&format!("{method} {options} -s 10"), &plan.clone().start());
            assert_eq!(done.good_report().counts(), Counts::good(30), "{done}");
        }
    }
}

#[test]
fn at_the_end_the_connection_says_goodbye_and_closes() {
    for options in ["-n 12 -k -c 2", "-n 12 --streams 3", "-n 12 -c 2 --streams 3 -W 2"] {
        let server = Plan::always(b"hello").start();
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(12), "{done}");
        for connection in server.ended_connections() {
            assert_eq!(connection.end, Some(End::Peer), "{connection:?} {done}");
            assert_eq!(connection.events.last(), Some(&Event::GoAway(code::NO_ERROR)), "{connection:?}");
        }
    }
}
