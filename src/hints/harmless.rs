//! Keeps hints out of the way of scripts.
//!
//! In comes the text of a hint, out goes one line. Half of the scripts that read ab's report read standard error along
//! with it and look for labels and for percentages. A hint can quote what a server sent, so wording alone cannot keep
//! these out.

/// What scripts look for, in lower case: the words of ab's labels, and the names of its rows with their colon.
const LABELS: [&str; 29] = [
    "server software",
    "server hostname",
    "server port",
    "ssl/tls protocol",
    "server temp key",
    "tls server name",
    "document path",
    "document length",
    "concurrency level",
    "time taken for tests",
    "complete requests",
    "failed requests",
    "write errors",
    "non-2xx",
    "keep-alive requests",
    "total transferred",
    "total body sent",
    "html transferred",
    "requests per second",
    "time per request",
    "transfer rate",
    "connection times",
    "connect:",
    "processing:",
    "waiting:",
    "total:",
    "percentage of the requests",
    "longest request",
    "exceptions:",
];

/// The text as one line: control characters, the last character of a label, and the percent sign after a number are
/// written as `\u{..}`.
pub(super) fn harmless(text: &str) -> String {
    // Lower case of ASCII alone, so that both have the same positions.
    let lower = text.to_ascii_lowercase();
    let mut line = String::with_capacity(text.len());
    for (at, each) in text.char_indices() {
        let so_far = &lower[..at + each.len_utf8()];
        let ends_label = LABELS.iter().any(|label| so_far.ends_with(label));
        let ends_number = lower[..at].trim_end().ends_with(|before: char| before.is_ascii_digit());
        if each.is_control() || ends_label || (each == '%' && ends_number) {
            line.extend(each.escape_unicode());
        } else {
            line.push(each);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::{RULES, hints};
    use super::*;
    use crate::report::{Sections, text};
    use crate::summary::{
        Address, Client, Ending, Failures, Fatal, Micros, Phase, Schedule, SchemeDoubt, Share, Sizes,
        SocketCall, Statuses, Streak, Summary, TlsLines, Trouble, Version, fixture,
    };
    use jiff::Timestamp;
    use proptest::prelude::*;
    use rustix::io::Errno;
    use std::time::Duration;

    #[test]
    fn quoted_text_is_defused() {
        assert_eq!(harmless("to /a%20b and /x1%20b"), r"to /a%20b and /x1\u{25}20b");
        assert_eq!(harmless("/Failed Requests"), r"/Failed Request\u{73}");
        assert_eq!(harmless("a\r\n\u{1b}[31mb"), r"a\u{d}\u{a}\u{1b}[31mb");
        assert_eq!(harmless("50 % of it, ünïcode"), r"50 \u{25} of it, ünïcode");
    }

    #[test]
    fn every_label_of_the_report_is_known() {
        let mut summary = fixture::staging();
        summary.failures.length = 1;
        summary.write_errors = 1;
        summary.non_2xx = 1;
        summary.keep_alive = Some(1);
        summary.sent = Some(1);
        let name = Some("name".to_owned());
        summary.tls = Some(TlsLines { protocol: "TLS".into(), temp_key: name.clone(), server_name: name });
        let report = String::from_utf8(text(&summary, Sections::default())).unwrap();
        for label in report.lines().filter_map(|line| line.split_once(':')).map(|(label, _)| label) {
            let label = format!("{}:", label.trim_start_matches([' ', '(']).to_lowercase());
            assert!(LABELS.iter().any(|known| label.starts_with(known)), "{label}");
        }
    }

    /// Errors that end a run.
    fn fatals() -> Vec<Fatal> {
        let calls = [SocketCall::Socket, SocketCall::Bind, SocketCall::Connect, SocketCall::Receive];
        let refused =
            calls.into_iter().flat_map(|call| (1..150).map(move |errno| Fatal::Socket { call, errno }));
        refused.chain([Fatal::Timeout, Fatal::NotHttp2("it answered in something else".into())]).collect()
    }

    /// Changes of a good run by where connections went.
    fn of_addresses() -> Vec<Summary> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Summary)| {
            let mut summary = fixture::staging();
            change(&mut summary);
            all.push(summary);
        };
        for status in [403, 407] {
            add(&|s| s.circumstances.tunnel_refusal = Some(status));
        }
        for errno in [Errno::NOENT, Errno::ACCESS, Errno::PROTOTYPE] {
            add(&|s| {
                let fatal = Fatal::Socket { call: SocketCall::Receive, errno: errno.raw_os_error() };
                s.circumstances.ending = Ending::Failed(fatal);
                s.circumstances.addresses = vec![Address::Unix("/run/s".into())];
            });
        }
        for (count, failed) in [(1, 0), (9, 1), (11, 0)] {
            add(&|s| {
                s.circumstances.addresses = vec![Address::Ip(([127, 0, 0, 1], 80).into()); count];
                s.circumstances.shares = vec![Share { failed, complete: 7, ..Share::default() }; count];
            });
        }
        all
    }

    /// Changes of a good run, among them one for each branch of each rule.
    fn scenarios() -> Vec<Summary> {
        let mut all = of_addresses();
        let mut add = |change: &dyn Fn(&mut Summary)| {
            let mut summary = fixture::staging();
            change(&mut summary);
            all.push(summary);
        };
        for fatal in fatals() {
            add(&|s| s.circumstances.ending = Ending::Failed(fatal.clone()));
        }
        add(&|s| s.circumstances.time_limit = Some(Duration::from_secs(20)));
        for non_2xx in [0, 1] {
            add(&|s| {
                (s.non_2xx, s.failures) = (non_2xx, Failures { length: 3, ..Failures::default() });
                s.circumstances.sizes = Some(Sizes { least: 1, most_common: 2, greatest: 3 });
            });
        }
        for expiry in [0, 1_760_000_001] {
            add(&|s| s.circumstances.token_expiry = Timestamp::from_second(expiry).ok());
        }
        add(&|s| s.circumstances.scheme_doubt = Some(SchemeDoubt::AnsweredInTls));
        add(&|s| {
            s.circumstances.ending = Ending::Failed(Fatal::Timeout);
            s.circumstances.scheme_doubt = Some(SchemeDoubt::NeverSecured);
        });
        add(&|s| s.keep_alive = Some(0));
        for count in [1, 2] {
            add(&|s| {
                s.circumstances.resent = count;
                s.circumstances.version = [Version::Http2, Version::Http11][usize::from(count == 1)];
            });
            add(&|s| s.circumstances.stream_limit = Some(2));
            add(&|s| {
                s.schedule = Some(Schedule { rate: 5.0, late: count, latencies: Vec::new() });
            });
            add(&|s| s.circumstances.cut_short = (count, 45));
            add(&|s| s.write_errors = count);
        }
        for version in [Version::Http10, Version::Http11] {
            add(&|s| {
                s.circumstances.version = version;
                for row in s.table.iter_mut().flatten().filter(|row| row.phase == Phase::Processing) {
                    (row.min, row.max) = (15_000_000, 15_000_000);
                }
            });
        }
        all.extend(scenarios_of_statuses().into_iter().chain(scenarios_of_clients()));
        all.extend(scenarios_of_lists().into_iter().chain(scenarios_of_saved_runs()));
        all
    }

    /// The same for runs that go to a file or come from one.
    fn scenarios_of_saved_runs() -> [Summary; 2] {
        let (mut nothing, mut without_table) = (fixture::staging(), fixture::staging());
        (nothing.complete, nothing.circumstances.saves) = (0, true);
        without_table.circumstances.by_url = true;
        [nothing, without_table]
    }

    /// The same for runs with all kinds of answers.
    fn scenarios_of_statuses() -> Vec<Summary> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Summary)| {
            let mut summary = fixture::staging();
            change(&mut summary);
            all.push(summary);
        };
        for status in 0..1000 {
            for version in [Version::Http10, Version::Http11] {
                for quoted in [None, Some(b"/a".to_vec())] {
                    add(&|s| {
                        s.circumstances.statuses = Statuses::default();
                        s.circumstances.statuses.count(status);
                        s.circumstances.version = version;
                        s.circumstances.plain_text_body = quoted.is_some();
                        s.circumstances.location.clone_from(&quoted);
                    });
                }
            }
        }
        for status in [200, 401] {
            let last = Streak::Alike { status, since: 5_000_000, count: 60 };
            add(&|s| {
                s.circumstances.statuses.add(401, 60);
                s.circumstances.last_statuses = last;
            });
        }
        all
    }

    /// The same for runs that kept the client busy.
    fn scenarios_of_clients() -> impl Iterator<Item = Summary> {
        let machines =
            [(10, 1), (1, 4), (10, 4)].into_iter().flat_map(|machine| [(machine, false), (machine, true)]);
        machines.map(|((connections, cores), by_hyper)| {
            let mut summary = fixture::staging();
            summary.circumstances.client =
                Client { busiest: Micros::MAX, workers: 1, connections, cores, by_hyper };
            summary
        })
    }

    /// The same for runs over many URLs.
    fn scenarios_of_lists() -> Vec<Summary> {
        let mut all = Vec::new();
        for affected in [1, 2] {
            let mut summary = fixture::staging();
            let trouble = Some(Trouble { urls: 3, affected, worst: "GET /".into(), times: 1, complete: 2 });
            summary.circumstances.urls = 3;
            summary.circumstances.failing.clone_from(&trouble);
            summary.circumstances.refusing = trouble;
            summary.failures = Failures { length: 1, ..Failures::default() };
            summary.by_url = (affected == 1).then(fixture::by_url);
            all.push(summary);
        }
        all
    }

    #[test]
    fn no_rule_says_what_scripts_look_for() {
        let scenarios = scenarios();
        for (number, rule) in RULES.iter().enumerate() {
            let texts: Vec<_> = scenarios.iter().filter_map(|summary: &Summary| rule(summary)).collect();
            assert!(!texts.is_empty(), "no scenario has rule {number}");
            for text in texts {
                assert_eq!(harmless(&text), text);
            }
        }
    }

    #[test]
    fn remarks_come_last_and_a_good_run_has_no_hints() {
        let mut summary = fixture::staging();
        assert_eq!(hints(&summary), Vec::<String>::new());
        summary.circumstances.remarks = vec!["-T wins over -H Content-Type".into()];
        summary.circumstances.resent = 1;
        let found = hints(&summary);
        assert_eq!((found.len(), found[1].as_str()), (2, "-T wins over -H Content-Type"));
    }

    proptest! {
        #[test]
        fn a_harmless_text_is_one_line_and_stays_as_it_is(text in "([a-z ]|[0-9]?%|Total:|\n|write errors|.){0,40}") {
            let once = harmless(&text);
            prop_assert!(!once.contains(char::is_control));
            prop_assert_eq!(harmless(&once), once);
        }
    }
}
