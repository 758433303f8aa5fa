//! What each event is: whether it ends the run, in which class a request fails, what is said, with which status.
//!
//! One test an event and, where `-r` makes a difference or could make one, a second. The rules about reused
//! connections, framing, and who closes first are in `connections.rs`.
//!
//! Not provoked here: sending that fails for another reason than a reset.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use crate::support::needs;
use crate::support::rab::{Rab, ask, rab};
use crate::support::report::Counts;
use crate::support::server::{
    Gate, Plan, Reply, Server, Step, answer, answer_bytes, chunks, closing, head, keeping, pause, send, wait,
};

const RESET: &str = "apr_socket_recv: Connection reset by peer (104)";
const REFUSED: &str = "apr_socket_recv: Connection refused (111)";
const TIMEOUT: &str = "apr_pollset_poll: The timeout specified has expired (70007)";
const ABORTED: &str = "Test aborted after 10 failures";

/// A port on which nobody listens, and which nobody else gets while the socket lives.
fn closed_port() -> (socket2::Socket, String) {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    (socket, format!("http://127.0.0.1:{port}/doc"))
}

/// A listener that nobody serves, its queue full: connecting to it hears nothing. The streams fill the queue.
fn silent_port() -> (socket2::Socket, Vec<TcpStream>, String) {
    let (socket, url) = closed_port();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
        waiting.push(stream);
        assert!(waiting.len() < 50, "the queue of a listener never fills up");
    }
    (socket, waiting, url)
}

// ---------------------------------------------------------------- no name, no address, no file, no port

#[test]
fn an_unknown_name_ends_the_run_with_50() {
    for options in ["-n 3", "-n 3 -r"] {
        let done = ask(options, "http://a..b/");
        done.assert_ended("apr_sockaddr_info_get() for a..b: Name or service not known (670002)", 50, 0);
    }
}

#[test]
fn a_foreign_local_address_ends_the_run_with_99() {
    let server = Plan::always(closing(10)).start();
    for options in ["-n 3 -B 192.0.2.1", "-n 3 -r -B 192.0.2.1"] {
        ask(options, &server.url()).assert_ended("bind: Cannot assign requested address (99)", 99, 0);
    }
    assert_eq!(server.connections().len(), 0);
}

#[test]
fn no_descriptor_left_ends_the_run_with_24() {
    let server = Plan::always(keeping(10)).start();
    for options in ["", "-r"] {
        let script = format!("ulimit -n 24; exec \"$RAB\" -W 1 -k -n 200 -c 100 {options} {}", server.url());
        let done = Rab::shell(&script).run();
        assert_eq!(done.messages(), ["socket: Too many open files (24)"], "{done}");
        assert_eq!(done.code(), 24, "{done}");
        assert!(!done.stdout.contains("Server Software"), "{done}");
    }
}

// ---------------------------------------------------------------- no connection

#[test]
fn refused_ends_the_run_with_111() {
    let (_port, url) = closed_port();
    ask("-n 3", &url).assert_ended(REFUSED, 111, 0);
}

#[test]
fn refused_under_r_is_a_connect_failure() {
    let (_port, url) = closed_port();
    let done = ask("-n 4 -r", &url);
    assert_eq!(done.good_report().counts(), Counts::connect(4));
    assert_eq!(done.messages(), [""; 0], "{done}");
}

#[test]
fn unreachable_ends_the_run_with_its_own_number() {
    if !needs::programs(&["unshare"]) {
        return;
    }
    // A new network namespace: its loopback interface is down.
    let script = "exec \"$RAB\" -n 3 http://127.0.0.1:9/";
    let done = Rab::of("unshare", ["-rn", "sh", "-c", script]).run();
    if done.stderr.contains("unshare") {
        needs::left_out("no new namespaces here");
        return;
    }
    assert_eq!(done.code(), 101, "{done}");
    assert!(done.messages().iter().any(|line| line.ends_with("Network is unreachable (101)")), "{done}");
}

#[test]
fn twelve_failed_connections_with_nothing_good_abort_the_test() {
    let (_port, url) = closed_port();
    let done = ask("-n 20 -r", &url);
    assert_eq!(done.messages(), [ABORTED], "{done}");
    assert!(done.stderr.starts_with("\nTest aborted after 10 failures\n\n"), "{done}");
    assert_eq!(done.code(), 1, "{done}");
    assert!(!done.stdout.contains("Server Software"), "{done}");
}

#[test]
fn eleven_failed_connections_do_not_abort_the_test() {
    let (_port, url) = closed_port();
    assert_eq!(ask("-n 11 -r", &url).good_report().counts(), Counts::connect(11));
}

// ---------------------------------------------------------------- reset before the response is whole

/// Two good responses, then this, then good ones: without `-r` the run ends with 104 at two complete requests; with
/// `-r` one of five requests is a Receive failure.
fn reset_at_the_third(broken: &Reply) {
    let plan = Plan::sequence([closing(10), closing(10), broken.clone(), closing(10)]);
    let server = plan.clone().start();
    let done = ask("-n 5", &server.url());
    done.assert_ended(RESET, 104, 2);
    assert_eq!(server.requests().len(), 3);
    done.assert_hint(&["-r"]);

    let server = plan.start();
    let done = ask("-n 5 -r", &server.url());
    let report = done.good_report();
    assert_eq!(report.counts(), Counts::receive(5, 1), "{done}");
    assert_eq!(report.count("Document Length"), Some(10));
    assert_eq!(done.messages(), [""; 0], "{done}");
    assert_eq!(server.requests().len(), 5);
}

#[test]
fn reset_before_the_response_ends_the_run_with_104_and_is_a_receive_failure_under_r() {
    reset_at_the_third(&vec![Step::Reset]);
}

#[test]
fn reset_within_the_head_ends_the_run_with_104_and_is_a_receive_failure_under_r() {
    reset_at_the_third(&vec![send("HTTP/1.1 200 OK\r\nContent-Le"), pause(), Step::Reset]);
}

#[test]
fn reset_within_a_promised_body_ends_the_run_with_104_and_is_a_receive_failure_under_r() {
    reset_at_the_third(&vec![
        send(head("200 OK", &["Content-Length: 10"])),
        send("part"),
        pause(),
        Step::Reset,
    ]);
}

#[test]
fn reset_within_a_chunk_ends_the_run_with_104_and_is_a_receive_failure_under_r() {
    let head = head("200 OK", &["Transfer-Encoding: chunked"]);
    reset_at_the_third(&vec![send(head), send("a\r\npart"), pause(), Step::Reset]);
}

#[test]
fn reset_within_a_body_that_ends_with_the_close_ends_the_run_with_104_and_is_a_receive_failure_under_r() {
    reset_at_the_third(&vec![send(head("200 OK", &[])), send("part"), pause(), Step::Reset]);
}

#[test]
fn reset_on_the_first_request_ends_the_run_without_a_total_line() {
    let server = Plan::always(vec![Step::Reset]).start();
    ask("-n 5", &server.url()).assert_ended(RESET, 104, 0);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn reset_under_r_as_the_first_answer_leaves_the_document_length_to_the_first_good_one() {
    let server = Plan::sequence([vec![Step::Reset], closing(10), closing(10)]).start();
    let report = ask("-n 4 -r", &server.url()).good_report();
    assert_eq!(report.counts(), Counts::receive(4, 1));
    assert_eq!(report.count("Document Length"), Some(10));
}

/// A server that resets every connection while a body of 20 MB is on its way.
fn resets_while_sending() -> (Server, tempfile::NamedTempFile) {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(20_000_000).unwrap();
    (Plan::always(closing(10)).on_accept(vec![pause(), Step::Reset]).start(), file)
}

#[test]
fn reset_while_sending_ends_the_run_with_104() {
    let (server, file) = resets_while_sending();
    let path = file.path().to_str().unwrap();
    let done = rab(["-n", "3", "-p", path, &server.url()]);
    done.assert_ended(RESET, 104, 0);
}

#[test]
fn reset_while_sending_under_r_is_a_receive_failure_and_no_write_error() {
    let (server, file) = resets_while_sending();
    let path = file.path().to_str().unwrap();
    let done = rab(["-n", "3", "-r", "-p", path, &server.url()]);
    assert_eq!(done.good_report().counts(), Counts::receive(3, 3), "{done}");
}

#[test]
fn reset_with_two_connections_ends_the_run_as_well() {
    let server = Plan::sequence([closing(10), vec![Step::Reset]]).start();
    let done = ask("-n 6 -c 2", &server.url());
    done.assert_ended(RESET, 104, 1);
}

#[test]
fn resets_under_r_and_v_1_are_told_one_by_one() {
    let server = Plan::cycle([closing(10), vec![Step::Reset]]).start();
    let done = ask("-n 6 -r -v 1", &server.url());
    assert_eq!(done.good_report().counts(), Counts::receive(6, 3));
    assert_eq!(done.messages(), [RESET; 3], "{done}");
}

#[test]
fn the_finished_part_of_an_ended_run_is_reported_with_partial() {
    let server = Plan::sequence([closing(10), closing(10), vec![Step::Reset]]).start();
    let done = ask("-n 5 --partial", &server.url());
    assert_eq!(done.code(), 104, "{done}");
    assert_eq!(done.messages(), [RESET], "{done}");
    assert_eq!(done.report().counts(), Counts::good(2));
}

// ---------------------------------------------------------------- closed before the response is whole

/// Good responses and this one in turn, four requests: two of them are Receive failures, with and without `-r`.
fn closed_every_second_time(broken: &Reply) {
    for options in ["-n 4", "-n 4 -r"] {
        let server = Plan::cycle([closing(10), broken.clone()]).start();
        let done = ask(options, &server.url());
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::receive(4, 2), "{done}");
        assert_eq!(report.count("Document Length"), Some(10), "{done}");
        assert_eq!(done.messages(), [""; 0], "{done}");
        assert_eq!(server.requests_per_connection(), [1; 4]);
    }
}

#[test]
fn closed_with_no_byte_is_a_receive_failure() {
    closed_every_second_time(&vec![Step::Close]);
}

#[test]
fn closed_within_the_head_is_a_receive_failure() {
    closed_every_second_time(&vec![send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n"), Step::Close]);
}

#[test]
fn closed_within_the_status_line_is_a_receive_failure() {
    closed_every_second_time(&vec![send("HTTP/1.1 20"), Step::Close]);
}

#[test]
fn closed_within_a_promised_body_is_a_receive_failure() {
    closed_every_second_time(&vec![send(head("200 OK", &["Content-Length: 10"])), send("part"), Step::Close]);
}

#[test]
fn closed_before_the_last_chunk_is_a_receive_failure() {
    let head = head("200 OK", &["Transfer-Encoding: chunked"]);
    closed_every_second_time(&vec![send(head), send("a\r\n0123456789\r\n"), Step::Close]);
}

#[test]
fn closed_with_no_byte_on_every_request_is_no_success_and_no_abort() {
    let server = Plan::always(vec![Step::Close]).start();
    let report = ask("-n 20", &server.url()).good_report();
    assert_eq!(report.counts(), Counts::receive(20, 20));
    assert_eq!(report.count("Document Length"), Some(0));
    assert_eq!(report.count("Total transferred"), Some(0));
}

// ---------------------------------------------------------------- not HTTP

/// As [`closed_every_second_time`], for Exceptions.
fn not_http_every_second_time(broken: &Reply) {
    for options in ["-n 4 -s 10", "-n 4 -s 10 -r"] {
        let server = Plan::cycle([closing(10), broken.clone()]).start();
        let done = ask(options, &server.url());
        assert_eq!(done.good_report().counts(), Counts::exceptions(4, 2), "{done}");
        assert_eq!(done.messages(), [""; 0], "{done}");
        assert_eq!(server.requests_per_connection(), [1; 4]);
    }
}

#[test]
fn an_answer_that_is_not_http_is_an_exception() {
    not_http_every_second_time(&vec![send("what is this\r\n\r\nno idea\n"), Step::Close]);
}

#[test]
fn an_answer_that_is_not_http_and_held_open_fails_at_once() {
    not_http_every_second_time(&vec![send("220 mail.example ESMTP\r\n"), Step::Hang]);
}

#[test]
fn a_tls_alert_to_a_plain_request_is_an_exception() {
    not_http_every_second_time(&vec![send([0x15, 3, 1, 0, 2, 2, 22]), Step::Close]);
}

#[test]
fn a_head_over_64_kib_is_an_exception() {
    let head = format!("HTTP/1.1 200 OK\r\nX-Filler: {}", "f".repeat(70_000));
    not_http_every_second_time(&vec![send(head), Step::Hang]);
}

#[test]
fn a_head_of_60_kb_is_read_like_any_other() {
    let filler: Vec<String> =
        (0..60).map(|number| format!("X-Filler-{number}: {}", "f".repeat(1000))).collect();
    let fields: Vec<&str> = filler.iter().map(String::as_str).collect();
    let server = Plan::always(answer("200 OK", &fields, b"0123456789", Step::Close)).start();
    let report = ask("-n 3", &server.url()).good_report();
    assert_eq!((report.counts(), report.count("Document Length")), (Counts::good(3), Some(10)));
}

#[test]
fn a_chunk_size_that_is_no_number_is_an_exception() {
    let head = head("200 OK", &["Transfer-Encoding: chunked"]);
    not_http_every_second_time(&vec![send(head), send("zz\r\n0123456789\r\n0\r\n\r\n"), Step::Close]);
}

#[test]
fn a_chunk_longer_than_its_size_is_an_exception() {
    let head = head("200 OK", &["Transfer-Encoding: chunked"]);
    not_http_every_second_time(&vec![send(head), send("5\r\n0123456789\r\n0\r\n\r\n"), Step::Close]);
}

#[test]
fn twelve_heads_over_the_limit_with_nothing_good_abort_the_test() {
    let head = format!("HTTP/1.1 200 OK\r\nX-Filler: {}", "f".repeat(70_000));
    let server = Plan::always(vec![send(head), Step::Hang]).start();
    let done = ask("-n 20", &server.url());
    assert_eq!((done.messages(), done.code()), (vec![ABORTED], 1), "{done}");
    assert_eq!(server.requests().len(), 12);
}

#[test]
fn heads_over_the_limit_after_a_success_do_not_abort_the_test() {
    let head = format!("HTTP/1.1 200 OK\r\nX-Filler: {}", "f".repeat(70_000));
    let server = Plan::sequence([closing(10), vec![send(head), Step::Hang]]).start();
    assert_eq!(ask("-n 20", &server.url()).good_report().counts(), Counts::exceptions(20, 19));
}

#[test]
fn answers_that_are_not_http_do_not_abort_the_test() {
    let server = Plan::always(vec![send("what is this\r\n\r\n"), Step::Close]).start();
    assert_eq!(ask("-n 20", &server.url()).good_report().counts(), Counts::exceptions(20, 20));
}

// ---------------------------------------------------------------- silence

#[test]
fn silence_ends_the_run_with_119() {
    let server = Plan::sequence([closing(10), vec![Step::Hang]]).start();
    ask("-n 3 -s 1", &server.url()).assert_ended(TIMEOUT, 119, 1);
}

#[test]
fn silence_on_the_first_request_ends_the_run_without_a_total_line() {
    let server = Plan::always(vec![Step::Hang]).start();
    ask("-n 3 -s 1", &server.url()).assert_ended(TIMEOUT, 119, 0);
}

#[test]
fn silence_under_r_is_a_receive_failure_on_a_connection_that_is_replaced() {
    let server = Plan::sequence([keeping(10), vec![Step::Hang], keeping(10)]).start();
    let done = ask("-n 4 -k -s 1 -r", &server.url());
    assert_eq!(done.good_report().counts(), Counts::receive(4, 1), "{done}");
    assert_eq!(server.requests_per_connection(), [2, 2]);
}

#[test]
fn silence_within_a_body_counts_as_well() {
    let broken = vec![send(head("200 OK", &["Content-Length: 10"])), send("part"), Step::Hang];
    let server = Plan::sequence([closing(10), broken, closing(10)]).start();
    assert_eq!(ask("-n 3 -s 1 -r", &server.url()).good_report().counts(), Counts::receive(3, 1));
}

#[test]
fn silence_while_connecting_ends_the_run_with_119() {
    let (_port, _waiting, url) = silent_port();
    ask("-n 2 -s 1", &url).assert_ended(TIMEOUT, 119, 0);
}

#[test]
fn silence_while_connecting_is_a_connect_failure_under_r() {
    let (_port, _waiting, url) = silent_port();
    assert_eq!(ask("-n 2 -s 1 -r", &url).good_report().counts(), Counts::connect(2));
}

#[test]
fn one_silent_connection_among_busy_ones_is_noticed() {
    // The others would need 200 seconds for all of the requests.
    let slow = vec![wait(200), send(answer_bytes(10)), Step::Close];
    let server = Plan::sequence([closing(10), vec![Step::Hang], slow]).start();
    let done = ask("-n 1000 -c 2 -s 1", &server.url());
    assert_eq!((done.messages(), done.code()), (vec![TIMEOUT], 119), "{done}");
}

#[test]
fn a_response_that_dribbles_in_is_not_silent() {
    let mut steps = vec![send(head("200 OK", &["Content-Length: 8"]))];
    steps.extend((0..8).flat_map(|_| [wait(250), send("x")]));
    let server = Plan::always(steps).start();
    let report = ask("-n 1 -s 1", &server.url()).good_report();
    assert_eq!((report.counts(), report.count("Document Length")), (Counts::good(1), Some(8)));
}

// ---------------------------------------------------------------- length, status, reset at the end

#[test]
fn length_unlike_the_first_is_a_length_failure() {
    for options in ["-n 6", "-n 6 -r"] {
        let server = Plan::cycle([closing(10), closing(11), closing(9)]).start();
        let report = ask(options, &server.url()).good_report();
        assert_eq!(report.counts(), Counts { complete: 6, length: 4, ..Counts::default() });
        assert_eq!(report.count("Document Length"), Some(10));
        assert_eq!(report.count("HTML transferred"), Some(60));
    }
}

#[test]
fn length_does_not_matter_with_l() {
    let server = Plan::cycle([closing(10), closing(11), closing(9)]).start();
    let report = ask("-n 6 -l", &server.url()).good_report();
    assert_eq!((report.counts(), report.text_of("Document Length")), (Counts::good(6), Some("Variable")));
}

#[test]
fn a_status_other_than_2xx_is_no_failure() {
    for status in ["301 Moved", "404 Not Found", "500 Oops", "304 Not Modified"] {
        for options in ["-n 3", "-n 3 -r"] {
            let server = Plan::always(vec![send(head(status, &[])), Step::Close]).start();
            let counts = ask(options, &server.url()).good_report().counts();
            assert_eq!(counts, Counts { complete: 3, non_2xx: 3, ..Counts::default() }, "{status}");
        }
    }
}

#[test]
fn a_reset_after_a_whole_response_is_good() {
    let chunked = head("200 OK", &["Transfer-Encoding: chunked"]);
    let whole = [
        answer_bytes(10),
        [chunked, chunks(&[b"01234", b"56789"])].concat(),
        head("204 No Content", &[]),
        head("304 Not Modified", &["Content-Length: 10"]),
    ];
    for response in whole {
        for options in ["-n 4", "-n 4 -r", "-n 4 -k"] {
            let server = Plan::always(vec![send(&response), Step::Reset]).start();
            let done = ask(options, &server.url());
            let counts = done.good_report().counts();
            assert_eq!((counts.complete, counts.receive, counts.length), (4, 0, 0), "{done}");
            assert_eq!(server.requests().len(), 4, "{options}");
        }
    }
}

#[test]
fn nobody_listens_where_a_listener_was() {
    // The helper above, checked: a bound port that does not listen refuses, and a full queue is silent.
    let (_port, url) = closed_port();
    let address = url.trim_start_matches("http://").trim_end_matches("/doc").parse::<SocketAddr>().unwrap();
    assert!(TcpStream::connect(address).is_err());
    assert!(TcpListener::bind(address).is_err());
    let (_port, waiting, _url) = silent_port();
    assert!(!waiting.is_empty());
}

// ---------------------------------------------------------------- several connections

/// Without a response head, the connections after the first one never have their turn.
#[test]
fn a_run_without_any_response_ends_with_several_connections_as_well() {
    let cases: [(&str, Option<Reply>, Counts); 4] = [
        ("-n 5 -c 2", Some(vec![Step::Close]), Counts::receive(5, 5)),
        ("-n 50 -c 5 -W 2", Some(vec![Step::Close]), Counts::receive(50, 50)),
        ("-n 20 -c 4 -W 3", Some(vec![send("garbage\r\n\r\n"), Step::Hang]), Counts::exceptions(20, 20)),
        ("-n 5 -c 2 -r", None, Counts::connect(5)),
    ];
    for engine in ["wire", "hyper"] {
        for (options, reply, counts) in &cases {
            let (_port, closed) = closed_port();
            let server = reply.as_ref().map(|reply| Plan::always(reply.clone()).start());
            let url = server.as_ref().map_or(closed, Server::url);
            let done = ask(&format!("{options} --engine {engine}"), &url);
            assert_eq!(done.good_report().counts(), *counts, "{done}");
        }
    }
}

#[test]
fn connections_whose_turn_does_not_come_hold_up_nothing() {
    let server = Plan::always(closing(10)).start();
    // The last connection would open after more than a quarter of an hour.
    let done = ask("-n 20 -c 10 -R 100000", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(20));
}

#[test]
fn silence_at_one_address_of_a_name_leads_to_the_next() {
    if !needs::ipv6_loopback() {
        return;
    }
    let server = Plan::always(closing(10)).start();
    let silent = socket2::Socket::new(socket2::Domain::IPV6, socket2::Type::STREAM, None).unwrap();
    silent.set_only_v6(true).unwrap();
    let address: SocketAddr = format!("[::1]:{}", server.port()).parse().unwrap();
    silent.bind(&address.into()).unwrap();
    silent.listen(0).unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
        waiting.push(stream);
        assert!(waiting.len() < 50, "the queue of a listener never fills up");
    }
    let done = ask("-n 3 -s 1", &format!("http://localhost:{}/", server.port()));
    assert_eq!(done.good_report().counts(), Counts::good(3), "{done}");
}

// ---------------------------------------------------------------- answers before the request is sent

/// A body of so many megabytes.
fn large_body(megabytes: usize) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![b'x'; megabytes << 20]).unwrap();
    file
}

#[test]
fn an_answer_to_a_body_that_the_server_did_not_want_counts() {
    // The server answers and closes with the body unread, so that its system resets the connection.
    let body = large_body(20);
    for engine in ["wire", "hyper"] {
        for options in ["", "-r"] {
            let head = send("HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
            let server = Plan::always(closing(10)).on_accept(vec![Step::Head, head, Step::Abandon]).start();
            let file = body.path().to_str().unwrap();
            let line = format!("{options} -n 20 -p {file} --http1.1 --engine {engine}");
            let done = ask(&line, &server.url());
            let expected = Counts { non_2xx: 20, ..Counts::good(20) };
            assert_eq!(done.good_report().counts(), expected, "{engine} {done}");
        }
    }
}

#[test]
fn a_connection_whose_request_was_not_sent_is_not_kept() {
    let body = large_body(20);
    let mut kept = Vec::new();
    for engine in ["wire", "hyper"] {
        // The answer is there while the body is still on its way, and nobody reads that before the run is over.
        let gate = Gate::default();
        let early = send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        let server = Plan::always(closing(10))
            .on_accept(vec![Step::Head, early, Step::Gate(gate.clone()), Step::Abandon])
            .start();
        let file = body.path().to_str().unwrap();
        let done = ask(&format!("-k -r -n 6 -p {file} --http1.1 --engine {engine}"), &server.url());
        gate.open();
        kept.push(done.good_report().count("Keep-Alive requests"));
    }
    assert_eq!(kept, [Some(0), Some(0)]);
}

#[test]
fn a_body_that_nobody_asked_for_stays_here() {
    let body = large_body(1);
    let refusal = send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
    let hints = send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
    for engine in ["wire", "hyper"] {
        // The server would take the body: it says nothing of a close. An interim response of another kind asks for
        // nothing either.
        for interim in [vec![], vec![hints.clone(), pause()]] {
            let steps = [vec![Step::Head], interim, vec![refusal.clone(), Step::Hang]].concat();
            let server = Plan::always(closing(10)).on_accept(steps).start();
            let file = body.path().to_str().unwrap();
            let expect = "Expect: 100-continue";
            let words =
                ["-k", "-n", "3", "-p", file, "-H", expect, "--http1.1", "--engine", engine, &server.url()];
            let done = rab(words);
            let report = done.good_report();
            assert_eq!(report.counts(), Counts { non_2xx: 3, ..Counts::good(3) }, "{done}");
            assert!(report.count("Total body sent").is_some_and(|sent| sent < 3000), "{engine} {done}");
        }
    }
}
