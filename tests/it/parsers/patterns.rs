//! Readers that look for regular expressions, in Python, Go, PHP, Ruby and JavaScript.

use std::collections::BTreeMap;

use regex::Regex;

use super::{
    Ran, all, any_length, broken, first, kept, many, mixed, nothing_finished, number, numbers, once, one,
    plain, slow,
};

/// Compares numbers that stand for the same text.
fn assert_found(ran: &Ran, label: &str, found: &str) {
    assert_eq!(found.parse().ok(), ran.report.number(label), "{label} of {}\n{}", ran.options, ran.done);
}

/// Compares a count with what the server knows.
fn assert_count(ran: &Ran, found: &str, known: u64) {
    assert_eq!(found.parse(), Ok(known), "{}\n{}", ran.options, ran.done);
}

#[test]
fn p02_each_pattern_of_the_cloud_benchmarker_matches_once() {
    for case in all() {
        let ran = case.run();
        let text = ran.done.stdout.as_str();
        let rate = |label: &str| once(text, &format!(r"{label}:\s+([0-9.]+) \[(\S+)\] (\w+|\(\w+\))"));
        assert_count(&ran, once(text, r"Complete requests:\s+(\d+)")[0], ran.facts.requests);
        assert_count(&ran, once(text, r"Failed requests:\s+(\d+)")[0], ran.facts.failures());
        let found = rate("Requests per second");
        assert_found(&ran, "Requests per second", found[0]);
        assert_eq!(found[1..], ["#/sec", "(mean)"]);
        let found = once(text, r"Time per request:\s+([0-9.]+) \[(\w+)\] \(mean\)");
        assert_found(&ran, "Time per request", found[0]);
        assert_eq!(found[1], "ms");
        let found = once(text, r"Time per request:\s+([0-9.]+) \[(\w+)\] \(mean,");
        assert_found(&ran, "Time per request (all)", found[0]);
        let found = rate("Transfer rate");
        assert_found(&ran, "Transfer rate", found[0]);
        assert_eq!(found[1..], ["Kbytes/sec", "received"]);
        let found = once(text, r"Time taken for tests:\s+([0-9.]+) (\w+)");
        assert_found(&ran, "Time taken for tests", found[0]);
        assert_eq!(found[1], "seconds");
        for (label, known) in
            [("Total transferred", ran.facts.transferred), ("HTML transferred", ran.facts.html)]
        {
            let found = once(text, &format!(r"{label}:\s+([0-9.]+) (\w+)"));
            assert_count(&ran, found[0], known);
            assert_eq!(found[1], "bytes");
        }
    }
}

#[test]
fn p03_the_sandbox_benchmark_finds_rates_and_the_mean() {
    for case in all() {
        let ran = case.run();
        let text = ran.done.stdout.as_str();
        assert_found(
            &ran,
            "Transfer rate",
            once(text, r"Transfer rate:\s+(\d+\.?\d+?)\s+\[Kbytes/sec\]\s+received")[0],
        );
        assert_found(&ran, "Requests per second", once(text, r"Requests per second:\s+(\d+\.?\d+?)\s+")[0]);
        let found = once(text, r"Total:\s+\d+\s+(\d+)\s+(\d+\.?\d+?)\s+\d+\s+\d+\s");
        let row = ran.report.row("Total");
        assert_eq!([found[0].parse(), found[1].parse()], [Ok(row.mean), Ok(row.deviation)], "{}", ran.done);
    }
}

#[test]
fn p04_the_swarm_finds_its_four_numbers_and_the_classes() {
    for case in all() {
        let ran = case.run();
        let text = ran.done.stdout.as_str();
        let found = first(text, r"Time per request:\s+([0-9.]+) \[ms\] \(mean\)").unwrap();
        assert_found(&ran, "Time per request", found);
        let found = first(text, r"Requests per second:\s+([0-9.]+) \[#/sec\] \(mean\)").unwrap();
        assert_found(&ran, "Requests per second", found);
        assert_count(&ran, first(text, r"Failed requests:\s+([0-9.]+)").unwrap(), ran.facts.failures());
        assert_count(&ran, first(text, r"Complete requests:\s+([0-9]+)").unwrap(), ran.facts.requests);
        let classes = r"\(Connect: ([0-9]+), Receive: ([0-9]+), Length: ([0-9]+), Exceptions: ([0-9]+)\)";
        if ran.facts.failures() > 0 {
            let found: Vec<u64> = once(text, classes).iter().map(|count| count.parse().unwrap()).collect();
            assert_eq!(found, ran.facts.failed, "{}", ran.done);
        } else {
            assert_eq!(first(text, classes), None);
        }
    }
}

#[test]
fn p04_a_report_without_its_first_pattern_is_a_timeout() {
    assert_eq!(first(&nothing_finished().stdout, r"Time per request:\s+([0-9.]+) \[ms\] \(mean\)"), None);
}

#[test]
fn p11_php_casts_the_rest_of_the_line_to_a_number() {
    for case in all() {
        let ran = case.run();
        let rest = first(&ran.done.stdout, "Requests per second: *(.*)").unwrap();
        // A cast takes the number at the beginning, and leaves the rest.
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap();
        assert_found(&ran, "Requests per second", &rest[..end]);
    }
}

/// The reader of p13: required and optional lines, each anchored at both ends or at a unit.
pub(crate) fn strictly(text: &str) -> Result<BTreeMap<&'static str, String>, &'static str> {
    let required = [
        ("software", r"^Server Software:\s*(.*)$"),
        ("port", r"^Server Port:\s*(\d+)\s*$"),
        ("concurrency", r"^Concurrency Level:\s*(\d+)\s*$"),
        ("taken", r"^Time taken for tests:\s*([\d.]+)\s+seconds"),
        ("complete", r"^Complete requests:\s*(\d+)\s*$"),
        ("failed", r"^Failed requests:\s*(\d+)\s*$"),
        ("transferred", r"^Total transferred:\s*(\d+)\s+bytes"),
        ("html", r"^HTML transferred:\s*(\d+)\s+bytes"),
        ("rate", r"^Requests per second:\s*([\d.]+)\s+\[#/sec\]"),
        ("across", r"^Time per request:\s*([\d.]+)\s+\[ms\]\s+\(mean, across all concurrent requests\)"),
        ("received", r"^Transfer rate:\s*([\d.]+)\s+\[Kbytes/sec\]"),
    ];
    let mut found = BTreeMap::new();
    for (name, pattern) in required {
        let value = first(text, &format!("(?m){pattern}")).ok_or(name)?;
        found.insert(name, value.to_owned());
    }
    if let Some(length) = first(text, r"(?m)^Document Length:\s*([\d,]+)\s+bytes") {
        found.insert("length", length.to_owned());
    }
    Ok(found)
}

#[test]
fn p13_the_strict_reader_finds_all_that_it_requires() {
    for case in all() {
        let ran = case.run();
        let found = strictly(&ran.done.stdout).unwrap();
        assert_eq!(found["software"], "Script/1.0");
        let known = [
            ("port", u64::from(ran.port)),
            ("concurrency", ran.facts.concurrency),
            ("complete", ran.facts.requests),
            ("failed", ran.facts.failures()),
            ("transferred", ran.facts.transferred),
            ("html", ran.facts.html),
        ];
        for (name, known) in known {
            assert_count(&ran, &found[name], known);
        }
        assert_found(&ran, "Time taken for tests", &found["taken"]);
        assert_found(&ran, "Requests per second", &found["rate"]);
        assert_found(&ran, "Time per request (all)", &found["across"]);
        assert_found(&ran, "Transfer rate", &found["received"]);
    }
}

#[test]
fn p13_the_length_is_optional_and_the_rates_are_not() {
    assert_eq!(strictly(&plain().run().done.stdout).unwrap()["length"], "1234");
    assert!(!strictly(&any_length().run().done.stdout).unwrap().contains_key("length"));
    assert_eq!(strictly(&nothing_finished().stdout), Err("rate"));
}

#[test]
fn p14_the_line_about_keep_alive_is_there_with_k_alone() {
    let pattern = r"Keep-Alive requests:\s+(\d+)";
    for case in all() {
        let ran = case.run();
        let found = first(&ran.done.stdout, pattern).map(|count| count.parse().unwrap());
        assert_eq!(found, ran.facts.kept, "{}", ran.done);
    }
}

#[test]
fn p15_real_failures_are_those_that_are_not_of_length() {
    let real = |text: &str| {
        let failed = number(text, r"Failed requests:\s+(\d+)").unwrap();
        let length = number(text, r"\(Connect: \d+, Receive: \d+, Length: (\d+), Exceptions: \d+\)");
        failed - length.unwrap_or(0.0)
    };
    let non_2xx = |text: &str| number(text, r"Non-2xx responses:\s+(\d+)").unwrap_or(0.0);
    for (case, expected) in [(plain(), (0.0, 0.0)), (mixed(), (0.0, 2.0)), (broken(), (2.0, 0.0))] {
        let ran = case.run();
        assert_eq!((real(&ran.done.stdout), non_2xx(&ran.done.stdout)), expected, "{}", ran.done);
    }
}

#[test]
fn p16_readers_without_regard_to_case_find_the_same() {
    for case in all() {
        let ran = case.run_merged();
        let text = ran.done.stdout.as_str();
        let found = number(text, r"(?i)requests per second:\s+([\d.]+)");
        assert_eq!(found, ran.report.number("Requests per second"));
        assert_count(&ran, first(text, r"(?i)complete requests:\s+(\d+)").unwrap(), ran.facts.requests);
        assert_count(&ran, first(text, r"(?i)failed requests:\s+(\d+)").unwrap(), ran.facts.failures());
        let non_2xx = number(text, r"(?i)non-2xx responses:\s+(\d+)").unwrap_or(0.0);
        assert_eq!(non_2xx, ran.facts.non_2xx as f64);
        for (label, name) in [("waiting", "Waiting"), ("total", "Total")] {
            let cells = once(text, &format!(r"(?im)^{label}:((?:\s+[\d.]+){{5}})[^\S\n]*$"))[0];
            let cells = numbers(&cells.split_whitespace().collect::<Vec<_>>().join("\n"));
            let row = ran.report.row(name);
            assert_eq!(cells, [row.min, row.mean, row.deviation, row.median, row.max], "{}", ran.done);
        }
    }
}

#[test]
fn p10_patterns_find_every_percentage() {
    for case in all() {
        let ran = case.run_merged();
        let text = ran.done.stdout.as_str();
        let pairs = |pattern: &str| -> Vec<(u32, u64)> {
            let found = Regex::new(pattern).unwrap();
            let pair = |groups: regex::Captures<'_>| (groups[1].parse().unwrap(), groups[2].parse().unwrap());
            found.captures_iter(text).map(pair).collect()
        };
        let known = &ran.report.percentiles;
        assert_eq!(known.len(), 9, "{}", ran.done);
        assert_eq!(&pairs(r"(?m)^\s*(\d+)%\s+(\d+)"), known);
        // The last line has a tail, and is passed over by those who look for the line end.
        assert_eq!(pairs(r"(?m)^\s*(\d+)%\s+(\d+)\s*$"), known[..8]);
        let found = number(text, r"\s+95%\s+(\d+)");
        assert_eq!(found, Some(ran.report.percentile(95) as f64));
    }
}

#[test]
fn p10_the_block_below_the_heading_ends_with_its_last_line() {
    let heading = "Percentage of the requests served within";
    let plain = Regex::new(r"^[\d\s%]+$").unwrap();
    for case in [slow(), many(), kept()] {
        let ran = case.run_merged();
        let mut lines = ran.done.stdout.lines().skip_while(|line| !line.contains(heading)).skip(1);
        let block: Vec<&str> = lines.by_ref().take_while(|line| plain.is_match(line)).collect();
        assert_eq!(block.len(), 8, "{}", ran.done);
    }
    let ran = one().run();
    assert!(!ran.done.stdout.contains(heading), "{}", ran.done);
}
