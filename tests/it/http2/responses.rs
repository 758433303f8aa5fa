//! What comes back, by the rules of the protocol: each answer counts as it would under HTTP/1.1.

use super::http2;
use crate::support::http2::frame::{Frame, block, flag, kind};
use crate::support::http2::{Link, Plan, Then, data, head};
use crate::support::rab::Done;
use crate::support::report::Counts;

/// So many requests, and the way they are made.
const WAYS: [&str; 3] = ["-n 4", "-n 4 -k", "-n 4 --streams 2"];

/// Asks in all ways a server that answers every request like this.
fn each(options: &str, answer: impl Fn(&mut Link, u32) + Send + Sync + Clone + 'static) -> Vec<Done> {
    let plan = Plan::by(move |link, request| {
        answer(link, request.stream);
        Then::Keep
    });
    WAYS.iter().map(|way| http2(&format!("{way} -s 10 {options}"), &plan.clone().start())).collect()
}

#[track_caller]
fn assert_all(answered: &[Done], counts: Counts, document: u64) {
    for done in answered {
        assert_eq!(done.good_report().counts(), counts, "{done}");
        assert_eq!(done.report().count("Document Length"), Some(document), "{done}");
        assert_eq!(done.report().count("HTML transferred"), Some(4 * document), "{done}");
    }
}

fn non_2xx() -> Counts {
    Counts { non_2xx: 4, ..Counts::good(4) }
}

#[test]
fn with_and_without_a_length() {
    assert_all(&each("", |link, id| link.answer(id, 200, b"hello")), Counts::good(4), 5);
    assert_all(&each("", |link, id| link.answer(id, 200, b"")), Counts::good(4), 0);
    assert_all(&each("", |link, id| link.bare(id, 200, &[])), Counts::good(4), 0);
    assert_all(&each("", |link, id| link.bare(id, 200, &[("content-length", "0")])), Counts::good(4), 0);
    let unknown = |link: &mut Link, id| {
        link.head(id, 200, &[("server", "Script/2.0 x")]);
        for _ in 0..10 {
            link.data(id, b"0123456789", false);
        }
        link.data(id, b"", true);
    };
    let answered = each("", unknown);
    assert_all(&answered, Counts::good(4), 100);
    for done in answered {
        assert_eq!(done.report().text_of("Server Software"), Some("Script/2.0"), "{done}");
    }
}

#[test]
fn statuses() {
    for status in [301, 404, 500, 599] {
        let answered = each("", move |link, id| link.answer(id, status, b"sorry"));
        assert_all(&answered, non_2xx(), 5);
        for done in answered {
            done.assert_hint(&[&status.to_string()]);
        }
    }
    for found in each("", |link, id| link.bare(id, 302, &[("location", "https://other.test/")])) {
        found.assert_hint(&["https://other.test/"]);
    }
}

#[test]
fn without_a_body() {
    for length in [&[][..], &[("content-length", "5000")]] {
        assert_all(&each("", |link, id| link.bare(id, 204, length)), Counts::good(4), 0);
        assert_all(&each("", |link, id| link.bare(id, 304, length)), non_2xx(), 0);
        for option in ["-i", "-m HEAD"] {
            assert_all(&each(option, |link, id| link.bare(id, 200, length)), Counts::good(4), 0);
        }
    }
}

#[test]
fn trailers_end_an_answer() {
    let with_trailers = |link: &mut Link, id| {
        link.head(id, 200, &[("trailer", "x-sum")]);
        link.data(id, b"hello", false);
        link.trailers(id, &[("x-sum", "1"), ("grpc-status", "0")]);
    };
    assert_all(&each("", with_trailers), Counts::good(4), 5);
    let nothing_else = |link: &mut Link, id| {
        link.head(id, 200, &[]);
        link.trailers(id, &[("x-sum", "1")]);
    };
    assert_all(&each("", nothing_else), Counts::good(4), 0);
}

#[test]
fn interim_answers_are_not_the_answer() {
    let interim = |link: &mut Link, id| {
        link.head(id, 103, &[("link", "</a.css>; rel=preload")]);
        link.head(id, 102, &[]);
        link.head(id, 103, &[]);
        link.answer(id, 200, b"hello");
    };
    assert_all(&each("", interim), Counts::good(4), 5);
}

#[test]
fn heads_in_pieces_and_with_padding() {
    let pieces = |link: &mut Link, id| {
        let block = block(200, &[("x-long", &"y".repeat(20_000)), ("content-length", "5")]);
        let (first, rest) = block.split_at(1);
        link.frames(&[Frame::new(kind::HEADERS, 0, id, first)]);
        for piece in rest.chunks(7000) {
            link.frames(&[Frame::new(kind::CONTINUATION, 0, id, piece)]);
        }
        link.frames(&[Frame::new(kind::CONTINUATION, flag::END_HEADERS, id, []), data(id, b"hello", true)]);
    };
    assert_all(&each("", pieces), Counts::good(4), 5);
    let padded = |link: &mut Link, id: u32| {
        let priority = [0, 0, 0, 0, 15];
        let head = [&[3][..], &priority, &block(200, &[]), &[0; 3]].concat();
        let flags = flag::END_HEADERS | flag::PADDED | flag::PRIORITY;
        let body = [&[255][..], b"hello", &[0; 255]].concat();
        link.frames(&[
            Frame::new(kind::HEADERS, flags, id, head),
            Frame::new(kind::DATA, flag::PADDED, id, body),
            Frame::new(kind::DATA, flag::PADDED | flag::END_STREAM, id, [&[10][..], &[0; 10]].concat()),
        ]);
    };
    assert_all(&each("", padded), Counts::good(4), 5);
}

/// The limit is that of HTTP/1, 64 KiB; how it is counted is HTTP/2's own business.
#[test]
fn a_head_that_is_too_long_fails_its_request() {
    let plan = Plan::by(|link, request| {
        let id = request.stream;
        if request.number % 2 == 0 {
            link.answer(id, 200, b"hello");
            return Then::Keep;
        }
        let block = block(200, &[("x-long", &"y".repeat(70_000))]);
        let mut pieces: Vec<_> =
            block.chunks(16_384).map(|piece| Frame::new(kind::CONTINUATION, 0, id, piece)).collect();
        pieces[0].kind = kind::HEADERS;
        pieces.last_mut().unwrap().flags = flag::END_HEADERS;
        link.frames(&pieces);
        link.data(id, b"hello", true);
        Then::Keep
    });
    for way in WAYS {
        let done = http2(&format!("{way} -s 10"), &plan.clone().start());
        assert_eq!(done.good_report().counts(), Counts::exceptions(4, 2), "{done}");
    }
}

#[test]
fn a_head_just_below_the_limit_is_read() {
    let plan = Plan::by(|link, request| {
        let block = block(200, &[("x-long", &"y".repeat(60_000))]);
        let mut pieces: Vec<_> = block
            .chunks(16_384)
            .map(|piece| Frame::new(kind::CONTINUATION, 0, request.stream, piece))
            .collect();
        pieces[0].kind = kind::HEADERS;
        pieces.last_mut().unwrap().flags = flag::END_HEADERS;
        link.frames(&pieces);
        link.data(request.stream, b"hello", true);
        Then::Keep
    });
    for way in WAYS {
        assert_eq!(http2(way, &plan.clone().start()).good_report().counts(), Counts::good(4));
    }
}

#[test]
fn lengths_that_alternate() {
    let plan = Plan::by(|link, request| {
        link.answer(request.stream, 200, &b"0123456789x"[..10 + request.number % 2]);
        Then::Keep
    });
    for way in WAYS {
        let done = http2(way, &plan.clone().start());
        assert_eq!(done.good_report().counts(), Counts { length: 2, ..Counts::good(4) }, "{done}");
        done.assert_hint(&["sizes seen are 10 to 11 bytes, most often 11", "-l"]);
        let done = http2(&format!("{way} -l"), &plan.clone().start());
        assert_eq!(done.good_report().counts(), Counts::good(4), "{done}");
    }
}

/// A frame that says nothing is no end: not an empty body, nor one of a kind that nobody knows.
#[test]
fn frames_without_a_meaning_change_nothing() {
    let odd = |link: &mut Link, id| {
        link.frames(&[Frame::new(0x42, 0xff, id, b"what".to_vec()), Frame::new(0xee, 0, 0, [])]);
        link.frames(&[
            head(id, 200, &[]),
            data(id, b"", false),
            data(id, b"hello", false),
            data(id, b"", true),
        ]);
    };
    assert_all(&each("", odd), Counts::good(4), 5);
}
