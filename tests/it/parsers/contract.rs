//! What all readers rely on together: the order of lines, the columns, the forms of numbers, and silence otherwise.

use regex::Regex;

use super::{
    Case, Ran, all, any_length, broken, kept, many, mixed, nothing_finished, once, one, plain, posting, slow,
};
use crate::support::rab::{Rab, ask, rab};
use crate::support::report::Report;
use crate::support::server::{Plan, Step, answer, closing, head, send, wait};

/// Labels in the order in which they may stand; those in brackets stand only when they have something to say.
const ORDER: [&str; 19] = [
    "Server Software",
    "Server Hostname",
    "Server Port",
    "Document Path",
    "Document Length",
    "Concurrency Level",
    "Time taken for tests",
    "Complete requests",
    "Failed requests",
    "   (Connect",
    "Write errors",
    "Non-2xx responses",
    "Keep-Alive requests",
    "Total transferred",
    "Total body sent",
    "HTML transferred",
    "Requests per second",
    "Time per request",
    "Transfer rate",
];

/// The labels of a report, each once, in its order.
fn labels(stdout: &str) -> Vec<&str> {
    let report = &stdout[stdout.find("Server Software").unwrap()..];
    let end = report.find("\nConnection Times").unwrap_or(report.len());
    let mut labels: Vec<&str> =
        report[..end].lines().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    labels.dedup();
    labels
}

#[test]
fn contract_1_the_first_eight_lines_are_those_of_ab() {
    let quiet = Case::new("-q", 2, vec![closing(5); 160]);
    for (case, ends) in [(plain(), ".....done"), (quiet, ".....done"), (many(), "")] {
        let ran = case.run();
        let lines: Vec<&str> = ran.done.stdout.lines().take(8).collect();
        assert!(lines[0].starts_with("This is ") && lines[1].starts_with("Copyright "), "{}", ran.done);
        assert!(lines[2].starts_with("Licensed "), "{}", ran.done);
        assert_eq!(lines[3..7], ["", &format!("Benchmarking 127.0.0.1 (be patient){ends}"), "", ""]);
        assert!(lines[7].starts_with("Server Software:"), "{}", ran.done);
    }
}

#[test]
fn contract_1_progress_is_on_standard_error() {
    let ran = many().run();
    assert_eq!(ran.done.stderr, "Completed 100 requests\nCompleted 200 requests\nFinished 200 requests\n");
}

#[test]
fn contract_2_values_begin_at_column_twenty_five() {
    for case in all() {
        let ran = case.run();
        let report = &ran.done.stdout[ran.done.stdout.find("Server Software").unwrap()..];
        let end = report.find("\nConnection Times").unwrap();
        for line in report[..end].lines().filter(|line| !line.is_empty() && !line.starts_with("   (Connect"))
        {
            let (label, value) = line.split_at(24);
            let is_padded = label.trim_end().ends_with(':') || label.trim().is_empty();
            assert!(is_padded && !value.starts_with(' '), "{line:?}\n{}", ran.done);
        }
    }
}

#[test]
fn contract_2_an_empty_server_software_keeps_its_blanks() {
    let server = Plan::always(vec![send("HTTP/1.0 200 OK\r\n\r\nx"), Step::Close]).start();
    let done = ask("-n 2", &server.url());
    assert!(done.stdout.contains(&format!("\nServer Software:{}\n", " ".repeat(8))), "{done}");
}

#[test]
fn contract_3_optional_lines_stand_only_where_they_apply_and_in_order() {
    for (case, present) in [
        (plain(), &[][..]),
        (kept(), &["Keep-Alive requests"]),
        (mixed(), &["   (Connect", "Non-2xx responses"]),
        (broken(), &["   (Connect"]),
        (posting(), &["Total body sent"]),
    ] {
        let ran = case.run();
        let optional =
            ["   (Connect", "Write errors", "Non-2xx responses", "Keep-Alive requests", "Total body sent"];
        let expected: Vec<&str> =
            ORDER.into_iter().filter(|label| !optional.contains(label) || present.contains(label)).collect();
        assert_eq!(labels(&ran.done.stdout), expected, "{}", ran.done);
    }
}

#[test]
fn contract_3_a_body_adds_two_rates_without_a_label() {
    let ran = posting().run();
    let rates = once(
        &ran.done.stdout,
        r"(?m)^Transfer rate: +([\d.]+) \[Kbytes/sec\] received\n {24}([\d.]+) kb/s sent\n {24}([\d.]+) kb/s total\n\n",
    );
    let [received, sent, total] = [0, 1, 2].map(|place| rates[place].parse::<f64>().unwrap());
    assert!((received + sent - total).abs() < 0.02, "{}", ran.done);
    assert_eq!(once(&ran.done.stdout, r"(?m)^Total body sent: +(\d+)$"), [ran.sent.to_string()]);
}

/// The forms of all lines between the labels' and the end, with `#` for a number.
fn assert_forms(ran: &Ran) {
    let text = ran.done.stdout.as_str();
    for (pattern, times) in [
        (r"(?m)^Time taken for tests:   \d+\.\d{3} seconds$", 1),
        (r"(?m)^Requests per second:    \d+\.\d{2} \[#/sec\] \(mean\)$", 1),
        (r"(?m)^Time per request:       \d+\.\d{3} \[ms\] \(mean(, across all concurrent requests)?\)$", 2),
        (r"(?m)^Transfer rate:          \d+\.\d{2} \[Kbytes/sec\] received$", 1),
        (r"(?m)^(Connect|Processing|Waiting|Total): +\d+ +\d+ +\d+\.\d +\d+ +\d+$", 4),
        (r"(?m)^  [5-9]\d% +\d+$", 8),
        (r"(?m)^ 100% +\d+ \(longest request\)$", 1),
    ] {
        let found = Regex::new(pattern).unwrap().find_iter(text).count();
        assert_eq!(found, times, "{pattern}\n{}", ran.done);
    }
}

#[test]
fn contract_4_numbers_have_their_decimals() {
    for case in all() {
        assert_forms(&case.run());
    }
}

#[test]
fn contract_4_columns_are_right_aligned() {
    let ran = slow().run();
    for line in
        ran.done.stdout.lines().filter(|line| line.starts_with("Total:") || line.starts_with("Waiting:"))
    {
        assert_eq!(line.len(), 43, "{line:?}");
    }
    for line in ran.done.stdout.lines().filter(|line| line.contains('%')) {
        assert_eq!(line.trim_end_matches(" (longest request)").len(), 12, "{line:?}");
    }
}

#[test]
fn contract_5_no_language_colour_or_width_changes_the_text() {
    let server = Plan::always(closing(5)).start();
    // The times do not matter here, so all numbers go, and with them the advice that depends on them.
    let number = Regex::new(r"(?m)^(WARNING|ERROR).*\n +.*\n| *\d+(\.\d+)?").unwrap();
    let shape = |text: &str| {
        number
            .replace_all(text, |found: &regex::Captures<'_>| if found.get(1).is_some() { "" } else { "#" })
            .into_owned()
    };
    let run = |environment: &str| {
        let done = Rab::shell(&format!("{environment} exec \"$RAB\" -n 30 -c 3 {}", server.url())).run();
        assert_eq!((done.code(), done.stderr.as_str()), (0, ""), "{done}");
        let own: String = done.stdout.lines().skip(4).map(|line| line.to_owned() + "\n").collect();
        assert!(!own.replace("(mean, across", "").contains([',', '\r', '\u{1b}']), "{done}");
        shape(&own)
    };
    let plain = run("");
    for environment in [
        "LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8",
        "CLICOLOR_FORCE=1 FORCE_COLOR=1 TERM=xterm-256color",
        "COLUMNS=20",
    ] {
        assert_eq!(run(environment), plain, "{environment}");
    }
}

#[test]
fn contract_5_milliseconds_stay_milliseconds() {
    // Longer than a second.
    let server = Plan::always(vec![wait(1100), send(head("200 OK", &[])), Step::Close]).start();
    let done = ask("-n 2 -c 2", &server.url());
    let report = done.good_report();
    assert!(report.row("Total").max >= 1100.0 && report.percentile(100) >= 1100, "{done}");
    assert!(report.number("Time per request").unwrap() >= 1100.0, "{done}");
}

/// Labels and numbers that a merged text must have from the report alone.
const WORDS: &str = "(?i)requests per second|time per request|failed requests|complete requests|time taken|transferred|\
                     transfer rate|document length|concurrency level|non-2xx|write errors|total:|connect:|\\d+ ?%";

#[test]
fn contract_6_hints_hold_nothing_that_readers_look_for() {
    let unlike = Plan::cycle([closing(5), closing(6)]).start();
    let refused =
        Plan::always(answer("401 Unauthorized", &["Location: /50%25/Total:"], b"", Step::Close)).start();
    let reset = Plan::sequence([closing(5), vec![Step::Reset]]).start();
    let moved =
        Plan::always(answer("301 Moved", &["Location: /Failed requests: 9"], b"", Step::Close)).start();
    let words = Regex::new(WORDS).unwrap();
    for (options, server) in [
        ("-n 6", &unlike),
        ("-n 3", &refused),
        ("-n 5", &reset),
        ("-n 2", &moved),
        ("-n 9 -t 5 -n 2", &unlike),
    ] {
        let done = ask(options, &server.url());
        let hints = done.hints();
        assert!(!hints.is_empty(), "{done}");
        for hint in &hints {
            assert!(!words.is_match(hint), "{hint}");
            assert_eq!(hints.iter().filter(|other| *other == hint).count(), 1, "{done}");
        }
        assert!(!done.stdout.contains("hint:"), "{done}");
        let silent = ask(&format!("-q {options}"), &server.url());
        assert_eq!(silent.hints(), Vec::<String>::new(), "{silent}");
    }
}

#[test]
fn contract_7_nothing_finished_has_neither_rates_nor_tables() {
    let done = nothing_finished();
    assert_eq!(done.code(), 0, "{done}");
    assert_eq!(labels(&done.stdout).last(), Some(&"HTML transferred"), "{done}");
    for absent in
        ["Requests per second", "Time per request", "Transfer rate", "Connection Times", "Percentage"]
    {
        assert!(!done.stdout.contains(absent), "{done}");
    }
    assert_eq!(Report::of(&done.stdout).unwrap().counts().complete, 0);
}

#[test]
fn contract_7_one_request_has_a_table_of_times_alone() {
    let ran = one().run();
    assert!(ran.done.stdout.contains("\nConnection Times (ms)\n"), "{}", ran.done);
    assert!(!ran.done.stdout.contains('%'), "{}", ran.done);
    assert_eq!(ran.report.row("Total").deviation, 0.0);
}

#[test]
fn contract_9_what_fails_within_a_whole_run_is_status_0() {
    // `run` asserts the status.
    for case in [mixed(), broken(), any_length()] {
        case.run();
    }
    let dropping = Plan::sequence([closing(5), vec![Step::Reset]]).start();
    let done = ask("-n 4", &dropping.url());
    assert_eq!((done.code(), Report::of(&done.stdout).is_none()), (104, true), "{done}");
    rab(["-n", "5"]).assert_usage_error("wrong number of arguments");
}

#[test]
fn contract_10_s_and_d_change_the_tables() {
    let server = Plan::always(closing(5)).start();
    let without = ask("-S -n 5", &server.url()).stdout;
    assert!(without.contains("\nConnection Times (ms)\n              min   avg   max\n"), "{without}");
    let rows = Regex::new(r"(?m)^(Connect|Processing|Waiting|Total): +\d+ +\d+ +\d+$").unwrap();
    assert_eq!(rows.find_iter(&without).count(), 4, "{without}");
    assert!(without.contains("\n  50%  "), "{without}");
    let without = ask("-d -n 5", &server.url()).stdout;
    assert!(!without.contains('%') && without.contains("mean[+/-sd] median"), "{without}");
}
