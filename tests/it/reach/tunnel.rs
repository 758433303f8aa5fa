//! https through `-X`: a tunnel by CONNECT (RFC 9110, section 9.3.6).

use std::io::Write;
use std::sync::{Arc, Mutex};

use super::{Secured, assert_is_about, fields, line, named};
use crate::support::rab::Done;
use crate::support::report::Counts;
use crate::support::server::{Plan, Reply, Server, Step, closing, head, pause, send, wait};
use crate::support::tls::{DIALECTS, PAGE, Pair, files, listen_tls, request};

const ESTABLISHED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

/// A proxy that makes tunnels to this port, whatever was asked for, after these steps.
fn proxy(port: u16, steps: Reply) -> Server {
    Plan::always([steps, vec![Step::Relay(port)]].concat()).start()
}

/// Asks three times through a proxy that does this and makes no tunnel.
fn refused_by(steps: Reply, options: &str) -> Done {
    let proxy = Plan::always(steps).start();
    line(&format!("-n 3 {options} -X 127.0.0.1:{} https://name.test/", proxy.port()))
}

/// Fails unless all three requests failed to connect, which is told in this one line.
#[track_caller]
fn assert_told(done: &Done, message: &str) {
    assert_eq!(done.good_report().counts(), Counts::connect(3), "{done}");
    assert_eq!(done.messages(), [message], "{done}");
}

#[test]
fn requests_go_through_the_tunnel_as_to_the_server_itself() {
    let pair = named();
    let (_folder, file) = files(&[("own", pair.certificate.pem())]);
    let server = Secured::start(&pair);
    for dialect in DIALECTS {
        for (options, connections) in [("", 6), ("-k", 2)] {
            let proxy = proxy(server.port, vec![send(ESTABLISHED)]);
            let through = format!("-X 127.0.0.1:{} --cacert {}", proxy.port(), file("own"));
            let done = line(&format!("-n 6 -c 2 {options} {dialect} {through} https://name.test:8443/doc?q"));
            let report = done.good_report();
            assert_eq!(report.counts(), Counts::good(6), "{done}");
            assert_is_about(&report, "name.test", 8443);
            assert_eq!(report.count("Total transferred"), Some(6 * PAGE.len() as u64));
            assert!(done.stdout.contains(&format!("[through 127.0.0.1:{}]", proxy.port())), "{done}");
            let connects = proxy.requests();
            assert_eq!(connects.len(), connections, "{dialect}");
            for connect in connects {
                assert!(connect.starts_with("CONNECT name.test:8443 HTTP/1.1\r\nHost: name.test:8443\r\n"));
            }
            let seen = server.take_seen();
            assert_eq!(seen.len(), 6);
            for (name, request) in seen {
                assert_eq!(name.as_deref(), Some("name.test"));
                assert!(request.starts_with("GET /doc?q HTTP/1."), "{request}");
                assert_eq!(fields(&request, "Host"), ["Host: name.test:8443"]);
            }
        }
    }
}

/// The bytes of the CONNECT are below HTTP, like those of a handshake.
#[test]
fn the_report_counts_the_same_bytes_as_without_a_proxy() {
    let (_folder, file) = files(&[("body", "b".repeat(5000))]);
    let port = listen_tls(Pair::usual().config(), |tls| {
        request(tls)?;
        std::io::copy(&mut std::io::Read::take(&mut *tls, 5000), &mut std::io::sink())?;
        tls.write_all(PAGE)?;
        tls.conn.send_close_notify();
        tls.flush()
    });
    let proxy = proxy(port, vec![send(ESTABLISHED)]);
    for dialect in DIALECTS {
        let counted = |through: &str| {
            let options = format!("-n 4 -p {} {dialect} {through}", file("body"));
            let done = line(&format!("{options} https://127.0.0.1:{port}/"));
            let report = done.good_report();
            assert_eq!(report.counts(), Counts::good(4), "{done}");
            ["Total transferred", "Total body sent", "HTML transferred"].map(|label| report.count(label))
        };
        assert_eq!(counted(&format!("-P user:password -X 127.0.0.1:{}", proxy.port())), counted(""));
    }
}

#[test]
fn the_time_for_the_tunnel_is_time_to_connect() {
    let server = Secured::start(&Pair::usual());
    let proxy = proxy(server.port, vec![wait(300), send(ESTABLISHED)]);
    let done = line(&format!("-n 2 -X 127.0.0.1:{} https://name.test/", proxy.port()));
    let report = done.good_report();
    assert!(report.row("Connect").min >= 300.0, "{done}");
    assert!(report.row("Processing").min < 300.0, "{done}");
}

#[test]
fn a_head_may_come_in_any_pieces_and_with_any_fields() {
    let server = Secured::start(&Pair::usual());
    let heads = [
        "HTTP/1.0 200\r\n\r\n".to_owned(),
        "HTTP/1.1 299 Whatever\nVia: x\n\n".to_owned(),
        // Lengths and codings mean nothing here (RFC 9110, section 9.3.6).
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(),
        format!("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n{ESTABLISHED}"),
        format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(60_000)),
    ];
    for head in heads {
        let pieces = |size: usize| {
            let pieces = head.as_bytes().chunks(size).take(40).map(send);
            let rest = head.as_bytes().get(size * 40..).map(send);
            pieces
                .chain(rest)
                .flat_map(|step| [step, Step::Wait(std::time::Duration::from_millis(1))])
                .collect()
        };
        for steps in [vec![send(&head)], pieces(1), pieces(7)] {
            let proxy = proxy(server.port, steps);
            let done = line(&format!("-n 2 -X 127.0.0.1:{} https://name.test/", proxy.port()));
            assert_eq!((done.good_report().counts(), done.messages().len()), (Counts::good(2), 0), "{done}");
        }
    }
}

#[test]
fn what_the_proxy_said_is_told_once() {
    for dialect in DIALECTS {
        let challenge = ["Proxy-Authenticate: Basic realm=\"x\"", "Content-Length: 5"];
        let body = send([head("407 Proxy Authentication Required", &challenge), b"wrong".to_vec()].concat());
        let done = refused_by(vec![body, Step::Close], dialect);
        assert_told(&done, "proxy refused CONNECT: HTTP/1.1 407 Proxy Authentication Required");
        done.assert_hint(&["-P"]);
    }
    let done = refused_by(vec![send("HTTP/1.0 502 Bad \u{1b}[1mGateway\r\n\r\n"), Step::Keep], "-c 2 -W 2");
    assert_told(&done, "proxy refused CONNECT: HTTP/1.0 502 Bad ?[1mGateway");
    assert!(!done.hints().iter().any(|hint| hint.contains("-P")), "{done}");
    let done = refused_by(vec![send(head("403 Forbidden", &[])), Step::Close], "");
    assert_told(&done, "proxy refused CONNECT: HTTP/1.1 403 Forbidden");
    done.assert_hint(&["403", "443"]);
    let done = refused_by(vec![send(head("101 Switching Protocols", &[])), Step::Close], "");
    assert_told(&done, "proxy refused CONNECT: HTTP/1.1 101 Switching Protocols");
}

#[test]
fn a_proxy_that_makes_no_tunnel_fails_requests_to_connect() {
    let endless = format!("HTTP/1.1 200 OK\r\nX-Filler: {}", "f".repeat(70_000));
    let cases: [(Reply, &str); 8] = [
        (vec![Step::Close], "it closed the connection before its answer was whole"),
        (
            vec![send("HTTP/1.1 200 OK\r\nVia: x\r\n"), Step::Close],
            "it closed the connection before its answer was whole",
        ),
        (vec![Step::Reset], "it reset the connection"),
        (vec![send("HTTP/1.1 200 OK\r\n"), pause(), Step::Reset], "it reset the connection"),
        // Nobody waits for what comes after these.
        (vec![send("220 mail.test ESMTP\r\n"), Step::Hang], "its answer is not HTTP"),
        (vec![send("HTTP/1.1 2x0 OK\r\n\r\n"), Step::Hang], "its answer is not HTTP"),
        (
            vec![send([21, 3, 1, 0, 2, 2, 80]), Step::Hang],
            "it answered in TLS, and a proxy is spoken to in plain HTTP",
        ),
        (vec![send(endless), Step::Hang], "the head of its answer is longer than 64 KiB"),
    ];
    for (steps, why) in cases {
        for options in ["-s 50 --engine wire", "-s 50 -r --engine hyper"] {
            assert_told(&refused_by(steps.clone(), options), &format!("proxy did not CONNECT: {why}"));
        }
    }
    // At its twelfth refusal, a run in which nothing succeeded ends.
    let proxy = Plan::always(vec![send(head("502 Bad Gateway", &[])), Step::Close]).start();
    let done = line(&format!("-n 20 -X 127.0.0.1:{} https://name.test/", proxy.port()));
    let told = ["proxy refused CONNECT: HTTP/1.1 502 Bad Gateway", "Test aborted after 10 failures"];
    assert_eq!((done.messages(), done.code(), proxy.requests().len()), (told.to_vec(), 1, 12), "{done}");
}

#[test]
fn refusals_now_and_then_are_failures_and_the_run_goes_on() {
    let server = Secured::start(&Pair::usual());
    let tunnel: Reply = vec![send(ESTABLISHED), Step::Relay(server.port)];
    let proxy = Plan::cycle([tunnel, vec![send(head("503 Busy", &[])), Step::Close]]).start();
    let done = line(&format!("-n 40 -X 127.0.0.1:{} https://name.test/", proxy.port()));
    let expected = Counts { complete: 40, connect: 20, ..Counts::default() };
    assert_eq!((done.good_report().counts(), done.messages().len()), (expected, 1), "{done}");
}

/// What follows the answer's head is the server's, and servers do not speak first in TLS.
#[test]
fn bytes_behind_the_head_belong_to_tls() {
    let text = |more: &str| send(format!("{ESTABLISHED}{more}"));
    let done = refused_by(vec![text("220 mail.test ESMTP\r\n"), Step::Hang], "-s 50");
    assert_told(&done, "SSL handshake failed (1). the server answered with something that is not TLS");
    let done = refused_by(vec![text("HTTP/1.1 400 Bad Request\r\n\r\n"), Step::Hang], "-s 50");
    assert!(
        done.messages()[0].starts_with("SSL handshake failed (1). a plain HTTP server answered"),
        "{done}"
    );
    // A server in a hurry: all it has to say is an alert, and that is told as the server's.
    let mut alert = ESTABLISHED.as_bytes().to_vec();
    alert.extend([21, 3, 3, 0, 2, 2, 112]);
    let done = refused_by(vec![send(alert), Step::Hang], "-s 50");
    assert!(done.messages()[0].contains("alert 112 (unrecognized_name)"), "{done}");
    // Closed right behind it, which is no longer the proxy's doing.
    let done = refused_by(vec![Step::SendAndClose(ESTABLISHED.as_bytes().into())], "");
    assert!(done.messages()[0].starts_with("SSL handshake failed (5). the server "), "{done}");
}

#[test]
fn a_silent_proxy_is_silence_and_a_slow_one_is_not() {
    let silent = Plan::always(vec![send("HTTP/1.1 200 OK\r\n"), Step::Hang]).start();
    let through = format!("-n 2 -s 1 -X 127.0.0.1:{} https://name.test/", silent.port());
    let done = line(&through);
    done.assert_ended("apr_pollset_poll: The timeout specified has expired (70007)", 119, 0);
    assert!(!done.hints().iter().any(|hint| hint.contains("plain HTTP")), "{done}");
    assert_eq!(line(&format!("-r {through}")).good_report().counts(), Counts::connect(2));

    let server = Secured::start(&Pair::usual());
    let dribble = ESTABLISHED.as_bytes().chunks(8).flat_map(|piece| [wait(400), send(piece)]).collect();
    let slow = proxy(server.port, dribble);
    let done = line(&format!("-n 1 -s 1 -X 127.0.0.1:{} https://name.test/", slow.port()));
    assert_eq!(done.good_report().counts(), Counts::good(1), "{done}");
}

#[test]
fn a_proxy_that_is_not_there_ends_the_run_and_is_named() {
    let proxy = Plan::always(closing(0)).start();
    let port = proxy.port();
    let done = line(&format!("-n 2 -X 127.0.0.2:{port} https://127.0.0.1:{port}/"));
    done.assert_ended("apr_socket_recv: Connection refused (111)", 111, 0);
    done.assert_hint(&[&format!("no connection to 127.0.0.2:{port} could be made")]);
    assert_eq!(proxy.connections().len(), 0);
}

#[test]
fn credentials_of_the_proxy_are_for_the_proxy_alone() {
    let server = Secured::start(&Pair::usual());
    for dialect in DIALECTS {
        let proxy = proxy(server.port, vec![send(ESTABLISHED)]);
        let through = format!("-X 127.0.0.1:{} -P proxy:secret -A user:pw", proxy.port());
        let done = line(&format!("-n 2 -v 4 {dialect} {through} https://name.test/"));
        assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
        for connect in proxy.requests() {
            let sent = fields(&connect, "Proxy-Authorization");
            assert_eq!(sent, ["Proxy-Authorization: Basic cHJveHk6c2VjcmV0"], "{connect}");
            assert_eq!(fields(&connect, "Authorization"), [""; 0], "{connect}");
        }
        for (_, request) in server.take_seen() {
            assert!(!request.to_lowercase().contains("proxy"), "{request}");
            assert_eq!(fields(&request, "Authorization").len(), 1, "{request}");
        }
        // -v shows the request, and this is in none.
        let shown = format!("{}{}", done.stdout, done.stderr);
        assert!(shown.contains("INFO: GET header ==") && !shown.contains("cHJveHk6c2VjcmV0"), "{done}");
        assert!(!shown.contains("secret"), "{done}");
    }
}

#[test]
fn http_goes_through_a_proxy_as_ever() {
    for dialect in DIALECTS {
        let proxy = Plan::always(closing(10)).start();
        let through = format!("-X 127.0.0.1:{} -P proxy:secret", proxy.port());
        let done = line(&format!("-n 2 {dialect} {through} http://name.test:81/doc"));
        assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
        for request in proxy.requests() {
            assert!(request.starts_with("GET http://name.test:81/doc HTTP/1."), "{request}");
            assert_eq!(fields(&request, "Proxy-Authorization").len(), 1, "{request}");
        }
    }
}

/// The other end of a tunnel may close as any server may.
#[test]
fn a_tunnel_ends_when_the_server_closes() {
    let served = Arc::new(Mutex::new(0));
    let port = listen_tls(Pair::usual().config(), move |tls| {
        request(tls)?;
        *served.lock().unwrap() += 1;
        let page = if *served.lock().unwrap() % 2 == 0 { &PAGE[..PAGE.len() - 2] } else { PAGE };
        tls.write_all(page)?;
        tls.conn.send_close_notify();
        tls.flush()
    });
    for dialect in DIALECTS {
        let proxy = proxy(port, vec![send(ESTABLISHED)]);
        let done = line(&format!("-n 4 {dialect} -X 127.0.0.1:{} https://name.test/", proxy.port()));
        assert_eq!(done.good_report().counts(), Counts::receive(4, 2), "{done}");
    }
}
