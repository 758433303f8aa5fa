//! Whether the numbers of a run hold together.
//!
//! In come the recording and the server from a file, out goes the first contradiction. Each rule holds for every run that rab has
//! measured, so that what breaks one was changed by somebody else.

use super::Server;
use crate::record::{Failure, Failures, Phase, Recording, Series, Share, Slot, Tally};

/// Looks at all rules; what is broken, as a clause.
pub(super) fn check(recording: &Recording, server: &Server) -> Result<(), String> {
    for (phase, name) in Phase::ALL.into_iter().zip(["connect", "processing", "waiting", "total"]) {
        equal(&format!("the durations of `{name}`"), recording.phase(phase).count(), recording.complete)?;
    }
    let statuses = recording.statuses.iter().map(|(_, count)| count).sum();
    for (name, count) in [
        ("failed", recording.failures.total()),
        ("answered", statuses),
        ("kept alive", recording.kept_alive),
        ("cut short", recording.cut_short),
        ("not sent", recording.write_errors),
        ("on schedule", recording.since_planned.count()),
        ("late", recording.late),
    ] {
        at_most(name, count, recording.complete)?;
    }
    causes(recording)?;
    urls(recording)?;
    shares(recording, server)?;
    let Some(detail) = &recording.detail else { return Ok(()) };
    let good =
        recording.statuses.iter().filter(|(status, _)| status / 100 == 2).map(|(_, count)| count).sum();
    at_most("timed as 2xx", detail.total_2xx.count(), good)?;
    series(recording, &detail.series, detail.total_2xx.count())
}

/// Every failure has a cause of its class.
fn causes(recording: &Recording) -> Result<(), String> {
    let mut by_cause = Failures::default();
    for (cause, count) in recording.causes.iter() {
        *match cause.class() {
            Failure::Connect => &mut by_cause.connect,
            Failure::Receive => &mut by_cause.receive,
            Failure::Length => &mut by_cause.length,
            Failure::Exception => &mut by_cause.exceptions,
        } += count;
    }
    if by_cause == recording.failures {
        Ok(())
    } else {
        Err("the causes of failures do not add up to their classes".to_owned())
    }
}

/// The URLs add up to the whole, if there are many.
fn urls(recording: &Recording) -> Result<(), String> {
    let tallies = recording.urls.tallies();
    if tallies.is_empty() {
        return Ok(());
    }
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum();
    equal("the requests of the URLs", sum(|tally| tally.complete), recording.complete)?;
    equal("the failures of the URLs", sum(|tally| tally.failed), recording.failures.total())?;
    equal("the non-2xx of the URLs", sum(|tally| tally.non_2xx), recording.statuses.non_2xx())
}

/// So do the addresses, where they were used in turn.
fn shares(recording: &Recording, server: &Server) -> Result<(), String> {
    let shares = &recording.shares;
    if shares.is_empty() {
        return Ok(());
    }
    let sum = |of: fn(&Share) -> u64| shares.iter().map(of).sum();
    equal("the addresses with a share", shares.len() as u64, server.addresses.len() as u64)?;
    equal("the requests of the addresses", sum(|share| share.complete), recording.complete)?;
    equal("the failures of the addresses", sum(|share| share.failed), recording.failures.total())
}

/// The slots add up to the whole.
fn series(recording: &Recording, series: &Series, count_2xx: u64) -> Result<(), String> {
    let slots = series.slots();
    let sum = |of: &dyn Fn(&Slot) -> u64| slots.iter().map(of).sum();
    equal("the requests of the series", sum(&Slot::complete), recording.complete)?;
    equal("the 2xx of the series", sum(&|slot| slot.times_2xx.count()), count_2xx)?;
    equal("the bytes of the series", sum(&|slot| slot.received), recording.received)?;
    for class in 1..6_u16 {
        let all = recording.statuses.iter().filter(|(status, _)| status / 100 == class);
        let name = format!("the {class}xx of the series");
        equal(&name, sum(&|slot| slot.statuses[usize::from(class)]), all.map(|(_, count)| count).sum())?;
    }
    let mut failures = Failures::default();
    slots.iter().for_each(|slot| failures += slot.failures);
    if failures == recording.failures {
        Ok(())
    } else {
        Err("the failures of the series are not those of the run".to_owned())
    }
}

fn equal(what: &str, found: u64, expected: u64) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} are {found}, which should be {expected}")) }
}

fn at_most(what: &str, count: u64, complete: u64) -> Result<(), String> {
    if count <= complete { Ok(()) } else { Err(format!("{count} requests are {what}, of {complete}")) }
}

#[cfg(test)]
mod tests {
    use crate::saved::{from_json, to_json};
    use crate::summary::fixture;

    fn error(text: &str) -> String {
        from_json(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn numbers_that_contradict_each_other_are_named() {
        let good = to_json(&[fixture::mixed()]);
        for (from, to, words) in [
            (r#""complete": 5"#, r#""complete": 6"#, "the durations of `connect` are 5, which should be 6"),
            (r#""200": 3"#, r#""200": 4"#, "the 2xx of the series are 3, which should be 4"),
            (r#""closed": 1"#, r#""reset": 2"#, "the causes of failures"),
            (r#""closed": 1"#, r#""bad_luck": 1"#, "a cause of failures has a name"),
            (
                r#""received": 800"#,
                r#""received": 801"#,
                "the bytes of the series are 800, which should be 801",
            ),
            (r#""receive": 1"#, r#""receive": 0"#, "the causes of failures"),
            (r#""503": 1"#, r#""5030": 1"#, "5030 is no status code"),
            (r#""kept_alive": 3"#, r#""kept_alive": 30"#, "30 requests are kept alive, of 5"),
            (r#""slot_us": 1000000"#, r#""slot_us": 1000001"#, "its series is damaged: its slots"),
            (r#""count": 5"#, r#""count": 4"#, "the histogram of `connect` is damaged"),
            (
                r#""histogram": "H"#,
                r#""histogram": "H*"#,
                "the histogram of `connect` is damaged: it is not base64",
            ),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            let message = error(&bad);
            assert!(message.starts_with("is a damaged saved run: in run 1, "), "{message}");
            assert!(message.contains(words), "{from}: {message}");
        }
    }

    #[test]
    fn so_are_those_of_lists_schedules_and_addresses() {
        let good = to_json(&[fixture::modern()]);
        for (from, to, words) in [
            (r#""urls": 2"#, r#""urls": 3"#, "2 URLs have counts, of 3"),
            (r#""urls": 2"#, r#""urls": 0"#, "its plan has no request"),
            (r#""GET /a","complete":3"#, r#""GET /a","complete":2"#, "the times of a URL are not those"),
            (
                r#""GET /a","complete":3,"failed":1"#,
                r#""GET /a","complete":3,"failed":0"#,
                "the failures of the URLs",
            ),
            (r#""GET /a""#, r#""GET /\u001b""#, "the name of a URL has a control character"),
            (r#""times":{"count":3"#, r#""nothing":{"count":3"#, "only some of its URLs have times"),
            (
                r#""complete": 4,"#,
                r#""complete": 3,"#,
                "the requests of the addresses are 4, which should be 5",
            ),
            (
                r#""[::1]:8080""#,
                r#""[::1]:8080", "[::1]:8081""#,
                "the addresses with a share are 2, which should be 3",
            ),
            (r#""late": 2"#, r#""late": 6"#, "6 requests are late, of 5"),
            (r#""rate_per_second": 2.1"#, r#""rate_per_second": null"#, "it has only one of a rate and"),
            (r#""rate_per_second": 2.1"#, r#""rate_per_second": -2.1"#, "its rate is not above 0"),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            assert!(error(&bad).contains(words), "{from}: {}", error(&bad));
        }
    }

    #[test]
    fn a_number_that_not_every_reader_takes_is_refused() {
        let good = to_json(&[fixture::mixed()]);
        let huge = good.replacen(r#""complete": 5"#, r#""complete": 9007199254740992"#, 1);
        assert!(error(&huge).contains("9007199254740992 is above 9007199254740991"), "{}", error(&huge));
    }
}
