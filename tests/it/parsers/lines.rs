//! Readers that go by lines: by their number, by a template, or by what stands before the colon.

use std::collections::BTreeMap;

use regex::Regex;

use super::{Ran, all, any_length, first, kept, many, mixed, newer, number, numbers, plain, posting, slow};
use crate::support::rab::Done;

#[test]
fn p01_the_suite_s_template_finds_its_line() {
    // What the template has before and after the number, blanks and all.
    let (before, after) = ("Requests per second:    ", " [#/sec] (mean)");
    for case in all() {
        // This suite puts both streams into one file.
        let ran = case.run_merged();
        let mut found =
            ran.done.stdout.lines().filter_map(|line| line.strip_prefix(before)?.strip_suffix(after));
        let number = found.next().and_then(|number| number.parse().ok());
        assert!(number.is_some() && number == ran.report.number("Requests per second"), "{}", ran.done);
        assert_eq!(found.next(), None, "{}", ran.done);
    }
}

/// The reader of p06: seven lines are dropped, the others are known by their number, and split at the first colon.
struct Positions(Vec<String>);

impl Positions {
    fn of(stdout: &str) -> Self {
        Self(stdout.lines().skip(7).map(str::to_owned).collect())
    }

    fn value(&self, place: usize) -> &str {
        self.0[place].split_once(':').unwrap_or_else(|| panic!("line {place} of {:#?}", self.0)).1.trim()
    }

    fn number(&self, place: usize) -> f64 {
        self.value(place).split(' ').next().unwrap().parse().unwrap()
    }
}

#[test]
fn p06_every_line_of_a_good_run_has_its_number() {
    // Runs long enough for progress lines, and runs without them: the report begins on the same line.
    for case in [plain(), many(), slow(), any_length()] {
        let ran = case.run();
        let lines = Positions::of(&ran.done.stdout);
        assert!(lines.0[0].starts_with("Server Software:"), "{}", ran.done);
        assert_eq!([lines.value(0), lines.value(1)], ["Script/1.0", "127.0.0.1"]);
        assert_eq!(lines.number(2), f64::from(ran.port));
        assert_eq!([lines.0[3].as_str(), lines.value(4)], ["", "/doc"]);
        assert!(lines.value(5) == format!("{} bytes", ran.facts.document) || lines.value(5) == "Variable");
        assert_eq!((lines.0[6].as_str(), lines.number(7)), ("", ran.facts.concurrency as f64));
        assert_eq!(Some(lines.number(8)), ran.report.number("Time taken for tests"));
        assert_eq!([lines.number(9), lines.number(10)], [ran.facts.requests as f64, 0.0]);
        for (place, label) in
            [(13, "Requests per second"), (14, "Time per request"), (15, "Time per request (all)")]
        {
            assert_eq!(Some(lines.number(place)), ran.report.number(label), "{}", ran.done);
        }
        let start = lines.0.iter().position(|line| line.contains("50%")).unwrap();
        let times: Vec<u64> = lines.0[start..start + 9]
            .iter()
            .map(|line| line.split('%').nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap())
            .collect();
        let known: Vec<u64> = ran.report.percentiles.iter().map(|(_, time)| *time).collect();
        assert_eq!(times, known, "{}", ran.done);
    }
}

/// The reader of p07: what stands before the last colon with blanks after it is a key; later lines win.
fn keyed(stdout: &str) -> BTreeMap<String, String> {
    let line = Regex::new(r"^(.+):\s+(.+)").unwrap();
    let pairs = stdout.lines().filter_map(|text| line.captures(text));
    pairs.map(|pair| (pair[1].to_owned(), pair[2].to_owned())).collect()
}

#[test]
fn p07_lines_become_keys_and_rows_become_five_numbers() {
    for case in all() {
        let ran = case.run();
        let keys = keyed(&ran.done.stdout);
        let starts = |key: &str| keys[key].split(' ').next().unwrap().parse::<f64>().unwrap();
        assert_eq!(starts("Complete requests"), ran.facts.requests as f64);
        assert_eq!(starts("Failed requests"), ran.facts.failures() as f64);
        assert_eq!(starts("Total transferred"), ran.facts.transferred as f64);
        assert!(!keys.contains_key("Write errors"));
        // The second line of this label wins.
        assert_eq!(Some(starts("Time per request")), ran.report.number("Time per request (all)"));
        for name in ["Connect", "Processing", "Waiting", "Total"] {
            let cells = keys[name].split_whitespace().collect::<Vec<_>>().join(",");
            let cells = numbers(&cells.replace(',', "\n"));
            let row = ran.report.row(name);
            assert_eq!(cells, [row.min, row.mean, row.deviation, row.median, row.max], "{}", ran.done);
        }
    }
}

/// What PowerShell writes into a file: UTF-16 with a mark of its order, and CR LF.
fn redirected(text: &str) -> Vec<u8> {
    let text = text.replace('\n', "\r\n");
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn p17_a_report_survives_redirection_in_utf_16() {
    for case in all() {
        let ran = case.run_merged();
        let bytes = redirected(&ran.done.stdout);
        let units: Vec<u16> = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let text = String::from_utf16(&units).unwrap();
        assert_powershell_reads(&ran, &text);
    }
}

#[test]
fn p17_a_powershell_loop_joins_the_lines() {
    for case in [any_length(), many(), mixed()] {
        let ran = case.run_merged();
        let joined = ran.done.stdout.lines().collect::<Vec<_>>().join("\r\n");
        assert_powershell_reads(&ran, &joined);
    }
}

fn assert_powershell_reads(ran: &Ran, text: &str) {
    assert_eq!(number(text, r"Requests per second:\s+([\d.]+)"), ran.report.number("Requests per second"));
    let found = number(text, r"Time per request:\s+([\d.]+).*mean\)");
    assert_eq!(found, ran.report.number("Time per request"), "{}", ran.done);
    let found = number(text, r"Failed requests:\s+(\d+)");
    assert_eq!(found, Some(ran.facts.failures() as f64), "{}", ran.done);
}

/// The line of standard output at which the report begins, counted from 1.
fn beginning(done: &Done) -> usize {
    1 + done.stdout.lines().position(|line| line.starts_with("Server Software:")).unwrap()
}

#[test]
fn the_report_begins_on_line_eight() {
    for case in [plain(), kept(), newer(), posting(), many()] {
        let ran = case.run();
        assert_eq!(beginning(&ran.done), 8, "{}", ran.done);
        // Progress goes to standard error, so that merging moves the line only by what has come before.
        assert_eq!(first(&ran.done.stdout, "(Completed|Finished)"), None);
    }
}
