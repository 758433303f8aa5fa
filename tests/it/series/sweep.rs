//! `--sweep`: a row a step, the stop rule, and the file.

use serde_json::json;
use tempfile::tempdir;

use super::{numbers, rows};
use crate::support::rab::{Rab, ask, rab};
use crate::support::saved::saved;
use crate::support::server::{Plan, Step, answer, closing};

#[test]
fn each_step_has_a_row_and_a_run_in_the_file() {
    let server = Plan::always(closing(100)).start();
    let folder = tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    let done = ask(&format!("-n 20 --sweep 1..10 --save {}", path.display()), &server.url());
    assert_eq!(done.code(), 0, "{done}");
    assert_eq!(numbers(&done), [1, 2, 5, 10]);
    assert!(
        done.stdout.starts_with("This is rab") && done.stdout.lines().last().unwrap().contains("nee"),
        "{done}"
    );
    assert_eq!(server.requests().len(), 80);
    let file = saved(&path);
    let concurrencies: Vec<_> = file["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["plan"]["load"]["concurrency"].clone())
        .collect();
    assert_eq!(concurrencies, [json!(1), json!(2), json!(5), json!(10)]);
}

#[test]
fn the_step_that_breaks_a_rule_is_the_last() {
    // From the 25th request on, every other one is refused: in the third step of ten.
    let plan = Plan::by(|number, _| match number {
        25.. if number % 2 == 0 => answer("503 Service Unavailable", &[], b"no", Step::Close),
        _ => closing(100),
    });
    let server = plan.start();
    let done =
        rab(["-l", "-n", "10", "--sweep", "1,2,3,4,5", "--until", "failed==0,non-2xx<10%", &server.url()]);
    assert_eq!((done.code(), numbers(&done)), (0, vec![1, 2, 3]), "{done}");
    assert!(done.stdout.contains("\nStopped after 3 connections by non-2xx<10%: non-2xx was "), "{done}");
    assert_eq!(server.requests().len(), 30);
}

#[test]
fn a_repeated_step_has_the_row_of_its_median_run() {
    let server = Plan::always(closing(100)).start();
    let folder = tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    let done = ask(&format!("-n 10 --sweep 2,4 --repeat 3 --save {}", path.display()), &server.url());
    assert_eq!(numbers(&done), [2, 4]);
    let file = saved(&path);
    let runs = file["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6);
    for (step, row) in rows(&done).iter().enumerate() {
        let mut rps: Vec<f64> = runs[3 * step..3 * step + 3]
            .iter()
            .map(|run| run["summary"]["requests_per_second"].as_f64().unwrap())
            .collect();
        rps.sort_by(f64::total_cmp);
        assert_eq!(row[1], format!("{:.2}", rps[1]), "{done}");
    }
}

#[test]
fn a_signal_ends_a_sweep_with_its_rows() {
    let plan = Plan::by(|number, _| if number < 15 { closing(100) } else { vec![Step::Hang] });
    let server = plan.start();
    let running = Rab::new(["-n", "10", "--sweep", "1,2,3", &server.url()]).start();
    server.wait_for_requests(17);
    running.interrupt();
    let done = running.wait();
    assert_eq!((done.code(), numbers(&done)), (1, vec![1, 2]), "{done}");
    assert!(done.stdout.contains("cut short\n"), "{done}");
}

#[test]
fn steps_are_judged_before_the_first() {
    let server = Plan::always(closing(5)).start();
    for (options, words) in [
        ("-n 10 --sweep 1,11", "Cannot use concurrency level greater than total number of requests"),
        ("--sweep 2", "Cannot use concurrency level greater than total number of requests"),
        ("-n 10 --sweep 0,1", "--sweep takes numbers of connections"),
        ("-n 1000000 --sweep 200001", "Invalid Concurrency"),
        ("-n 10 --sweep 1,2 -c 2", "--sweep takes the place of -c"),
        ("-n 10 --sweep 1,2 --fail-if rps<1", "a --sweep ends by --until"),
        ("-n 10 --sweep 1,2 --json", "no room for --json"),
        ("-n 10 --sweep 1,2 --until p95<5", "p95 is a time and needs a unit"),
        ("-n 10 --sweep 1,2 --until p95", "there is no comparison"),
    ] {
        ask(options, &server.url()).assert_usage_error(words);
    }
    assert_eq!(server.requests().len(), 0);
}
