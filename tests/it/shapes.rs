//! The shape of a load in time: `--rate`, `--duration`, `--ramp-up`; and answers that change while it goes on.

use crate::support::rab::ask;
use crate::support::report::Counts;
use crate::support::server::{Plan, Step, answer, keeping, wait};

/// A reply that takes so many milliseconds.
fn slow(milliseconds: u64) -> Vec<Step> {
    let mut reply = vec![wait(milliseconds)];
    reply.extend(keeping(10));
    reply
}

/// What stands behind a label that ab does not have.
fn value<'a>(stdout: &'a str, label: &str) -> &'a str {
    stdout.lines().find_map(|line| line.strip_prefix(label)).expect(label).trim()
}

#[test]
fn a_schedule_is_kept_where_connections_are_free() {
    let server = Plan::always(keeping(10)).start();
    for options in ["-k -c 10", "-k -c 10 -W 3", "-c 10", "-k -c 10 --http1.1"] {
        let done = ask(&format!("-n 31 --rate 100 {options}"), &server.url());
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::good(31), "{done}");
        // The last one is due 300 ms after the answer to the first.
        assert!(report.number("Time taken for tests").unwrap() >= 0.3, "{done}");
        assert_eq!(value(&done.stdout, "Planned rate:"), "100.00 [#/sec]");
    }
}

#[test]
fn a_request_that_finds_no_connection_free_is_late_and_its_wait_counts_from_the_plan() {
    let server = Plan::always(slow(60)).start();
    let done = ask("-k -c 1 -n 6 --rate 50", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(6), "{done}");
    // The second request is on time, if the machine is; each after it is due while the one before is still answered.
    let late: u64 = value(&done.stdout, "Sent late:").parse().unwrap();
    assert!((4..=5).contains(&late), "{done}");
    let slowest: Vec<f64> =
        value(&done.stdout, "  max").split_whitespace().map(|ms| ms.parse().unwrap()).collect();
    // The sixth is due at 100 ms, and answered after six times 60.
    assert!(slowest[0] >= 60.0 && slowest[1] >= 200.0, "{done}");
    done.assert_hint(&["sent late", "-c 1"]);
}

#[test]
fn time_alone_may_end_a_run() {
    let server = Plan::always(keeping(10)).start();
    let done = ask("-k -c 2 --duration 300ms", &server.url());
    let report = done.good_report();
    assert!(report.counts().complete > 0, "{done}");
    assert!(report.number("Time taken for tests").unwrap() >= 0.3, "{done}");
    let capped = ask("-k -n 5 --duration 1m", &server.url()).good_report();
    assert_eq!(capped.counts(), Counts::good(5));
}

#[test]
fn connections_open_over_the_time_that_was_asked_for() {
    let server = Plan::always(keeping(10)).start();
    let done = ask("-k -c 4 --ramp-up 400ms --duration 600ms", &server.url());
    done.good_report();
    assert_eq!(server.requests_per_connection().len(), 4, "{done}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (options, message) in [
        ("-R 5 --ramp-up 1s", "-R and --ramp-up both say when connections open; give one of them"),
        ("-t 5 --duration 5", "-t and --duration are two ends of one run; give one of them"),
        ("--rate 0", "--rate takes a number of requests a second above 0, not '0'"),
        ("--duration 0", "--duration takes a time above 0"),
    ] {
        let done = ask(options, "http://127.0.0.1:1/");
        assert!(done.code() == 22 && done.stderr.contains(message), "{done}");
    }
}

#[test]
fn a_change_of_all_answers_is_told_with_its_time() {
    let refusal = answer("401 Unauthorized", &["Connection: keep-alive"], b"sorry", Step::Keep);
    let server = Plan::by(move |number, _| if number < 40 { keeping(10) } else { refusal.clone() }).start();
    let done = ask("-k -l -n 100 -c 2", &server.url());
    assert_eq!(done.good_report().counts().complete, 100, "{done}");
    done.assert_hint(&["from second ", "every response was 401", "in a row after 2xx"]);
}
