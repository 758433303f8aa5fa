//! What nobody has reported, but a try on loopback shows (section L of the list).

use crate::support::rab::{Rab, ask, rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, Reply, Step, chunks, closing, head, keeping, pause, send};
use crate::support::tls::{Pair, listen_tls, pages};

use super::file;

const ENGINES: [&str; 2] = ["wire", "hyper"];

#[test]
fn l01_a_reply_cut_short_is_a_failure() {
    let cut = vec![send(head("200 OK", &["Content-Length: 50"])), send("12345"), Step::Close];
    for engine in ENGINES {
        let server = Plan::cycle([closing(50), cut.clone()]).start();
        let done = ask(&format!("-n 6 --engine {engine}"), &server.url());
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::receive(6, 3));
        done.assert_hint(&["3 responses", "135 bytes"]);
        assert_eq!(report.count("Document Length"), Some(50));
    }
}

#[test]
fn l02_interim_responses_are_skipped() {
    let interim = [head("100 Continue", &[]), head("103 Early Hints", &["Link: </a>; rel=preload"])].concat();
    for engine in ENGINES {
        for apart in [false, true] {
            let mut reply: Reply = vec![send(&interim)];
            if apart {
                reply.push(pause());
            }
            let server = Plan::always([reply, keeping(5)].concat()).start();
            let done = ask(&format!("-k -n 4 --engine {engine}"), &server.url());
            let report = done.good_report();
            assert_eq!(
                (report.counts(), report.count("Document Length")),
                (Counts::good(4), Some(5)),
                "{done}"
            );
            assert_eq!(server.requests_per_connection(), [4]);
        }
    }
}

#[test]
fn l03_the_document_is_the_payload_of_the_chunks() {
    let head = head("200 OK", &["Transfer-Encoding: chunked", "Connection: keep-alive"]);
    let whole = [head, chunks(&[b"123", b"45"])].concat();
    for engine in ENGINES {
        let server = Plan::always(vec![send(&whole), Step::Keep]).start();
        let report = ask(&format!("-k -n 4 --engine {engine}"), &server.url()).good_report();
        assert_eq!((report.counts(), report.count("Document Length")), (Counts::good(4), Some(5)));
        assert_eq!(report.count("HTML transferred"), Some(20));
        // What the chunks are wrapped in counts here.
        assert_eq!(report.count("Total transferred"), Some(4 * whole.len() as u64));
    }
}

#[test]
fn l04_an_answer_in_tls_to_plain_http_is_a_failure() {
    let port = listen_tls(Pair::usual().config(), pages);
    for engine in ENGINES {
        let done = ask(&format!("-n 3 --engine {engine}"), &format!("http://127.0.0.1:{port}/"));
        assert_eq!(done.good_report().counts(), Counts::exceptions(3, 3), "{done}");
        done.assert_hint(&["TLS", "https://"]);
    }
}

#[test]
fn l05_an_answer_in_plain_http_to_tls_fails_at_once() {
    let refusal = vec![send(head("400 Bad Request", &["Content-Length: 0"])), Step::Close];
    for engine in ENGINES {
        let server = Plan::always(closing(5)).on_accept(refusal.clone()).start();
        // Whoever waited for more would come to the end of this silence.
        let url = format!("https://127.0.0.1:{}/", server.port());
        let done = ask(&format!("-s 50 -n 3 --engine {engine}"), &url);
        assert_eq!(done.good_report().counts(), Counts::connect(3), "{done}");
        let messages = done.messages();
        let start = "SSL handshake failed (1). a plain HTTP server answered";
        assert!(messages.len() == 1 && messages[0].starts_with(start), "{done}");
    }
}

#[test]
fn l05_a_plain_server_that_waits_for_more_is_guessed() {
    let server = Plan::always(closing(5)).start();
    let done = ask("-s 1 -n 3", &format!("https://127.0.0.1:{}/", server.port()));
    done.assert_ended("apr_pollset_poll: The timeout specified has expired (70007)", 119, 0);
    done.assert_hint(&["plain HTTP"]);
}

#[test]
fn l06_heads_of_up_to_64_kb_are_read() {
    for length in [9_000, 65_000] {
        let field = format!("X-Long: {}", "x".repeat(length));
        let many: Vec<String> = (0..length / 100).map(|n| format!("X-{n}: {}", "y".repeat(80))).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        // hyper takes 100 fields, as engines.rs has it.
        for (engine, fields) in
            [("wire", vec![field.as_str()]), ("hyper", vec![field.as_str()]), ("wire", many)]
        {
            let all = [fields.as_slice(), &["Content-Length: 5", "Connection: keep-alive"]].concat();
            let head = head("200 OK", &all);
            let (start, rest) = head.split_at(head.len() - 20);
            let server =
                Plan::always(vec![send(start), pause(), send(rest), send("12345"), Step::Keep]).start();
            let done = ask(&format!("-k -n 3 -s 20 --engine {engine}"), &server.url());
            assert_eq!(done.good_report().counts(), Counts::good(3), "{} fields: {done}", all.len());
        }
    }
}

#[test]
fn l08_a_fragment_stays_here() {
    for engine in ENGINES {
        let server = Plan::always(closing(5)).start();
        for (typed, sent) in [("/x#frag", "/x"), ("/x?a=1#b?c", "/x?a=1"), ("/#", "/")] {
            let url = format!("http://127.0.0.1:{}{typed}", server.port());
            ask(&format!("-n 1 --engine {engine}"), &url).good_report();
            let requests = server.requests();
            assert!(
                requests.last().unwrap().starts_with(&format!("GET {sent} HTTP/1.0\r\n")),
                "{requests:?}"
            );
        }
    }
}

#[test]
fn l09_schemes_have_no_case_credentials_become_a_header_and_ftp_is_refused() {
    let server = Plan::always(closing(5)).start();
    rab([format!("HTTP://user:pass@127.0.0.1:{}/", server.port())]).good_report();
    let request = &server.requests()[0];
    assert!(request.contains("\r\nAuthorization: Basic dXNlcjpwYXNz\r\n"), "{request}");
    let port = listen_tls(Pair::usual().config(), pages);
    assert_eq!(rab([format!("HTTPS://localhost:{port}/")]).good_report().counts(), Counts::good(1));
    rab(["ftp://127.0.0.1/"]).assert_usage_error("ftp");
}

#[test]
fn l10_a_dash_is_standard_input() {
    let server = Plan::always(closing(5)).start();
    for (option, method) in [("-p", "POST"), ("-u", "PUT")] {
        let done = Rab::new(["-n", "2", option, "-", &server.url()]).input(b"typed").run();
        assert_eq!(done.good_report().counts(), Counts::good(2));
        let request = server.requests().pop().unwrap();
        assert!(request.starts_with(&format!("{method} /doc ")), "{request}");
        assert!(
            request.contains("\r\nContent-length: 5\r\n") && request.ends_with("\r\n\r\ntyped"),
            "{request}"
        );
    }
    // A file of that name has to be called by another one.
    let body = file(b"from a file");
    rab(["-p", body.path().to_str().unwrap(), &server.url()]).good_report();
    assert!(server.requests().pop().unwrap().ends_with("from a file"));
}

#[test]
fn l11_help_is_on_standard_output_and_no_error() {
    let done = rab(["--help"]);
    assert_eq!((done.code(), done.stderr.as_str()), (0, ""), "{done}");
    for letter in
        ["-n", "-c", "-t", "-s", "-k", "-r", "-l", "-p", "-T", "-H", "-C", "-A", "-e", "-g", "-w", "-Z"]
    {
        assert!(done.stdout.lines().any(|line| line.trim_start().starts_with(letter)), "{letter}: {done}");
    }
}

#[test]
fn l12_a_blank_in_the_url_is_refused_with_the_way_out() {
    for url in [
        "http://127.0.0.1:9/a b",
        "http://127.0.0.1:9/?q=a b",
        "http://127.0.0.1:9/a\tb",
        " http://127.0.0.1:9/",
    ] {
        let done = rab([url]);
        done.assert_usage_error("invalid URL");
        done.assert_hint(&["%20"]);
    }
    let server = Plan::always(closing(5)).start();
    rab([format!("{}/a%20b", server.url())]).good_report();
    assert!(server.requests()[0].starts_with("GET /doc/a%20b HTTP/1.0\r\n"));
}

#[test]
fn l13_more_connections_than_requests_are_refused() {
    for arguments in [["-n", "3", "-c", "4"], ["-c", "4", "-n", "3"], ["-n", "1", "-c", "2"]] {
        let done = rab(arguments.into_iter().chain(["http://127.0.0.1:9/"]));
        done.assert_usage_error("Cannot use concurrency level greater than total number of requests");
    }
    let server = Plan::always(closing(5)).start();
    assert_eq!(ask("-n 3 -c 3", &server.url()).good_report().counts(), Counts::good(3));
}
