//! `--repeat`: the median run, the table of all, and the files.

use std::fs;

use serde_json::json;
use tempfile::tempdir;

use super::{numbers, rows};
use crate::support::rab::ask;
use crate::support::saved::{saved, summary};
use crate::support::server::{Plan, Step, closing, keeping};

#[test]
fn the_report_of_one_run_is_followed_by_a_table_of_all() {
    let server = Plan::always(closing(100)).start();
    let done = ask("-n 20 -c 2 --repeat 5", &server.url());
    let report = done.good_report();
    assert_eq!(report.count("Complete requests"), Some(20));
    assert_eq!(done.stdout.matches("Server Software").count(), 1, "{done}");
    assert_eq!(done.stdout.matches("This is rab").count(), 1, "{done}");
    assert_eq!(numbers(&done), [1, 2, 3, 4, 5]);
    assert_eq!(server.requests().len(), 100);
    // The run that is reported is the third of five by requests a second.
    let (_, median) = done.stdout.split_once("The report above is that of run ").expect("a median run");
    let median: usize = median.split(',').next().unwrap().parse().unwrap();
    let rps = |row: &Vec<String>| row[1].parse::<f64>().unwrap();
    let mut all: Vec<f64> = rows(&done).iter().map(rps).collect();
    let reported = all[median - 1];
    all.sort_by(f64::total_cmp);
    assert!((reported - all[2]).abs() < 1e-9, "{done}");
    assert!(done.stdout.contains(&format!("Requests per second:    {reported:.2} [#/sec]")), "{done}");
    assert_eq!(done.messages().iter().filter(|line| line.starts_with("Run ")).count(), 5, "{done}");
}

#[test]
fn one_run_is_as_without_the_option() {
    let server = Plan::always(closing(100)).start();
    let done = ask("-n 3 --repeat 1", &server.url());
    assert!(done.good_report().counts().length == 0 && !done.stdout.contains("All runs"), "{done}");
    assert!(done.messages().is_empty(), "{done}");
}

#[test]
fn a_warm_up_has_a_line_and_no_part_in_the_numbers() {
    let server = Plan::always(closing(100)).start();
    let folder = tempdir().unwrap();
    let path = folder.path().join("runs.json");
    let options = format!("-n 10 -c 5 --repeat 2 --warm-up 3 --cool-down 1ms --save {}", path.display());
    let done = ask(&options, &server.url());
    assert_eq!(done.good_report().count("Complete requests"), Some(10));
    assert!(done.messages().iter().any(|line| line.starts_with("Warm-up: 3 requests in ")), "{done}");
    assert_eq!(server.requests().len(), 23);
    let file = saved(&path);
    let complete: Vec<_> =
        file["runs"].as_array().unwrap().iter().map(|run| run["counts"]["complete"].clone()).collect();
    assert_eq!(complete, [json!(10), json!(10)]);
    let again = ask("report", &path.display().to_string());
    assert_eq!(again.stdout.matches("Complete requests:      10").count(), 2, "{again}");
}

#[test]
fn a_warm_up_by_time_ends_by_itself() {
    let server = Plan::always(keeping(100)).start();
    let done = ask("-n 2 -k --warm-up 50ms", &server.url());
    assert_eq!(done.good_report().count("Complete requests"), Some(2));
    assert!(done.messages()[0].starts_with("Warm-up: "), "{done}");
}

#[test]
fn a_warm_up_that_fails_ends_all() {
    let server = Plan::always(vec![Step::Reset]).start();
    let done = ask("-n 2 --repeat 3 --warm-up 1", &server.url());
    assert_eq!(done.code(), 104, "{done}");
    assert!(!done.stdout.contains("Server Software") && server.requests().len() == 1, "{done}");
}

#[test]
fn json_has_all_runs_and_their_spread() {
    let server = Plan::always(closing(100)).start();
    let json = summary(&ask("-n 10 --repeat 3 --json", &server.url()).stdout);
    assert_eq!(json["runs"].as_array().map(Vec::len), Some(3));
    let median = json["median_run"].as_u64().unwrap();
    let run = &json["runs"][usize::try_from(median).unwrap() - 1];
    assert_eq!(run["requests_per_second"], json["rates"]["requests_per_second"]);
    assert_eq!((&run["complete"], &run["ending"]), (&json!(10), &json!("complete")));
    let spread = &json["spread"]["requests_per_second"];
    assert_eq!(spread["median"], run["requests_per_second"]);
    assert_eq!(json["spread"]["failed"]["max"], 0.0);
    let one = summary(&ask("-n 10 --json", &server.url()).stdout);
    assert_eq!((&one["runs"], &one["median_run"]), (&json!(null), &json!(null)));
}

#[test]
fn html_and_files_are_of_the_median_run() {
    let server = Plan::always(closing(100)).start();
    let folder = tempdir().unwrap();
    let [csv, samples] = ["curve.csv", "samples.csv"].map(|name| folder.path().join(name));
    let options = format!("-n 7 --repeat 3 -e {} --samples {}", csv.display(), samples.display());
    assert_eq!(ask(&options, &server.url()).code(), 0);
    assert_eq!(fs::read_to_string(samples).unwrap().lines().count(), 8);
    assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 102);
    let html = ask("-n 7 --repeat 3 -w", &server.url());
    assert!(html.stdout.contains("</table>") && html.stdout.contains("<pre>\nAll runs"), "{html}");
}

#[test]
fn a_run_that_an_error_ended_has_a_row_and_the_exit_code() {
    // The second run of three breaks off after five requests.
    let plan = Plan::by(|number, _| if number == 15 { vec![Step::Reset] } else { closing(100) });
    let server = plan.start();
    let done = ask("-n 10 --repeat 3", &server.url());
    assert_eq!(done.code(), 104, "{done}");
    assert_eq!(done.report().count("Complete requests"), Some(10), "{done}");
    assert_eq!(numbers(&done), [1, 2, 3]);
    assert!(done.stdout.contains("An error cut run 2 short: it has no part in the spread.\n"), "{done}");
    assert!(done.messages().contains(&"apr_socket_recv: Connection reset by peer (104)"), "{done}");
}

#[test]
fn what_does_not_go_together_is_refused_before_anything_is_sent() {
    let server = Plan::always(closing(5)).start();
    for (options, words) in [
        ("--repeat 0", "--repeat takes a whole number from 1 to 1000"),
        ("--repeat x", "--repeat takes a whole number"),
        ("--cool-down 1s", "--cool-down is between runs"),
        ("--repeat 2 --cool-down x", "--cool-down takes a time"),
        ("--warm-up 0", "--warm-up takes a whole number"),
        ("--warm-up 5x", "--warm-up takes a time"),
        ("--until p95<1s", "--until ends a --sweep"),
        ("--seed 5", "unknown option --seed"),
    ] {
        ask(options, &server.url()).assert_usage_error(words);
    }
    assert_eq!(server.requests().len(), 0);
}
