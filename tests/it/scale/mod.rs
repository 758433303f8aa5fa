//! Many requests, many connections, a long time: what must not grow, must not be lost, and must be said.
//!
//! What a debug build cannot do in a few seconds is ignored here; `.ci/run` runs it with the release build.

mod after;
mod client;
mod going;
mod long;
mod memory;
mod wide;

use crate::support::certificate::Pem;
use crate::support::needs;
use crate::support::nginx::{COUNTER, Nginx, Site};
use crate::support::report::Counts;

/// An nginx that takes any load and counts its requests; `None` if there is none. `listen` is what stands behind its
/// address.
fn nginx(listen: &str, certificate: Option<&Pem>) -> Option<Nginx> {
    let http = format!("keepalive_requests 1000000000; keepalive_timeout 300; {COUNTER}");
    // To write down what it does would slow it down.
    Nginx::serve(&Site { http: &http, server: "access_log off;", listen, certificate, files: &[] })
}

/// Lets this process and what it starts have so many files open; `false` if the system does not.
fn files(count: usize) -> bool {
    rab::net::raise_open_files(count);
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.is_none_or(|limit| limit > count as u64) || needs::left_out("too few files may be open here")
}

/// Each request is complete once, and failed in one class at most.
fn assert_whole(counts: Counts, requests: u64) {
    let failed = counts.connect + counts.receive + counts.length + counts.exceptions;
    assert!(counts.complete == requests && failed <= requests, "{counts:?} of {requests}");
}
