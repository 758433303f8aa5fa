//! Readers that are shell pipelines: grep, awk, sed, with standard error merged or not.

use super::{
    Case, Ran, all, any_length, broken, kept, many, mixed, nothing_finished, number, numbers, piped, plain,
    posting, slow,
};
use crate::support::rab::Rab;
use crate::support::server::{Plan, Step, closing};

/// What a pipeline prints, as a number.
fn counted(text: &str, pipeline: &str) -> f64 {
    let printed = piped(text, pipeline);
    printed.parse().unwrap_or_else(|_| panic!("{pipeline} prints {printed:?} for\n{text}"))
}

/// The word at this place of the first line that holds these words.
fn word(ran: &Ran, words: &str, place: u32) -> f64 {
    counted(&ran.done.stdout, &format!("grep '{words}' | head -n 1 | awk '{{print ${place}}}'"))
}

#[test]
fn p05_several_runs_in_one_file_are_summed_up() {
    let server = Plan::always(closing(321)).start();
    let folder = tempfile::tempdir().unwrap();
    // As the test of a virtual machine starts them: side by side, all into one file.
    let script = format!(
        "for i in 1 2 3 4; do \"$RAB\" -n 50 -r -c 8 {} >> all.log & done; wait; cat all.log",
        server.url()
    );
    let done = Rab::shell(&script).folder(folder.path()).run();
    let text = done.stdout.as_str();
    assert_eq!(piped(text, "grep 'Server Software:' | head -1 | awk '{print $NF}'"), "Script/1.0");
    assert_eq!(piped(text, "grep 'Concurrency Level:' | head -1 | awk '{print $NF}'"), "8");
    assert_eq!(piped(text, "grep 'Document Length' | head -1 | tr ':' ' ' | awk '{print $3}'"), "321");
    assert_eq!(piped(text, "grep 'Complete requests:' | wc -l | tr -d ' '"), "4");
    let sum = |words: &str, place: &str| {
        counted(text, &format!("grep '{words}' | awk '{{sum += {place}}} END {{print sum}}'"))
    };
    assert_eq!(sum("Complete requests:", "$NF"), 200.0);
    // What each run says, read line by line.
    let each = |start: &str| -> Vec<f64> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(start)).map(str::split_whitespace);
        lines.map(|mut words| words.next().unwrap().parse().unwrap()).collect()
    };
    for (words, place) in [("Requests per second:", "$4"), ("Transfer rate:", "$3")] {
        let each = each(words);
        assert_eq!(each.len(), 4, "{done}");
        let (found, known) = (sum(words, place), each.iter().sum::<f64>());
        // awk prints six digits.
        assert!((found - known).abs() <= known * 1e-5, "{found} {known}\n{done}");
    }
    let means = text.lines().filter_map(|line| line.strip_prefix("Total:"));
    let means: Vec<f64> = means.map(|row| row.split_whitespace().nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!((means.len(), sum("Total:", "$3")), (4, means.iter().sum()), "{done}");
}

#[test]
fn p08_words_stand_at_their_places() {
    for case in all() {
        let ran = case.run_merged();
        for (label, place) in
            [("Requests per second", 4), ("Time per request", 4), ("Transfer rate", 3), ("Time taken", 5)]
        {
            let full = if label == "Time taken" { "Time taken for tests" } else { label };
            assert_eq!(Some(word(&ran, label, place)), ran.report.number(full), "{}", ran.done);
        }
        let facts = &ran.facts;
        for (label, known) in [
            ("Failed requests", facts.failures()),
            ("Complete requests", facts.requests),
            ("Total transferred", facts.transferred),
            ("HTML transferred", facts.html),
        ] {
            assert_eq!(word(&ran, label, 3), known as f64, "{label}\n{}", ran.done);
            // A note on standard error with these words would be a second hit.
            assert_eq!(counted(&ran.done.stdout, &format!("grep -c '{label}'")), 1.0, "{}", ran.done);
        }
    }
}

#[test]
fn p08_a_whole_command_line_prints_one_number() {
    let server = Plan::always(closing(10)).start();
    let script = format!(
        "\"$RAB\" -k -n 400 -c 20 {} 2>&1 | tee /dev/stderr | grep 'Requests per second' | awk '{{print $4}}'",
        server.url()
    );
    let done = Rab::shell(&script).run();
    assert_eq!(done.stdout.lines().count(), 1, "{done}");
    let known = number(&done.stderr, r"Requests per second: +([\d.]+)");
    assert_eq!(done.stdout.trim_end().parse().ok(), known, "{done}");
}

#[test]
fn p09_a_report_on_one_line_is_still_understood() {
    for case in [plain(), slow(), many()] {
        let ran = case.run_merged();
        // A variable that is not quoted loses its line ends and its columns.
        let line = piped(&ran.done.stdout, "all=$(cat); set -f; echo $all");
        assert_eq!(line.lines().count(), 1);
        let found = number(&line, r"Time per request: ([\d.]+) \[ms\] \(mean\)");
        assert_eq!(found, ran.report.number("Time per request"));
        let found = number(&line, r"(\d+) \(longest request\)");
        assert_eq!(found, Some(ran.report.percentile(100) as f64), "{line}");
    }
}

#[test]
fn p10_greps_find_one_line_a_percentage() {
    for case in all() {
        let ran = case.run_merged();
        for percent in [50, 66, 75, 80, 90, 95, 98, 99] {
            for before in ["", "  "] {
                let found =
                    piped(&ran.done.stdout, &format!("grep '{before}{percent}%' | awk '{{print $2}}'"));
                assert_eq!(found, ran.report.percentile(percent).to_string(), "{}", ran.done);
            }
        }
        // Merged hints follow the block, as an error of ab's would.
        let block = piped(
            &ran.done.stdout,
            "grep -A 20 'Percentage of the requests served within' | grep % | awk '{print $2}'",
        );
        let known: Vec<f64> = ran.report.percentiles.iter().map(|(_, time)| *time as f64).collect();
        assert_eq!(numbers(&block), known, "{}", ran.done);
    }
}

#[test]
fn p12_the_last_word_is_the_count() {
    for (case, non_2xx, failed, length) in
        [(plain(), "", "0", "1234"), (mixed(), "2", "2", "100"), (any_length(), "", "0", "Variable")]
    {
        let ran = case.run_merged();
        let last = |words: &str| piped(&ran.done.stdout, &format!("grep '{words}' | awk '{{print $NF}}'"));
        // What is not there counts as 0 for this reader.
        assert_eq!([last("Non-2xx"), last("Write errors")], [non_2xx, ""], "{}", ran.done);
        assert_eq!(last("Failed requests"), failed);
        let rate = "grep 'Requests per second' | awk '{print $4}' | cut -d. -f1";
        let whole = ran.report.number("Requests per second").unwrap().trunc();
        assert_eq!(counted(&ran.done.stdout, rate), whole);
        assert_eq!(piped(&ran.done.stdout, "grep 'Document Length' | awk '{print $3}'"), length);
    }
}

#[test]
fn p12_tee_passes_the_report_on() {
    let server = Plan::always(closing(10)).start();
    let folder = tempfile::tempdir().unwrap();
    let script = format!("\"$RAB\" -n 20 {} | tee .ab.log", server.url());
    let done = Rab::shell(&script).folder(folder.path()).run();
    assert_eq!(std::fs::read_to_string(folder.path().join(".ab.log")).unwrap(), done.stdout);
    assert_eq!(done.good_report().counts().complete, 20);
}

/// A gate: the third word of the line on failed requests must not be above 0.
const GATE: &str = "failed=$(\"$RAB\" $OPTIONS 2>&1 | grep 'Failed requests' | awk '{print $3}')
    if [ \"$failed\" -gt 0 ]; then echo closed; else echo open; fi";

fn gate(options: &str, case: &Case) -> String {
    let server = case.start();
    let script = format!("OPTIONS='{options} {}'\n{GATE}", server.url());
    let done = Rab::shell(&script).run();
    assert_eq!(done.stderr, "", "{done}");
    done.stdout
}

#[test]
fn p19_a_gate_opens_and_closes() {
    assert_eq!(gate("-n 10 -c 2 -q", &plain()), "open\n");
    assert_eq!(gate("-n 12 -c 1 -q", &mixed()), "closed\n");
    assert_eq!(gate("-n 9 -c 3 -r", &broken()), "closed\n");
    assert_eq!(gate("-n 20 -c 4 -k", &kept()), "open\n");
}

#[test]
fn p19_a_run_without_a_report_leaves_the_alternative() {
    let server = Plan::always(vec![Step::Reset]).start();
    let script = format!(
        "\"$RAB\" -n 5 {0} > out.log 2>&1 || echo 'status N/A'
        grep 'Requests per second' out.log || echo 'rate N/A'
        \"$RAB\" -n 5 {0} > /dev/null 2>&1 || true",
        server.url()
    );
    let folder = tempfile::tempdir().unwrap();
    let done = Rab::shell(&script).folder(folder.path()).run();
    assert_eq!((done.code(), done.stdout.as_str()), (0, "status N/A\nrate N/A\n"), "{done}");
}

#[test]
fn greps_find_nothing_where_nothing_finished() {
    let text = nothing_finished().stdout;
    for words in ["Requests per second", "Time per request", "Transfer rate", "50%", "Total:"] {
        assert_eq!(piped(&text, &format!("grep -c '{words}'")), "0", "{text}");
    }
    assert_eq!(counted(&text, "grep 'Complete requests' | awk '{print $3}'"), 0.0);
}

#[test]
fn the_body_that_was_sent_is_a_plain_number() {
    let ran = posting().run_merged();
    assert_eq!(word(&ran, "Total body sent", 4), ran.sent as f64, "{}", ran.done);
}
