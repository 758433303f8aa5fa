//! Counting and reporting (section F of the list).

use std::time::Duration;

use crate::support::rab::{Rab, ask};
use crate::support::report::Counts;
use crate::support::server::{Gate, Plan, Step, answer, closing, head, keeping, send, wait};

#[test]
fn r60_length_failures_alone_lead_to_l() {
    let plan = Plan::cycle([closing(10), closing(11), closing(12), closing(13)]);
    let server = plan.start();
    let done = ask("-n 20 -c 1", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 20, length: 15, ..Counts::default() });
    done.assert_hint(&["-l"]);
    let report = ask("-n 20 -c 1 -l", &server.url()).good_report();
    assert_eq!((report.counts(), report.text_of("Document Length")), (Counts::good(20), Some("Variable")));
}

#[test]
fn r60_other_failures_do_not_lead_to_l() {
    let server = Plan::cycle([closing(10), vec![Step::Close]]).start();
    let done = ask("-n 4", &server.url());
    done.good_report();
    assert!(!done.hints().iter().any(|hint| hint.contains("-l")), "{done}");
}

#[test]
fn r61_the_sizes_that_were_seen_are_shown() {
    let server = Plan::cycle([closing(1000), closing(1000), closing(999), closing(1003)]).start();
    let done = ask("-n 20", &server.url());
    done.assert_hint(&["999", "1003"]);
}

#[test]
fn r62_pages_of_varying_length_pass_with_l() {
    let server = Plan::cycle([keeping(1), keeping(22), keeping(333)]).start();
    assert_eq!(ask("-l -k -n 9 -c 2", &server.url()).good_report().counts(), Counts::good(9));
}

#[test]
fn r63_errors_of_the_server_are_no_failures_by_default() {
    let server = Plan::always(answer("500 Oops", &[], b"sorry", Step::Close)).start();
    let done = ask("-n 20 -c 2", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 20, non_2xx: 20, ..Counts::default() });
}

#[test]
fn r64_the_split_stands_only_where_something_failed() {
    let server = Plan::cycle([closing(10), closing(11)]).start();
    let done = ask("-n 4", &server.url());
    let line = "\nFailed requests:        2\n   (Connect: 0, Receive: 0, Length: 2, Exceptions: 0)\nTotal transferred:";
    assert!(done.stdout.contains(line), "{done}");
    let server = Plan::always(closing(10)).start();
    let done = ask("-n 4", &server.url());
    assert!(done.stdout.contains("\nFailed requests:        0\nTotal transferred:"), "{done}");
}

#[test]
fn r65_transport_and_status_are_two_tallies() {
    let refused = answer("403 Forbidden", &[], b"0123456789", Step::Close);
    let server = Plan::cycle([closing(10), refused, vec![Step::Reset], vec![Step::Close]]).start();
    let counts = ask("-n 8 -r", &server.url()).good_report().counts();
    assert_eq!(counts, Counts { complete: 8, receive: 4, non_2xx: 2, ..Counts::default() });
}

#[test]
fn r66_time_limit_and_requests_take_effect_in_their_order() {
    let server =
        Plan::always(vec![wait(20), send(head("200 OK", &["Content-Length: 0"])), Step::Close]).start();
    let done = ask("-t 20 -n 4", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(4));
    let done = ask("-n 4 -t 1", &server.url());
    let report = done.good_report();
    assert!(report.counts().complete > 4, "{done}");
    assert_eq!(report.number("Failed requests"), Some(0.0));
    assert!(report.number("Time taken for tests").is_some_and(|seconds| seconds >= 0.9), "{done}");
}

#[test]
fn r66_a_time_limit_is_on_the_clock_though_the_server_is_silent() {
    let server = Plan::sequence([closing(5), vec![Step::Hang]]).start();
    let done = ask("-t 1 -s 50", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(1), "{done}");
    assert!(done.took < Duration::from_secs(20), "{done}");
}

#[test]
fn r66_a_cap_that_comes_before_the_clock_is_said() {
    let server = Plan::by(|number, _| if number < 10 { closing(5) } else { vec![Step::Hang] }).start();
    let done = ask("-t 60 -n 5", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(5));
    done.assert_hint(&["5 requests", "60 s of -t", "-n"]);
    // Where the clock ends the run, or nothing but -n, there is nothing to say.
    assert_eq!(ask("-n 3", &server.url()).hints(), [""; 0]);
    let done = ask("-t 1 -n 1000", &server.url());
    assert!(done.good_report().counts().complete < 1000);
    assert!(!done.hints().iter().any(|hint| hint.contains("of -t")), "{done}");
}

#[test]
fn r67_r78_percentiles_are_those_of_all_requests() {
    let fast = closing(5);
    let slow = vec![wait(80), send(head("200 OK", &["Content-Length: 5"])), send("12345"), Step::Close];
    // A step half way, and two values in turn: 12 fast and 8 slow requests each.
    let step = Plan::by({
        let (fast, slow) = (fast.clone(), slow.clone());
        move |number, _| if number < 12 { fast.clone() } else { slow.clone() }
    });
    let turns = Plan::cycle([fast.clone(), slow.clone(), fast.clone(), slow, fast]);
    for plan in [step, turns] {
        let report = ask("-n 20", &plan.start().url()).good_report();
        assert!(report.percentile(66) >= 80, "{report:?}");
        assert!(report.percentile(50) < report.percentile(66), "{report:?}");
    }
}

#[test]
fn r68_no_connection_at_all_is_refused() {
    let done = ask("-c 0", "http://127.0.0.1:9/");
    done.assert_usage_error("");
    assert!(done.stderr.to_lowercase().contains("concurrency"), "{done}");
}

#[test]
fn r73_the_two_times_per_request_follow_from_time_and_concurrency() {
    let server =
        Plan::always(vec![wait(20), send(head("200 OK", &["Content-Length: 0"])), Step::Close]).start();
    let report = ask("-n 20 -c 4", &server.url()).good_report();
    let seconds = report.number("Time taken for tests").unwrap();
    let (each, all) =
        (report.number("Time per request").unwrap(), report.number("Time per request (all)").unwrap());
    // The time is printed to the millisecond.
    assert!((all - seconds * 1000.0 / 20.0).abs() < 0.05, "{report:?}");
    assert!((each - 4.0 * all).abs() < 0.01, "{report:?}");
    assert!((report.number("Requests per second").unwrap() * all / 1000.0 - 1.0).abs() < 0.01, "{report:?}");
}

#[test]
fn r75_r76_rows_and_percentiles_are_in_order() {
    let server = Plan::cycle([keeping(5), [vec![wait(15)], keeping(5)].concat()]).start();
    let report = ask("-k -n 40 -c 2", &server.url()).good_report();
    for name in ["Connect", "Processing", "Waiting", "Total"] {
        let row = report.row(name);
        assert!(row.min <= row.median && row.median <= row.max, "{name}: {row:?}");
        assert!(row.min <= row.mean && row.mean <= row.max && row.deviation >= 0.0, "{name}: {row:?}");
    }
    assert!(report.row("Connect").median.abs() < f64::EPSILON, "a reused connection has no connect time");
    assert!(report.percentiles.is_sorted_by_key(|(_, time)| *time), "{report:?}");
    let percents: Vec<u32> = report.percentiles.iter().map(|(percent, _)| *percent).collect();
    assert_eq!(percents, [50, 66, 75, 80, 90, 95, 98, 99, 100]);
    #[allow(clippy::cast_precision_loss, reason = "milliseconds of a short run")]
    let longest = report.percentile(100) as f64;
    assert!((longest - report.row("Total").max).abs() < f64::EPSILON, "{report:?}");
}

#[test]
fn r80_the_number_of_threads_does_not_limit_the_connections() {
    let server = Plan::always(closing(5)).start();
    let done = ask("-W 8 -c 1 -n 5", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(5), "{done}");
    assert_eq!(server.most_in_flight(), 1);
    let gate = Gate::default();
    let held = [vec![Step::Gate(gate.clone())], closing(5)].concat();
    let server = Plan::sequence([closing(5), held]).start();
    let running = Rab::new(["-W", "2", "-c", "7", "-n", "20", &server.url()]).start();
    // The first goes alone; then seven are in flight, and no more until the gate opens.
    server.wait_for_requests(8);
    gate.open();
    assert_eq!(running.wait().good_report().counts(), Counts::good(20));
    assert_eq!(server.most_in_flight(), 7);
}

#[test]
fn the_first_connection_goes_alone() {
    let gate = Gate::default();
    let first = [vec![Step::Gate(gate.clone())], closing(5)].concat();
    let server = Plan::sequence([first, closing(5)]).start();
    let running = Rab::new(["-c", "5", "-n", "10", &server.url()]).start();
    server.wait_for_requests(1);
    // Nothing tells when the others would have come; a moment for them to come too early.
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.connections().len(), 1);
    gate.open();
    assert_eq!(running.wait().good_report().counts(), Counts::good(10));
}
