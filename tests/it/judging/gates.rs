//! `--fail-if` on a benchmark.

use std::fs;

use tempfile::tempdir;

use crate::support::rab::{Rab, ask};
use crate::support::server::{Plan, Step, answer, closing};

#[test]
fn each_rule_has_a_line_and_a_broken_one_an_exit_code() {
    let server = Plan::by(|number, _| match number % 10 {
        9 => answer("404 Not Found", &[], &[b'x'; 100], Step::Close),
        8 => closing(90),
        _ => closing(100),
    })
    .start();
    let plain = ask("-n 100 -dS", &server.url());
    for (options, code, lines) in [
        ("--fail-if complete<100", 0, vec!["gate: complete = 100, kept (fails if < 100)"]),
        ("--fail-if failed>0", 3, vec!["gate: failed = 10, broken (fails if > 0)"]),
        (
            "--fail-if failed>10% --fail-if non-2xx>9.5%,max>60s",
            3,
            vec![
                "gate: failed = 10 percent, kept (fails if > 10 percent)",
                "gate: not 2xx = 10 percent, broken (fails if > 9.5 percent)",
            ],
        ),
    ] {
        let done = ask(&format!("-n 100 -qdS {options}"), &server.url());
        assert_eq!(done.code(), code, "{done}");
        let found: Vec<&str> = done.messages();
        assert!(found.iter().all(|line| line.starts_with("gate: ")), "{done}");
        assert_eq!(found[..lines.len()], lines, "{done}");
        // ab's report is as without.
        let labels = |text: &str| {
            text.lines().filter_map(|line| line.split(':').next()).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(labels(&done.stdout), labels(&plain.stdout), "{done}");
    }
    assert_eq!(plain.code(), 0);
}

#[test]
fn a_time_that_nothing_has_breaks_its_rule() {
    let server = Plan::always(vec![Step::Hang]).start();
    let done = ask("-t 1 --fail-if p95>300ms", &server.url());
    assert_eq!(done.code(), 3, "{done}");
    assert!(done.messages().contains(&"gate: p95 is not known, broken (fails if > 300 ms)"), "{done}");
}

#[test]
fn a_run_that_failed_keeps_its_exit_code() {
    let server = Plan::by(|number, _| if number < 5 { closing(5) } else { vec![Step::Reset] }).start();
    let done = ask("-n 50 --fail-if complete<50", &server.url());
    assert_eq!(
        (done.code(), done.messages()),
        (104, vec!["apr_socket_recv: Connection reset by peer (104)"]),
        "{done}"
    );
    let server = Plan::by(|number, _| if number < 5 { closing(5) } else { vec![Step::Hang] }).start();
    let running = Rab::new(["-n", "50", "--fail-if", "complete<50", &server.url()]).start();
    server.wait_for_requests(6);
    running.interrupt();
    let done = running.wait();
    assert_eq!(done.code(), 1, "{done}");
    assert!(done.messages().contains(&"gate: complete = 5, broken (fails if < 50)"), "{done}");
}

#[test]
fn a_bad_rule_is_refused_before_anything_is_sent() {
    let (server, folder) = (Plan::always(closing(5)).start(), tempdir().unwrap());
    for (rule, words) in [
        ("p95>300", "p95 is a time and needs a unit"),
        ("latency>1s", "is no metric"),
        ("", "a rule is empty"),
    ] {
        let path = folder.path().join("file");
        let done = Rab::new(["--fail-if", rule, "--save", path.to_str().unwrap(), &server.url()]).run();
        done.assert_usage_error(words);
        assert!(done.stderr.starts_with("rab: --fail-if: ") && fs::metadata(&path).is_err(), "{done}");
    }
    assert_eq!(server.requests().len(), 0);
}
