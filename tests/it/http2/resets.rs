//! One stream that the server ends, and a connection that ends under all of them.

use super::http2;
use crate::support::http2::frame::code;
use crate::support::http2::{Plan, Then};
use crate::support::report::Counts;

/// A file of so many bytes, and the option that posts it.
fn post(length: usize) -> (tempfile::NamedTempFile, String) {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; length]).unwrap();
    let option = format!("-p {}", body.path().display());
    (body, option)
}

#[test]
fn a_stream_that_is_reset_is_one_failure() {
    for error in [code::INTERNAL_ERROR, code::CANCEL, code::NO_ERROR, 0xdead_beef] {
        for options in ["-n 20 -k", "-n 20 --streams 4", "-n 20"] {
            let plan = Plan::by(move |link, request| {
                if request.number % 4 == 3 {
                    link.reset(request.stream, error);
                } else {
                    link.answer(request.stream, 200, b"hello");
                }
                Then::Keep
            });
            let server = plan.start();
            let done = http2(options, &server);
            assert_eq!(done.good_report().counts(), Counts::receive(20, 5), "{done}");
            assert_eq!(server.requests(), 20, "nothing is sent twice: {done}");
            let connections = if options == "-n 20" { 20 } else { 1 };
            assert_eq!(server.connections().len(), connections, "the others go on: {done}");
        }
    }
}

#[test]
fn a_stream_that_is_reset_in_the_midst_of_its_answer() {
    for fields in [&[("content-length", "10")][..], &[]] {
        let plan = Plan::by(move |link, request| {
            link.head(request.stream, 200, fields);
            link.data(request.stream, b"hello", request.number % 2 == 0 && fields.is_empty());
            if request.number % 2 == 1 {
                link.reset(request.stream, code::INTERNAL_ERROR);
            } else if !fields.is_empty() {
                link.data(request.stream, b"hello", true);
            }
            Then::Keep
        });
        for options in ["-n 8 -k", "-n 8 --streams 4"] {
            let done = http2(options, &plan.clone().start());
            assert_eq!(done.good_report().counts(), Counts::receive(8, 4), "{done}");
            if !fields.is_empty() {
                done.assert_hint(&["4 responses ended before the length in their heads"]);
            }
        }
    }
}

/// A server that has answered may stop the rest of the request this way (RFC 9113, section 8.1).
#[test]
fn an_early_answer_to_a_large_post() {
    let (_body, option) = post(3_000_000);
    for (status, body) in [(413, &b"too much"[..]), (200, b"")] {
        for options in ["-n 6 -k", "-n 6 --streams 3", "-n 6"] {
            let plan = Plan::by(move |link, request| {
                if !request.is_whole {
                    link.answer(request.stream, status, body);
                    link.reset(request.stream, code::NO_ERROR);
                }
                Then::Keep
            });
            let server = plan.at_head().without_grants().start();
            let done = http2(&format!("{option} {options} -s 10"), &server);
            let non_2xx = if status == 200 { 0 } else { 6 };
            assert_eq!(done.good_report().counts(), Counts { non_2xx, ..Counts::good(6) }, "{done}");
            assert_eq!(done.report().count("Document Length"), Some(body.len() as u64), "{done}");
        }
    }
}

/// The same without a reset: the rest of the body has no reader, and nobody waits for that.
#[test]
fn an_early_answer_and_no_more_room() {
    let (_body, option) = post(3_000_000);
    for options in ["-n 6 -k", "-n 6 --streams 3", "-n 6"] {
        let plan = Plan::by(|link, request| {
            if !request.is_whole {
                link.answer(request.stream, 200, b"hello");
            }
            Then::Keep
        });
        let server = plan.at_head().without_grants().start();
        let done = http2(&format!("{option} {options} -s 10"), &server);
        // The room on the connection was used up by the first body, and is the server's to give back.
        let counts = done.good_report().counts();
        assert_eq!(counts.complete, 6, "{done}");
        assert_eq!(counts, Counts::good(6), "{done}");
    }
}

/// And with the end of the connection right behind it.
#[test]
fn an_early_answer_and_the_end_of_the_connection() {
    let (_body, option) = post(3_000_000);
    for (error, then) in [(code::NO_ERROR, Then::Close), (code::PROTOCOL_ERROR, Then::Close)] {
        let plan = Plan::by(move |link, request| {
            link.answer(request.stream, 413, b"too much");
            link.go_away(request.stream, error);
            then
        });
        for options in ["-n 6 -k", "-n 6"] {
            let server = plan.clone().at_head().without_grants().start();
            let done = http2(&format!("{option} {options} -s 10"), &server);
            assert_eq!(done.good_report().counts(), Counts { non_2xx: 6, ..Counts::good(6) }, "{done}");
        }
    }
}

#[test]
fn an_answer_that_ends_before_its_length() {
    let plan = Plan::by(|link, request| {
        link.head(request.stream, 200, &[("content-length", "10")]);
        if request.number % 2 == 0 {
            link.data(request.stream, b"0123456789", true);
        } else {
            link.data(request.stream, b"0123", false);
            link.data(request.stream, b"", true);
        }
        Then::Keep
    });
    for options in ["-n 8", "-n 8 -k", "-n 8 --streams 4"] {
        let server = plan.clone().start();
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::receive(8, 4), "{done}");
        done.assert_hint(&["4 responses ended before the length in their heads; 24 bytes did not come"]);
        assert_eq!(server.requests(), 8);
    }
}

/// A head can announce more than there are bytes in the world.
#[test]
fn an_answer_of_an_absurd_length() {
    let plan = Plan::by(|link, request| {
        link.head(request.stream, 200, &[("content-length", "9223372036854775807")]);
        link.data(request.stream, b"hello", true);
        Then::Keep
    });
    let done = http2("-n 5 -k", &plan.start());
    assert_eq!(done.good_report().counts(), Counts::receive(5, 5), "{done}");
    done.assert_hint(&["5 responses ended before", "18446744073709551615 bytes did not come"]);
}

#[test]
fn an_answer_that_goes_on_behind_its_length() {
    let plan = Plan::by(|link, request| {
        let body: &[u8] = if request.number % 2 == 0 { b"0123" } else { b"0123456789" };
        link.head(request.stream, 200, &[("content-length", "4")]);
        link.data(request.stream, body, true);
        Then::Keep
    });
    for options in ["-n 8", "-n 8 -k", "-n 8 --streams 4"] {
        let done = http2(options, &plan.clone().start());
        assert_eq!(done.good_report().counts(), Counts::exceptions(8, 4), "{done}");
        assert_eq!(done.hints(), [""; 0], "nothing was missing: {done}");
    }
}

#[test]
fn a_connection_that_closes_in_the_midst_of_an_answer() {
    let plan = Plan::by(|link, request| {
        if request.place == 2 {
            link.head(request.stream, 200, &[("content-length", "10")]);
            link.data(request.stream, b"hello", false);
            return Then::Close;
        }
        link.answer(request.stream, 200, b"0123456789");
        Then::Keep
    });
    let done = http2("-n 9 -k", &plan.clone().start());
    assert_eq!(done.good_report().counts(), Counts::receive(9, 3), "{done}");
    done.assert_hint(&["3 responses ended before the length in their heads; 15 bytes did not come"]);
}

/// What was in flight besides is sent again, if its method allows that: no word of an answer had come.
#[test]
fn a_connection_that_closes_under_several_requests() {
    let plan = Plan::by(|link, request| {
        let waiting = link.waiting();
        if link.number() == 0 && request.place > 0 {
            return if waiting.len() == 4 { Then::Close } else { Then::Keep };
        }
        link.answer(request.stream, 200, b"hello");
        Then::Keep
    });
    let server = plan.clone().start();
    let done = http2("-n 20 --streams 4 -s 10", &server);
    assert_eq!(done.good_report().counts(), Counts::good(20), "{done}");
    done.assert_hint(&["4 requests were sent once more"]);
    assert_eq!(server.requests(), 24);
    let (_body, option) = post(5);
    let server = plan.start();
    let done = http2(&format!("{option} -n 20 --streams 4 -s 10"), &server);
    assert_eq!(done.good_report().counts(), Counts::receive(20, 4), "{done}");
    assert_eq!(server.requests(), 20);
}

#[test]
fn a_reset_connection_ends_the_run_unless_r_is_given() {
    let plan = Plan::by(|link, request| {
        if request.number == 5 {
            link.head(request.stream, 200, &[("content-length", "10")]);
            link.data(request.stream, b"hello", false);
            return Then::Reset;
        }
        link.answer(request.stream, 200, b"0123456789");
        Then::Keep
    });
    let done = http2("-n 20 -k", &plan.clone().start());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 5);
    done.assert_hint(&["-r"]);
    let done = http2("-n 20 -k -r", &plan.start());
    assert_eq!(done.good_report().counts(), Counts::receive(20, 1), "{done}");
}

#[test]
fn a_reset_on_a_fresh_connection_ends_the_run_unless_r_is_given() {
    let plan = Plan::by(|link, request| {
        if request.number == 3 {
            return Then::Reset;
        }
        link.answer(request.stream, 200, b"0123456789");
        Then::Keep
    });
    let done = http2("-n 20", &plan.clone().start());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 3);
    let done = http2("-n 20 -r", &plan.start());
    assert_eq!(done.good_report().counts(), Counts::receive(20, 1), "{done}");
}
