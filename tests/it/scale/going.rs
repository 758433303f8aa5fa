//! A server that goes away in the middle of a run.

use crate::support::daemon::poll;
use crate::support::rab::{Rab, Running};
use crate::support::report::Counts;
use crate::support::server::{Plan, Step, keeping};

use super::{assert_whole, nginx};

/// So many requests are answered before the server goes.
const ANSWERED: usize = 2000;

/// So many are asked for.
const REQUESTS: usize = 6000;

const CONNECTIONS: usize = 40;

const ENGINES: [&str; 3] = ["", "--http1.1", "-W 3"];

/// Starts a run against a server that answers so many requests, leaves one open on each connection, and goes.
fn start(options: &str) -> Running {
    let server = Plan::by(|number, _| if number < ANSWERED { keeping(5) } else { vec![Step::Hang] }).start();
    let script = format!("exec \"$RAB\" -q -k -n {REQUESTS} -c {CONNECTIONS} {options} {}", server.url());
    let running = Rab::shell(&script).start();
    server.wait_for_requests(ANSWERED + CONNECTIONS);
    running
}

#[test]
fn without_r_the_run_ends_there_and_tells_what_was_complete() {
    for engine in ENGINES {
        let done = start(engine).wait();
        done.assert_ended("apr_socket_recv: Connection refused (111)", 111, ANSWERED as u64);
    }
}

#[test]
fn with_r_each_request_that_is_left_fails_once() {
    for engine in ENGINES {
        let done = start(&format!("-r {engine}")).wait();
        let report = done.good_report();
        let lost = (REQUESTS - ANSWERED) as u64;
        // Nothing had come of what was in flight, so it went out once more, and met nobody.
        let expected = Counts { complete: REQUESTS as u64, connect: lost, ..Counts::default() };
        assert_eq!(report.counts(), expected, "{done}");
        assert_eq!(report.count("Keep-Alive requests"), Some(ANSWERED as u64), "{done}");
    }
}

#[test]
fn http2_requests_fail_once_as_well() {
    for tolerates in [true, false] {
        let Some(nginx) = nginx("http2", None) else { return };
        let said = tempfile::NamedTempFile::new().unwrap();
        let script = format!(
            "exec \"$RAB\" --http2 --streams 10 -c 4 -k {} -n 100000 {} 2>{}",
            if tolerates { "-r" } else { "" },
            nginx.url("/page"),
            said.path().display()
        );
        let running = Rab::shell(&script).start();
        let text = || std::fs::read_to_string(said.path()).unwrap();
        poll("a tenth of the requests", || text().contains("Completed 10000 ").then_some(()));
        drop(nginx);
        let done = running.wait();
        if tolerates {
            let counts = done.good_report().counts();
            assert_whole(counts, 100_000);
            assert!(counts.connect > 0, "{done}");
        } else {
            assert!([104, 111].contains(&done.code()), "{done}");
            assert!(done.stdout.contains("Total of ") && text().contains("apr_socket_recv: "), "{done}");
        }
    }
}
