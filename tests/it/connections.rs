//! The rules about connections: reused ones, where a response ends, which requests count as kept alive, and who closes
//! first.

use crate::support::rab::{ask, rab};
use crate::support::report::Counts;
use crate::support::server::{
    End, Plan, Reply, Server, Step, answer, answer_bytes, chunks, head, keeping, pause, send, wait,
};

const RESET: &str = "apr_socket_recv: Connection reset by peer (104)";

// ---------------------------------------------------------------- reused connections

#[test]
fn a_connection_that_was_closed_meanwhile_is_replaced_in_silence() {
    // The FIN comes with the response, so that it is there before the next request can be.
    let response =
        [head("200 OK", &["Connection: keep-alive", "Content-Length: 4"]), b"body".to_vec()].concat();
    for options in ["-k -n 4", "-k -n 4 -m POST"] {
        let server = Plan::always(vec![Step::SendAndClose(response.as_slice().into())]).start();
        let done = ask(options, &server.url());
        assert_eq!(done.good_report().counts(), Counts::good(4), "{done}");
        assert_eq!(server.requests_per_connection(), [1; 4], "{options}");
    }
}

#[test]
fn a_get_that_met_the_close_of_a_reused_connection_goes_out_once_more() {
    for broken in [Step::Close, Step::Reset] {
        let server = Plan::sequence([keeping(10), vec![broken], keeping(10)]).start();
        let done = ask("-k -n 3", &server.url());
        assert_eq!(done.good_report().counts(), Counts::good(3), "{done}");
        assert_eq!(server.requests_per_connection(), [2, 2]);
        assert!(!done.hints().is_empty(), "{done}");
    }
}

#[test]
fn it_goes_out_only_once_more() {
    let server = Plan::sequence([keeping(10), vec![Step::Close], vec![Step::Close], keeping(10)]).start();
    let done = ask("-k -n 3", &server.url());
    assert_eq!(done.good_report().counts(), Counts::receive(3, 1), "{done}");
    assert_eq!(server.requests_per_connection(), [2, 1, 1]);
}

#[test]
fn idempotent_methods_go_out_once_more_and_others_fail() {
    for (method, again) in [
        ("HEAD", true),
        ("PUT", true),
        ("DELETE", true),
        ("OPTIONS", true),
        ("TRACE", true),
        ("PATCH", false),
    ] {
        let good = vec![send(head("204 No Content", &["Connection: keep-alive"])), Step::Keep];
        let server = Plan::sequence([good.clone(), vec![Step::Close], good]).start();
        let done = ask(&format!("-k -n 3 -m {method}"), &server.url());
        let counts = if again { Counts::good(3) } else { Counts::receive(3, 1) };
        assert_eq!(done.good_report().counts(), counts, "{method}: {done}");
        assert_eq!(server.requests().len(), if again { 4 } else { 3 }, "{method}");
    }
}

#[test]
fn a_post_that_met_the_close_of_a_reused_connection_is_a_receive_failure() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "body").unwrap();
    for broken in [Step::Close, Step::Reset] {
        let server = Plan::sequence([keeping(10), vec![broken], keeping(10)]).start();
        let done = rab(["-k", "-r", "-n", "3", "-p", file.path().to_str().unwrap(), &server.url()]);
        assert_eq!(done.good_report().counts(), Counts::receive(3, 1), "{done}");
        assert_eq!(server.requests_per_connection(), [2, 1]);
    }
}

#[test]
fn a_response_that_broke_off_is_not_asked_for_again() {
    let broken = vec![send("HTTP/1.1 200 OK\r\nCon"), Step::Close];
    let server = Plan::sequence([keeping(10), broken, keeping(10)]).start();
    let done = ask("-k -n 3", &server.url());
    assert_eq!(done.good_report().counts(), Counts::receive(3, 1), "{done}");
    assert_eq!(server.requests_per_connection(), [2, 1]);
}

#[test]
fn a_fresh_connection_gets_its_request_even_if_it_is_closed_already() {
    let server = Plan::always(vec![Step::Close]).on_accept(vec![Step::HalfClose]).start();
    let done = ask("-n 3", &server.url());
    assert_eq!(done.good_report().counts(), Counts::receive(3, 3), "{done}");
    assert_eq!(server.requests_per_connection(), [1; 3]);
}

#[test]
fn bytes_beyond_the_end_of_a_response_end_the_reuse_and_count_as_nothing() {
    let response = [answer_bytes(10), b"surplus".to_vec()].concat();
    let server = Plan::always(vec![send(response), Step::Keep]).start();
    let report = ask("-k -n 4", &server.url()).good_report();
    assert_eq!(report.counts(), Counts::good(4));
    assert_eq!(report.count("Document Length"), Some(10));
    assert_eq!(report.count("HTML transferred"), Some(40));
    assert_eq!(report.count("Keep-Alive requests"), Some(0));
    assert_eq!(server.requests_per_connection(), [1; 4]);
}

#[test]
fn a_second_response_nobody_asked_for_is_not_the_next_answer() {
    let wrong = answer("500 Not Asked For", &[], b"wrong", Step::Keep);
    let Step::Send(wrong) = &wrong[0] else { unreachable!("an answer begins with bytes") };
    let server = Plan::always(vec![send([&answer_bytes(10)[..], wrong].concat()), Step::Keep]).start();
    assert_eq!(ask("-k -n 4", &server.url()).good_report().counts(), Counts::good(4));
    assert_eq!(server.requests().len(), 4);
}

// ---------------------------------------------------------------- Keep-Alive requests

#[test]
fn keep_alive_requests_count_good_and_length_failed_responses() {
    let server = Plan::cycle([keeping(10), keeping(11), keeping(10)]).start();
    let report = ask("-k -n 6", &server.url()).good_report();
    assert_eq!(report.counts(), Counts { complete: 6, length: 2, ..Counts::default() });
    assert_eq!(report.count("Keep-Alive requests"), Some(6));
    assert_eq!(server.requests_per_connection(), [6]);
}

#[test]
fn keep_alive_requests_leave_out_what_ends_its_connection() {
    let close = answer("200 OK", &["Connection: close"], b"0123456789", Step::Close);
    let server = Plan::cycle([keeping(10), close]).start();
    let report = ask("-k -n 6", &server.url()).good_report();
    assert_eq!(report.counts(), Counts::good(6));
    assert_eq!(report.count("Keep-Alive requests"), Some(3));
    assert_eq!(server.requests_per_connection(), [2; 3]);
}

#[test]
fn keep_alive_requests_stand_in_the_report_exactly_with_k() {
    let server = Plan::always(answer("200 OK", &["Connection: close"], b"x", Step::Close)).start();
    assert_eq!(ask("-k -n 2", &server.url()).good_report().count("Keep-Alive requests"), Some(0));
    assert_eq!(ask("-n 2", &server.url()).good_report().count("Keep-Alive requests"), None);
}

#[test]
fn keep_alive_requests_count_a_404() {
    let server =
        Plan::always(answer("404 Not Found", &["Connection: keep-alive"], b"sorry", Step::Keep)).start();
    let report = ask("-k -n 4", &server.url()).good_report();
    assert_eq!(report.counts(), Counts { complete: 4, non_2xx: 4, ..Counts::default() });
    assert_eq!(report.count("Keep-Alive requests"), Some(4));
}

// ---------------------------------------------------------------- framing

/// Runs `-n 3` with these options against a server that always replies so; checks that all is good, that the document
/// is so long, and how many connections there were.
fn framed(options: &str, reply: &Reply, document: u64, connections: &[usize]) {
    let server = Plan::always(reply.clone()).start();
    let done = ask(&format!("-n 3 -s 10 {options}"), &server.url());
    let report = done.good_report();
    let counts = report.counts();
    assert_eq!(counts, Counts { complete: 3, non_2xx: counts.non_2xx, ..Counts::default() }, "{done}");
    assert_eq!(report.count("Document Length"), Some(document), "{done}");
    assert_eq!(report.count("HTML transferred"), Some(3 * document), "{done}");
    assert_eq!(server.requests_per_connection(), connections, "{options}");
}

#[test]
fn a_response_ends_at_its_content_length() {
    let reply = vec![send(answer_bytes(10)), Step::Keep];
    framed("", &reply, 10, &[1; 3]);
    framed("-k", &reply, 10, &[3]);
}

#[test]
fn a_response_ends_at_its_last_chunk() {
    let chunked = head("200 OK", &["Transfer-Encoding: chunked"]);
    let reply = vec![
        send(&chunked),
        pause(),
        send("5\r\n01234\r"),
        pause(),
        send("\n5\r\n56789\r\n0\r\n\r\n"),
        Step::Keep,
    ];
    framed("", &reply, 10, &[1; 3]);
    framed("-k", &reply, 10, &[3]);
    let trailers =
        vec![send(&chunked), send("a;name=\"value\"\r\n0123456789\r\n0\r\nX-Sum: 7\r\n\r\n"), Step::Keep];
    framed("-k", &trailers, 10, &[3]);
}

#[test]
fn a_response_without_a_length_ends_at_the_close() {
    let reply = vec![
        send(head("200 OK", &["Connection: keep-alive"])),
        send("until"),
        pause(),
        send(" then"),
        Step::Close,
    ];
    framed("", &reply, 10, &[1; 3]);
    framed("-k", &reply, 10, &[1; 3]);
}

#[test]
fn chunked_wins_over_content_length() {
    let fields = ["Transfer-Encoding: chunked", "Content-Length: 4"];
    let reply = vec![send([head("200 OK", &fields), chunks(&[b"01234", b"56789"])].concat()), Step::Close];
    framed("", &reply, 10, &[1; 3]);
}

#[test]
fn chunk_framing_is_transferred_but_no_document() {
    let response = [head("200 OK", &["Transfer-Encoding: chunked"]), chunks(&[b"01234", b"56789"])].concat();
    let server = Plan::always(vec![send(&response), Step::Close]).start();
    let report = ask("-n 3", &server.url()).good_report();
    assert_eq!(report.count("Total transferred"), Some(3 * response.len() as u64));
    assert_eq!(report.count("HTML transferred"), Some(30));
}

#[test]
fn interim_responses_are_skipped() {
    let interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nContent-Length: 7\r\n\r\n";
    let reply = vec![send(interim), pause(), send(answer_bytes(10)), Step::Keep];
    framed("", &reply, 10, &[1; 3]);
    framed("-k", &reply, 10, &[3]);
}

#[test]
fn heads_204_and_304_have_no_body() {
    for (options, status) in
        [("-i", "200 OK"), ("-m HEAD", "200 OK"), ("", "204 No Content"), ("", "304 Not Modified")]
    {
        for fields in [&["Content-Length: 5000"][..], &["Transfer-Encoding: chunked"], &[]] {
            let reply = vec![send(head(status, fields)), Step::Keep];
            framed(options, &reply, 0, &[1; 3]);
            framed(&format!("-k {options}"), &reply, 0, &[3]);
        }
    }
}

#[test]
fn names_and_tokens_match_in_any_case() {
    let chunked = vec![
        send("HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n"),
        Step::Keep,
    ];
    framed("-k", &chunked, 10, &[3]);
    let length = vec![
        send("HTTP/1.0 200 OK\r\ncONTENT-lENGTH:10\r\nconnection: KEEP-Alive\r\n\r\n0123456789"),
        Step::Keep,
    ];
    framed("-k", &length, 10, &[3]);
    let close = vec![
        send("HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 10\r\nCONNECTION: CLOSE\r\n\r\n0123456789"),
        Step::Keep,
    ];
    framed("-k", &close, 10, &[1; 3]);
}

#[test]
fn an_http_1_0_answer_is_persistent_only_if_it_says_so() {
    let silent = vec![send("HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"), Step::Keep];
    framed("-k", &silent, 10, &[1; 3]);
    let said = vec![
        send("HTTP/1.0 200 OK\r\nContent-Length: 10\r\nConnection: keep-alive\r\n\r\n0123456789"),
        Step::Keep,
    ];
    framed("-k", &said, 10, &[3]);
}

#[test]
fn close_among_other_tokens_ends_the_reuse() {
    let reply = answer("200 OK", &["Connection: X-Hop, close"], b"0123456789", Step::Keep);
    framed("-k", &reply, 10, &[1; 3]);
}

// ---------------------------------------------------------------- who closes first

/// How many sockets of the given remote port are in `TIME_WAIT` on this side.
fn time_waits(server: &Server) -> usize {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the table of sockets");
    let ends = |address: u16| format!(":{address:04X}");
    // Only these: a port of the server may stand in TIME_WAIT as somebody else's, from another test.
    let own: Vec<String> =
        server.connections().iter().map(|connection| ends(connection.peer.port())).collect();
    let remote = ends(server.port());
    table
        .lines()
        .filter(|line| {
            let cells: Vec<&str> = line.split_whitespace().collect();
            cells.len() > 3
                && own.iter().any(|local| cells[1].ends_with(local))
                && cells[2].ends_with(&remote)
                && cells[3] == "06"
        })
        .count()
}

#[test]
fn no_port_of_this_side_is_left_in_time_wait() {
    for engine in ["wire", "hyper"] {
        for ending in [Step::Close, Step::Keep] {
            let server = Plan::always(vec![send(answer_bytes(10)), ending]).start();
            let done = ask(&format!("-n 40 -c 4 --engine {engine}"), &server.url());
            assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
            assert_eq!(server.ended_connections().len(), 40);
            assert_eq!(time_waits(&server), 0, "{engine}");
        }
    }
}

#[test]
fn a_server_that_holds_connections_open_is_not_waited_for() {
    for engine in ["wire", "hyper"] {
        let server = Plan::always(vec![send(answer_bytes(10)), Step::Keep]).start();
        ask(&format!("-n 10 --engine {engine}"), &server.url()).good_report();
        let ends: Vec<_> = server.ended_connections().iter().map(|connection| connection.end).collect();
        assert_eq!(ends, [Some(End::PeerReset); 10], "{engine}");
    }
}

#[test]
fn the_wait_for_the_close_is_not_part_of_the_sample() {
    // Held open for longer than anybody waits; a sample that included the wait would take 20 milliseconds.
    let server = Plan::always(vec![send(answer_bytes(10)), Step::Keep]).start();
    let report = ask("-n 20", &server.url()).good_report();
    assert!(report.row("Total").min < 20.0, "{:?}", report.row("Total"));
}

#[test]
fn no_port_is_left_in_time_wait_by_what_breaks() {
    let cases: [(&str, Reply); 3] = [
        ("no HTTP", vec![send("garbage\r\n\r\n"), Step::Keep]),
        ("no chunk", vec![send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), Step::Keep]),
        ("silence", vec![Step::Hang]),
    ];
    for engine in ["wire", "hyper"] {
        for (what, reply) in &cases {
            let server = Plan::always(reply.clone()).start();
            let done = ask(&format!("-n 4 -c 1 -r -s 1 --engine {engine}"), &server.url());
            assert_eq!(done.good_report().counts().complete, 4, "{done}");
            assert_eq!(server.ended_connections().len(), 4);
            assert_eq!(time_waits(&server), 0, "{what} {engine}");
        }
    }
}

#[test]
fn what_came_too_late_for_one_request_is_no_answer_to_the_next() {
    // The body of an answer to HEAD, a moment after its head, when the next request may be on its way.
    let late = vec![
        send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: keep-alive\r\n\r\n"),
        wait(1),
        send("xxxxxx"),
        Step::Keep,
    ];
    for engine in ["wire", "hyper"] {
        let server = Plan::always(late.clone()).start();
        let done = ask(&format!("-i -k -n 50 -c 2 --engine {engine}"), &server.url());
        assert_eq!(done.good_report().counts(), Counts::good(50), "{done}");
    }
}

#[test]
fn a_reset_of_the_connection_that_replaced_a_lost_one_ends_the_run() {
    let server = Plan::sequence([keeping(10), vec![Step::Reset]]).start();
    ask("-k -n 20", &server.url()).assert_ended(RESET, 104, 1);
}

#[test]
fn an_upgrade_that_nobody_asked_for_is_not_kept() {
    let reply = vec![send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n\r\n"), Step::Keep];
    for engine in ["wire", "hyper"] {
        let server = Plan::always(reply.clone()).start();
        let report = ask(&format!("-k -n 5 --engine {engine}"), &server.url()).good_report();
        assert_eq!((report.counts().complete, report.count("Keep-Alive requests")), (5, Some(0)), "{engine}");
    }
}

#[test]
fn waiting_ends_with_the_answer_and_not_with_what_comes_before_it() {
    let slow = vec![
        send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
        wait(100),
        send(answer_bytes(10)),
        Step::Close,
    ];
    for engine in ["wire", "hyper"] {
        let server = Plan::always(slow.clone()).start();
        let report = ask(&format!("-n 2 --engine {engine}"), &server.url()).good_report();
        // The request is stamped a little after it has left.
        assert!(report.row("Waiting").min >= 50.0, "{engine} {:?}", report.row("Waiting"));
    }
}

#[test]
fn a_server_that_keeps_connections_is_not_said_to_refuse_that() {
    // Bytes behind the answer end each connection, and not a refusal of the server.
    let server = Plan::always(vec![send([answer_bytes(10), b"more".to_vec()].concat()), Step::Keep]).start();
    let done = ask("-k -n 5", &server.url());
    assert_eq!(done.good_report().count("Keep-Alive requests"), Some(0));
    assert!(!done.hints().iter().any(|hint| hint.contains("refuses keep-alive")), "{done}");
}
