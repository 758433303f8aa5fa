//! The times of one phase: exact count, least, greatest, sum and sum of squares, and a histogram for everything that
//! depends on order.

use hdrhistogram::Histogram;

use super::encoding::{decode, encode};
use super::{Corrupt, Exact, Micros};

/// The histogram tells values apart to one part in ten thousand.
const SIGNIFICANT_DIGITS: u8 = 4;

/// A coarse one does to one part in a hundred.
const COARSE_DIGITS: u8 = 2;

/// The longest time that the histogram tells apart from longer ones: one hour. The exact figures have no limit.
const LONGEST: Micros = 3_600_000_000;

/// The distribution of one phase's durations, in microseconds.
///
/// Memory is bounded by the range of the values, not by their number.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    histogram: Histogram<u32>,
    count: u64,
    min: Micros,
    max: Micros,
    sum: u128,
    sum_of_squares: u128,
}

impl Default for Distribution {
    fn default() -> Self {
        Self::new()
    }
}

impl Distribution {
    /// No durations yet.
    pub fn new() -> Self {
        Self::with_digits(SIGNIFICANT_DIGITS)
    }

    /// No durations yet, and a hundredth of the memory: what depends on order is known to one part in a hundred. For
    /// where there are many.
    pub fn coarse() -> Self {
        Self::with_digits(COARSE_DIGITS)
    }

    /// # Panics
    ///
    /// Never: hdrhistogram allows the number of digits, which is one of two constants.
    #[expect(clippy::expect_used, reason = "see above")]
    fn with_digits(digits: u8) -> Self {
        let mut histogram = Histogram::new(digits).expect("0 to 5 digits are allowed");
        histogram.auto(true);
        Self { histogram, count: 0, min: Micros::MAX, max: 0, sum: 0, sum_of_squares: 0 }
    }

    /// Adds one duration.
    pub fn record(&mut self, duration: Micros) {
        self.count += 1;
        self.min = self.min.min(duration);
        self.max = self.max.max(duration);
        self.sum += u128::from(duration);
        self.sum_of_squares += u128::from(duration) * u128::from(duration);
        // The histogram grows by itself up to LONGEST, so that recording cannot fail.
        let recorded = self.histogram.record(duration.min(LONGEST));
        debug_assert!(recorded.is_ok());
    }

    /// Adds so many durations of nothing.
    pub(super) fn record_zeros(&mut self, count: u64) {
        if count > 0 {
            self.count += count;
            self.min = 0;
            // More than a bin can count is as much as it can.
            let recorded = self.histogram.record_n(0, u32::try_from(count).unwrap_or(u32::MAX));
            debug_assert!(recorded.is_ok());
        }
    }

    /// Adds all durations of another distribution.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        let added = self.histogram.add(&other.histogram);
        debug_assert!(added.is_ok());
    }

    /// The exact figures, all together.
    pub fn exact(&self) -> Exact {
        let Self { count, max, sum, sum_of_squares, .. } = *self;
        Exact { count, min: self.min(), max, sum, sum_of_squares }
    }

    /// The histogram in the form that every `HdrHistogram` library reads, V2 with DEFLATE. Its unit is the microsecond.
    pub fn encoded(&self) -> Vec<u8> {
        encode(&self.histogram)
    }

    /// Puts together again what [`exact`](Self::exact) and [`encoded`](Self::encoded) took apart, if the two fit.
    pub fn restore(exact: Exact, encoded: &[u8]) -> Result<Self, Corrupt> {
        Self::restore_digits(exact, encoded, SIGNIFICANT_DIGITS)
    }

    /// The same for a coarse one.
    pub fn restore_coarse(exact: Exact, encoded: &[u8]) -> Result<Self, Corrupt> {
        Self::restore_digits(exact, encoded, COARSE_DIGITS)
    }

    fn restore_digits(exact: Exact, encoded: &[u8], digits: u8) -> Result<Self, Corrupt> {
        exact.check()?;
        let mut histogram: Histogram<u32> = decode(encoded, digits, LONGEST)?;
        histogram.auto(true);
        let Exact { count, min, max, sum, sum_of_squares } = exact;
        // A bucket that is full counts no further.
        let is_full = histogram.iter_recorded().any(|step| step.count_at_value() == u32::MAX);
        let is_same = |one: Micros, other: Micros| {
            histogram.lowest_equivalent(one.min(LONGEST)) == histogram.lowest_equivalent(other)
        };
        if histogram.len() != count && !(is_full && histogram.len() < count) {
            return Err(Corrupt("it holds another number of durations than its count says"));
        }
        if !is_same(min, histogram.min()) || !is_same(max, histogram.max()) {
            return Err(Corrupt("its bounds are not the least and the greatest duration"));
        }
        let min = if count == 0 { Micros::MAX } else { min };
        Ok(Self { histogram, count, min, max, sum, sum_of_squares })
    }

    /// How many durations were recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least duration, exact; 0 if there is none.
    pub fn min(&self) -> Micros {
        if self.count == 0 { 0 } else { self.min }
    }

    /// The greatest duration, exact; 0 if there is none.
    pub fn max(&self) -> Micros {
        self.max
    }

    /// The exact sum.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The exact sum of the squares.
    pub fn sum_of_squares(&self) -> u128 {
        self.sum_of_squares
    }

    /// The duration that stands at `index`, counted from 0, when all are sorted: within one part in ten thousand (in a
    /// hundred, if this is coarse), and never outside the exact least and greatest. Beyond the last index it is the greatest.
    pub fn at_index(&self, index: u64) -> Micros {
        self.at_indices([index]).first().copied().unwrap_or_default()
    }

    /// The same for many indices, which must not decrease, in one walk over the histogram.
    pub fn at_indices(&self, ascending: impl IntoIterator<Item = u64>) -> Vec<Micros> {
        let mut steps = self.histogram.iter_recorded();
        let (mut passed, mut value) = (0, 0);
        let at = |index: u64| {
            if index == 0 {
                return self.min();
            }
            if index.saturating_add(1) >= self.count {
                return self.max;
            }
            while passed <= index {
                let Some(step) = steps.next() else { return self.max };
                passed += u64::from(step.count_at_value());
                value = self.histogram.median_equivalent(step.value_iterated_to());
            }
            value.clamp(self.min, self.max)
        };
        ascending.into_iter().map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn empty_distribution_is_all_zero() {
        let none = Distribution::new();
        assert_eq!((none.count(), none.min(), none.max(), none.at_index(0)), (0, 0, 0, 0));
    }

    #[test]
    fn times_above_an_hour_keep_their_exact_figures() {
        let mut times = Distribution::new();
        times.record(7);
        times.record(LONGEST * 3);
        assert_eq!((times.max(), times.sum()), (LONGEST * 3, u128::from(LONGEST * 3 + 7)));
        assert_eq!(times.at_index(1), LONGEST * 3);
    }

    #[test]
    fn figures_and_histogram_must_fit() {
        let mut times = Distribution::new();
        for time in [5, 7_000, LONGEST * 3] {
            times.record(time);
        }
        let (exact, encoded) = (times.exact(), times.encoded());
        assert_eq!(Distribution::restore(exact, &encoded), Ok(times));
        assert_eq!(
            Distribution::restore(Exact::default(), &encoded).unwrap_err().0.split(' ').next(),
            Some("it")
        );
        for bad in [
            Exact { min: 6, ..exact },
            Exact { max: LONGEST / 2, ..exact },
            Exact { count: 4, min: 0, ..exact },
            Exact { sum_of_squares: 0, ..exact },
        ] {
            assert!(Distribution::restore(bad, &encoded).is_err(), "{bad:?}");
        }
        let mut coarse = Distribution::coarse();
        coarse.record(7_001);
        let (exact, encoded) = (coarse.exact(), coarse.encoded());
        assert!(Distribution::restore(exact, &encoded).is_err());
        assert_eq!(Distribution::restore_coarse(exact, &encoded), Ok(coarse));
        let none = Distribution::new();
        assert_eq!(Distribution::restore(none.exact(), &none.encoded()), Ok(none));
    }

    proptest! {
        // A look at one index walks the whole histogram, which takes its time in a debug build.
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn order_is_that_of_the_sorted_samples(mut all in prop::collection::vec(0..5_000_000_u64, 1..40)) {
            let mut times = Distribution::new();
            for &each in &all {
                times.record(each);
            }
            all.sort_unstable();
            let mut coarse = Distribution::coarse();
            for &each in &all {
                coarse.record(each);
            }
            for (index, &exact) in all.iter().enumerate() {
                let found = coarse.at_index(index as u64);
                prop_assert!(found.abs_diff(exact) as f64 <= exact as f64 / 100.0, "{found} for {exact}");
                let found = times.at_index(index as u64);
                prop_assert!(found.abs_diff(exact) as f64 <= exact as f64 / 10_000.0, "{found} for {exact}");
            }
            let one_by_one: Vec<_> = (0..all.len() as u64 + 2).map(|index| times.at_index(index)).collect();
            prop_assert_eq!(times.at_indices(0..all.len() as u64 + 2), one_by_one);
        }

        #[test]
        fn merged_parts_equal_the_whole(all in prop::collection::vec(0..100_000_000_u64, 1..20), cut in 0_usize..20) {
            let (mut whole, mut left, mut right) = (Distribution::new(), Distribution::new(), Distribution::new());
            for (index, &each) in all.iter().enumerate() {
                whole.record(each);
                if index < cut { left.record(each) } else { right.record(each) }
            }
            // A part that comes from a file is as good as one that never was in one.
            let right = Distribution::restore(right.exact(), &right.encoded()).unwrap();
            let mut loaded = Distribution::restore(left.exact(), &left.encoded()).unwrap();
            loaded.merge(&right);
            left.merge(&right);
            prop_assert_eq!(&loaded, &left);
            let figures = |d: &Distribution| (d.count(), d.min(), d.max(), d.sum(), d.sum_of_squares());
            prop_assert_eq!(figures(&left), figures(&whole));
            for index in 0..all.len() as u64 {
                prop_assert_eq!(left.at_index(index), whole.at_index(index));
            }
        }
    }
}
