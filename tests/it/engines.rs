//! The two engines check each other: the same answers make the same counts, whichever of them reads, and whichever
//! version was asked for.

use crate::support::rab::ask;
use crate::support::report::Counts;
use crate::support::server::{Plan, Reply, Step, answer, chunks, closing, head, keeping, pause, send};

const ENGINES: [&str; 2] = ["wire", "hyper"];
const VERSIONS: [&str; 2] = ["--http1.0", "--http1.1"];

/// What is to be seen of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    counts: Counts,
    document_length: Option<u64>,
    html_transferred: Option<u64>,
    total_transferred: Option<u64>,
    keep_alive: Option<u64>,
    requests: usize,
    connections: usize,
}

/// Something a server does, and what comes of it.
struct Scenario {
    name: &'static str,
    options: &'static str,
    replies: Vec<Reply>,
    counts: Counts,
    /// What hyper makes of it instead, where it refuses what the wire engine takes.
    under_hyper: Option<Counts>,
}

fn see(scenario: &Scenario, engine: &str, version: &str) -> Seen {
    let server = Plan::cycle(scenario.replies.clone()).start();
    let options = format!("{} {version} --engine {engine}", scenario.options);
    let done = ask(&options, &server.url());
    let report = done.good_report();
    let connections = server.requests_per_connection();
    Seen {
        counts: report.counts(),
        document_length: report.count("Document Length"),
        html_transferred: report.count("HTML transferred"),
        total_transferred: report.count("Total transferred"),
        keep_alive: report.count("Keep-Alive requests"),
        requests: connections.iter().sum(),
        connections: connections.len(),
    }
}

/// Runs every scenario with both engines and both versions, and tells of all that differ from what is expected.
fn check(scenarios: &[Scenario]) {
    let mut wrong = Vec::new();
    for scenario in scenarios {
        for version in VERSIONS {
            let [wire, hyper] = ENGINES.map(|engine| see(scenario, engine, version));
            let name = format!("{} ({} {version})", scenario.name, scenario.options);
            if wire.counts != scenario.counts {
                wrong.push(format!("{name}: wire has {:?}, expected {:?}", wire.counts, scenario.counts));
            }
            match scenario.under_hyper {
                None if hyper != wire => wrong.push(format!("{name}:\n  wire  {wire:?}\n  hyper {hyper:?}")),
                Some(counts) if hyper.counts != counts => {
                    wrong.push(format!("{name}: hyper has {:?}, expected {counts:?}", hyper.counts));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// One scenario, `-n 4` with and without `-k`; `-s` is below the time after which the server loses patience.
fn both(name: &'static str, replies: &[Reply], counts: Counts) -> Vec<Scenario> {
    let one = |options| Scenario { name, options, replies: replies.to_vec(), counts, under_hyper: None };
    vec![one("-n 4 -s 10"), one("-n 4 -s 10 -k")]
}

fn good(name: &'static str, reply: Reply) -> Vec<Scenario> {
    both(name, &[reply], Counts::good(4))
}

fn with_status(name: &'static str, reply: Reply) -> Vec<Scenario> {
    both(name, &[reply], Counts { complete: 4, non_2xx: 4, ..Counts::default() })
}

/// Good answers and this one in turn.
fn every_second(name: &'static str, broken: Reply, counts: Counts) -> Vec<Scenario> {
    let close = answer("200 OK", &["Connection: close"], b"0123456789", Step::Close);
    both(name, &[close, broken], Counts { complete: 4, ..counts })
}

const RECEIVE: Counts =
    Counts { complete: 0, connect: 0, receive: 2, length: 0, exceptions: 0, write_errors: 0, non_2xx: 0 };
const EXCEPTIONS: Counts = Counts { receive: 0, exceptions: 2, ..RECEIVE };

fn chunked_head() -> Vec<u8> {
    head("200 OK", &["Transfer-Encoding: chunked"])
}

#[test]
fn lengths() {
    let dribble: Reply = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
        .iter()
        .map(|byte| send([*byte]))
        .chain([Step::Keep])
        .collect();
    let mut all = good("content length, kept", keeping(100));
    all.extend(good(
        "content length, closed",
        answer("200 OK", &["Connection: close"], &[b'x'; 100], Step::Close),
    ));
    all.extend(good("content length 0", keeping(0)));
    all.extend(good("content length, large", keeping(1_000_000)));
    all.extend(good("byte by byte", dribble));
    all.extend(good("to the close", vec![send(head("200 OK", &[])), send("until the end"), Step::Close]));
    all.extend(good(
        "to the close, no body",
        vec![send(head("200 OK", &["Connection: close"])), Step::Close],
    ));
    all.extend(both(
        "lengths differ",
        &[keeping(10), keeping(11)],
        Counts { complete: 4, length: 2, ..Counts::default() },
    ));
    check(&all);
}

#[test]
fn chunked() {
    let whole = [chunked_head(), chunks(&[b"01234", b"56789"])].concat();
    let mut all = good("chunked at once", vec![send(&whole), Step::Keep]);
    for cut in
        [1, chunked_head().len() - 1, chunked_head().len(), whole.len() - 7, whole.len() - 3, whole.len() - 1]
    {
        all.extend(good(
            "chunked in two pieces",
            vec![send(&whole[..cut]), pause(), send(&whole[cut..]), Step::Keep],
        ));
    }
    let body = chunked_head().len();
    let bytes = whole[body..].iter().map(|byte| send([*byte]));
    all.extend(good(
        "chunked byte by byte",
        [send(&whole[..body])].into_iter().chain(bytes).chain([Step::Keep]).collect(),
    ));
    let trailers = "5;a=b\r\n01234\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n";
    all.extend(good("extension and trailers", vec![send(chunked_head()), send(trailers), Step::Keep]));
    all.extend(good("no chunk but the last", vec![send(chunked_head()), send("0\r\n\r\n"), Step::Keep]));
    all.extend(good(
        "upper case size, leading zeros",
        vec![send(chunked_head()), send("00A\r\n0123456789\r\n0\r\n\r\n"), Step::Keep],
    ));
    all.extend(good("chunked, then closed", vec![send(&whole), Step::Close]));
    all.extend(good(
        "chunked and a length",
        vec![
            send(head("200 OK", &["Transfer-Encoding: chunked", "Content-Length: 4"])),
            send(chunks(&[b"0123456789"])),
            Step::Close,
        ],
    ));
    check(&all);
}

#[test]
fn responses_without_a_body() {
    let mut all = Vec::new();
    for fields in [&["Content-Length: 5000"][..], &[]] {
        all.extend(good("204", vec![send(head("204 No Content", fields)), Step::Keep]));
        all.extend(with_status("304", vec![send(head("304 Not Modified", fields)), Step::Keep]));
        for options in ["-n 4 -i", "-n 4 -i -k", "-n 4 -k -m HEAD"] {
            let replies = vec![vec![send(head("200 OK", fields)), Step::Keep]];
            all.push(Scenario { name: "HEAD", options, replies, counts: Counts::good(4), under_hyper: None });
        }
    }
    let wrong = vec![answer("200 OK", &[], b"wrong", Step::Keep)];
    all.push(Scenario {
        name: "HEAD with a body",
        options: "-n 4 -i -k",
        replies: wrong,
        counts: Counts::good(4),
        under_hyper: None,
    });
    check(&all);
}

#[test]
fn statuses() {
    let mut all = Vec::new();
    for status in ["301 Moved", "404 Not Found", "500 Oops", "599 Own", "404"] {
        all.extend(with_status("status", answer(status, &[], b"sorry", Step::Keep)));
    }
    all.extend(good("206", answer("206 Partial Content", &[], b"part", Step::Keep)));
    all.extend(good("no reason", answer("200", &[], b"body", Step::Keep)));
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    all.extend(good("interim responses", [vec![send(interim), pause()], keeping(10)].concat()));
    all.extend(good(
        "interim and final in one write",
        vec![send([interim.as_bytes(), &head("200 OK", &["Content-Length: 2"]), b"ok"].concat()), Step::Keep],
    ));
    check(&all);
}

#[test]
fn persistence() {
    let ten = |text: &str| vec![send(format!("{text}\r\n\r\n0123456789")), Step::Keep];
    let mut all = good("HTTP/1.0", ten("HTTP/1.0 200 OK\r\nContent-Length: 10"));
    all.extend(good(
        "HTTP/1.0, keep-alive",
        ten("HTTP/1.0 200 OK\r\nContent-Length: 10\r\nConnection: Keep-Alive"),
    ));
    all.extend(good("HTTP/1.1, nothing said", ten("HTTP/1.1 200 OK\r\nContent-Length: 10")));
    all.extend(good("HTTP/1.1, close", ten("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close")));
    all.extend(good(
        "close among others",
        ten("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: x, Close"),
    ));
    let fin = [head("200 OK", &["Content-Length: 4"]), b"body".to_vec()].concat();
    let replies = vec![vec![Step::SendAndClose(fin.as_slice().into())]];
    all.push(Scenario {
        name: "FIN with the answer",
        options: "-n 4 -k -m POST",
        replies,
        counts: Counts::good(4),
        under_hyper: None,
    });
    check(&all);
}

#[test]
fn spelling() {
    let mut all = good(
        "lower case",
        vec![send("HTTP/1.1 200 OK\r\nserver: a/1\r\ncontent-length: 2\r\n\r\nok"), Step::Keep],
    );
    all.extend(good("upper case", vec![send("HTTP/1.1 200 OK\r\nCONTENT-LENGTH:2\r\n\r\nok"), Step::Keep]));
    all.extend(good(
        "upper case chunked",
        vec![send("HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n"), Step::Keep],
    ));
    all.extend(good(
        "folded line",
        vec![send("HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\nContent-Length: 2\r\n\r\nok"), Step::Keep],
    ));
    all.extend(good(
        "blank before the colon",
        vec![send("HTTP/1.1 200 OK\r\nX-Odd : 1\r\nContent-Length: 2\r\n\r\nok"), Step::Keep],
    ));
    all.extend(good(
        "a line that is no header",
        vec![send("HTTP/1.1 200 OK\r\nno header here\r\nContent-Length: 2\r\n\r\nok"), Step::Keep],
    ));
    all.extend(good("bare LF", vec![send("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), Step::Keep]));
    all.extend(good(
        "bytes above 127",
        vec![send(b"HTTP/1.1 200 OK\r\nX-B: \xff\xfe\r\nContent-Length: 2\r\n\r\nok"), Step::Keep],
    ));
    let many: Vec<String> = (0..300).map(|number| format!("X-{number}: {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    all.push(Scenario {
        name: "300 fields",
        options: "-n 4",
        replies: vec![answer("200 OK", &many, b"ok", Step::Keep)],
        counts: Counts::good(4),
        // hyper has room for 100; more would cost it an allocation for each response.
        under_hyper: Some(Counts { complete: 4, exceptions: 4, ..Counts::default() }),
    });
    let long = format!("X-Long: {}", "y".repeat(60_000));
    all.extend(good("a head of 60 kB", answer("200 OK", &[&long], b"ok", Step::Keep)));
    check(&all);
}

#[test]
fn broken_answers() {
    let mut all = every_second("no byte", vec![Step::Close], RECEIVE);
    all.extend(every_second("half a status line", vec![send("HTTP/1.1 2"), Step::Close], RECEIVE));
    all.extend(every_second("half a head", vec![send("HTTP/1.1 200 OK\r\nConte"), Step::Close], RECEIVE));
    all.extend(every_second(
        "half a body",
        vec![send(head("200 OK", &["Content-Length: 10"])), send("part"), Step::Close],
        RECEIVE,
    ));
    all.extend(every_second(
        "no last chunk",
        vec![send(chunked_head()), send("a\r\n0123456789\r\n"), Step::Close],
        RECEIVE,
    ));
    all.extend(every_second(
        "not HTTP",
        vec![send("what is this\r\n\r\nno idea\n"), Step::Close],
        EXCEPTIONS,
    ));
    all.extend(every_second("not HTTP, held open", vec![send("220 mail ESMTP\r\n"), Step::Hang], EXCEPTIONS));
    all.extend(every_second("a TLS alert", vec![send([0x15, 3, 1, 0, 2, 2, 22]), Step::Close], EXCEPTIONS));
    all.extend(every_second(
        "a chunk size that is none",
        vec![send(chunked_head()), send("zz\r\n"), Step::Close],
        EXCEPTIONS,
    ));
    all.extend(every_second(
        "a chunk that is too long",
        vec![send(chunked_head()), send("1\r\nabc\r\n0\r\n\r\n"), Step::Close],
        EXCEPTIONS,
    ));
    let huge = format!("HTTP/1.1 200 OK\r\nX-Long: {}", "y".repeat(70_000));
    all.extend(every_second("a head over the limit", vec![send(huge), Step::Hang], EXCEPTIONS));
    // How many bytes of a broken answer are read before it is given up is the engine's own business.
    let mut wrong = Vec::new();
    for scenario in &all {
        for version in VERSIONS {
            for engine in ENGINES {
                let seen = see(scenario, engine, version);
                if (seen.counts, seen.document_length, seen.requests) != (scenario.counts, Some(10), 4) {
                    wrong.push(format!(
                        "{} ({} {version} {engine}): {seen:?}",
                        scenario.name, scenario.options
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn resets() {
    let ten = [head("200 OK", &["Content-Length: 10"]), b"0123456789".to_vec()].concat();
    let part = vec![send(head("200 OK", &["Content-Length: 10"])), send("part"), pause(), Step::Reset];
    for engine in ENGINES {
        for version in VERSIONS {
            for (broken, failed) in [
                (vec![Step::Reset], 1),
                (vec![send("HTTP/1.1 200"), pause(), Step::Reset], 1),
                (part.clone(), 1),
                (vec![send(&ten), Step::Reset], 0),
            ] {
                let plan = Plan::sequence([closing(10), broken, closing(10)]);
                let server = plan.clone().start();
                let done = ask(&format!("-n 4 -r {version} --engine {engine}"), &server.url());
                let counts = Counts { complete: 4, receive: failed, ..Counts::default() };
                assert_eq!(done.good_report().counts(), counts, "{done}");
                let done = ask(&format!("-n 4 {version} --engine {engine}"), &plan.start().url());
                assert_eq!(done.code(), if failed == 1 { 104 } else { 0 }, "{done}");
            }
        }
    }
}

#[test]
fn surplus_bytes() {
    let response = [head("200 OK", &["Content-Length: 4"]), b"body and more".to_vec()].concat();
    let chunked = [chunked_head(), chunks(&[b"body"]), b"and more".to_vec()].concat();
    for reply in [response, chunked] {
        for engine in ENGINES {
            for version in VERSIONS {
                for options in ["-n 4", "-n 4 -k"] {
                    let server = Plan::always(vec![send(&reply), Step::Keep]).start();
                    let done = ask(&format!("{options} {version} --engine {engine}"), &server.url());
                    let report = done.good_report();
                    assert_eq!(report.counts(), Counts::good(4), "{done}");
                    assert_eq!(report.count("HTML transferred"), Some(16), "{done}");
                    assert_eq!(server.requests_per_connection(), [1; 4], "{done}");
                }
            }
        }
    }
}

#[test]
fn what_hyper_refuses() {
    // An HTTP/1.0 answer cannot be chunked by the letter of the protocol; some servers send it all the same.
    let answer = "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    check(&[Scenario {
        name: "chunked in HTTP/1.0",
        options: "-n 4",
        replies: vec![vec![send(answer), Step::Close]],
        counts: Counts::good(4),
        under_hyper: Some(Counts { complete: 4, exceptions: 4, ..Counts::default() }),
    }]);
}
