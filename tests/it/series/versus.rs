//! `rab versus` and `rab calibrate`.

use tempfile::tempdir;

use crate::support::rab::{Done, Rab, ask, rab};
use crate::support::saved::saved;
use crate::support::server::{Plan, Server, Step, closing, keeping};

fn versus(options: &str, one: &str, other: &str) -> Done {
    rab(["versus"].into_iter().chain(options.split_whitespace()).chain([one, other]))
}

/// Which side was run when, as standard error tells it: `ABBA`.
fn order(done: &Done) -> String {
    let pairs = done.messages().into_iter().filter(|line| line.starts_with("Pair "));
    pairs.filter_map(|line| line.split_once(", ")?.1.chars().next()).collect()
}

fn server(length: usize) -> Server {
    Plan::always(closing(length)).start()
}

#[test]
fn another_document_is_not_comparable() {
    let (one, other) = (server(100), server(300));
    let done = versus("-n 5 --repeat 3", &one.url(), &other.url());
    assert_eq!(done.code(), 12, "{done}");
    assert!(
        done.stdout.starts_with("Not comparable: the document has 100 bytes before and 300 after"),
        "{done}"
    );
    assert_eq!([one.requests().len(), other.requests().len()], [15, 15]);
    // Each pair has both sides, in whatever order.
    let order = order(&done);
    assert_eq!(order.len(), 6, "{done}");
    assert!(order.as_bytes().chunks(2).all(|pair| pair[0] != pair[1]), "{order}");
}

#[test]
fn ten_pairs_are_made_unless_others_are_asked_for() {
    let (one, other) = (server(100), server(100));
    let done = versus("-n 1 -q", &one.url(), &other.url());
    assert_eq!([one.requests().len(), other.requests().len()], [10, 10]);
    assert!([0, 10].contains(&done.code()) && done.messages().is_empty(), "{done}");
    assert!(done.stdout.contains("10 runs, in turns"), "{done}");
}

#[test]
fn more_failures_are_worse() {
    let one = Plan::always(keeping(100)).start();
    let other = Plan::by(|number, _| keeping(if number > 0 && number % 2 == 1 { 90 } else { 100 })).start();
    let done = versus("-n 200 -k --repeat 3", &one.url(), &other.url());
    assert_eq!(done.code(), 10, "{done}");
    assert!(done.stdout.starts_with("After is worse: 50.00 % of the requests failed"), "{done}");
}

#[test]
fn a_seed_repeats_the_order_and_is_told() {
    let (one, other) = (server(100), server(100));
    let with = |options: &str| versus(&format!("-n 1 --repeat 12 {options}"), &one.url(), &other.url());
    let first = with("");
    let line = first.messages()[0].to_owned();
    let seed = line.split_once("--seed ").expect("a seed is told").1;
    let again = with(&format!("--seed {seed}"));
    assert_eq!(order(&first), order(&again));
    let orders: std::collections::HashSet<String> =
        (0..4).map(|seed| order(&with(&format!("--seed {seed}")))).collect();
    assert!(orders.len() > 1, "{orders:?}");
}

#[test]
fn each_side_has_a_file_of_its_own() {
    let (one, other) = (server(100), server(300));
    let folder = tempdir().unwrap();
    let path = folder.path().join("runs.json");
    let done = versus(&format!("-n 5 --repeat 3 --save {}", path.display()), &one.url(), &other.url());
    assert_eq!(done.code(), 12, "{done}");
    for (name, server) in [("runs-a.json", &one), ("runs-b.json", &other)] {
        let file = saved(folder.path().join(name));
        let ports: Vec<_> = file["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["plan"]["target"]["port"].as_u64())
            .collect();
        assert_eq!(ports, [Some(u64::from(server.port())); 3]);
    }
    assert!(!path.exists());
}

#[test]
fn both_urls_are_judged_before_anything_is_sent() {
    let one = server(100);
    for (words, message) in [
        (vec!["versus", &one.url(), "http://h"], "invalid URL"),
        (vec!["versus", &one.url()], "versus takes two URLs, not 1"),
        (vec!["versus", "-p", "-", &one.url(), &one.url()], "no body from standard input"),
        (vec!["versus", "--sweep", "1,2", &one.url(), &one.url()], "unknown option --sweep"),
        (vec!["calibrate"], "calibrate takes one URL, not 0"),
        (vec!["calibrate", "--seed", "1", &one.url()], "unknown option --seed"),
    ] {
        rab(words).assert_usage_error(message);
    }
    assert_eq!(one.requests().len(), 0);
}

#[test]
fn a_signal_ends_the_pairs_with_those_that_are_whole() {
    let one = server(100);
    let other = Plan::by(|number, _| if number < 13 { closing(100) } else { vec![Step::Hang] }).start();
    let running = Rab::new(["versus", "-n", "5", &one.url(), &other.url()]).start();
    other.wait_for_requests(14);
    running.interrupt();
    let done = running.wait();
    assert_eq!(done.code(), 1, "{done}");
    assert!(done.stdout.contains("2 runs, in turns"), "{done}");
}

#[test]
fn a_calibration_has_a_row_for_each_metric_that_can_be_judged() {
    let server = Plan::always(keeping(100)).start();
    let done = ask("calibrate -n 30 -k --repeat 4", &server.url());
    assert_eq!(done.code(), 0, "{done}");
    assert_eq!(server.requests().len(), 8 * 30);
    assert!(done.stdout.contains("can tell now, by 4 pairs of runs"), "{done}");
    for row in ["   rps ", "   p50 ", "   p95 takes 200 requests", "   p99 takes 1000 requests"] {
        assert!(done.stdout.lines().any(|line| line.starts_with(row)), "{row}: {done}");
    }
}
