//! What users of ab and its peers have tripped over, one test a kind of report; `rNN` numbers the reports.
//!
//! Left out here:
//!
//! - r49 (a proxy for https) comes with CONNECT; r52 to r59 come with TLS.
//! - The size after unpacking in r50, the gates by exit status in r63, the time-only mode in r66 come with those options.
//! - r69 (CSV), r70 (HTML) and r74 (gnuplot) come with those reports.
//! - r31 is r30 with other numbers.
//! - r71 (flat memory over 100,000 requests) and r79 (more than a million) take longer than a test may.

use std::time::Duration;

use crate::support::needs;
use crate::support::rab::{Done, Rab, ask, rab};
use crate::support::report::Counts;
use crate::support::server::{
    Gate, Plan, Reply, Step, answer, chunks, closing, head, keeping, pause, send, wait,
};

/// 200 with a Content-Length, and not a word about the connection, which stays open.
fn held_open(fields: &[&str]) -> Reply {
    answer("200 OK", fields, b"12345", Step::Keep)
}

fn asked_in_http_1_1(request: &[u8]) -> bool {
    request.windows(11).any(|part| part == b" HTTP/1.1\r\n")
}

/// The header lines of a request whose name is this one, in any case.
fn fields<'a>(request: &'a str, name: &str) -> Vec<&'a str> {
    let lines = request.split("\r\n").skip(1).take_while(|line| !line.is_empty());
    lines
        .filter(|line| line.split(':').next().is_some_and(|given| given.eq_ignore_ascii_case(name)))
        .collect()
}

/// A file with this content.
fn file(content: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    file
}

// ---------------------------------------------------------------- connection lifetime, keep-alive, version

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
    // No length is given, so there is nothing to go by but the close.
    let late = vec![send(head("200 OK", &[])), send("body"), wait(1000), Step::Close];
    let server = Plan::always(late).start();
    let done = ask("-n 3", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(3));
    assert!(!done.hints().is_empty(), "{done}");
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

// ---------------------------------------------------------------- runs that end early

#[test]
fn r22_one_reset_ends_the_run_and_r_is_named() {
    let reset = vec![Step::Reset];
    let server = Plan::cycle([closing(5), closing(5), closing(5), closing(5), reset]).start();
    let done = ask("-n 100 -c 1", &server.url());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 4);
    done.assert_hint(&["-r"]);
}

#[test]
fn r23_what_was_measured_before_a_late_reset_is_not_lost() {
    let plan = Plan::by(|number, _| if number == 90 { vec![Step::Reset] } else { closing(5) });
    let done = ask("-n 100", &plan.clone().start().url());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 90);
    done.assert_hint(&["--partial"]);
    let server = plan.start();
    let done = ask("-n 100 --partial", &server.url());
    assert_eq!((done.code(), done.report().counts()), (104, Counts::good(90)), "{done}");
}

#[test]
fn r24_a_reset_after_a_whole_reply_is_a_success() {
    let server = Plan::always(answer("200 OK", &[], b"12345", Step::Reset)).start();
    let done = ask("-n 40 -c 4", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
}

#[test]
fn r27_a_connection_that_never_comes_about_is_a_connect_failure() {
    // One place in the queue of a listener that nobody serves: the first connection gets it, no other does.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let _first = std::net::TcpStream::connect_timeout(&address, Duration::from_secs(5)).unwrap();
    let done = ask("-n 2 -r -s 1", &format!("http://{address}/"));
    let counts = done.good_report().counts();
    assert_eq!((counts.complete, counts.connect + counts.receive), (2, 2), "{done}");
    assert!(counts.connect > 0, "{done}");
}

/// Four good answers, then silence; the run is stopped once the fifth request has arrived.
fn stopped_at_the_fifth(signal: impl Fn(&crate::support::rab::Running)) -> Done {
    let server = Plan::by(|number, _| if number < 4 { closing(5) } else { vec![Step::Hang] }).start();
    let running = Rab::new(["-n", "10", &server.url()]).start();
    server.wait_for_requests(5);
    signal(&running);
    running.wait()
}

#[test]
fn r28_interrupt_prints_the_report_of_what_is_complete() {
    let done = stopped_at_the_fifth(crate::support::rab::Running::interrupt);
    assert_eq!(done.code(), 1, "{done}");
    assert_eq!(done.report().counts(), Counts::good(4));
    assert_eq!(done.messages(), [""; 0], "{done}");
}

#[test]
fn r28_terminate_prints_the_same_report() {
    let done = stopped_at_the_fifth(crate::support::rab::Running::terminate);
    assert_eq!(done.code(), 143, "{done}");
    assert_eq!(done.report().counts(), Counts::good(4));
}

#[test]
fn r28_interrupt_before_any_answer_prints_a_report_without_tables() {
    let server = Plan::always(vec![Step::Hang]).start();
    let running = Rab::new(["-n", "10", &server.url()]).start();
    server.wait_for_requests(1);
    running.interrupt();
    let done = running.wait();
    assert_eq!(done.code(), 1, "{done}");
    assert_eq!(done.report().counts(), Counts::good(0));
    assert!(done.stdout.ends_with("HTML transferred:       0 bytes\n"), "{done}");
}

#[test]
fn r29_the_address_that_refused_is_named() {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    let done = ask("-c 1 -n 100", &format!("http://127.0.0.1:{port}/"));
    done.assert_ended("apr_socket_recv: Connection refused (111)", 111, 0);
    done.assert_hint(&["127.0.0.1", &port.to_string()]);
}

// ---------------------------------------------------------------- limits of the system

/// Runs a script in a network namespace of its own, where only so many local ports exist. `None` if that cannot be had.
fn with_ports(count: u16, script: &str) -> Option<Done> {
    if !needs::programs(&["unshare", "ip"]) {
        return None;
    }
    let last = 40_000 + count - 1;
    let prepare =
        "ip link set lo up && echo \"$0 $1\" > /proc/sys/net/ipv4/ip_local_port_range || exit 250\n";
    let script = prepare.to_owned() + script;
    let done = Rab::of("unshare", ["-rn", "sh", "-c", &script, "40000", &last.to_string()]).run();
    let refused = done.code() == 250 || done.stderr.contains("unshare");
    if refused && !needs::left_out("no network namespace with its own ports here") {
        return None;
    }
    Some(done)
}

#[test]
fn r30_ports_do_not_run_out_where_the_server_closes() {
    let Some(done) = with_ports(100, "exec \"$RAB\" --demo -n 2000 -c 4") else { return };
    assert_eq!(done.good_report().counts(), Counts::good(2000), "{done}");
}

#[test]
fn r30_used_up_ports_are_named_with_the_remedy() {
    let Some(done) = with_ports(20, "exec \"$RAB\" --demo -k -n 1000 -c 60") else { return };
    assert_eq!(done.code(), 99, "{done}");
    assert!(
        done.messages().iter().any(|line| line.ends_with("Cannot assign requested address (99)")),
        "{done}"
    );
    done.assert_hint(&["-B", "port"]);
}

#[test]
fn r32_a_second_run_right_after_the_first_works_too() {
    let script = "\"$RAB\" --demo -n 90 -c 2 >/dev/null && exec \"$RAB\" --demo -n 90 -c 2";
    let Some(done) = with_ports(60, script) else { return };
    assert_eq!(done.good_report().counts(), Counts::good(90), "{done}");
}

#[test]
fn r33_used_up_ports_end_the_run_under_r_as_well() {
    let Some(done) = with_ports(20, "exec \"$RAB\" --demo -r -k -n 1000 -c 60") else { return };
    assert_eq!(done.code(), 99, "{done}");
    assert_eq!(done.messages().len(), 1, "{done}");
}

#[test]
fn r34_the_soft_limit_of_descriptors_is_raised() {
    let server = Plan::always(keeping(5)).start();
    let script = format!("ulimit -Sn 64; exec \"$RAB\" -k -n 400 -c 200 -q {}", server.url());
    let done = Rab::shell(&script).run();
    assert_eq!(done.good_report().counts(), Counts::good(400), "{done}");
    assert_eq!(server.connections().len(), 200);
}

#[test]
fn r34_the_hard_limit_of_descriptors_is_named_with_the_number_needed() {
    let server = Plan::always(keeping(5)).start();
    let script = format!("ulimit -n 24; exec \"$RAB\" -W 1 -k -n 150 -c 100 {}", server.url());
    let done = Rab::shell(&script).run();
    assert_eq!((done.messages(), done.code()), (vec!["socket: Too many open files (24)"], 24), "{done}");
    done.assert_hint(&["-c 100", "ulimit -Hn"]);
}

#[test]
fn r35_the_first_connections_can_be_spread_over_time() {
    // The first answer is there after 250 ms, the second connection opens 100 ms later, and the third 100 ms after it.
    let mut slow = closing(5);
    slow.insert(0, wait(250));
    let server = Plan::always(slow).start();
    let report = ask("-n 4 -c 4 -R 100", &server.url()).good_report();
    assert_eq!(report.counts(), Counts::good(4));
    assert!(report.number("Time taken for tests").is_some_and(|seconds| seconds >= 0.69));
}

#[test]
fn r36_several_source_addresses_are_used_in_turn() {
    for addresses in [&["-B", "127.0.0.2,127.0.0.3"][..], &["-B", "127.0.0.2", "-B", "127.0.0.3"]] {
        let server = Plan::always(closing(5)).start();
        let url = server.url();
        let arguments = addresses.iter().copied().chain(["-n", "20", "-c", "2", &url]);
        assert_eq!(rab(arguments).good_report().counts(), Counts::good(20));
        let peers: std::collections::BTreeSet<_> =
            server.connections().iter().map(|connection| connection.peer.ip().to_string()).collect();
        assert_eq!(peers.into_iter().collect::<Vec<_>>(), ["127.0.0.2", "127.0.0.3"]);
    }
}

// ---------------------------------------------------------------- addresses, URL, headers, body

#[test]
fn r37_each_address_of_a_name_gets_a_new_socket() {
    let server = Plan::always(closing(5)).start();
    let done = ask("-n 12 -c 3", &format!("http://localhost:{}/", server.port()));
    assert_eq!(done.good_report().counts(), Counts::good(12), "{done}");
}

#[test]
fn r38_a_name_whose_first_address_refuses_leads_to_the_next() {
    // Whether the name leads to ::1 at all is up to the resolver; where it does, nobody listens there.
    let server = Plan::always(closing(5)).start();
    let done = ask("-n 3 -v 2", &format!("http://localhost:{}/", server.port()));
    assert_eq!(done.good_report().counts(), Counts::good(3), "{done}");
    assert_eq!(server.connections().len(), 3);
}

#[test]
fn r40_ipv6_literals_keep_their_brackets_on_the_wire_only() {
    if !needs::ipv6_loopback() {
        return;
    }
    let server = Plan::always(closing(5)).hosts(&["::1"]).start();
    let report = ask("-n 2", &format!("http://[::1]:{}/", server.port())).good_report();
    assert_eq!(report.text_of("Server Hostname"), Some("::1"));
    assert_eq!(fields(&server.requests()[0], "Host"), [format!("Host: [::1]:{}", server.port())]);
}

#[test]
fn r41_a_url_without_a_path_is_invalid_and_the_way_out_is_named() {
    for url in ["http://127.0.0.1", "http://127.0.0.1:8080", "http://127.0.0.1?x=1"] {
        let done = rab([url]);
        done.assert_usage_error("invalid URL");
        done.assert_hint(&["/"]);
    }
}

#[test]
fn r42_given_headers_replace_the_default_ones() {
    let server = Plan::always(closing(5)).start();
    let given = ["X-A: 1", "host: one.test", "USER-AGENT: mine", "X-B: 2", "Accept: text/html", "X-A: 3"];
    let url = server.url();
    rab(given.iter().flat_map(|line| ["-H", line]).chain([url.as_str()])).good_report();
    let request = &server.requests()[0];
    let lines: Vec<&str> = request.split("\r\n").skip(1).take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines, given);
}

#[test]
fn r43_a_host_header_goes_to_an_address() {
    for engine in ["wire", "hyper"] {
        let server = Plan::always(closing(5)).start();
        rab(["-H", "Host: name.test", "--engine", engine, &server.url()]).good_report();
        assert_eq!(fields(&server.requests()[0], "Host"), ["Host: name.test"]);
    }
}

#[test]
fn r44_one_content_type_goes_out() {
    let body = file(b"{}");
    let path = body.path().to_str().unwrap();
    let server = Plan::always(closing(5)).start();
    let url = server.url();
    rab(["-p", path, "-H", "Content-Type: application/json", &url]).good_report();
    let done = rab(["-p", path, "-T", "text/xml", "-H", "Content-Type: application/json", &url]);
    done.good_report();
    done.assert_hint(&["-T"]);
    let requests = server.requests();
    assert_eq!(fields(&requests[0], "Content-Type"), ["Content-Type: application/json"]);
    assert_eq!(fields(&requests[1], "Content-Type"), ["Content-type: text/xml"]);
}

#[test]
fn r45_the_default_type_is_plain_text_and_a_refusal_of_it_is_pointed_out() {
    let body = file(b"{}");
    let path = body.path().to_str().unwrap();
    let server = Plan::always(answer("415 Unsupported Media Type", &[], b"no", Step::Close)).start();
    let done = rab(["-n", "2", "-p", path, &server.url()]);
    assert_eq!(done.good_report().counts(), Counts { complete: 2, non_2xx: 2, ..Counts::default() });
    assert_eq!(fields(&server.requests()[0], "Content-Type"), ["Content-type: text/plain"]);
    done.assert_hint(&["-T"]);
}

#[test]
fn r46_a_post_ends_at_the_content_length_of_its_answer() {
    let body = file(b"hello\n");
    let server = Plan::always(held_open(&[])).start();
    let done = rab(["-s", "10", "-T", "text/plain", "-p", body.path().to_str().unwrap(), &server.url()]);
    assert_eq!(done.good_report().counts(), Counts::good(1));
    let request = &server.requests()[0];
    assert_eq!(fields(request, "Content-Length"), ["Content-length: 6"]);
    assert!(request.ends_with("\r\n\r\nhello\n"), "{request:?}");
}

#[test]
fn r47_a_body_of_50_mb_reaches_a_slow_reader_whole() {
    let bytes: Vec<u8> =
        (0..50_000_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let body = file(&bytes);
    let server = Plan::always(closing(5)).on_accept(vec![wait(100), Step::Keep]).slow_reader().start();
    let done = rab(["-T", "a/b", "-p", body.path().to_str().unwrap(), &server.url()]);
    let report = done.good_report();
    assert_eq!(report.counts(), Counts::good(1));
    let request = server.connections()[0].requests[0].clone();
    assert!(request.ends_with(&bytes), "the body has changed on its way");
    assert_eq!(report.count("Total body sent"), Some(request.len() as u64));
}

#[test]
fn r50_a_given_accept_encoding_goes_out_and_bytes_count_as_received() {
    let packed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 4, 0, 0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0];
    let server = Plan::always(answer("200 OK", &["Content-Encoding: gzip"], &packed, Step::Close)).start();
    let report = rab(["-n", "2", "-H", "Accept-Encoding: gzip", &server.url()]).good_report();
    assert_eq!(report.count("Document Length"), Some(packed.len() as u64));
    let request = &server.requests()[0];
    assert_eq!(fields(request, "Accept-Encoding"), ["Accept-Encoding: gzip"]);
    assert!(request.ends_with("\r\n\r\n"), "{request:?}");
}

#[test]
fn r51_a_redirect_is_not_followed_but_named() {
    let server = Plan::always(answer("302 Found", &["Location: /else/where"], b"", Step::Close)).start();
    let done = ask("-n 20", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 20, non_2xx: 20, ..Counts::default() });
    done.assert_hint(&["/else/where"]);
    assert!(server.requests().iter().all(|request| request.starts_with("GET /doc ")));
}

// ---------------------------------------------------------------- counting and reporting

#[test]
fn r60_length_failures_alone_lead_to_l() {
    let plan = Plan::cycle([closing(10), closing(11), closing(12), closing(13)]);
    let server = plan.start();
    let done = ask("-n 20 -c 1", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 20, length: 15, ..Counts::default() });
    done.assert_hint(&["-l"]);
    let report = ask("-n 20 -c 1 -l", &server.url()).good_report();
    assert_eq!((report.counts(), report.text_of("Document Length")), (Counts::good(20), Some("Variable")));
}

#[test]
fn r60_other_failures_do_not_lead_to_l() {
    let server = Plan::cycle([closing(10), vec![Step::Close]]).start();
    let done = ask("-n 4", &server.url());
    done.good_report();
    assert!(!done.hints().iter().any(|hint| hint.contains("-l")), "{done}");
}

#[test]
fn r61_the_sizes_that_were_seen_are_shown() {
    let server = Plan::cycle([closing(1000), closing(1000), closing(999), closing(1003)]).start();
    let done = ask("-n 20", &server.url());
    done.assert_hint(&["999", "1003"]);
}

#[test]
fn r62_pages_of_varying_length_pass_with_l() {
    let server = Plan::cycle([keeping(1), keeping(22), keeping(333)]).start();
    assert_eq!(ask("-l -k -n 9 -c 2", &server.url()).good_report().counts(), Counts::good(9));
}

#[test]
fn r63_errors_of_the_server_are_no_failures_by_default() {
    let server = Plan::always(answer("500 Oops", &[], b"sorry", Step::Close)).start();
    let done = ask("-n 20 -c 2", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 20, non_2xx: 20, ..Counts::default() });
}

#[test]
fn r64_the_split_stands_only_where_something_failed() {
    let server = Plan::cycle([closing(10), closing(11)]).start();
    let done = ask("-n 4", &server.url());
    let line = "\nFailed requests:        2\n   (Connect: 0, Receive: 0, Length: 2, Exceptions: 0)\nTotal transferred:";
    assert!(done.stdout.contains(line), "{done}");
    let server = Plan::always(closing(10)).start();
    let done = ask("-n 4", &server.url());
    assert!(done.stdout.contains("\nFailed requests:        0\nTotal transferred:"), "{done}");
}

#[test]
fn r65_transport_and_status_are_two_tallies() {
    let refused = answer("403 Forbidden", &[], b"0123456789", Step::Close);
    let server = Plan::cycle([closing(10), refused, vec![Step::Reset], vec![Step::Close]]).start();
    let counts = ask("-n 8 -r", &server.url()).good_report().counts();
    assert_eq!(counts, Counts { complete: 8, receive: 4, non_2xx: 2, ..Counts::default() });
}

#[test]
fn r66_time_limit_and_requests_take_effect_in_their_order() {
    let server =
        Plan::always(vec![wait(20), send(head("200 OK", &["Content-Length: 0"])), Step::Close]).start();
    let done = ask("-t 20 -n 4", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(4));
    let done = ask("-n 4 -t 1", &server.url());
    let report = done.good_report();
    assert!(report.counts().complete > 4, "{done}");
    assert_eq!(report.number("Failed requests"), Some(0.0));
    assert!(report.number("Time taken for tests").is_some_and(|seconds| seconds >= 0.9), "{done}");
}

#[test]
fn r66_a_time_limit_is_on_the_clock_though_the_server_is_silent() {
    let server = Plan::sequence([closing(5), vec![Step::Hang]]).start();
    let done = ask("-t 1 -s 50", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(1), "{done}");
    assert!(done.took < Duration::from_secs(20), "{done}");
}

#[test]
fn r67_r78_percentiles_are_those_of_all_requests() {
    let fast = closing(5);
    let slow = vec![wait(80), send(head("200 OK", &["Content-Length: 5"])), send("12345"), Step::Close];
    // A step half way, and two values in turn: 12 fast and 8 slow requests each.
    let step = Plan::by({
        let (fast, slow) = (fast.clone(), slow.clone());
        move |number, _| if number < 12 { fast.clone() } else { slow.clone() }
    });
    let turns = Plan::cycle([fast.clone(), slow.clone(), fast.clone(), slow, fast]);
    for plan in [step, turns] {
        let report = ask("-n 20", &plan.start().url()).good_report();
        assert!(report.percentile(66) >= 80, "{report:?}");
        assert!(report.percentile(50) < report.percentile(66), "{report:?}");
    }
}

#[test]
fn r68_no_connection_at_all_is_refused() {
    let done = ask("-c 0", "http://127.0.0.1:9/");
    done.assert_usage_error("");
    assert!(done.stderr.to_lowercase().contains("concurrency"), "{done}");
}

#[test]
fn r73_the_two_times_per_request_follow_from_time_and_concurrency() {
    let server =
        Plan::always(vec![wait(20), send(head("200 OK", &["Content-Length: 0"])), Step::Close]).start();
    let report = ask("-n 20 -c 4", &server.url()).good_report();
    let seconds = report.number("Time taken for tests").unwrap();
    let (each, all) =
        (report.number("Time per request").unwrap(), report.number("Time per request (all)").unwrap());
    // The time is printed to the millisecond.
    assert!((all - seconds * 1000.0 / 20.0).abs() < 0.05, "{report:?}");
    assert!((each - 4.0 * all).abs() < 0.01, "{report:?}");
    assert!((report.number("Requests per second").unwrap() * all / 1000.0 - 1.0).abs() < 0.01, "{report:?}");
}

#[test]
fn r75_r76_rows_and_percentiles_are_in_order() {
    let server = Plan::cycle([keeping(5), [vec![wait(15)], keeping(5)].concat()]).start();
    let report = ask("-k -n 40 -c 2", &server.url()).good_report();
    for name in ["Connect", "Processing", "Waiting", "Total"] {
        let row = report.row(name);
        assert!(row.min <= row.median && row.median <= row.max, "{name}: {row:?}");
        assert!(row.min <= row.mean && row.mean <= row.max && row.deviation >= 0.0, "{name}: {row:?}");
    }
    assert!(report.row("Connect").median.abs() < f64::EPSILON, "a reused connection has no connect time");
    assert!(report.percentiles.is_sorted_by_key(|(_, time)| *time), "{report:?}");
    let percents: Vec<u32> = report.percentiles.iter().map(|(percent, _)| *percent).collect();
    assert_eq!(percents, [50, 66, 75, 80, 90, 95, 98, 99, 100]);
    #[allow(clippy::cast_precision_loss, reason = "milliseconds of a short run")]
    let longest = report.percentile(100) as f64;
    assert!((longest - report.row("Total").max).abs() < f64::EPSILON, "{report:?}");
}

#[test]
fn r80_the_number_of_threads_does_not_limit_the_connections() {
    let server = Plan::always(closing(5)).start();
    let done = ask("-W 8 -c 1 -n 5", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(5), "{done}");
    assert_eq!(server.most_in_flight(), 1);
    let gate = Gate::default();
    let held = [vec![Step::Gate(gate.clone())], closing(5)].concat();
    let server = Plan::sequence([closing(5), held]).start();
    let running = Rab::new(["-W", "2", "-c", "7", "-n", "20", &server.url()]).start();
    // The first goes alone; then seven are in flight, and no more until the gate opens.
    server.wait_for_requests(8);
    gate.open();
    assert_eq!(running.wait().good_report().counts(), Counts::good(20));
    assert_eq!(server.most_in_flight(), 7);
}

#[test]
fn the_first_connection_goes_alone() {
    let gate = Gate::default();
    let first = [vec![Step::Gate(gate.clone())], closing(5)].concat();
    let server = Plan::sequence([first, closing(5)]).start();
    let running = Rab::new(["-c", "5", "-n", "10", &server.url()]).start();
    server.wait_for_requests(1);
    // Nothing tells when the others would have come; a moment for them to come too early.
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.connections().len(), 1);
    gate.open();
    assert_eq!(running.wait().good_report().counts(), Counts::good(10));
}
