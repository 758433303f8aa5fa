//! The table of `--by-url`, and the URLs of `--samples`.

use std::fs;

use super::{List, document, origin, paths, request_line, site};
use crate::support::rab::{Done, Rab};
use crate::support::report::Counts;
use crate::support::server::{Gate, Plan, Server, Step, wait};

const TITLE: &str = "\nRequests by URL, the slowest first (times in ms)\n";
const HEADING: &str = " requests   failed   non2xx       mean        p50        p95        max  URL";

/// A line of the table: requests, failed, non-2xx; mean, median, 95 of a hundred and greatest time in microseconds; the
/// URL.
type Line = ([u64; 3], [u64; 4], String);

/// The lines of the table; the test fails unless it is what the output ends with, once and in columns.
fn table(done: &Done) -> Vec<Line> {
    assert_eq!(done.stdout.matches(TITLE).count(), 1, "{done}");
    let (report, table) = done.stdout.split_once(TITLE).unwrap();
    assert!(report.contains("Complete requests:"), "{done}");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(HEADING), "{done}");
    lines.map(|text| line(text, done)).collect()
}

fn line(text: &str, done: &Done) -> Line {
    let (figures, url) = text.split_at(HEADING.len() - "URL".len());
    let figures: Vec<&str> = figures.split_whitespace().collect();
    let [requests, failed, non_2xx, mean, p50, p95, max] = figures[..] else { panic!("{text}\n{done}") };
    let counts = [requests, failed, non_2xx].map(|figure| figure.parse().unwrap());
    let times = [mean, p50, p95, max].map(|figure| {
        let (milliseconds, thousandths) = figure.split_once('.').unwrap();
        assert_eq!(thousandths.len(), 3, "{done}");
        milliseconds.parse::<u64>().unwrap() * 1000 + thousandths.parse::<u64>().unwrap()
    });
    (counts, times, url.to_owned())
}

/// What a row says besides its times, by URL.
fn counts(done: &Done) -> Vec<([u64; 3], String)> {
    let mut counts: Vec<_> = table(done).into_iter().map(|(counts, _, url)| (counts, url)).collect();
    counts.sort_by(|one, other| one.1.cmp(&other.1));
    counts
}

/// A server of good, missing and broken documents.
fn mixed() -> Server {
    Plan::by(|_, request| match request_line(request).as_str() {
        "GET /missing" => document(request, "404 Not Found", 9),
        "GET /broken" => vec![Step::Close],
        _ => document(request, "200 OK", 5),
    })
    .start()
}

#[test]
fn the_table_counts_each_url_over_all_workers() {
    for options in ["-n 40", "-n 40 -c 4 -W 2", "-n 40 --http1.1 -c 3 --shuffle 5"] {
        let server = mixed();
        let done = List::new("/missing\n/good\nHEAD /good\nPOST /good @list\n/broken\n")
            .run(&format!("{options} --by-url"), &origin(&server));
        let expected = Counts { complete: 40, receive: 8, non_2xx: 8, ..Counts::default() };
        assert_eq!(done.good_report().counts(), expected, "{done}");
        let expected = [
            ([8, 8, 0], "GET /broken"),
            ([8, 0, 0], "GET /good"),
            ([8, 0, 8], "GET /missing"),
            ([8, 0, 0], "HEAD /good"),
            ([8, 0, 0], "POST /good @list"),
        ];
        assert_eq!(counts(&done), expected.map(|(counts, url)| (counts, url.to_owned())), "{done}");
        done.assert_hint(&["failures came from 1 of 5 URLs: GET /broken (8 of its 8 requests)"]);
        done.assert_hint(&[
            "statuses other than 2xx came from 1 of 5 URLs: GET /missing (8 of its 8 requests)",
        ]);
    }
}

#[test]
fn the_slowest_comes_first_and_its_times_are_those_of_the_samples() {
    let server = Plan::by(|number, request| {
        let mut reply = document(request, "200 OK", 5);
        if request_line(request) == "GET /slow" {
            // The longer, the later: the greatest time is far from the others.
            reply.insert(0, wait(20 + 4 * number as u64));
        }
        reply
    })
    .start();
    let list = List::new("/fast\n/slow\n");
    let done = list.run("-n 40 -k --by-url --samples s", &origin(&server));
    let lines = table(&done);
    let samples = fs::read_to_string(list.0.path().join("s")).unwrap();
    assert_eq!(lines.iter().map(|line| line.2.as_str()).collect::<Vec<_>>(), ["GET /slow", "GET /fast"]);
    for ([complete, ..], [mean, p50, p95, max], url) in lines {
        let mut times: Vec<u64> = samples
            .lines()
            .filter(|line| line.ends_with(&format!(",{url}")))
            .map(|line| line.split(',').nth(5).unwrap().parse().unwrap())
            .collect();
        times.sort_unstable();
        assert_eq!((complete, times.len()), (20, 20), "{done}");
        let near = |found: u64, exact: u64| found.abs_diff(exact) <= exact / 100 + 1;
        assert_eq!([mean, max], [times.iter().sum::<u64>() / 20, times[19]], "{done}");
        assert!(near(p50, times[10]) && near(p95, times[19]), "{times:?}\n{done}");
    }
}

#[test]
fn no_more_than_fifty_urls_have_a_line() {
    let server = site();
    let done = List::new(paths(60).join("\n")).run("-n 180 -k --by-url -q", &origin(&server));
    let lines = table(&done);
    assert_eq!(lines.len(), 51, "{done}");
    assert!(lines[..50].iter().all(|(counts, ..)| *counts == [3, 0, 0]), "{done}");
    assert_eq!((lines[50].0, lines[50].2.as_str()), ([30, 0, 0], "(10 others)"));
    assert!(lines.is_sorted_by(|one, next| one.1[0] >= next.1[0]), "{done}");
}

#[test]
fn urls_that_were_not_reached_have_no_line_and_an_interrupted_run_has_its_table() {
    let gate = Gate::default();
    let held = gate.clone();
    let server = Plan::by(move |number, request| {
        let mut reply = document(request, "200 OK", 5);
        if number == 2 {
            reply.insert(0, Step::Gate(held.clone()));
        }
        reply
    })
    .start();
    let list = List::new("/a\n/b\n/c\n");
    let running = list.ready("-k --by-url", &origin(&server)).start();
    server.wait_for_requests(3);
    running.interrupt();
    let done = running.wait();
    gate.open();
    assert_eq!(done.code(), 1);
    assert_eq!(counts(&done), [([1, 0, 0], "GET /a".to_owned()), ([1, 0, 0], "GET /b".to_owned())], "{done}");
}

#[test]
fn only_what_is_asked_for_is_added_to_the_report() {
    let server = site();
    let list = List::new("/a\n/b\n");
    let without = list.run("-n 20 -q -k", &origin(&server));
    assert!(without.stdout.ends_with(" (longest request)\n"), "{without}");
    let with = list.run("-n 20 -q -k --by-url", &origin(&server));
    let (report, table) = with.stdout.split_once(TITLE).unwrap();
    assert!(report.ends_with(" (longest request)\n"), "{with}");
    let labels = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| line.split(':').next().unwrap().to_owned())
            .filter(|line| line.contains(' '))
            .collect()
    };
    // No label, and no percentage, stands twice.
    for label in labels(report).iter().map(|label| label.trim()).filter(|label| label.len() > 3) {
        assert!(!table.contains(label), "{label}\n{with}");
    }
    assert!(!table.contains('%') && !table.contains(':'), "{with}");
}

#[test]
fn odd_names_stay_on_their_line() {
    let server = site();
    let long = format!("/{}", "x".repeat(5000));
    let text = format!("/\u{e4}?\u{85}\u{9b}31m\n{long}\n");
    let done = List::new([text.as_bytes(), b"/\xff\n"].concat()).run("--by-url", &origin(&server));
    let names: Vec<String> = counts(&done).into_iter().map(|(_, url)| url).collect();
    let long = format!("GET {long}");
    assert_eq!(names, [&long, "GET /\u{e4}?\\u{85}\\u{9b}31m", "GET /\u{fffd}"], "{done}");
    // What is sent is what stands in the list.
    let requests = server.connections();
    assert!(requests.iter().any(|connection| connection.requests[0].starts_with(b"GET /\xff HTTP")));
}

#[test]
fn in_html_the_table_is_one_of_its_own() {
    let server = site();
    let done = List::new("/<a>&\n/b\n").run("-w -y align=left --by-url", &origin(&server));
    assert_eq!(done.code(), 0);
    assert_eq!(done.stdout.matches("<table ").count(), 2, "{done}");
    let table = &done.stdout[done.stdout.rfind("<table ").unwrap()..];
    assert!(
        table.contains("<td bgcolor=white>GET /&lt;a&gt;&amp;</td></tr>\n") && table.ends_with("</table>\n"),
        "{done}"
    );
    assert_eq!(table.matches("<tr align=left>").count(), 4, "{done}");
}

#[test]
fn samples_name_the_url_at_the_end_and_other_files_are_as_ever() {
    let server = site();
    let list = List::new("/a,b\nPOST /c @list\n");
    assert_eq!(list.run("-n 3 --samples s -g g", &origin(&server)).code(), 0);
    let read = |name: &str| fs::read_to_string(list.0.path().join(name)).unwrap();
    let samples = read("s");
    let mut lines = samples.lines();
    assert!(lines.next().unwrap().ends_with(",kept_alive,url"));
    for end in ["false,\"GET /a,b\"", "false,POST /c @list", "false,\"GET /a,b\""] {
        let line = lines.next().unwrap();
        assert!(line.ends_with(end), "{line}");
    }
    assert_eq!(read("g").lines().next(), Some("starttime\tseconds\tctime\tdtime\tttime\twait"));
    let url = server.url();
    let words = ["-n", "2", "--samples", "s", &url];
    assert_eq!(Rab::new(words).folder(list.0.path()).run().code(), 0);
    assert!(read("s").lines().all(|line| line.matches(',').count() == 9));
}
