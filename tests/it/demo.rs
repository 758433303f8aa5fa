//! `--demo`: a run against the program's own server, for a first look without one.

use crate::support::rab::{Rab, rab};
use crate::support::redact::redact;
use crate::support::report::Counts;

#[test]
fn demo_needs_no_server() {
    let done = rab(["--demo", "-n", "200", "-c", "4"]);
    let report = done.good_report();
    assert_eq!(report.counts(), Counts::good(200), "{done}");
    assert_eq!(report.count("Keep-Alive requests"), None);
    assert_eq!(
        done.messages(),
        ["Completed 100 requests", "Completed 200 requests", "Finished 200 requests"]
    );
}

#[test]
fn demo_keeps_connections() {
    for spoken in [
        ["--http1.0", "--engine=wire"],
        ["--http1.1", "--engine=wire"],
        ["--http1.1", "--engine=hyper"],
        ["--http2", "--streams=1"],
        ["--http2", "--streams=10"],
    ] {
        let done = rab(["--demo", "-n", "200", "-c", "4", "-k", "-q"].into_iter().chain(spoken));
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::good(200), "{done}");
        assert_eq!(report.count("Keep-Alive requests"), Some(200), "{done}");
        assert_eq!(done.messages(), [""; 0], "{done}");
    }
}

#[test]
fn demo_ends_at_its_time_limit() {
    let done = rab(["--demo", "-t", "1", "-c", "2", "-q"]);
    let report = done.good_report();
    assert!(report.counts().complete > 0, "{done}");
    assert_eq!(report.number("Failed requests"), Some(0.0), "{done}");
}

/// The report of `--demo`, whole, from the line after its own description of server and page.
#[test]
fn demo_prints_the_report_of_ab() {
    let done = rab(["--demo", "-n", "10", "-c", "2"]);
    let report = done.good_report();
    let total = report.count("Total transferred").unwrap();
    let html = report.count("HTML transferred").unwrap();
    let start = done.stdout.find("Concurrency Level:").expect("the report");
    let wanted = format!(
        "\
Concurrency Level:      2
Time taken for tests:   <.3> seconds
Complete requests:      10
Failed requests:        0
Total transferred:      {total} bytes
HTML transferred:       {html} bytes
Requests per second:    <.2> [#/sec] (mean)
Time per request:       <.3> [ms] (mean)
Time per request:       <.3> [ms] (mean, across all concurrent requests)
Transfer rate:          <.2> [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:    <5> <4> <5.1> <6> <7>
Processing: <5> <4> <5.1> <6> <7>
Waiting:    <5> <4> <5.1> <6> <7>
Total:      <5> <4> <5.1> <6> <7>

Percentage of the requests served within a certain time (ms)
  50%  <5>
  66%  <5>
  75%  <5>
  80%  <5>
  90%  <5>
  95%  <5>
  98%  <5>
  99%  <5>
 100%  <5> (longest request)
"
    );
    let port = report.text_of("Server Port").and_then(|port| port.parse().ok()).expect("a port");
    let text = without_advice(&redact(&done.stdout[start..], port));
    assert_eq!(text, wanted, "{done}");
}

/// The report without the advice about mean and median, which depends on the times.
fn without_advice(text: &str) -> String {
    let advice = |line: &&str| {
        ["ERROR: The median", "WARNING: The median", "       deviation apart", "        These results"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    text.split_inclusive('\n').filter(|line| !advice(line)).collect()
}

#[test]
fn both_ends_of_all_connections_find_a_descriptor() {
    let done = Rab::shell("ulimit -Sn 256; exec \"$RAB\" --demo -k -q -n 2000 -c 200").run();
    assert_eq!(done.good_report().counts(), Counts::good(2000), "{done}");
}
