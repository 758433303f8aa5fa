//! The figures that rules know, by name.

use std::fmt;

use super::Unit;

/// So many parts make a whole percentile: p99.9999 is told from p100.
const PARTS: u32 = 10_000;

/// The figure of a run that a rule is about. Times are of whole requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Complete requests a second.
    Rps,
    /// The mean time.
    Mean,
    /// The time within which so many requests were served.
    Percentile(Percentile),
    /// The longest time.
    Max,
    /// Requests that failed.
    Failed,
    /// Responses with a status other than 2xx.
    Non2xx,
    /// Requests that ended, well or not.
    Complete,
}

/// A percentile above 0, up to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percentile {
    /// In ten-thousandths.
    parts: u32,
}

impl Measure {
    /// The units that a limit may have, and how a message puts it.
    pub(super) fn units(self) -> (&'static [Unit], &'static str) {
        match self {
            Self::Rps => (&[Unit::Plain], "is requests a second and takes no unit"),
            Self::Complete => (&[Unit::Plain], "is a count and takes no unit"),
            Self::Failed | Self::Non2xx => (&[Unit::Plain, Unit::Percent], "is a count, or a share with %"),
            Self::Mean | Self::Percentile(_) | Self::Max => {
                (&[Unit::Micros, Unit::Millis, Unit::Seconds], "is a time and needs a unit: us, ms or s")
            }
        }
    }
}

impl Percentile {
    /// As a quantile, from 0 to 1.
    pub fn quantile(self) -> f64 {
        f64::from(self.parts) / f64::from(100 * PARTS)
    }

    /// Where it stands among so many sorted values, counted from 0: cut to a whole number, as ab does it, and never
    /// beyond the last.
    pub fn index(self, count: u64) -> u64 {
        let index = u128::from(count) * u128::from(self.parts) / u128::from(100 * PARTS);
        u64::try_from(index).unwrap_or(u64::MAX).min(count.saturating_sub(1))
    }
}

/// The measure of this name, in any case.
pub(super) fn measure(name: &str) -> Option<Measure> {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "rps" => Some(Measure::Rps),
        "mean" => Some(Measure::Mean),
        "max" => Some(Measure::Max),
        "failed" => Some(Measure::Failed),
        "non-2xx" => Some(Measure::Non2xx),
        "complete" => Some(Measure::Complete),
        _ => percentile(name.strip_prefix('p')?).map(Measure::Percentile),
    }
}

/// A percentile with up to four decimals.
fn percentile(text: &str) -> Option<Percentile> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits =
        |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole, 3) || !digits(fraction, 4) {
        return None;
    }
    let parts = whole.parse::<u32>().ok()? * PARTS + format!("{fraction:0<4}").parse::<u32>().ok()?;
    (1..=100 * PARTS).contains(&parts).then_some(Percentile { parts })
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rps => f.write_str("rps"),
            Self::Mean => f.write_str("mean"),
            Self::Percentile(percentile) => write!(f, "p{}", f64::from(percentile.parts) / f64::from(PARTS)),
            Self::Max => f.write_str("max"),
            Self::Failed => f.write_str("failed"),
            Self::Non2xx => f.write_str("non-2xx"),
            Self::Complete => f.write_str("complete"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_stand_where_ab_s_stand() {
        let index = |text: &str, count| match measure(text) {
            Some(Measure::Percentile(percentile)) => percentile.index(count),
            other => panic!("{other:?}"),
        };
        let found = [index("p50", 10), index("p66", 10), index("p99", 10), index("p100", 10)];
        assert_eq!(found, [5, 6, 9, 9]);
        assert_eq!((index("p99.9", 10_000), index("p50", 0)), (9990, 0));
        assert_eq!(index("p100", u64::MAX), u64::MAX - 1);
    }

    #[test]
    fn the_names_are_those_of_comparisons() {
        for metric in crate::stats::Metric::ALL {
            assert_eq!(
                measure(metric.name()).map(|measure| measure.to_string()).as_deref(),
                Some(metric.name())
            );
        }
    }
}
