//! Whether the numbers of a run hold together.
//!
//! In comes the recording from a file, out goes the first contradiction. Each rule holds for every run that rab has
//! measured, so that what breaks one was changed by somebody else.

use crate::record::{Failure, Failures, Phase, Recording, Series, Slot};

/// Looks at all rules; what is broken, as a clause.
pub(super) fn check(recording: &Recording) -> Result<(), String> {
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
    ] {
        at_most(name, count, recording.complete)?;
    }
    causes(recording)?;
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
