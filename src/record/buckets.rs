//! Durations in buckets of two significant digits, for the many small histograms of a series.
//!
//! The buckets are those of an `HdrHistogram` of two digits: 256 of one microsecond, then 128 for each doubling. What is
//! being filled is an array, so that a duration costs one addition; what is full keeps only the buckets that are not
//! empty, so that hours of it fit into memory.

use hdrhistogram::Histogram;

use super::encoding::{decode, encode};
use super::{Corrupt, Micros};

/// A bucket is within one part in a hundred of its durations.
const SIGNIFICANT_DIGITS: u8 = 2;

/// Longer durations count as this: one hour.
const LONGEST: Micros = 3_600_000_000;

/// Buckets in each doubling: half of the power of two that two digits need.
const HALF: u64 = 128;

/// As many as LONGEST, which has 32 bits, needs.
const BUCKETS: usize = 3328;

/// No bucket of a file has more, so that they can be added up: 35 years of a million requests a second.
const MOST: u64 = 1 << 50;

/// The bucket of a duration.
fn bucket(duration: Micros) -> usize {
    let duration = duration.min(LONGEST);
    let shift = (duration | (2 * HALF - 1)).ilog2() - HALF.ilog2();
    // Always below BUCKETS, since the duration is not above LONGEST.
    usize::try_from(u64::from(shift) * HALF + (duration >> shift)).unwrap_or(BUCKETS - 1)
}

/// The least duration of a bucket.
fn least(bucket: usize) -> Micros {
    let bucket = bucket as u64;
    let shift = (bucket / HALF).saturating_sub(1);
    (bucket - shift * HALF) << shift
}

/// Durations, by bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buckets {
    /// Buckets that are not empty, in ascending order, and their counts.
    counts: Vec<(usize, u64)>,
}

impl Buckets {
    /// How many durations there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: &Self) {
        for &(bucket, count) in &other.counts {
            match self.counts.binary_search_by_key(&bucket, |known| known.0) {
                Ok(at) => self.counts[at].1 += count,
                Err(at) => self.counts.insert(at, (bucket, count)),
            }
        }
    }

    /// A histogram of two significant digits, in the form that every `HdrHistogram` library reads, V2 with DEFLATE. Its
    /// unit is the microsecond.
    ///
    /// # Panics
    ///
    /// Never: hdrhistogram allows the number of digits, which is a constant, and no bucket is above LONGEST.
    #[expect(clippy::expect_used, reason = "see above")]
    pub fn encoded(&self) -> Vec<u8> {
        let mut histogram: Histogram<u64> =
            Histogram::new(SIGNIFICANT_DIGITS).expect("0 to 5 digits are allowed");
        histogram.auto(true);
        for &(bucket, count) in &self.counts {
            histogram.record_n(least(bucket), count).expect("it grows by itself");
        }
        encode(&histogram)
    }

    /// Reads what [`encoded`](Self::encoded) made.
    pub fn restore(encoded: &[u8]) -> Result<Self, Corrupt> {
        let histogram: Histogram<u64> = decode(encoded, SIGNIFICANT_DIGITS, LONGEST)?;
        if histogram.lowest_equivalent(histogram.max()) > LONGEST {
            return Err(Corrupt("it has a duration above an hour"));
        }
        let steps = histogram.iter_recorded();
        let counts: Vec<_> =
            steps.map(|step| (bucket(step.value_iterated_to()), step.count_at_value())).collect();
        if counts.iter().any(|(_, count)| *count > MOST) {
            return Err(Corrupt("it has a count that cannot be"));
        }
        Ok(Self { counts })
    }
}

/// Buckets that are being filled.
#[derive(Debug, Clone)]
pub(super) struct Filling {
    counts: Box<[u32]>,
    /// The least and the greatest bucket in use; none if the first is above the second.
    used: (usize, usize),
}

impl Filling {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; BUCKETS].into_boxed_slice(), used: (BUCKETS, 0) }
    }

    /// Counts one duration.
    pub(super) fn record(&mut self, duration: Micros) {
        let bucket = bucket(duration);
        if let Some(count) = self.counts.get_mut(bucket) {
            *count = count.saturating_add(1);
            self.used = (self.used.0.min(bucket), self.used.1.max(bucket));
        }
    }

    /// Moves all counts to these buckets.
    pub(super) fn pour(&mut self, into: &mut Buckets) {
        let (low, high) = self.used;
        if low > high {
            return;
        }
        let full = (low..).zip(&mut self.counts[low..=high]).filter(|(_, count)| **count > 0);
        let counts = full.map(|(bucket, count)| (bucket, u64::from(std::mem::take(count)))).collect();
        self.used = (BUCKETS, 0);
        let poured = Buckets { counts };
        if into.counts.is_empty() { *into = poured } else { into.merge(&poured) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn buckets(durations: &[Micros]) -> Buckets {
        let (mut filling, mut buckets) = (Filling::new(), Buckets::default());
        for &duration in durations {
            filling.record(duration);
        }
        filling.pour(&mut buckets);
        buckets
    }

    #[test]
    fn buckets_cover_all_durations_in_order() {
        assert_eq!([0, 1, 255, 256, 257, 258].map(bucket), [0, 1, 255, 256, 256, 257]);
        assert_eq!([LONGEST, LONGEST + 1, u64::MAX].map(bucket), [bucket(LONGEST); 3]);
        assert!(bucket(LONGEST) < BUCKETS);
        assert!((0..BUCKETS).all(|number| bucket(least(number)) == number || least(number) > LONGEST));
    }

    #[test]
    fn what_was_poured_is_gone() {
        let (mut filling, mut first, mut second) = (Filling::new(), Buckets::default(), Buckets::default());
        filling.record(7);
        filling.pour(&mut first);
        filling.record(9);
        filling.pour(&mut second);
        filling.pour(&mut second);
        assert_eq!((first.counts, second.counts), (vec![(7, 1)], vec![(9, 1)]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn they_are_those_of_an_hdr_histogram(all in prop::collection::vec(0..LONGEST * 2, 0..40), cut in 0..40_usize) {
            let whole = buckets(&all);
            prop_assert_eq!(whole.count(), all.len() as u64);
            let mut histogram: Histogram<u64> = Histogram::new(SIGNIFICANT_DIGITS).unwrap();
            histogram.auto(true);
            for &time in &all {
                histogram.record(time.min(LONGEST)).unwrap();
            }
            let decoded: Histogram<u64> = decode(&whole.encoded(), SIGNIFICANT_DIGITS, LONGEST).unwrap();
            prop_assert_eq!(decoded, histogram);
            let (left, right) = all.split_at(cut.min(all.len()));
            let mut parts = Buckets::restore(&buckets(left).encoded()).unwrap();
            parts.merge(&Buckets::restore(&buckets(right).encoded()).unwrap());
            prop_assert_eq!(parts, whole);
        }
    }
}
