//! The change of one metric, with its uncertainty, on the log scale.
//!
//! In come the values of two series, one a run; out goes an [`Estimate`]: the difference of the mean logarithms, which is
//! the logarithm of the ratio of the geometric means, and how far it may be off. Runs of a busy machine differ by
//! factors, not by sums; on this scale noise is even on both sides, and a change has the same size seen from either.

use super::super::student::{t_quantile, two_sided_p};
use super::Interval;

/// Differences of logarithms below this are what rounding leaves of equal values.
const ROUNDING: f64 = 1e-12;

/// The greatest logarithm that a ratio may have and be a number.
const MOST: f64 = 700.0;

/// The change from one series to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Estimate {
    /// The logarithm of the ratio after / before.
    pub(super) shift: f64,
    /// Its standard error.
    pub(super) error: f64,
    /// Degrees of freedom of the standard error.
    pub(super) freedom: f64,
    /// What the clock's ticks hide, which no number of runs makes smaller.
    pub(super) slack: f64,
    /// What the noise of one run adds, by side; of pairs, their variance and 0.
    pub(in super::super) variances: [f64; 2],
}

impl Estimate {
    /// By the differences of pairs: value by value, each above 0, at least two of them.
    pub(in super::super) fn paired(before: &[f64], after: &[f64], tick: f64) -> Self {
        let differences: Vec<f64> =
            before.iter().zip(after).map(|(before, after)| after.ln() - before.ln()).collect();
        let count = differences.len() as f64;
        let variance = variance(&differences);
        Self {
            shift: unless_rounding(mean(&differences)),
            error: (variance / count).sqrt(),
            freedom: count - 1.0,
            slack: hidden(before, tick) + hidden(after, tick),
            variances: [variance, 0.0],
        }
    }

    /// By the means of the two sides, whose noise may differ (Welch): values above 0, at least two a side.
    pub(super) fn apart(before: &[f64], after: &[f64], tick: f64) -> Self {
        let [one, other] =
            [before, after].map(|side| side.iter().map(|value| value.ln()).collect::<Vec<_>>());
        let (shift, error, freedom) = welch(&one, &other);
        Self {
            shift: unless_rounding(shift),
            error,
            freedom,
            slack: hidden(before, tick) + hidden(after, tick),
            variances: [variance(&one), variance(&other)],
        }
    }

    /// The interval of the ratio that has so much confidence.
    pub(super) fn interval(&self, confidence: f64) -> Interval {
        let half = if self.error > 0.0 {
            t_quantile(f64::midpoint(1.0, confidence), self.freedom) * self.error
        } else {
            0.0
        };
        let half = half + self.slack;
        Interval { low: ratio(self.shift - half), high: ratio(self.shift + half) }
    }

    /// The probability of a change at least as far from none, on either side, if there is none.
    pub(super) fn p(&self) -> f64 {
        let beyond = self.shift.abs() - self.slack;
        if beyond <= 0.0 {
            1.0
        } else if self.error > 0.0 {
            two_sided_p(beyond / self.error, self.freedom)
        } else {
            0.0
        }
    }
}

/// A logarithm as a ratio, which stays a number.
pub(in super::super) fn ratio(logarithm: f64) -> f64 {
    logarithm.clamp(-MOST, MOST).exp()
}

/// The difference of two means, its standard error and degrees of freedom (Welch and Satterthwaite).
pub(super) fn welch(before: &[f64], after: &[f64]) -> (f64, f64, f64) {
    let counts = [before.len() as f64, after.len() as f64];
    let [one, other] = [variance(before) / counts[0], variance(after) / counts[1]];
    let sum = one + other;
    let freedom = if sum > 0.0 {
        // As shares of the sum, whose square would be 0 where it is small.
        1.0 / ((one / sum).powi(2) / (counts[0] - 1.0) + (other / sum).powi(2) / (counts[1] - 1.0))
    } else {
        counts[0] + counts[1] - 2.0
    };
    (mean(after) - mean(before), sum.sqrt(), freedom)
}

/// The arithmetic mean; 0 for nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The variance of a sample; 0 for fewer than two values, and for what rounding leaves of equal ones.
pub(super) fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (values.len() - 1) as f64;
    if variance < ROUNDING * ROUNDING { 0.0 } else { variance }
}

fn unless_rounding(shift: f64) -> f64 {
    if shift.abs() < ROUNDING { 0.0 } else { shift }
}

/// How much the logarithm of a side may be off because its values are whole ticks. Values that vary by half a tick or
/// more round up as often as down, and their mean is right; of values that do not, all may be off by half a tick in
/// the same direction.
fn hidden(values: &[f64], tick: f64) -> f64 {
    let half = tick / 2.0;
    // Values are above 0, so that their mean is at least two halves.
    if variance(values).sqrt() >= half { 0.0 } else { -(-half / mean(values)).ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BEFORE: [f64; 5] = [1012.4, 955.1, 1103.9, 874.2, 990.0];
    const AFTER: [f64; 5] = [1201.7, 1118.3, 1290.5, 1077.7, 1153.2];

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-8 * expected.abs(), "{found} for {expected}");
    }

    fn figures(estimate: &Estimate) -> [f64; 6] {
        let (wide, narrow) = (estimate.interval(0.95), estimate.interval(0.9));
        [ratio(estimate.shift), wide.low, wide.high, narrow.low, narrow.high, estimate.p()]
    }

    #[test]
    fn pairs_are_judged_as_by_scipy() {
        // scipy 1.17: r = stats.ttest_rel(log(after), log(before)); exp(r.confidence_interval(0.95)), (0.9), r.pvalue
        let expected = [
            1.184_643_402_14,
            1.150_742_646_91,
            1.219_542_869_99,
            1.158_525_772_68,
            1.211_349_823_48,
            8.488_073_708_58e-05,
        ];
        for (found, expected) in figures(&Estimate::paired(&BEFORE, &AFTER, 0.0)).into_iter().zip(expected) {
            near(found, expected);
        }
    }

    #[test]
    fn series_apart_are_judged_as_by_scipy() {
        // scipy 1.17: the same with stats.ttest_ind(log(after[:4]), log(before), equal_var=False)
        let expected = [
            1.187_920_089_94,
            1.041_667_807_16,
            1.354_706_491_25,
            1.069_449_656_44,
            1.319_514_323_64,
            0.017_584_121_436_5,
        ];
        let estimate = Estimate::apart(&BEFORE, &AFTER[..4], 0.0);
        near(estimate.freedom, 6.749_486_032_82);
        for (found, expected) in figures(&estimate).into_iter().zip(expected) {
            near(found, expected);
        }
    }

    #[test]
    fn equal_values_have_no_spread_and_no_difference() {
        for values in [[0.1; 3], [1e9; 3], [333.3; 3]] {
            let same = Estimate::apart(&values, &values, 0.0);
            assert_eq!((same.shift, same.error, same.p()), (0.0, 0.0, 1.0));
            assert_eq!(same.interval(0.95), Interval { low: 1.0, high: 1.0 });
        }
        let double = Estimate::paired(&[3.0; 4], &[6.0; 4], 0.0);
        assert!(double.p() <= 0.0);
        near(double.interval(0.95).low, 2.0);
        near(double.interval(0.95).high, 2.0);
    }

    #[test]
    fn equal_whole_ticks_may_hide_half_a_tick_a_side() {
        let equal = Estimate::apart(&[10.0; 5], &[10.0; 5], 1.0);
        near(equal.interval(0.95).high, 1.0 / 0.95 / 0.95);
        let step = Estimate::paired(&[10.0; 5], &[11.0; 5], 1.0);
        assert!(step.interval(0.95).contains(1.0) && step.p() >= 1.0, "{step:?}");
        let varied = Estimate::apart(&[10.0, 11.0, 9.0, 10.0], &[10.0, 11.0, 9.0, 10.0], 1.0);
        assert!(varied.slack == 0.0);
    }

    fn values() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(prop_oneof![1.0..1e6_f64, Just(f64::MAX), Just(1.0)], 2..8)
    }

    proptest! {
        #[test]
        fn everything_is_a_number(before in values(), after in values(), tick in 0..2) {
            for estimate in [
                Estimate::apart(&before, &after, f64::from(tick)),
                Estimate::paired(&before[..2], &after[..2], f64::from(tick)),
            ] {
                prop_assert!(figures(&estimate).into_iter().all(f64::is_finite), "{:?}", estimate);
                let interval = estimate.interval(0.95);
                prop_assert!(interval.low <= interval.high && (0.0..=1.0).contains(&estimate.p()));
            }
        }

        #[test]
        fn swapped_sides_give_the_inverse(
            before in prop::collection::vec(1.0..1e6_f64, 2..8),
            after in prop::collection::vec(1.0..1e6_f64, 2..8),
        ) {
            let (one, other) = (Estimate::apart(&before, &after, 1.0), Estimate::apart(&after, &before, 1.0));
            prop_assert!((one.shift + other.shift).abs() < 1e-12);
            prop_assert!((one.interval(0.95).low * other.interval(0.95).high - 1.0).abs() < 1e-9);
            prop_assert!((one.p() - other.p()).abs() < 1e-9);
        }

        #[test]
        fn a_common_scale_changes_nothing(
            before in prop::collection::vec(1.0..1e6_f64, 3..8),
            after in prop::collection::vec(1.0..1e6_f64, 3..8),
            scale in 1e-3..1e3_f64,
        ) {
            let scaled = |side: &[f64]| side.iter().map(|value| value * scale).collect::<Vec<_>>();
            let (one, other) = (
                Estimate::apart(&before, &after, 0.0),
                Estimate::apart(&scaled(&before), &scaled(&after), 0.0),
            );
            prop_assert!((one.shift - other.shift).abs() < 1e-9 && (one.p() - other.p()).abs() < 1e-6);
        }
    }
}
