//! The options about several runs: how often, how far apart, over which loads.

use std::ffi::OsStr;
use std::time::Duration;

use super::values::{duration, some_time, within};
use super::{Refusal, Rule, shown};

/// The most runs of a series, each of which stays in memory until the end.
const MOST_RUNS: i64 = 1000;

/// The most steps of a sweep.
const MOST_STEPS: usize = 100;

/// The first digits of the steps in a range.
const GEOMETRIC: [u64; 3] = [1, 2, 5];

/// What was typed about several runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Several {
    /// `--repeat`, at least 1.
    pub repeat: Option<usize>,
    /// `--cool-down`.
    pub cool_down: Option<Duration>,
    /// `--warm-up`.
    pub warm_up: Option<WarmUp>,
    /// `--sweep`: concurrencies in the order of the steps, at least one, each above 0.
    pub sweep: Option<Vec<u64>>,
    /// `--until`, at least one.
    pub until: Option<Vec<Rule>>,
    /// `--seed`.
    pub seed: Option<u64>,
}

/// How much comes before the first run that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUp {
    /// So long, above 0.
    Time(Duration),
    /// So many requests, at least 1.
    Requests(u64),
}

/// Takes one option into account. `value` means nothing for a switch.
pub(super) fn apply(several: &mut Several, option: &str, value: &OsStr) -> Result<(), Refusal> {
    match option {
        "repeat" => several.repeat = Some(within(option, value, 1..=MOST_RUNS)?),
        "cool-down" => several.cool_down = Some(duration(option, value)?),
        "warm-up" => several.warm_up = Some(warm_up(option, value)?),
        "sweep" => several.sweep = Some(sweep(value)?),
        "until" => several.until = Some(until(value)?),
        "seed" => several.seed = Some(within(option, value, 0..=i64::MAX)?),
        _ => return Err(Refusal::usage(format!("illegal option -- {option}"))),
    }
    Ok(())
}

fn warm_up(option: &str, value: &OsStr) -> Result<WarmUp, Refusal> {
    if value.as_encoded_bytes().iter().all(u8::is_ascii_digit) && !value.is_empty() {
        return within(option, value, 1..=1_000_000_000_000).map(WarmUp::Requests);
    }
    some_time(option, value).map(WarmUp::Time)
}

fn sweep(value: &OsStr) -> Result<Vec<u64>, Refusal> {
    let steps = |text: &str| match text.split_once("..") {
        Some((first, last)) => range(number(first)?, number(last)?),
        None => text.split(',').map(number).collect(),
    };
    let steps = value.to_str().and_then(steps).ok_or_else(|| {
        let value = shown(value);
        Refusal::usage(format!("--sweep takes numbers of connections, as 10,30,50 or 1..200, not '{value}'"))
    })?;
    if steps.len() > MOST_STEPS {
        return Err(Refusal::usage(format!("--sweep takes at most {MOST_STEPS} steps")));
    }
    Ok(steps)
}

/// A number above 0.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| digits && *number > 0)
}

/// From the first to the last, and between them all of 1, 2, 5, 10, 20, 50 and so on.
fn range(first: u64, last: u64) -> Option<Vec<u64>> {
    let powers = std::iter::successors(Some(1_u64), |power| power.checked_mul(10));
    let round = powers.flat_map(|power| GEOMETRIC.map(|digit| digit.saturating_mul(power)));
    let between = round.skip_while(|step| *step <= first).take_while(|step| *step < last);
    (first < last).then(|| std::iter::once(first).chain(between).chain([last]).collect())
}

fn until(value: &OsStr) -> Result<Vec<Rule>, Refusal> {
    let text = value.to_str().ok_or_else(|| Refusal::usage("--until takes rules, such as p95<200ms"))?;
    Rule::list(text).map_err(|error| Refusal::usage(format!("--until: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Result<Vec<u64>, String> {
        sweep(OsStr::new(text)).map_err(|refusal| refusal.message)
    }

    #[test]
    fn a_list_is_as_typed_and_a_range_goes_in_round_steps() {
        assert_eq!(steps("10, 30,50"), Ok(vec![10, 30, 50]));
        assert_eq!(steps("50,10"), Ok(vec![50, 10]));
        assert_eq!(steps("1..200"), Ok(vec![1, 2, 5, 10, 20, 50, 100, 200]));
        assert_eq!(steps("3..48"), Ok(vec![3, 5, 10, 20, 48]));
        assert_eq!(steps("7..8"), Ok(vec![7, 8]));
    }

    #[test]
    fn what_is_no_list_of_connections_is_refused() {
        for text in ["", "0", "10,", "1..", "..5", "5..5", "9..2", "1..2..3", "-1", "+1", "1.5", "x", "1;2"] {
            assert_eq!(
                steps(text).unwrap_err(),
                format!("--sweep takes numbers of connections, as 10,30,50 or 1..200, not '{text}'")
            );
        }
        let long = vec!["1"; MOST_STEPS + 1].join(",");
        assert_eq!(steps(&long).unwrap_err(), "--sweep takes at most 100 steps");
        assert!(steps(&format!("1..{}", u64::MAX)).is_ok());
    }

    #[test]
    fn a_warm_up_is_a_time_or_requests() {
        let warm_up = |text: &str| warm_up("warm-up", OsStr::new(text)).map_err(|refusal| refusal.message);
        assert_eq!(warm_up("1000"), Ok(WarmUp::Requests(1000)));
        assert_eq!(warm_up("5s"), Ok(WarmUp::Time(Duration::from_secs(5))));
        assert_eq!(warm_up("500ms"), Ok(WarmUp::Time(Duration::from_millis(500))));
        for text in ["0", "0s", "", "-5", "5x", "9999999999999"] {
            assert!(warm_up(text).unwrap_err().starts_with("--warm-up takes a"), "{text}");
        }
    }

    #[test]
    fn rules_are_refused_by_name() {
        let refusal = until(OsStr::new("p95<200")).unwrap_err();
        assert!(refusal.message.starts_with("--until: ") && refusal.status == 22, "{refusal}");
        assert_eq!(until(OsStr::new("p95<200ms,failed<1%")).map(|rules| rules.len()), Ok(2));
    }
}
