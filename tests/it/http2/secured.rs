//! The same over TLS, where frames share records, and a connection has two ends.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::http2;
use crate::support::http2::frame::{Frame, code, kind};
use crate::support::http2::{End, Event, Plan, Then, data, head};
use crate::support::rab::ask;
use crate::support::report::Counts;
use crate::support::tls::{Pair, listen};

/// A server's side of TLS that chooses HTTP/2.
fn config() -> ServerConfig {
    let mut config = Pair::usual().config();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

#[test]
fn requests_in_all_ways() {
    for options in ["-n 20", "-n 20 -k -c 2", "-n 20 --streams 5", "-n 20 -c 2 --streams 5 -W 2 -f TLS1.2"] {
        let server = Plan::always(b"hello").start_tls(config());
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(20), "{done}");
        assert_eq!(done.report().count("HTML transferred"), Some(100));
        for connection in server.ended_connections() {
            // Without -k the client leaves by a reset behind its goodbye, which the server may meet first.
            let left = connection.end.unwrap();
            assert!(left == End::Peer || (options == "-n 20" && left == End::PeerReset), "{connection:?}");
            if left == End::Peer {
                assert_eq!(connection.events.last(), Some(&Event::GoAway(code::NO_ERROR)), "{connection:?}");
            }
        }
    }
}

#[test]
fn goodbyes_and_closes() {
    for then in [Then::Keep, Then::Close] {
        let plan = Plan::by(move |link, request| {
            if request.place == 4 {
                link.go_away(request.stream, code::NO_ERROR);
            }
            if request.place <= 4 {
                link.answer(request.stream, 200, b"hello");
            }
            if request.place == 4 { then } else { Then::Keep }
        });
        for options in ["-n 30 -k", "-n 30 --streams 3"] {
            let done = http2(&format!("{options} -s 10"), &plan.clone().start_tls(config()));
            assert_eq!(done.good_report().counts(), Counts::good(30), "{done}");
        }
    }
}

#[test]
fn failures_have_the_same_classes() {
    let plan = Plan::by(|link, request| match request.number {
        3 => {
            link.reset(request.stream, code::INTERNAL_ERROR);
            Then::Keep
        }
        6 => {
            link.head(request.stream, 200, &[("content-length", "10")]);
            link.data(request.stream, b"hello", true);
            Then::Keep
        }
        9 => {
            link.bare(request.stream, 200, &[("content-length", "x")]);
            Then::Keep
        }
        12 => {
            // The end of TCP without that of TLS, in the midst of an answer.
            link.head(request.stream, 200, &[]);
            link.data(request.stream, b"he", false);
            Then::Close
        }
        _ => {
            link.answer(request.stream, 200, b"hello");
            Then::Keep
        }
    });
    let done = http2("-n 20 -k -s 10", &plan.start_tls(config()));
    assert_eq!(
        done.good_report().counts(),
        Counts { receive: 3, exceptions: 1, ..Counts::good(20) },
        "{done}"
    );
}

#[test]
fn a_reset_connection_ends_the_run_unless_r_is_given() {
    let plan = Plan::by(|link, request| {
        if request.number == 5 {
            link.head(request.stream, 200, &[]);
            link.data(request.stream, b"he", false);
            return Then::Reset;
        }
        link.answer(request.stream, 200, b"hello");
        Then::Keep
    });
    let done = http2("-n 9 -k", &plan.clone().start_tls(config()));
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 5);
    let done = http2("-n 9 -k -r", &plan.start_tls(config()));
    assert_eq!(done.good_report().counts(), Counts::receive(9, 1), "{done}");
}

/// In TLS 1.3 the refusal comes when the client has begun to speak.
#[test]
fn a_demanded_client_certificate() {
    let (own, issuer) = (Pair::usual(), Pair::usual());
    for version in [&rustls::version::TLS13, &rustls::version::TLS12] {
        let mut config = own.demanding(version, &issuer.certificate);
        config.alpn_protocols = vec![b"h2".to_vec()];
        let server = Plan::always(b"hello").start_tls(config);
        for options in ["-n 3", "-n 3 -k", "-n 3 --streams 3"] {
            let done = http2(options, &server);
            assert_eq!(done.good_report().counts(), Counts::connect(3), "{done}");
            assert!(
                done.stderr.contains("SSL handshake failed (1). ") && done.stderr.contains("(-E)"),
                "{done}"
            );
        }
    }
}

/// Those that wait for one connection wait together, and find out together that it does not come to be.
#[test]
fn connections_that_fall_silent_in_the_handshake() {
    let shared = Arc::new(config());
    let connections = AtomicUsize::new(0);
    let port = listen(move |tcp| {
        if connections.fetch_add(1, Ordering::Relaxed) > 0 {
            let _ = (&tcp).read_to_end(&mut Vec::new());
            return;
        }
        let session = ServerConnection::new(Arc::clone(&shared)).unwrap();
        let mut tls = StreamOwned::new(session, tcp);
        // The preface, the settings and a window; then a request.
        let _ = tls.read(&mut [0; 4096]);
        let (settings, answer) = (Frame::new(kind::SETTINGS, 0, 0, []), head(1, 200, &[]));
        let end = [data(1, b"hello", true), Frame::new(kind::GOAWAY, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0])];
        for frame in [settings, answer].iter().chain(&end) {
            let _ = tls.write_all(&frame.bytes());
        }
        let _ = tls.read_to_end(&mut Vec::new());
    });
    let done = ask("--http2 -n 21 --streams 5 -s 1 -r", &format!("https://127.0.0.1:{port}/"));
    assert_eq!(done.good_report().counts(), Counts { connect: 20, ..Counts::good(21) }, "{done}");
    assert!(done.took < Duration::from_secs(12), "four silences and not twenty: {done}");
}

#[test]
fn a_server_that_chooses_it_and_does_not_speak_it() {
    let plan = Plan::always(b"").on_open(|link| {
        link.raw(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        Then::Close
    });
    let done = http2("-n 9 --streams 3", &plan.start_tls(config()));
    done.assert_ended("the server does not speak HTTP/2: it answered in something else", 1, 0);
    let plan = Plan::always(b"").on_open(|_| Then::Close);
    let done = http2("-n 9 -k", &plan.start_tls(config()));
    done.assert_ended("the server does not speak HTTP/2: it closed the connection without an answer", 1, 0);
}
