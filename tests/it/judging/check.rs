//! `rab check`: rules held against every run of a file.

use serde_json::json;

use super::{Shelf, task};

#[test]
fn every_run_must_keep_every_rule() {
    let shelf = Shelf::new();
    let file = shelf.put("file", 0, &[1.0, 2.0, 0.5], |_| ());
    let name = file.display();
    let done = task("check --fail-if rps<150 --fail-if failed>0", &[&file]);
    assert_eq!((done.code(), done.stderr.as_str()), (3, ""), "{done}");
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            format!("{name}, run 1: rps = 200, kept (fails if < 150)"),
            format!("{name}, run 1: failed = 0, kept (fails if > 0)"),
            format!("{name}, run 2: rps = 100, broken (fails if < 150)"),
            format!("{name}, run 2: failed = 0, kept (fails if > 0)"),
            format!("{name}, run 3: rps = 400, kept (fails if < 150)"),
            format!("{name}, run 3: failed = 0, kept (fails if > 0)"),
        ]
    );
    assert_eq!(task("check --fail-if rps<100", &[&file]).code(), 0);
    assert_eq!(task("check --fail-if rps<100,rps>399", &[&file, &file]).code(), 3);
}

#[test]
fn a_run_that_an_error_ended_keeps_its_exit_code() {
    let shelf = Shelf::new();
    let good = shelf.steady("good", 0, 1.0);
    let error = json!({"kind": "socket", "call": "receive", "errno": 104});
    let ended = json!({"kind": "failed", "message": "", "error": error});
    let bad = shelf.put("bad", 0, &[1.0], |run| run["ending"] = ended.clone());
    let done = task("check --fail-if rps>1", &[&good, &bad]);
    assert_eq!(done.code(), 104, "{done}");
    assert!(
        done.stdout.ends_with("run 1: an error ended it (apr_socket_recv: Connection reset by peer (104))\n"),
        "{done}"
    );
}

#[test]
fn what_was_typed_wrong_is_a_usage_error() {
    task("check file", &[]).assert_usage_error("check takes at least one rule");
    task("check --fail-if rps<1", &[]).assert_usage_error("check takes the files");
    task("check --fail-if p95>300 file", &[]).assert_usage_error("--fail-if: p95 is a time and needs a unit");
    task("check --strict --fail-if rps<1 file", &[]).assert_usage_error("unknown option --strict");
}
