//! How HTTP/2 comes to be spoken, and what is said where it cannot be.

use std::io::{Read, Write};
use std::net::Shutdown;

use super::http2;
use crate::support::http2::frame::code;
use crate::support::http2::polite::{Polite, page};
use crate::support::http2::{Plan, Then};
use crate::support::rab::{Done, ask};
use crate::support::report::Counts;
use crate::support::server::{self, Step, send};
use crate::support::tls::{Pair, listen, listen_tls, pages, read_request};

/// The bytes of a TLS alert.
const ALERT: &[u8] = &[0x15, 3, 1, 0, 2, 2, 22];

/// Fails unless the run ended before anything was measured, with the reason, a hint and exit code 1.
#[track_caller]
fn assert_not_spoken(done: &Done, how: &str) {
    done.assert_ended(&format!("the server does not speak HTTP/2: {how}"), 1, 0);
    done.assert_hint(&["without --http2", "--http1.1"]);
}

/// The lines between these two labels, without them.
fn lines_between<'a>(done: &'a Done, first: &str, last: &str) -> Vec<&'a str> {
    let lines = done.stdout.lines().skip_while(|line| !line.starts_with(first)).skip(1);
    lines.take_while(|line| !line.starts_with(last)).filter(|line| !line.is_empty()).collect()
}

#[test]
fn without_tls_the_server_is_expected_to_know() {
    let server = Plan::always(b"hello").start();
    let done = http2("-n 3 -k", &server);
    assert_eq!(done.good_report().counts(), Counts::good(3), "{done}");
    assert_eq!(server.requests_per_connection(), [3]);
    assert_eq!(lines_between(&done, "Server Port", "Document Path"), ["HTTP Protocol:          HTTP/2"]);
    assert_eq!(done.hints(), [""; 0]);
}

#[test]
fn over_tls_it_is_chosen_in_the_handshake() {
    let server = Polite::start_tls(Pair::usual().config(), |_, _| page("hello"));
    let done = ask("--http2 -n 6 -c 2 --streams 3 -H Host:h.test", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(6), "{done}");
    let lines = lines_between(&done, "Server Port", "Document Path");
    let labels: Vec<_> = lines.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(labels, ["SSL/TLS Protocol", "Server Temp Key", "TLS Server Name", "HTTP Protocol"]);
    assert_eq!(lines[3], "HTTP Protocol:          HTTP/2");
}

#[test]
fn the_line_about_the_protocol_stands_only_where_one_was_asked_for() {
    let server = server::Plan::always(server::keeping(5)).start();
    for (options, line) in [("", None), ("--http1.0", None), ("--http1.1", Some("HTTP/1.1"))] {
        let done = ask(&format!("{options} -k -n 2"), &server.url());
        assert_eq!(done.good_report().text_of("HTTP Protocol"), line, "{done}");
    }
}

#[test]
fn a_server_of_http_1_answers_in_something_else() {
    for answer in [
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "HTTP/1.0 505 HTTP Version Not Supported\r\n\r\n<p>There is HTTP/1.1 here and nothing else.",
        "no\n",
    ] {
        for then in [Step::Close, Step::Hang, Step::Abandon] {
            for options in ["-n 9", "-n 9 -k", "-n 9 -c 3 --streams 3 -r"] {
                let server = server::Plan::by(|_, _| vec![Step::Close]);
                let server = server.on_accept(vec![Step::Head, send(answer), then.clone()]).start();
                let done = ask(&format!("--http2 {options}"), &server.url());
                // Too short to tell from the beginning of a frame, as long as nothing follows.
                let is_held_open = answer.len() < 9 && matches!(then, Step::Hang);
                if !is_held_open {
                    assert_not_spoken(&done, "it answered in something else");
                    assert_eq!(server.connections().len(), 1, "{done}");
                }
            }
        }
    }
}

#[test]
fn a_server_that_does_not_choose_it_in_the_handshake() {
    for chosen in [None, Some("http/1.1")] {
        let mut config = Pair::usual().config();
        config.alpn_protocols = chosen.iter().map(|name| name.as_bytes().to_vec()).collect();
        let port = listen_tls(config, pages);
        let done = ask("--http2 -n 9 -c 2", &format!("https://127.0.0.1:{port}/"));
        // By alert 120, if it knows of such things at all.
        assert_not_spoken(&done, "it did not choose it in the TLS handshake");
        // The same server speaks HTTP/1.
        let done = ask("--http1.1 -n 2", &format!("https://127.0.0.1:{port}/"));
        assert_eq!(done.good_report().counts().complete, 2, "{done}");
    }
}

#[test]
fn a_server_of_tls_on_a_plain_connection() {
    let port = listen(|mut tcp| {
        let _ = read_request(&mut tcp);
        let _ = tcp.write_all(ALERT);
        let _ = tcp.shutdown(Shutdown::Write);
        let _ = tcp.read(&mut [0; 99]);
    });
    let done = ask("--http2 -n 9", &format!("http://127.0.0.1:{port}/"));
    assert_not_spoken(&done, "it answered in TLS");
    done.assert_hint(&["speaks TLS", "https://"]);
}

#[test]
fn a_plain_server_under_tls_is_no_matter_of_http_2() {
    let server = server::Plan::by(|_, _| vec![Step::Close]);
    let server = server.on_accept(vec![send("HTTP/1.1 400 Bad Request\r\n\r\n"), Step::Close]).start();
    let done = ask("--http2 -n 3", &server.url().replace("http:", "https:"));
    assert_eq!(done.good_report().counts(), Counts::connect(3), "{done}");
    assert_eq!(done.messages().len(), 1, "{done}");
    assert!(done.stderr.contains("SSL handshake failed (1). a plain HTTP server answered"), "{done}");
}

#[test]
fn a_server_that_closes_without_a_byte() {
    for options in ["-n 9", "-n 9 -k -r -c 3 --streams 2"] {
        let server =
            server::Plan::by(|_, _| vec![Step::Close]).on_accept(vec![Step::Head, Step::Close]).start();
        let done = ask(&format!("--http2 {options}"), &server.url());
        assert_not_spoken(&done, "it closed the connection without an answer");
        assert_eq!(server.connections().len(), 1, "{done}");
    }
}

#[test]
fn a_server_that_resets_without_a_byte_ends_the_run_as_under_http_1() {
    let server = server::Plan::by(|_, _| vec![Step::Close]).on_accept(vec![Step::Head, Step::Reset]).start();
    let done = ask("--http2 -n 9 -k", &server.url());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 0);
    let done = ask("--http2 -n 9 -k -r", &server.url());
    assert_eq!(done.good_report().counts(), Counts::receive(9, 9), "{done}");
}

/// So early that not even the preface has gone out, or a little later: which of the two, chance decides.
#[test]
fn a_server_that_ends_connections_as_soon_as_it_has_them() {
    for step in [Step::Reset, Step::Close, Step::Abandon] {
        for options in ["-n 9", "-n 9 -k", "-n 9 --streams 3"] {
            let server = server::Plan::by(|_, _| vec![Step::Close]).on_accept(vec![step.clone()]).start();
            let done = ask(&format!("--http2 {options}"), &server.url());
            let reset = "apr_socket_recv: Connection reset by peer (104)";
            let closed = "the server does not speak HTTP/2: it closed the connection without an answer";
            match done.code() {
                104 => done.assert_ended(reset, 104, 0),
                _ => done.assert_ended(closed, 1, 0),
            }
        }
    }
}

/// Some answer certain requests by HTTP/1.1 alone, such as those that a connection is authenticated for.
#[test]
fn a_server_that_asks_for_http_1_1_instead() {
    let asking_from = |first: usize| {
        Plan::by(move |link, request| {
            if request.number < first {
                link.answer(request.stream, 200, b"hello");
            } else {
                link.reset(request.stream, code::HTTP_1_1_REQUIRED);
            }
            Then::Keep
        })
    };
    for options in ["-n 9", "-n 9 --streams 3 -r"] {
        let done = http2(options, &asking_from(0).start());
        assert_not_spoken(&done, "it asks for HTTP/1.1 instead");
        let done = http2(options, &asking_from(4).start());
        assert_eq!(done.good_report().counts(), Counts::receive(9, 5), "{done}");
    }
}

/// Once it has been heard, the protocol is what the server speaks, and anything else a failure of one request.
#[test]
fn a_later_connection_that_does_not_speak_it() {
    let plan = Plan::always(b"hello").on_open(|link| {
        if link.number() % 2 == 1 {
            link.raw(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            return Then::Close;
        }
        link.settings(&[]);
        Then::Keep
    });
    let done = http2("-n 6", &plan.start());
    assert_eq!(done.good_report().counts(), Counts::exceptions(6, 3), "{done}");
}

/// The first frame must say the server's settings, and not only that it knows ours (RFC 9113, section 3.4).
#[test]
fn a_server_whose_first_frame_says_no_settings() {
    let settings_last = |acknowledges_first: bool| {
        Plan::by(|link, request| {
            link.answer(request.stream, 200, b"hello");
            link.settings(&[]);
            Then::Keep
        })
        .on_open(move |link| {
            if acknowledges_first {
                link.acknowledge();
            }
            Then::Keep
        })
    };
    for options in ["-n 4", "-n 4 -k --streams 2"] {
        for acknowledges_first in [false, true] {
            let done = http2(options, &settings_last(acknowledges_first).start());
            assert_not_spoken(&done, "it answered in something else");
        }
    }
}
