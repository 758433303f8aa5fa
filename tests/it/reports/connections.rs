//! Connection lifetime, keep-alive, version of HTTP (section A of the list).

use super::{asked_in_http_1_1, fields, held_open};
use crate::support::rab::{Rab, ask, rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, Reply, Step, answer, chunks, closing, head, keeping, pause, send, wait};

#[test]
fn r01_held_open_connection_is_finished_at_content_length() {
    let server = Plan::always(held_open(&[])).start();
    let report = ask("-n 10 -c 1 -s 20", &server.url()).good_report();
    assert_eq!((report.counts(), report.count("Document Length")), (Counts::good(10), Some(5)));
    assert_eq!(server.requests_per_connection(), [1; 10]);
}

#[test]
fn r02_keep_alive_that_was_not_asked_for_changes_nothing() {
    let server = Plan::always(held_open(&["Connection: keep-alive"])).start();
    let report = ask("-n 10 -v 2", &server.url()).good_report();
    assert_eq!((report.counts(), report.count("Keep-Alive requests")), (Counts::good(10), None));
    assert_eq!(server.requests_per_connection(), [1; 10]);
}

#[test]
fn r03_a_body_that_arrived_whole_counts_when_the_run_is_interrupted() {
    let server = Plan::sequence([held_open(&["Connection: keep-alive"]), vec![Step::Hang]]).start();
    let running = Rab::new(["-c", "1", "-n", "100", &server.url()]).start();
    server.wait_for_requests(2);
    running.interrupt();
    let done = running.wait();
    assert_eq!(done.code(), 1, "{done}");
    assert_eq!((done.report().counts(), done.report().count("HTML transferred")), (Counts::good(1), Some(5)));
}

#[test]
fn r05_a_server_that_closes_late_is_pointed_out() {
    // No length is given, so there is nothing to go by but the close, which comes with an idle timer of five seconds.
    let late = vec![send(head("200 OK", &[])), send("body"), wait(5000), Step::Close];
    let server = Plan::always(late).start();
    let done = ask("-n 1", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(1));
    done.assert_hint(&["5 s", "idle timer"]);
    // Where a length is given, nobody waits.
    let server = Plan::always(held_open(&[])).start();
    assert_eq!(ask("-n 3", &server.url()).good_report().counts(), Counts::good(3));
}

#[test]
fn r07_an_http_1_1_answer_is_persistent_without_saying_so() {
    let server = Plan::always(held_open(&[])).start();
    let report = ask("-c 1 -n 5 -k -s 20", &server.url()).good_report();
    assert_eq!((report.counts(), report.count("Keep-Alive requests")), (Counts::good(5), Some(5)));
    assert_eq!(server.requests_per_connection(), [5]);
}

#[test]
fn r08_a_server_that_refuses_keep_alive_to_http_1_0_is_pointed_out() {
    let plan = Plan::by(|_, request| {
        if asked_in_http_1_1(request) {
            held_open(&[])
        } else {
            answer("200 OK", &["Connection: close"], b"12345", Step::Close)
        }
    });
    let server = plan.clone().start();
    let done = ask("-k -n 4", &server.url());
    let report = done.good_report();
    assert_eq!((report.counts(), report.count("Keep-Alive requests")), (Counts::good(4), Some(0)));
    done.assert_hint(&["--http1.1"]);

    let server = plan.start();
    let report = ask("-k -n 4 --http1.1", &server.url()).good_report();
    assert_eq!(report.count("Keep-Alive requests"), Some(4));
    assert_eq!(server.requests_per_connection(), [4]);
}

#[test]
fn r09_http_1_1_reuses_connections_where_the_length_is_not_known() {
    let plan = Plan::by(|_, request| {
        if asked_in_http_1_1(request) {
            vec![send(head("200 OK", &["Transfer-Encoding: chunked"])), send(chunks(&[b"12345"])), Step::Keep]
        } else {
            vec![send(head("200 OK", &["Connection: close"])), send("12345"), Step::Close]
        }
    });
    for (option, connections) in [("--http1.0", vec![1; 4]), ("--http1.1", vec![4])] {
        let server = plan.clone().start();
        let report = ask(&format!("-k -n 4 {option}"), &server.url()).good_report();
        assert_eq!((report.counts(), report.count("Document Length")), (Counts::good(4), Some(5)));
        assert_eq!(server.requests_per_connection(), connections);
    }
}

/// A chunked answer in three parts, the connection held open after it.
fn chunked_in_parts() -> Reply {
    let head = head("200 OK", &["Transfer-Encoding: chunked", "Connection: keep-alive"]);
    vec![send(head), pause(), send("3\r\nabc\r\n"), pause(), send("2\r\nde\r\n0\r\n\r\n"), Step::Keep]
}

#[test]
fn r10_chunked_is_read_whatever_version_was_asked_for() {
    let server = Plan::always(chunked_in_parts()).start();
    let report = ask("-k -c 1 -n 3 -v 3", &server.url()).good_report();
    assert_eq!((report.counts(), report.count("Keep-Alive requests")), (Counts::good(3), Some(3)));
    assert_eq!(report.count("Document Length"), Some(5));
    assert_eq!(server.requests_per_connection(), [3]);
}

#[test]
fn r12_chunked_ends_at_the_last_chunk_without_k_too() {
    let server = Plan::always(chunked_in_parts()).start();
    assert_eq!(ask("-n 3", &server.url()).good_report().counts(), Counts::good(3));
    assert_eq!(server.requests_per_connection(), [1; 3]);
}

#[test]
fn r13_the_version_is_1_0_unless_asked_for() {
    for (option, line) in [("", "GET /doc HTTP/1.0\r\n"), ("--http1.1", "GET /doc HTTP/1.1\r\n")] {
        let server = Plan::always(closing(5)).start();
        ask(&format!("-n 1 {option}"), &server.url()).good_report();
        assert!(server.requests()[0].starts_with(line), "{:?}", server.requests());
    }
}

#[test]
fn r14_a_server_that_wants_a_newer_version_is_understood() {
    let plan = Plan::by(|_, request| {
        if asked_in_http_1_1(request) {
            closing(5)
        } else {
            answer("426 Upgrade Required", &["Connection: close"], b"", Step::Close)
        }
    });
    let server = plan.start();
    let done = ask("-n 4", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 4, non_2xx: 4, ..Counts::default() });
    done.assert_hint(&["--http1.1"]);
    assert_eq!(ask("-n 4 --http1.1", &server.url()).good_report().counts(), Counts::good(4));
}

#[test]
fn r15_that_refusal_is_no_timeout_under_k() {
    let server = Plan::always(answer("426 Upgrade Required", &[], b"", Step::Keep)).start();
    let done = ask("-n 1 -c 1 -k -s 20", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 1, non_2xx: 1, ..Counts::default() });
    done.assert_hint(&["--http1.1"]);
}

#[test]
fn r16_http_1_1_says_close_unless_k_and_always_has_a_host() {
    for (options, closes) in [("--http1.1", true), ("--http1.1 -k", false)] {
        for engine in ["wire", "hyper"] {
            let server = Plan::always(closing(5)).start();
            ask(&format!("-n 2 {options} --engine {engine}"), &server.url()).good_report();
            let request = &server.requests()[0];
            let close =
                fields(request, "Connection").iter().any(|line| line.to_lowercase().ends_with("close"));
            assert_eq!(close, closes, "{request}");
            assert_eq!(fields(request, "Host"), [format!("Host: 127.0.0.1:{}", server.port())], "{request}");
        }
    }
}

#[test]
fn r18_exactly_n_requests_reach_the_server() {
    for (requests, connections) in [(1, 1), (7, 3), (10, 10), (13, 4), (100, 7)] {
        for (options, plan) in [
            ("", Plan::always(closing(5))),
            ("-k", Plan::always(keeping(5))),
            ("-k", Plan::cycle([keeping(5), keeping(6), closing(5)])),
            ("-r", Plan::cycle([closing(5), vec![Step::Reset], vec![Step::Close]])),
        ] {
            let server = plan.start();
            let done = ask(&format!("-n {requests} -c {connections} {options}"), &server.url());
            assert_eq!(done.good_report().counts().complete, requests, "{done}");
            let arrived = server.requests().len() as u64;
            // A server that closes a reused connection unasked may be asked once more.
            let again = if options == "-k" { requests } else { 0 };
            assert!((requests..=requests + again).contains(&arrived), "{arrived} arrived\n{done}");
            assert!(server.most_in_flight() <= connections);
        }
    }
}

#[test]
fn r18_exactly_n_requests_reach_a_server_that_keeps_its_word() {
    for (requests, connections) in [(7, 3), (13, 4), (100, 7)] {
        let close = answer("200 OK", &["Connection: close"], b"12345", Step::Close);
        let server = Plan::cycle([keeping(5), keeping(6), close]).start();
        let done = ask(&format!("-k -n {requests} -c {connections}"), &server.url());
        assert_eq!(done.good_report().counts().complete, requests, "{done}");
        assert_eq!(server.requests().len() as u64, requests);
    }
}

#[test]
fn r19_304_and_204_have_no_body() {
    for status in ["304 Not Modified", "204 No Content"] {
        let reply = vec![send(head(status, &["Connection: keep-alive", "Content-Length: 5000"])), Step::Keep];
        let server = Plan::always(reply).start();
        let done = rab(["-k", "-n", "20", "-H", "If-None-Match: \"a\"", &server.url()]);
        let report = done.good_report();
        assert_eq!(report.counts().complete, 20);
        assert_eq!(report.number("Failed requests"), Some(0.0));
        assert_eq!(report.count("Keep-Alive requests"), Some(20));
        assert_eq!(server.requests_per_connection(), [20]);
    }
}

#[test]
fn r20_a_body_on_head_does_not_become_the_next_answer() {
    let server = Plan::always(answer("200 OK", &["Connection: keep-alive"], b"wrong", Step::Keep)).start();
    let report = ask("-i -k -n 4", &server.url()).good_report();
    assert_eq!((report.counts(), report.count("Document Length")), (Counts::good(4), Some(0)));
    assert_eq!(server.requests().len(), 4);
}
