//! How much memory the program takes, which is not for a debug build to say.

use std::time::Duration;

use crate::support::needs;
use crate::support::nginx::Nginx;
use crate::support::rab::Rab;
use crate::support::report::Counts;
use crate::support::server::{Plan, keeping};

use super::{files, nginx};

/// KiB in a MiB.
const MIB: u64 = 1024;

/// The longest run takes no more than this, or the machine is too slow to tell.
const BOUND: Duration = Duration::from_secs(120);

/// A run of so many good requests, and the most memory that it had, in KiB. A small program starts it and asks the
/// system afterwards: the peak of a process begins with that of the one that it came from.
fn peak(options: &str, requests: u64, nginx: &Nginx) -> Option<u64> {
    if !needs::programs(&["time"]) {
        return None;
    }
    let told = tempfile::NamedTempFile::new().unwrap();
    let file = told.path().to_str().unwrap();
    let (program, count, url) = (crate::support::rab::program(), requests.to_string(), nginx.url("/page"));
    let words = ["-f", "%M", "-o", file, program.to_str().unwrap(), "-q", "-W", "1", "-n", &count];
    let words = words.into_iter().chain(options.split_whitespace()).chain([url.as_str()]);
    let done = Rab::of("time", words).bound(BOUND).run();
    assert_eq!(done.good_report().counts(), Counts::good(requests), "{done}");
    Some(std::fs::read_to_string(told.path()).unwrap().trim().parse().unwrap())
}

#[test]
#[ignore = "for the release build, in .ci/run"]
fn memory_is_small_and_does_not_grow_with_the_requests() {
    let Some(nginx) = nginx("", None) else { return };
    let Some(few) = peak("-k -c 50", 20_000, &nginx) else { return };
    let Some(many) = peak("-k -c 50", 2_000_000, &nginx) else { return };
    assert!(few < 20 * MIB && many < 20 * MIB, "{few} and {many} KiB");
    assert!(many.abs_diff(few) < 4 * MIB, "{few} and {many} KiB");
}

#[test]
#[ignore = "for the release build, in .ci/run"]
fn ten_thousand_connections_take_less_than_100_mib() {
    if !files(11_000) {
        return;
    }
    let Some(nginx) = nginx("backlog=4096", None) else { return };
    let Some(peak) = peak("-k -c 10000", 50_000, &nginx) else { return };
    assert!(peak < 100 * MIB, "{peak} KiB");
}

#[test]
fn two_thousand_million_requests_cost_nothing_before_they_are_made() {
    let server = Plan::always(keeping(5)).start();
    let running = Rab::new(["-k", "-c", "4", "-q", "-t", "1", "-n", "2000000000", &server.url()]).start();
    // It begins at once, with no more than it needs.
    server.wait_for_requests(100);
    assert!(running.peak_memory() < 50 * MIB);
    let done = running.wait();
    let report = done.good_report();
    assert!(report.counts().complete >= 99, "{done}");
    let taken = report.number("Time taken for tests").unwrap();
    assert!((1.0..1.5).contains(&taken), "{done}");
}
