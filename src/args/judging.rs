//! The options on how runs are judged: gates, and the terms of a comparison.
//!
//! In comes what one of them took, out goes a value, or a usage error that names the option.

use std::ffi::OsStr;

use super::refusal::shown;
use super::{Refusal, Rule};

/// How runs are to be judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judging {
    /// `--fail-if`, all of them.
    pub fail_if: Vec<Rule>,
    /// `--margin`, as a share above 0: 0.05 for 5 %.
    pub margin: Option<f64>,
    /// `--anyway`.
    pub anyway: bool,
    /// `--strict`.
    pub strict: bool,
    /// `--markdown`.
    pub markdown: bool,
}

impl Judging {
    /// Takes one option into account. `value` means nothing for a switch.
    pub(super) fn apply(&mut self, option: &str, value: &OsStr) -> Result<(), Refusal> {
        match option {
            "fail-if" => self.fail_if.extend(rules(value)?),
            "margin" => self.margin = Some(margin(value)?),
            "anyway" => self.anyway = true,
            "strict" => self.strict = true,
            "markdown" => self.markdown = true,
            _ => return Err(Refusal::usage(format!("illegal option -- {option}"))),
        }
        Ok(())
    }
}

/// Rules with commas between them.
fn rules(value: &OsStr) -> Result<Vec<Rule>, Refusal> {
    Rule::list(&value.to_string_lossy()).map_err(|error| Refusal::usage(format!("--fail-if: {error}")))
}

/// A percentage, with or without its sign.
fn margin(value: &OsStr) -> Result<f64, Refusal> {
    let percentage = || {
        let text = value.to_str()?;
        let text = text.strip_suffix('%').unwrap_or(text).trim_end();
        // Nothing else that Rust would read as a number: no sign, no exponent, no name.
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: f64 = text.parse().ok().filter(|_| is_plain)?;
        (number > 0.0 && number <= 100.0).then_some(number / 100.0)
    };
    percentage().ok_or_else(|| {
        let value = shown(value);
        Refusal::usage(format!("--margin takes a percentage above 0 and up to 100, not '{value}'"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_a_percentage() {
        let share = |text: &str| margin(OsStr::new(text));
        for (text, expected) in [("5", 0.05), ("5%", 0.05), ("2.5 %", 0.025), ("100", 1.0), (".5", 0.005)] {
            assert!((share(text).unwrap() - expected).abs() < 1e-12, "{text}");
        }
        for text in ["", "%", "0", "-5", "+5", "100.1", "5%%", "1e1", "inf", "nan", "five", "5,5"] {
            let refusal = share(text).expect_err(text);
            assert!(
                refusal.message.starts_with("--margin takes a percentage above 0") && refusal.usage,
                "{text}"
            );
        }
    }

    #[test]
    fn rules_add_up() {
        let mut judging = Judging::default();
        for value in ["p95>300ms,failed>0", "rps<1000"] {
            judging.apply("fail-if", OsStr::new(value)).unwrap();
        }
        assert_eq!(
            judging.fail_if.iter().map(Rule::to_string).collect::<Vec<_>>(),
            ["p95>300ms", "failed>0", "rps<1000"]
        );
        let refusal = judging.apply("fail-if", OsStr::new("p95>300")).unwrap_err();
        assert_eq!(refusal.message, "--fail-if: p95 is a time and needs a unit: us, ms or s, in 'p95>300'");
    }
}
