//! `rab compare`: what it says, in which form, and with which exit code.

use serde_json::json;

use super::{STEADY, Shelf, task, without_detail};
use crate::support::saved::comparison;

#[test]
fn the_exit_code_is_the_verdict() {
    let shelf = Shelf::new();
    let (usual, slow) = (shelf.steady("usual", 0, 1.0), shelf.steady("slow", 1000, 1.2));
    let (same, one) = (shelf.steady("same", 2000, 1.001), shelf.put("single", 0, &[1.0], |_| ()));
    let noisy = shelf.put("noisy", 3000, &[0.5, 1.0, 1.5], |_| ());
    for (before, after, options, code, words) in [
        (&usual, &slow, "", 10, "After is slower: 16.7 % fewer requests a second (95 % interval"),
        (&slow, &usual, "", 0, "After is faster: 20.0 % more requests a second (95 % interval"),
        (&usual, &same, "", 0, "After is as fast as before, within the margin: requests a second -0.1 %"),
        (&usual, &same, "--strict", 0, "After is as fast as before"),
        (&usual, &slow, "--strict", 10, "After is slower"),
        (&usual, &noisy, "", 0, "Cannot tell, as the runs of a side are too far apart"),
        (&usual, &noisy, "--strict", 11, "Cannot tell"),
        (&one, &usual, "", 0, "Cannot tell: 1 run before and 5 runs after give a ratio"),
        (&one, &one, "--strict", 11, "--repeat 5, or rab versus"),
        (&usual, &slow, "--margin 25", 0, "After is as fast as before"),
    ] {
        let done = task(&format!("compare {options}"), &[before, after]);
        assert_eq!(done.code(), code, "{done}");
        let text = done.stdout.replace('\n', " ");
        assert!(text.contains(words), "{words}: {done}");
        assert_eq!(done.stderr, "", "{done}");
    }
}

#[test]
fn one_run_a_side_has_a_ratio_and_no_interval() {
    let shelf = Shelf::new();
    let (one, other) = (shelf.put("before", 0, &[1.0], |_| ()), shelf.put("after", 60, &[2.0], |_| ()));
    let value = comparison(&task("compare --json", &[&one, &other]).stdout);
    let rps = &value["metrics"][0];
    assert!(rps["ratio"].as_f64().is_some_and(|ratio| (ratio - 0.5).abs() < 1e-12), "{rps}");
    assert_eq!((&rps["interval"], &rps["reason"]), (&json!(null), &json!("few-runs")), "{rps}");
    assert_eq!((&value["conclusion"], &value["because"]), (&json!("cannot-tell"), &json!("few-runs")));
}

#[test]
fn runs_in_turns_are_known_by_their_starts() {
    let shelf = Shelf::new();
    let drift = [1.0, 1.3, 0.9, 1.7, 1.1, 0.8];
    let before = shelf.put("before", 0, &drift, |_| ());
    let slower = drift.map(|time| time * 1.15);
    let (turns, apart) = (shelf.put("turns", 5, &slower, |_| ()), shelf.put("apart", 500, &slower, |_| ()));
    let found = |after| comparison(&task("compare --json", &[&before, after]).stdout);
    let (turns, apart) = (found(&turns), found(&apart));
    assert_eq!((&turns["pairing"], &turns["conclusion"]), (&json!("interleaved"), &json!("worse")));
    assert_eq!((&apart["pairing"], &apart["conclusion"]), (&json!("apart"), &json!("cannot-tell")));
    assert!(apart["runs_needed"]["runs"].as_u64() > Some(5), "{apart}");
}

#[test]
fn errors_come_before_speed() {
    let shelf = Shelf::of("-n 200 -c 2");
    let usual = shelf.steady("usual", 0, 1.0);
    let failing = shelf.put("failing", 1000, &STEADY.map(|time| time / 2.0), |run| {
        run["failures"]["length"] = json!(20);
        run["causes"] = json!({"length": 20});
        without_detail(run);
    });
    let done = task("compare", &[&usual, &failing]);
    assert_eq!(done.code(), 10, "{done}");
    assert!(
        done.stdout.starts_with("After is worse: 10.00 % of the requests failed, and 0.00 % before."),
        "{done}"
    );
}

#[test]
fn markdown_is_a_table_with_as_many_cells_in_each_row() {
    let shelf = Shelf::new();
    let (usual, slow) = (shelf.steady("a|b", 0, 1.0), shelf.steady("slow_*x*", 1000, 1.2));
    let done = task("compare --markdown", &[&usual, &slow]);
    assert_eq!(done.code(), 10);
    let rows: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 8, "{done}");
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert!(bars == 7 && row.ends_with('|'), "{row}");
    }
    assert!(
        done.stdout.starts_with("**After is slower: ") && done.stdout.contains("slow\\_\\*x\\*"),
        "{done}"
    );
}

#[test]
fn every_form_has_the_same_sentence() {
    let shelf = Shelf::new();
    let (usual, slow) = (shelf.steady("usual", 0, 1.0), shelf.steady("slow", 1000, 1.2));
    let value = comparison(&task("compare --json", &[&usual, &slow]).stdout);
    let sentence = value["sentence"].as_str().unwrap();
    let text = task("compare", &[&usual, &slow]).stdout.replace('\n', " ");
    assert!(text.starts_with(sentence), "{text}");
    assert!(task("compare --markdown", &[&usual, &slow]).stdout.starts_with(&format!("**{sentence}**")));
    assert_eq!(value["before"], json!({"name": usual, "runs": 5}));
}

#[test]
fn what_was_typed_wrong_is_a_usage_error() {
    for (words, message) in [
        ("compare", "compare takes two files"),
        ("compare a b c", "compare takes two files of saved runs, before and after, not 3"),
        ("compare --margin 0 a b", "--margin takes a percentage above 0"),
        ("compare --json --markdown a b", "--json and --markdown"),
        ("compare -n 5 a b", "illegal option -- n"),
        ("--strict http://127.0.0.1:1/", "unknown option --strict"),
    ] {
        task(words, &[]).assert_usage_error(message);
    }
    let help = task("compare --help", &[]);
    assert!(
        help.code() == 0 && help.stdout.contains("--margin") && !help.stdout.contains("--engine"),
        "{help}"
    );
    assert!(task("--help", &[]).stdout.contains("compare before after"));
}
