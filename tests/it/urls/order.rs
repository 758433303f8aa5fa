//! What is sent, and in which order.

use super::{List, document, origin, paths, request_line, site};
use crate::support::rab::{Done, Rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, Server, Step};

const SPOKEN: [&str; 4] = [
    "--http1.0 --engine wire",
    "--http1.1 --engine wire",
    "--http1.0 --engine hyper",
    "--http1.1 --engine hyper",
];

const TEXT: &str = "# a list\r\n/a?x=1&y\r\n\r\nPOST /b @json\nHEAD /c\n/d @a file\nPUT /e#part\n";

/// What the lines of this list ask for: method, target and body.
const ASKED: [&str; 5] =
    ["GET /a?x=1&y", "POST /b {\"n\":1}", "HEAD /c", "POST /d all\0bytes\u{ff}", "PUT /e"];

fn list() -> List {
    List::new(TEXT).file("json", "{\"n\":1}").file("a file", "all\0bytes\u{ff}")
}

/// Request line and body of each request, in the order in which they came.
fn seen(server: &Server) -> Vec<String> {
    let seen = |request: &String| {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let line = request_line(head.as_bytes());
        if body.is_empty() { line } else { format!("{line} {body}") }
    };
    server.requests().iter().map(seen).collect()
}

/// Passes over the list, up to so many requests.
fn passes(count: usize) -> Vec<String> {
    ASKED.iter().cycle().take(count).map(ToString::to_string).collect()
}

fn sorted(mut all: Vec<String>) -> Vec<String> {
    all.sort();
    all
}

#[track_caller]
fn assert_good(done: &Done, requests: u64) {
    assert_eq!(done.good_report().counts(), Counts::good(requests), "{done}");
}

#[test]
fn one_connection_goes_through_the_list_again_and_again() {
    for spoken in SPOKEN {
        for keep in ["", "-k"] {
            let server = site();
            let done = list().run(&format!("-n 13 {keep} {spoken}"), &origin(&server));
            assert_good(&done, 13);
            assert_eq!(seen(&server), passes(13), "{spoken} {keep}");
            let connections = if keep.is_empty() { 13 } else { 1 };
            assert_eq!(server.connections().len(), connections, "{spoken} {keep}");
        }
    }
}

#[test]
fn several_connections_and_workers_share_the_turns() {
    for spoken in SPOKEN {
        for load in ["-n 500 -c 10 -k", "-n 499 -c 7 -W 2 -k", "-n 100 -c 10 -W 3"] {
            let server = site();
            let done = list().run(&format!("{load} -q {spoken}"), &origin(&server));
            let count = done.good_report().count("Complete requests").unwrap();
            assert_good(&done, count);
            assert_eq!(
                sorted(seen(&server)),
                sorted(passes(usize::try_from(count).unwrap())),
                "{spoken} {load}"
            );
        }
    }
}

#[test]
fn without_a_number_the_list_is_gone_through_once() {
    let server = site();
    assert_good(&list().run("-c 2", &origin(&server)), 5);
    assert_eq!(sorted(seen(&server)), sorted(passes(5)));
}

#[test]
fn the_first_line_may_name_the_server() {
    let server = site();
    let text = format!("http://127.0.0.1:{port}/a\n127.0.0.1:{port}/b\n/c\n", port = server.port());
    assert_good(&List::new(text).run("", ""), 3);
    assert_eq!(seen(&server), ["GET /a", "GET /b", "GET /c"]);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| { request.contains(&format!("\r\nHost: 127.0.0.1:{}\r\n", server.port())) })
    );
}

#[test]
fn a_list_may_come_from_standard_input() {
    let server = site();
    let folder = List::new("");
    let done = Rab::new(["--urls", "-", "-n", "3", &origin(&server)])
        .folder(folder.0.path())
        .input(b"/one\r\nPUT /two")
        .run();
    assert_good(&done, 3);
    assert_eq!(seen(&server), ["GET /one", "PUT /two", "GET /one"]);
    let done = folder.run("--urls -", &origin(&server));
    assert_eq!((done.code(), done.messages()), (1, vec!["rab: standard input: there is no URL in the list"]));
}

#[test]
fn options_of_the_command_line_complete_the_lines() {
    let server = site();
    let done = list().run("-m PATCH -C a=1 -T x/y -H X-A:1 -A u:p", &origin(&server));
    assert_good(&done, 5);
    let mut expected = passes(5);
    expected[0] = expected[0].replace("GET", "PATCH");
    expected[3] = expected[3].replace("POST", "PATCH");
    assert_eq!(seen(&server), expected);
    for request in server.requests() {
        for field in ["Cookie: a=1", "X-A:1", "Authorization: Basic dTpw"] {
            assert!(request.contains(&format!("\r\n{field}\r\n")), "{field} in {request}");
        }
        let has_body = request.contains("\r\nContent-length: ");
        assert_eq!(request.contains("\r\nContent-type: x/y\r\n"), has_body, "{request}");
    }
    // What was sent counts as soon as one of them has a body.
    assert!(done.report().count("Total body sent").is_some_and(|sent| sent > 0), "{done}");
    let without = List::new("/a\nDELETE /b\n").run("", &origin(&server));
    assert_eq!(without.report().count("Total body sent"), None, "{without}");
}

#[test]
fn a_seed_gives_the_same_order_again_and_each_pass_another_one() {
    let paths = paths(30);
    let list = List::new(paths.join("\n"));
    let listed: Vec<String> = paths.iter().map(|path| format!("GET {path}")).collect();
    let order = |options: &str| {
        let server = site();
        assert_good(&list.run(&format!("-n 60 {options}"), &origin(&server)), 60);
        seen(&server)
    };
    let first = order("-k --shuffle 42");
    assert_eq!(first, order("--http1.1 --shuffle 42"));
    assert_ne!(first, order("-k --shuffle 43"));
    let (one, two) = first.split_at(30);
    assert!(one != two && one != listed, "{first:?}");
    assert_eq!([sorted(one.to_vec()), sorted(two.to_vec())], [sorted(listed.clone()), sorted(listed)]);
    let shared = order("-k -c 6 -W 2 --shuffle 42");
    assert_eq!(sorted(shared), sorted(first));
}

#[test]
fn a_request_that_goes_out_once_more_is_the_same_one() {
    for engine in ["wire", "hyper"] {
        // The third request meets a connection that is closed without an answer.
        let server = Plan::by(|number, request| match number {
            2 => vec![Step::Close],
            _ => document(request, "200 OK", 5),
        })
        .start();
        let done = List::new("/a\n/b\n/c\n/d\n").run(&format!("-k -n 4 --engine {engine}"), &origin(&server));
        assert_good(&done, 4);
        assert_eq!(seen(&server), ["GET /a", "GET /b", "GET /c", "GET /c", "GET /d"], "{engine}");
        done.assert_hint(&["1 request was sent once more"]);
    }
}

#[test]
fn a_request_that_may_not_go_out_twice_fails_at_its_place() {
    let server = Plan::by(|number, request| match number {
        1 => vec![Step::Close],
        _ => document(request, "200 OK", 5),
    })
    .start();
    let done = List::new("/a\nPOST /b\n/c\n").run("-k", &origin(&server));
    assert_eq!(done.good_report().counts(), Counts::receive(3, 1), "{done}");
    assert_eq!(seen(&server), ["GET /a", "POST /b", "GET /c"]);
    done.assert_hint(&["failures came from 1 of 3 URLs: POST /b (1 of its 1 requests)", "--by-url"]);
}

#[test]
fn a_proxy_is_given_the_whole_url_of_each() {
    for engine in ["wire", "hyper"] {
        let proxy = site();
        let options = format!("-X 127.0.0.1:{} --engine {engine}", proxy.port());
        let done = List::new("/a\nPOST http://TARGET.test:80/b?c\n").run(&options, "http://target.test/");
        assert_good(&done, 2);
        assert_eq!(seen(&proxy), ["GET http://target.test/a", "POST http://target.test/b?c"], "{engine}");
        assert!(proxy.requests().iter().all(|request| request.contains("\r\nHost: target.test\r\n")));
    }
}
