//! How the numbers of a comparison are written.

use std::time::Duration;

use crate::summary::{Interval, Metric};

/// Beyond a doubling or a halving, percentages mislead.
const FACTOR: f64 = 2.0;

/// A ratio as a change: `+12.3 %`, `-8.0 %`, `x 3.40`.
pub(super) fn change(ratio: f64) -> String {
    if is_factor(ratio) { format!("x {ratio:.2}") } else { signed((ratio - 1.0) * 100.0, 1) + " %" }
}

/// Whether a ratio is better said as a factor than as a percentage.
pub(super) fn is_factor(ratio: f64) -> bool {
    !(1.0 / FACTOR..FACTOR).contains(&ratio)
}

/// `+10.1 % to +14.5 %`, or `x 0.44 to x 1.85` if one end is a factor.
pub(super) fn interval(interval: Interval) -> String {
    let Interval { low, high } = interval;
    if is_factor(low) || is_factor(high) {
        format!("x {low:.2} to x {high:.2}")
    } else {
        format!("{} to {}", change(low), change(high))
    }
}

/// A share as a percentage, `4.20 %`.
pub(super) fn share(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// A difference of shares in percentage points, without the word: `+1.20`.
pub(super) fn points(difference: f64) -> String {
    signed(difference * 100.0, 2)
}

/// A margin as a percentage without needless decimals: `5 %`.
pub(super) fn margin(margin: f64) -> String {
    // Six decimals, so that 0.07 * 100 is 7.
    format!("{} %", (margin * 1e8).round() / 1e6)
}

/// The value of a metric in the unit of its row: requests a second, or milliseconds.
pub(super) fn value(metric: Metric, value: f64) -> String {
    if metric == Metric::Rps { format!("{value:.2}") } else { format!("{:.3}", value / 1000.0) }
}

/// A stretch of time in its greatest unit: `40 s`, `3 min`, `2 h`, `5 days`.
pub(super) fn stretch(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// A number with its sign; none that is only rounding is left on a zero.
fn signed(number: f64, decimals: usize) -> String {
    let text = format!("{number:+.decimals$}");
    if text.trim_start_matches(['-', '+']).chars().all(|digit| matches!(digit, '0' | '.')) {
        format!("+{:.decimals$}", 0.0)
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_percentages_until_they_are_factors() {
        for (ratio, text) in [
            (1.0, "+0.0 %"),
            (0.9999, "+0.0 %"),
            (1.123, "+12.3 %"),
            (0.92, "-8.0 %"),
            (1.999, "+99.9 %"),
            (2.0, "x 2.00"),
            (0.25, "x 0.25"),
        ] {
            assert_eq!(change(ratio), text);
        }
        assert_eq!(interval(Interval { low: 0.95, high: 1.02 }), "-5.0 % to +2.0 %");
        assert_eq!(interval(Interval { low: 0.95, high: 2.5 }), "x 0.95 to x 2.50");
    }

    #[test]
    fn other_numbers_have_their_units() {
        assert_eq!((share(0.042), points(-0.012)), ("4.20 %".into(), "-1.20".into()));
        assert_eq!(
            (points(-0.000_001), margin(0.07), margin(0.025)),
            ("+0.00".into(), "7 %".into(), "2.5 %".into())
        );
        assert_eq!((value(Metric::Rps, 12.0), value(Metric::P95, 1234.0)), ("12.00".into(), "1.234".into()));
        let stretches = [119, 120, 7200, 172_800].map(|seconds| stretch(Duration::from_secs(seconds)));
        assert_eq!(stretches, ["119 s", "2 min", "2 h", "2 days"]);
    }
}
