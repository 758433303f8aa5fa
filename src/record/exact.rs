//! The figures of a distribution that its histogram does not keep.

use super::{Corrupt, Micros};

/// The exact figures of many durations, in microseconds. Of none, all are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exact {
    /// How many durations there are.
    pub count: u64,
    /// The least.
    pub min: Micros,
    /// The greatest.
    pub max: Micros,
    /// Their sum.
    pub sum: u128,
    /// The sum of their squares.
    pub sum_of_squares: u128,
}

impl Exact {
    /// Looks whether these can be the figures of any durations at all, and are far enough from the end of their types
    /// for mean and deviation to be computed from them.
    pub(super) fn check(&self) -> Result<(), Corrupt> {
        let Self { count, min, max, sum, sum_of_squares } = *self;
        if count == 0 {
            return if *self == Self::default() { Ok(()) } else { Err(Corrupt("nothing has figures")) };
        }
        let (count, min, max) = (u128::from(count), u128::from(min), u128::from(max));
        let (least, greatest) = (min * count, max * count);
        if min > max || !(least..=greatest).contains(&sum) {
            return Err(Corrupt("its sum is not between the least and the greatest"));
        }
        // The deviation takes twice the mean times the sum, which is below twice the greatest square times the count.
        let room = greatest.checked_mul(max).and_then(|most| most.checked_mul(4));
        let mean = sum / count;
        let bound = 2 * mean.saturating_mul(sum);
        if room.is_none() || sum_of_squares > greatest * max || sum_of_squares + count * mean * mean < bound {
            return Err(Corrupt("its sum of squares does not fit its sum"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figures_of_no_durations_at_all_are_refused() {
        let good = Exact { count: 3, min: 1, max: 4, sum: 7, sum_of_squares: 21 };
        assert_eq!((good.check(), Exact::default().check()), (Ok(()), Ok(())));
        for bad in [
            Exact { count: 0, ..good },
            Exact { min: 5, ..good },
            Exact { sum: 2, ..good },
            Exact { sum: 13, ..good },
            Exact { sum_of_squares: 15, ..good },
            Exact { sum_of_squares: 49, ..good },
            Exact { count: u64::MAX, min: 0, max: u64::MAX, sum: 1, sum_of_squares: 1 },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn figures_of_real_durations_are_taken(all in prop::collection::vec(0..u64::from(u32::MAX) * 1000, 1..50)) {
            let sum = |each: fn(u128) -> u128| all.iter().map(|&time| each(u128::from(time))).sum();
            let exact = Exact {
                count: all.len() as u64,
                min: *all.iter().min().unwrap(),
                max: *all.iter().max().unwrap(),
                sum: sum(|time| time),
                sum_of_squares: sum(|time| time * time),
            };
            prop_assert_eq!(exact.check(), Ok(()));
        }
    }
}
