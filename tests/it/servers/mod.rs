//! Real servers: what the report says agrees with what the server has logged or counted, request by request.
//!
//! Each server runs in a temporary folder on a port of its own, under a configuration that the test writes, and ends
//! with the test. Where the program is missing the test is left out.

mod apache;
mod apache_http2;
mod express;
mod h2load;
mod metrics;
mod nginx;
mod nginx_http2;
mod nginx_tls;
mod nginx_urls;

use crate::support::access_log::Logged;
use crate::support::rab::Done;
use crate::support::report::Counts;

/// A way of speaking: version and engine.
type Spoken = [&'static str; 3];

/// Each engine with each version.
const SPOKEN: [Spoken; 4] = [
    ["--http1.0", "--engine", "wire"],
    ["--http1.1", "--engine", "wire"],
    ["--http1.0", "--engine", "hyper"],
    ["--http1.1", "--engine", "hyper"],
];

/// Fails unless all requests are complete, none failed, and the report's sums are those of the log.
#[track_caller]
fn assert_agrees(done: &Done, log: &[Logged], method: &str) {
    assert_counts_agree(done, log, method);
    let sent: u64 = log.iter().map(|line| line.bytes_sent).sum();
    assert_eq!(done.report().count("Total transferred"), Some(sent), "{done}\n{log:#?}");
}

/// The same without the sum of the bytes: Apache logs those that TLS has made of an answer.
#[track_caller]
fn assert_counts_agree(done: &Done, log: &[Logged], method: &str) {
    let report = done.good_report();
    let odd = log.iter().filter(|line| !(200..300).contains(&line.status)).count() as u64;
    let expected = Counts { complete: log.len() as u64, non_2xx: odd, ..Counts::default() };
    assert_eq!(report.counts(), expected, "{done}");
    assert!(log.iter().all(|line| line.method == method), "{log:?}");
}
