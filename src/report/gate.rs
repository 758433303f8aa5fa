//! One gate (`--fail-if`) in a line, which may stand on standard error.
//!
//! Many a script reads that along with the report. So it holds no label of ab's and no number with a percent sign.

use crate::summary::{Gate, Measure, Rule, Unit};

/// `p95 = 312.4 ms, broken (fails if > 300 ms)`.
pub fn gate(gate: &Gate) -> String {
    let Gate { rule, value, broken } = gate;
    let (name, unit) = (name(rule.measure), unit(rule.unit));
    let value = match value {
        Some(value) => format!("= {}{unit}", number(*value, rule)),
        None => "is not known".to_owned(),
    };
    let verdict = if *broken { "broken" } else { "kept" };
    format!("{name} {value}, {verdict} (fails if {} {}{unit})", rule.operator, rule.limit)
}

/// The name as rules have it, but that of ab's own line.
fn name(measure: Measure) -> String {
    if measure == Measure::Non2xx { "not 2xx".to_owned() } else { measure.to_string() }
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Plain => "",
        Unit::Micros => " us",
        Unit::Millis => " ms",
        Unit::Seconds => " s",
        Unit::Percent => " percent",
    }
}

/// The value as exact as it was measured: times to the microsecond; rates and shares to two decimals, unless they would
/// then look like a limit that they are not.
fn number(value: f64, rule: &Rule) -> String {
    let decimals = match rule.unit {
        Unit::Micros => 0,
        Unit::Millis => 3,
        Unit::Seconds => 6,
        Unit::Plain | Unit::Percent => 2,
    };
    let rounded = trimmed(&format!("{value:.decimals$}"));
    let looks_like_limit =
        rounded == rule.limit.to_string() && (value - rule.limit).abs() > 1e-12 * rule.limit;
    if looks_like_limit { value.to_string() } else { rounded }
}

/// Without needless zeros behind the point.
fn trimmed(number: &str) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(rule: &str, value: Option<f64>, broken: bool) -> String {
        gate(&Gate { rule: rule.parse().unwrap(), value, broken })
    }

    #[test]
    fn a_line_has_value_verdict_and_limit() {
        for (rule, value, broken, expected) in [
            ("p95>300ms", Some(312.4), true, "p95 = 312.4 ms, broken (fails if > 300 ms)"),
            ("p99.9>=1s", Some(0.000_123), false, "p99.9 = 0.000123 s, kept (fails if >= 1 s)"),
            ("max>5us", Some(7.0), true, "max = 7 us, broken (fails if > 5 us)"),
            ("rps<1000", Some(999.999), true, "rps = 999.999, broken (fails if < 1000)"),
            ("rps<1000", Some(1234.567), false, "rps = 1234.57, kept (fails if < 1000)"),
            ("complete<100", Some(100.0), false, "complete = 100, kept (fails if < 100)"),
            ("non-2xx>0.5%", Some(1.0), true, "not 2xx = 1 percent, broken (fails if > 0.5 percent)"),
            ("mean>1s", None, true, "mean is not known, broken (fails if > 1 s)"),
        ] {
            assert_eq!(line(rule, value, broken), expected);
        }
    }

    #[test]
    fn no_line_is_mistaken_for_one_of_ab() {
        for rule in ["rps<1", "mean>1s", "p50>1s", "max>1s", "failed>1%", "non-2xx>1%", "complete<1"] {
            let line = line(rule, Some(1.0), true).to_lowercase();
            assert!(!line.contains('%') && !line.contains("non-2xx") && !line.contains("requests"), "{line}");
        }
    }
}
