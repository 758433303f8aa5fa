//! What is not HTTP/2, from a server that began with it: the request fails by class Exceptions, and the run goes on.

use super::http2;
use crate::support::http2::frame::{Frame, code, fields_block, flag, kind, setting};
use crate::support::http2::{Event, Link, Plan, Then, data, head};
use crate::support::rab::Done;
use crate::support::report::Counts;

/// Eight requests, every fourth of which is answered like this.
fn every_fourth(options: &str, answer: impl Fn(&mut Link, u32) + Send + Sync + 'static) -> (Done, usize) {
    let plan = Plan::by(move |link, request| {
        if request.number % 4 == 3 {
            answer(link, request.stream);
        } else {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    let server = plan.start();
    let done = http2(&format!("-n 8 -s 10 {options}"), &server);
    (done, server.connections().len())
}

/// Whether such an answer fails two requests of eight, without a second try, on so many connections with `-k`.
#[track_caller]
fn assert_fails(
    name: &str,
    connections: usize,
    answer: impl Fn(&mut Link, u32) + Send + Sync + Clone + 'static,
) {
    for (options, expected) in [("-k", connections), ("", 8)] {
        let (done, connections) = every_fourth(options, answer.clone());
        assert_eq!(done.good_report().counts(), Counts::exceptions(8, 2), "{name} {done}");
        assert_eq!(connections, expected, "{name} {done}");
        assert_eq!(done.hints(), [""; 0], "{name} {done}");
    }
}

/// A head with this block.
fn with_block(block: &'static [u8]) -> impl Fn(&mut Link, u32) + Send + Sync + Clone {
    move |link, id| link.frames(&[Frame::new(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, id, block)])
}

/// A broken answer is its own matter as long as the framing holds (RFC 9113, section 8.1.1).
#[test]
fn answers_that_break_a_rule_leave_the_connection_alone() {
    assert_fails("no status", 1, |link, id| link.trailers(id, &[("x-a", "1")]));
    assert_fails("a field about the connection", 1, |link, id| {
        link.bare(id, 200, &[("connection", "close")]);
    });
    assert_fails("a length that is none", 1, |link, id| link.bare(id, 200, &[("content-length", "x")]));
    assert_fails("two lengths", 1, |link, id| {
        link.head(id, 200, &[("content-length", "5"), ("content-length", "6")]);
        link.data(id, b"hello", true);
    });
    assert_fails("an interim answer that is the end", 1, |link, id| link.bare(id, 103, &[]));
}

/// A broken frame ends its connection (sections 4.2, 4.3, 5.4.1).
#[test]
fn frames_that_break_a_rule_end_the_connection() {
    let frame = |kind, flags, payload: &'static [u8]| {
        move |link: &mut Link, id| link.frames(&[Frame::new(kind, flags, id, payload)])
    };
    assert_fails("a field of the table that is not there", 2, with_block(&[0x88, 0xff, 0x80, 0x01]));
    assert_fails("a status that is none", 2, with_block(&[0x08, 3, b'a', b'b', b'c']));
    assert_fails("a status of two digits", 2, with_block(&[0x08, 2, b'2', b'0']));
    assert_fails("upper case", 2, |link, id| link.bare(id, 200, &[("X-A", "1")]));
    assert_fails(
        "a length without an end",
        2,
        with_block(&[0x88, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    );
    assert_fails("a string beyond its block", 2, with_block(&[0x88, 0, 0x7f, 0x05, b'x']));
    assert_fails("letters that are none", 2, with_block(&[0x88, 0, 0x84, 0xff, 0xff, 0xff, 0xff, 1, b'x']));
    assert_fails("a body before its head", 2, frame(kind::DATA, 0, b"hello"));
    assert_fails("a reset that is too short", 2, frame(kind::RST_STREAM, 0, b"abc"));
    assert_fails("padding beyond the frame", 2, |link, id| {
        let padded = Frame::new(kind::DATA, flag::PADDED, id, [&[200][..], b"hello"].concat());
        link.frames(&[head(id, 200, &[]), padded]);
    });
    assert_fails("a frame beyond the longest", 2, |link, id| {
        link.frames(&[head(id, 200, &[]), data(id, &vec![b'x'; 16_385], true)]);
    });
    assert_fails("something else within a head", 2, |link, id| {
        link.frames(&[Frame::new(kind::HEADERS, 0, id, [0x88]), Frame::new(kind::PING, 0, 0, [0; 8])]);
    });
    assert_fails("a head on a stream that is not", 2, |link, _| link.bare(999_999, 200, &[]));
    assert_fails("settings of half a line", 2, |link, _| {
        link.frames(&[Frame::new(kind::SETTINGS, 0, 0, [0, 3, 0])]);
    });
    assert_fails("a window beyond the widest", 2, |link, _| link.grant(0, 0x7fff_ffff));
    assert_fails("no frames at all", 2, |link, _| {
        link.raw(b"HTTP/1.1 500 Oops\r\nContent-Length: 30\r\n\r\nand so on for quite some bytes");
    });
    assert_fails("settings out of range", 2, |link, _| {
        link.settings(&[(setting::INITIAL_WINDOW_SIZE, u32::MAX)]);
    });
    assert_fails("an acknowledgement of nothing", 2, |link, _| {
        link.frames(&[Frame::new(kind::SETTINGS, flag::ACK, 0, [])]);
    });
}

/// Pushes were said no to in the settings, so that this is an error of the connection (section 6.6).
#[test]
fn a_push_is_refused() {
    assert_fails("a push", 2, |link, id| {
        // A promise of GET / on stream 2.
        let block = [&[0x82, 0x86, 0x84][..], &fields_block(&[(":authority", "x")])].concat();
        let promise = [&2_u32.to_be_bytes()[..], &block].concat();
        link.frames(&[Frame::new(kind::PUSH_PROMISE, flag::END_HEADERS, id, promise)]);
        link.answer(id, 200, b"hello");
    });
}

#[test]
fn a_broken_answer_on_a_shared_connection_is_one_failure() {
    let (done, connections) =
        every_fourth("--streams 4", |link, id| link.bare(id, 200, &[("content-length", "x")]));
    assert_eq!(done.good_report().counts(), Counts::exceptions(8, 2), "{done}");
    assert_eq!(connections, 1);
}

/// The framing is gone for all that are in flight; which of them the server has worked on nobody knows.
#[test]
fn a_broken_frame_on_a_shared_connection_fails_all_that_are_in_flight() {
    let plan = Plan::by(|link, request| {
        let waiting = link.waiting();
        if link.number() == 0 && request.place > 0 {
            if waiting.len() == 4 {
                link.raw(&[0xff; 64]);
            }
            return Then::Keep;
        }
        link.answer(request.stream, 200, b"hello");
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 20 --streams 4 -s 10", &server);
    assert_eq!(done.good_report().counts(), Counts::exceptions(20, 4), "{done}");
    assert_eq!(server.requests(), 20);
}

/// More broken answers than the library likes, on one connection: they end neither that nor the run.
#[test]
fn many_broken_answers() {
    let plan = Plan::by(|link, request| {
        if request.number % 2 == 1 {
            link.bare(request.stream, 200, &[("content-length", "x")]);
        } else {
            link.answer(request.stream, 200, b"hello");
        }
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 4000 -q --streams 5", &server);
    assert_eq!(done.good_report().counts(), Counts::exceptions(4000, 2000), "{done}");
    assert_eq!(server.connections().len(), 1, "{done}");
}

/// Frames without a byte in the midst of each body; some servers send them when they flush.
#[test]
fn many_empty_frames() {
    let plan = Plan::by(|link, request| {
        let id = request.stream;
        link.frames(&[
            head(id, 200, &[]),
            data(id, b"", false),
            data(id, b"hello", false),
            data(id, b"", true),
        ]);
        Then::Keep
    });
    for options in ["-n 1000 -q -k", "-n 1000 -q --streams 5"] {
        let server = plan.clone().start();
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(1000), "{done}");
    }
}

/// Bodies in very small pieces.
#[test]
fn many_small_frames() {
    let plan = Plan::by(|link, request| {
        let id = request.stream;
        let pieces = (0..3000).map(|_| data(id, b"x", false));
        let frames: Vec<_> =
            [head(id, 200, &[])].into_iter().chain(pieces).chain([data(id, b"", true)]).collect();
        link.frames(&frames);
        Then::Keep
    });
    for options in ["-n 60 -k", "-n 60 --streams 5"] {
        let done = http2(options, &plan.clone().start());
        assert_eq!(done.good_report().counts(), Counts::good(60), "{done}");
        assert_eq!(done.report().count("Document Length"), Some(3000));
    }
}

/// Signs of life and settings, in any number, are answered in between.
#[test]
fn pings_and_settings_are_answered() {
    let plan = Plan::by(|link, request| {
        let opaque = (request.number as u64).to_be_bytes();
        link.ping(opaque);
        link.settings(&[(setting::MAX_FRAME_SIZE, 16_384)]);
        link.answer(request.stream, 200, b"hello");
        Then::Keep
    });
    let server = plan.start();
    let done = http2("-n 50 --streams 5", &server);
    assert_eq!(done.good_report().counts(), Counts::good(50), "{done}");
    let events = &server.ended_connections()[0].events;
    let pongs: Vec<_> = events.iter().filter(|event| matches!(event, Event::Pong(_))).cloned().collect();
    // The goodbye may have overtaken the very last ones.
    let expected: Vec<_> = (0..50_u64).map(|number| Event::Pong(number.to_be_bytes().to_vec())).collect();
    assert!(pongs.len() >= 45 && pongs[..] == expected[..pongs.len()], "{pongs:?}");
    let taken = events.iter().filter(|event| **event == Event::SettingsTaken).count();
    assert!(taken >= 45, "{taken}");
}

/// Word that is of no use to anybody does not count as an answer.
#[test]
fn frames_for_streams_that_are_over() {
    let plan = Plan::by(|link, request| {
        link.answer(request.stream, 200, b"hello");
        link.grant(request.stream, 1000);
        link.reset(request.stream, code::NO_ERROR);
        Then::Keep
    });
    for options in ["-n 40 -k", "-n 40 --streams 4"] {
        let server = plan.clone().start();
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
        assert_eq!(server.connections().len(), 1, "{done}");
    }
}
