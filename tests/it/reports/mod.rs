//! What users of ab and its peers have tripped over, one test a kind of report; `rNN` numbers the reports, and `lNN`
//! what a try on loopback shows without a report.
//!
//! Left out here:
//!
//! - r49 (a proxy for https) comes with CONNECT.
//! - The size after unpacking in r50, the gates by exit status in r63 and the time-only mode in r66 come with those
//!   options, and so do all rows of what users ask for (r81 to r92), but for those that other modules hold.
//! - r79 (more than a million results) takes two minutes with a debug build, which is what tests run.
//! - The number of missing bytes in l01 is said nowhere yet.
//! - A renegotiation in TLS 1.2 and a ticket between two requests in r57: the library of the servers here makes neither.

mod connections;
mod counting;
mod endings;
mod files;
mod limits;
mod loopback;
mod memory;
mod requests;
mod tls;

use crate::support::server::{Reply, Step, answer};

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
