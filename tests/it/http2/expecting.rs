//! A body that waits to be asked for (RFC 9110, section 10.1.1).

use std::sync::{Arc, Mutex};

use super::http2;
use crate::support::http2::frame::code;
use crate::support::http2::{Link, Plan, Then};
use crate::support::rab::{Done, Rab};
use crate::support::report::Counts;

/// Posts 70,000 bytes with `Expect: 100-continue`; the server does this when it sees a head, and answers what is whole.
/// Gives the bytes that each body had when it was whole, too.
fn post(options: &str, at_head: impl Fn(&mut Link, u32) + Send + Sync + 'static) -> (Done, Vec<usize>) {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; 70_000]).unwrap();
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&bodies);
    let plan = Plan::by(move |link, request| {
        if request.is_whole {
            log.lock().unwrap().push(request.body);
            link.answer(request.stream, 200, b"taken");
        } else {
            at_head(link, request.stream);
        }
        Then::Keep
    });
    let server = plan.at_head().start();
    let (file, url) = (body.path().display().to_string(), server.url());
    let words = ["--http2", "-H", "Expect: 100-continue", "-p", &file].into_iter();
    let done = Rab::new(words.chain(options.split_whitespace()).chain([url.as_str()])).run();
    let bodies = bodies.lock().unwrap().clone();
    (done, bodies)
}

#[test]
fn a_body_that_is_asked_for_is_sent() {
    for options in ["-n 6", "-n 6 -k", "-n 6 --streams 3"] {
        let (done, bodies) = post(options, |link, stream| {
            link.head(stream, 103, &[]);
            link.head(stream, 100, &[]);
        });
        assert_eq!(done.good_report().counts(), Counts::good(6), "{done}");
        assert_eq!(bodies, [70_000; 6]);
        assert!(done.took.as_secs() < 5, "nobody waited for a timer: {done}");
    }
}

#[test]
fn a_body_that_is_not_wanted_is_not_sent() {
    for options in ["-n 6", "-n 6 -k", "-n 6 --streams 3"] {
        let (done, bodies) = post(options, |link, stream| link.answer(stream, 417, b"no"));
        assert_eq!(done.good_report().counts(), Counts { non_2xx: 6, ..Counts::good(6) }, "{done}");
        assert_eq!(bodies, [0; 0]);
        assert!(done.report().count("Total body sent").unwrap() < 5000, "{done}");
    }
}

#[test]
fn a_body_that_nobody_asks_for_is_sent_after_a_while() {
    let (done, bodies) = post("-n 4 --streams 4", |_, _| {});
    assert_eq!(done.good_report().counts(), Counts::good(4), "{done}");
    assert_eq!(bodies, [70_000; 4]);
    assert!(done.took.as_secs_f64() > 1.0, "{done}");
}

#[test]
fn a_stream_that_ends_while_its_body_waits() {
    for (error, failed) in [(code::CANCEL, 4), (code::INTERNAL_ERROR, 4)] {
        let (done, bodies) = post("-n 4 -k", move |link, stream| link.reset(stream, error));
        assert_eq!(done.good_report().counts(), Counts::receive(4, failed), "{done}");
        assert_eq!(bodies, [0; 0]);
    }
}

#[test]
fn without_a_body_there_is_nothing_to_wait_for() {
    let server = Plan::always(b"hello").start();
    let done = http2("-n 3 -k -H Expect:100-continue", &server);
    assert_eq!(done.good_report().counts(), Counts::good(3), "{done}");
}
