//! Full speed for a minute: counts stay exact, and nothing grows while it goes on.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::certificate::Pem;
use crate::support::daemon::poll;
use crate::support::nginx::Nginx;
use crate::support::rab::{Rab, Running};

use super::nginx;

/// What memory may grow by while a run goes on, in KiB.
const MAY_GROW: u64 = 4096;

/// Descriptors and threads of a run that goes on, and its peak of memory in KiB.
fn look(running: &Running) -> (usize, usize, u64) {
    (running.descriptors(), running.threads(), running.peak_memory())
}

/// Runs for so many seconds, with so many requests in flight at the most.
fn run_for(seconds: u64, options: &str, in_flight: u64, nginx: &Nginx) {
    let before = nginx.requests();
    let time = seconds.to_string();
    let url = nginx.url("/page");
    let words = options.split_whitespace().chain(["-q", "-t", &time, "-n", "2000000000", &url]);
    let bound = Duration::from_secs(seconds);
    let (running, began) = (Rab::new(words).bound(bound + Duration::from_secs(20)).start(), Instant::now());
    poll("many requests", || (nginx.requests() - before > 10_000).then_some(()));
    let (descriptors, threads, peak) = look(&running);
    while began.elapsed() + Duration::from_secs(2) < bound {
        sleep(Duration::from_secs(1));
        let now = look(&running);
        // Without -k, some connections may be between the one and the next.
        assert!(now.0 <= descriptors + usize::try_from(in_flight).unwrap(), "{options}: {now:?}");
        assert_eq!(now.1, threads, "{options}");
        assert!(now.2 < peak + MAY_GROW, "{options}: {peak} and {} KiB", now.2);
    }
    let done = running.wait();
    let report = done.good_report();
    let complete = report.counts().complete;
    assert_eq!(report.number("Failed requests"), Some(0.0), "{done}");
    let taken = report.number("Time taken for tests").unwrap();
    assert!((taken - bound.as_secs_f64()).abs() < 0.5, "{done}");
    // The server has seen what was in flight at the end as well.
    let seen = poll("the server's count", || {
        let seen = nginx.requests() - before;
        (seen >= complete).then_some(seen)
    });
    assert!(seen - complete <= in_flight, "{options}: {seen} by the server's count\n{done}");
}

#[test]
#[ignore = "for the release build, in .ci/run"]
fn a_minute_at_full_speed_is_counted_exactly() {
    let Some(nginx) = nginx("backlog=4096", None) else { return };
    run_for(60, "-k -c 50", 50, &nginx);
}

#[test]
#[ignore = "for the release build, in .ci/run"]
fn other_ways_at_full_speed_are_counted_exactly() {
    let Some(plain) = nginx("backlog=4096", None) else { return };
    run_for(10, "-c 50 -W 2", 50, &plain);
    run_for(5, "-k -c 50 --http1.1", 50, &plain);
    let pem = Pem::usual();
    let Some(http2) = nginx("http2", Some(&pem)) else { return };
    run_for(10, "--http2 --streams 10 -c 10", 100, &http2);
}
