//! Rules from text.

use std::ffi::OsStr;
use std::str::FromStr;

use super::super::refusal::shown;
use super::measure::measure;
use super::{Operator, Rule, Unit};

/// What a message lists when a metric is not known.
const KNOWN: &str = "rps, mean, p50 (or any other percentile, as p99.9), max, failed, non-2xx and complete";

/// What is wrong with a rule; one line that says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(String);

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        let error = |message: String| RuleError(format!("{message}, in '{}'", shown(OsStr::new(text))));
        if text.is_empty() {
            return Err(RuleError("a rule is empty; write one as p95>300ms".into()));
        }
        let Some(at) = text.find(['<', '>', '=', '!']) else {
            return Err(error("there is no comparison (<, <=, >, >= or ==)".into()));
        };
        let (name, rest) = text.split_at(at);
        let end = rest.find(|c| !"<>=!".contains(c)).unwrap_or(rest.len());
        let (operator, limit) = rest.split_at(end);
        let (name, limit) = (name.trim(), limit.trim());
        let measure = measure(name).ok_or_else(|| {
            error(format!("'{}' is no metric (known are {KNOWN})", shown(OsStr::new(name))))
        })?;
        let operator = operator
            .parse()
            .map_err(|()| error(format!("'{operator}' is no comparison (<, <=, >, >= or ==)")))?;
        let end = limit.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(limit.len());
        let (number, unit) = limit.split_at(end);
        let number = decimal(number).ok_or_else(|| {
            error(format!("{measure} is compared with a number, not with '{}'", shown(OsStr::new(limit))))
        })?;
        let (units, wanted) = measure.units();
        let unit = unit.trim().parse().ok().filter(|unit| units.contains(unit));
        let unit = unit.ok_or_else(|| error(format!("{measure} {wanted}")))?;
        if unit == Unit::Percent && number > 100.0 {
            return Err(error("a share is at most 100%".into()));
        }
        Ok(Self { measure, operator, limit: number, unit })
    }
}

/// A number of digits, with or without decimals; nothing else that Rust would read as one.
fn decimal(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.filter(|_| digits(whole) && digits(fraction))
}

impl FromStr for Operator {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "<" => Ok(Self::Less),
            "<=" => Ok(Self::AtMost),
            ">" => Ok(Self::Greater),
            ">=" => Ok(Self::AtLeast),
            "==" => Ok(Self::Equal),
            _ => Err(()),
        }
    }
}

impl FromStr for Unit {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "" => Ok(Self::Plain),
            "us" => Ok(Self::Micros),
            "ms" => Ok(Self::Millis),
            "s" => Ok(Self::Seconds),
            "%" => Ok(Self::Percent),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(text: &str) -> String {
        text.parse::<Rule>().expect_err(text).to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_write() {
        for (text, message) in [
            (" ", "a rule is empty; write one as p95>300ms"),
            ("p95", "there is no comparison (<, <=, >, >= or ==), in 'p95'"),
            ("p95=1ms", "'=' is no comparison (<, <=, >, >= or ==), in 'p95=1ms'"),
            ("p95!=1ms", "'!=' is no comparison (<, <=, >, >= or ==), in 'p95!=1ms'"),
            ("p95=>1ms", "'=>' is no comparison (<, <=, >, >= or ==), in 'p95=>1ms'"),
            ("p95>300", "p95 is a time and needs a unit: us, ms or s, in 'p95>300'"),
            ("p95>3m", "p95 is a time and needs a unit: us, ms or s, in 'p95>3m'"),
            ("max>5%", "max is a time and needs a unit: us, ms or s, in 'max>5%'"),
            ("rps>5ms", "rps is requests a second and takes no unit, in 'rps>5ms'"),
            ("complete<5%", "complete is a count and takes no unit, in 'complete<5%'"),
            ("failed>1s", "failed is a count, or a share with %, in 'failed>1s'"),
            ("failed>101%", "a share is at most 100%, in 'failed>101%'"),
            ("p95>", "p95 is compared with a number, not with '', in 'p95>'"),
            ("rps>-1", "rps is compared with a number, not with '-1', in 'rps>-1'"),
            ("rps>abc", "rps is compared with a number, not with 'abc', in 'rps>abc'"),
            ("rps>1.2.3", "rps is compared with a number, not with '1.2.3', in 'rps>1.2.3'"),
            ("rps>.5", "rps is compared with a number, not with '.5', in 'rps>.5'"),
            ("rps>1e3", "rps is requests a second and takes no unit, in 'rps>1e3'"),
        ] {
            assert_eq!(refused(text), message);
        }
        for text in [
            "latency>1s",
            ">1s",
            "p>1s",
            "p0>1s",
            "p101>1s",
            "p100.1>1s",
            "p99.99999>1s",
            "p+5>1s",
            "p95.>1s",
        ] {
            let message = refused(text);
            assert!(message.contains("is no metric (known are rps, mean, p50 (or any"), "{message}");
        }
        assert_eq!(refused("a\x1b[1m"), "there is no comparison (<, <=, >, >= or ==), in 'a\\u{1b}[1m'");
    }

    proptest! {
        #[test]
        fn any_text_is_a_rule_or_refused(text in "[pP0-9a-z.<>=!%, é-]{0,12}") {
            match text.parse::<Rule>() {
                Ok(rule) => prop_assert_eq!(rule, rule.to_string().parse().unwrap()),
                Err(error) => prop_assert!(!error.to_string().contains('\n')),
            }
        }
    }
}
