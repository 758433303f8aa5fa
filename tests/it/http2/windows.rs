//! Flow control (RFC 9113, section 5.2): bodies in both directions, however narrow the windows are.

use std::sync::Arc;

use super::http2;
use crate::support::http2::frame::setting;
use crate::support::http2::polite::{Polite, page};
use crate::support::http2::{Plan, Server, Then};
use crate::support::rab::ask;
use crate::support::report::Counts;
use crate::support::tls::Pair;

/// The length of a large body.
const LARGE: usize = 10_000_000;

/// A file of so many bytes, and the option that posts it.
fn post(length: usize) -> (tempfile::NamedTempFile, String) {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; length]).unwrap();
    let option = format!("-p {}", body.path().display());
    (body, option)
}

/// Answers uploads of this length.
fn taking(length: usize) -> Plan {
    Plan::by(move |link, request| {
        let body: &[u8] = if request.body == length { b"taken" } else { b"not as long as it should be" };
        link.answer(request.stream, 200, body);
        Then::Keep
    })
}

#[track_caller]
fn assert_taken(options: &str, server: &Server, count: u64) {
    let done = http2(&format!("{options} -s 20"), server);
    assert_eq!(done.good_report().counts(), Counts::good(count), "{done}");
    assert_eq!(done.report().count("Document Length"), Some(5), "{done}");
}

#[test]
fn large_answers_as_the_clients_windows_allow() {
    let plan = Plan::by(|link, request| {
        link.head(request.stream, 200, &[("content-length", &LARGE.to_string())]);
        match link.body(request.stream, LARGE) {
            Ok(()) => Then::Keep,
            Err(_) => Then::Close,
        }
    });
    for options in ["-n 4 -k", "-n 4", "-n 6 -c 2 --streams 3"] {
        let done = http2(&format!("{options} -s 20"), &plan.clone().start());
        let report = done.good_report();
        let count = report.counts().complete;
        assert_eq!(report.counts(), Counts::good(count), "{done}");
        assert_eq!(report.count("Document Length"), Some(LARGE as u64));
        assert_eq!(report.count("HTML transferred"), Some(count * LARGE as u64));
    }
}

/// More than the windows that a connection begins with, so that they must be opened again.
#[test]
fn more_than_a_window_on_a_stream_and_on_a_connection() {
    let plan = Plan::by(|link, request| {
        link.head(request.stream, 200, &[]);
        match link.body(request.stream, 40_000_000) {
            Ok(()) => Then::Keep,
            Err(_) => Then::Close,
        }
    });
    let done = http2("-n 9 -k -s 30", &plan.start());
    assert_eq!(done.good_report().counts(), Counts::good(9), "{done}");
    assert_eq!(done.report().count("HTML transferred"), Some(360_000_000), "{done}");
}

#[test]
fn large_answers_of_a_library() {
    let large = bytes::Bytes::from(vec![b'x'; LARGE]);
    let other = large.clone();
    let plain = Polite::start(move |_, _| page(large.clone()));
    let secured = Polite::start_tls(Pair::usual().config(), move |_, _| page(other.clone()));
    for url in [plain.url(), secured.url()] {
        let done = ask("--http2 -n 6 -c 2 --streams 3 -s 30", &url);
        assert_eq!(done.good_report().counts(), Counts::good(6), "{done}");
        assert_eq!(done.report().count("HTML transferred"), Some(6 * LARGE as u64), "{done}");
    }
}

#[test]
fn large_uploads() {
    let (_body, option) = post(LARGE);
    for options in ["-n 3 -k", "-n 3", "-n 6 -c 2 --streams 3"] {
        let server = taking(LARGE).start();
        let count = if options.contains('c') { 6 } else { 3 };
        assert_taken(&format!("{option} {options}"), &server, count);
    }
    let server = Polite::start(|_, heard| page(heard.body.to_string()));
    let done = ask(&format!("--http2 {option} -n 6 -c 2 --streams 3 -s 30"), &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(6), "{done}");
    assert!(server.heard().iter().all(|one| one.body == LARGE));
}

/// One byte at a time, said at the beginning, or when the first body is on its way already.
#[test]
fn a_window_of_one_byte() {
    const ONE: &[(u16, u32)] = &[(setting::INITIAL_WINDOW_SIZE, 1)];
    let (_body, option) = post(700);
    for options in ["-n 4 -k", "-n 4", "-n 8 --streams 4"] {
        let count = if options.contains('8') { 8 } else { 4 };
        assert_taken(&format!("{option} {options}"), &taking(700).settings(ONE).start(), count);
    }
    // The window of an open stream shrinks below nothing (section 6.9.2).
    let (_body, option) = post(100_000);
    let plan = Plan::by(|link, request| {
        if request.is_whole {
            link.answer(request.stream, 200, b"taken");
        } else {
            link.settings(&[(setting::INITIAL_WINDOW_SIZE, 7)]);
            link.grant(request.stream, 200_000);
            link.grant(0, 200_000);
        }
        Then::Keep
    });
    assert_taken(&format!("{option} -n 4 -k"), &plan.at_head().start(), 4);
}

#[test]
fn no_window_until_it_is_granted() {
    const NONE: &[(u16, u32)] = &[(setting::INITIAL_WINDOW_SIZE, 0)];
    let (_body, option) = post(70_000);
    let plan = Plan::by(|link, request| {
        if request.is_whole {
            let body: &[u8] = if request.body == 70_000 { b"taken" } else { b"short" };
            link.answer(request.stream, 200, body);
        } else {
            link.grant(0, 70_000);
            for piece in [1, 2, 16_383, 16_384, 16_385, 20_845] {
                link.grant(request.stream, piece);
            }
        }
        Then::Keep
    });
    let plan = plan.at_head().without_grants().settings(NONE);
    for options in ["-n 4 -k", "-n 8 --streams 4"] {
        let count = if options.contains('8') { 8 } else { 4 };
        assert_taken(&format!("{option} {options}"), &plan.clone().start(), count);
    }
}

/// Padding takes room from the windows, and is given back like the rest.
#[test]
fn padding_is_given_back() {
    use crate::support::http2::frame::{Frame, flag, kind};
    let padded: Arc<[u8]> = [&[255][..], b"x", &[0; 255]].concat().into();
    let plan = Plan::by(move |link, request| {
        link.head(request.stream, 200, &[]);
        for _ in 0..70 {
            let frames: Vec<_> = (0..1000)
                .map(|_| Frame::new(kind::DATA, flag::PADDED, request.stream, padded.to_vec()))
                .collect();
            link.frames(&frames);
        }
        link.data(request.stream, b"", true);
        Then::Keep
    });
    // 18 MB of frames for each 70 kB of document, above the window of a stream.
    let done = http2("-n 16 -k -s 30", &plan.start());
    assert_eq!(done.good_report().counts(), Counts::good(16), "{done}");
    assert_eq!(done.report().count("Document Length"), Some(70_000), "{done}");
}

/// A server that takes nothing: the limit of silence applies as it does under HTTP/1.
#[test]
fn an_upload_that_nobody_takes() {
    let (_body, option) = post(1_000_000);
    let plan = Plan::by(|_, _| Then::Keep).without_grants();
    for options in ["-n 4 -k -s 1", "-n 4 --streams 2 -s 1"] {
        let done = http2(&format!("{option} {options}"), &plan.clone().start());
        done.assert_ended("apr_pollset_poll: The timeout specified has expired (70007)", 119, 0);
    }
}
