//! Whether the client itself was the limit: said where it was, and not where it was not.

use std::io::Write;

use crate::support::needs;
use crate::support::rab::{Done, Rab, ask};
use crate::support::server::{Plan, head, keeping, wait};
use crate::support::tls::{listen, request};

/// What the hint says.
const WORDS: [&str; 2] = ["a worker thread was busy for", "the numbers measure rab"];

fn is_limit(done: &Done) -> bool {
    done.hints().iter().any(|hint| WORDS.iter().all(|word| hint.contains(word)))
}

/// A server whose answers never end, and cost a client much more than the server: a megabyte of chunks of a byte is one
/// write for the one, and each chunk is to be read for the other.
fn endless_chunks() -> u16 {
    let chunks = b"1\r\nx\r\n".repeat(200_000);
    listen(move |mut tcp| {
        let _ = request(&mut tcp);
        let _ = tcp.write_all(&head("200 OK", &["Transfer-Encoding: chunked"]));
        while tcp.write_all(&chunks).is_ok() {}
    })
}

#[test]
fn a_client_without_time_to_wait_says_so() {
    // Real-time priority, since a thread that others take the core from has no busy time, whatever it has to do.
    if !needs::programs(&["chrt"]) {
        return;
    }
    let url = format!("http://127.0.0.1:{}/", endless_chunks());
    let script = format!("exec chrt --fifo 1 \"$RAB\" -W 1 -c 4 -t 2 {url}");
    let done = Rab::shell(&script).run();
    if done.stderr.contains("chrt:") && !needs::left_out("no real-time priority here") {
        return;
    }
    assert_eq!(done.code(), 0, "{done}");
    assert!(is_limit(&done), "{done}");
}

#[test]
fn a_client_that_waits_for_a_slow_server_does_not() {
    let server = Plan::always([vec![wait(50)], keeping(5)].concat()).start();
    let done = ask("-k -c 4 -n 60 -W 1", &server.url());
    done.good_report();
    assert!(!is_limit(&done), "{done}");
}
