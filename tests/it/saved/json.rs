//! The report in JSON.

use std::fs;

use serde_json::{Value, json};
use tempfile::tempdir;

use super::{name, origin};
use crate::support::rab::{Rab, ask, rab};
use crate::support::saved::summary;
use crate::support::server::{Plan, Step, answer, closing, keeping};

#[test]
fn standard_output_is_one_document_with_the_numbers_of_the_report() {
    let server = Plan::by(|number, _| match number % 4 {
        3 => answer("503 Service Unavailable", &["Connection: keep-alive"], &[b'x'; 100], Step::Keep),
        _ => keeping(100),
    })
    .start();
    let text = ask("-n 200 -c 2 -k", &server.url());
    let done = ask("-n 200 -c 2 -k --json", &server.url());
    assert_eq!(done.code(), 0, "{done}");
    assert_eq!(done.messages(), text.messages());
    let (report, json) = (text.good_report(), summary(&done.stdout));
    assert_eq!(json["requests"]["complete"], 200);
    assert_eq!(json["requests"]["non_2xx"], report.count("Non-2xx responses").unwrap());
    assert_eq!(json["requests"]["kept_alive"], report.count("Keep-Alive requests").unwrap());
    assert_eq!(json["bytes"]["received"], report.count("Total transferred").unwrap());
    assert_eq!(json["bytes"]["document"], report.count("HTML transferred").unwrap());
    assert_eq!((&json["document_bytes"], &json["concurrency"]), (&json!(100), &json!(2)));
    assert_eq!(
        (&json["requests"]["whole_2xx"], &json["times"]["total_2xx"]["count"]),
        (&json!(150), &json!(150))
    );
    assert_eq!(json["statuses"], json!({"200": 150, "503": 50}));
    let percentiles = json["times"]["total"]["percentiles_us"].as_object().unwrap();
    assert_eq!(percentiles.len(), 10);
    assert_eq!(percentiles["100"], json["times"]["total"]["max_us"]);
    assert!(percentiles["50"].as_u64() <= percentiles["99.9"].as_u64());
    let concurrency = json["achieved_concurrency"].as_f64().unwrap();
    assert!(concurrency > 0.0 && concurrency <= 2.0, "{concurrency}");
}

/// The document with all that time and place decide hidden.
fn redacted(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let is_measured = name.ends_with("_us") && field.is_number() || name.ends_with("_per_second");
                let is_placed =
                    ["port", "sent", "started", "achieved_concurrency", "rab", "os", "arch", "cores"];
                if is_measured || is_placed.contains(&name.as_str()) {
                    *field = json!("*");
                } else if name == "percentiles_us" {
                    field.as_object_mut().unwrap().values_mut().for_each(|time| *time = json!("*"));
                } else {
                    redacted(field);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redacted),
        _ => {}
    }
}

#[test]
fn the_names_are_the_ones_that_are_published() {
    let server = Plan::always(closing(100)).start();
    let mut json = summary(&ask("-n 5 --json --percentiles 99.9,50", &server.url()).stdout);
    redacted(&mut json);
    let expected: Value = serde_json::from_str(include_str!("expected.json")).unwrap();
    assert_eq!(json, expected, "{json:#}");
}

#[test]
fn a_schedule_has_both_latencies() {
    let server = Plan::always(keeping(5)).start();
    let json = summary(&ask("-n 20 -c 2 -k --rate 1000 --json", &server.url()).stdout);
    let schedule = &json["schedule"];
    assert_eq!(
        (&schedule["requests_per_second"], &schedule["from_sending"]),
        (&json!(1000.0), &json["times"]["total"])
    );
    // The first one goes alone.
    assert_eq!(schedule["from_planned_start"]["count"], 19);
    assert!(schedule["late"].as_u64() <= Some(19));
}

#[test]
fn a_request_that_waits_for_its_time_is_not_in_flight() {
    let server = Plan::always(keeping(5)).start();
    let json = summary(&ask("-c 3 -k --rate 0.2 --duration 1 --json", &server.url()).stdout);
    let requests = &json["requests"];
    assert_eq!(
        (&requests["complete"], &requests["in_flight_at_end"], &requests["planned"]),
        (&json!(1), &json!(0), &Value::Null)
    );
}

#[test]
fn urls_and_addresses_are_told_apart_where_that_is_asked_for() {
    let server = Plan::by(|_, request| {
        if request.starts_with(b"GET /missing ") {
            answer("404 Not Found", &["Connection: close"], b"", Step::Close)
        } else {
            closing(5)
        }
    })
    .start();
    let folder = tempdir().unwrap();
    let list = folder.path().join("list");
    fs::write(&list, "/missing\n/\n").unwrap();
    let words = format!("-n 10 --all-addresses --json --urls {}", name(&list));
    let json = summary(&ask(&words, &origin(&server)).stdout);
    assert_eq!(
        (&json["urls"], &json["by_url"], &json["document_bytes"]),
        (&json!(2), &Value::Null, &Value::Null)
    );
    let address = format!("127.0.0.1:{}", server.port());
    let share = json!({"address": address, "connections": 10, "unconnected": 0, "complete": 10, "failed": 0});
    assert_eq!(json["shares"], json!([share]));
    let json = summary(&ask(&format!("{words} --by-url"), &origin(&server)).stdout);
    let row = |row: &Value| {
        (row["url"].as_str().map(str::to_owned), row["complete"].as_u64(), row["non_2xx"].as_u64())
    };
    let mut rows: Vec<_> = json["by_url"]["rows"].as_array().unwrap().iter().map(row).collect();
    rows.sort();
    assert_eq!(
        rows,
        [(Some("GET /".into()), Some(5), Some(0)), (Some("GET /missing".into()), Some(5), Some(5))]
    );
    assert_eq!(json["by_url"]["others"], Value::Null);
}

#[test]
fn streams_are_part_of_the_concurrency() {
    let done = rab(["--demo", "-n", "60", "-c", "2", "--http2", "--streams", "3", "--json"]);
    let json = summary(&done.stdout);
    let number = |name: &str| json[name].as_u64();
    assert_eq!(["concurrency", "streams", "urls"].map(number), [Some(6), Some(3), Some(1)], "{done}");
    assert_eq!((&json["http_version"], &json["protocol"]), (&json!("HTTP/2"), &json!("HTTP/2")));
}

#[test]
fn percentiles_are_those_that_are_asked_for_in_their_order() {
    let server = Plan::always(closing(5)).start();
    let done = ask("-n 5 --json --percentiles 99.99,100,0,50", &server.url());
    let (_, text) = done.stdout.split_once("\"total\": {").unwrap();
    let (_, text) = text.split_once("\"percentiles_us\": {").unwrap();
    let names: Vec<&str> = text.split('}').next().unwrap().split('"').skip(1).step_by(2).collect();
    assert_eq!(names, ["0", "50", "99.99", "100"]);
}

#[test]
fn options_that_want_standard_output_otherwise_are_refused() {
    let server = Plan::always(closing(5)).start();
    for (options, words) in [
        ("--json -w", "--json and -w"),
        ("--json -v 4", "-v 2"),
        ("--percentiles 50", "--json"),
        ("--json --percentiles 101", "0 to 100"),
    ] {
        ask(options, &server.url()).assert_usage_error(words);
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_run_that_ends_early_says_how() {
    let server = Plan::by(|number, _| if number < 5 { closing(5) } else { vec![Step::Hang] }).start();
    let running = Rab::new(["-n", "50", "--json", &server.url()]).start();
    server.wait_for_requests(6);
    running.interrupt();
    let done = running.wait();
    let json = summary(&done.stdout);
    assert_eq!((done.code(), &json["ending"]), (1, &json!({"kind": "interrupted", "signal": "SIGINT"})));
    assert_eq!(json["requests"]["in_flight_at_end"], 1);
}

#[test]
fn an_error_keeps_the_document_back_unless_its_part_is_asked_for() {
    let plan = Plan::by(|number, _| if number < 5 { closing(5) } else { vec![Step::Reset] });
    let done = ask("-n 50 --json", &plan.clone().start().url());
    assert_eq!((done.code(), done.stdout.as_str()), (104, ""), "{done}");
    done.assert_hint(&["--partial"]);
    let done = ask("-n 50 --json --partial", &plan.start().url());
    let json = summary(&done.stdout);
    assert_eq!((done.code(), &json["requests"]["complete"]), (104, &json!(5)));
    let message = "apr_socket_recv: Connection reset by peer (104)";
    assert_eq!(json["ending"], json!({"kind": "failed", "message": message}));
}

#[test]
fn nothing_complete_is_a_document_as_well() {
    let server = Plan::always(vec![Step::Hang]).start();
    let done = ask("-t 1 --json", &server.url());
    let json = summary(&done.stdout);
    assert_eq!((done.code(), &json["times"], &json["rates"]), (0, &Value::Null, &Value::Null));
    assert_eq!(
        (&json["ending"], &json["requests"]["in_flight_at_end"]),
        (&json!({"kind": "time_limit"}), &json!(1))
    );
}
