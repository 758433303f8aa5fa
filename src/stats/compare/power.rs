//! How many runs a question needs, and how small a change so many runs can show.
//!
//! Both turn the same inequality over. A change of size d (a logarithm) is told from none with a power of 80 % if
//! (t of the confidence + t of the power) * standard error is at most d. The usual approximation of the noncentral t
//! distribution by a shifted central one is at most one run off from 3 runs on.

use super::super::student::{t_quantile, z_quantile};
use super::estimate::ratio;
use super::{CONFIDENCE, LEAST_RUNS};

/// The share of cases in which a change that is there should be told.
const POWER: f64 = 0.8;

/// Who needs more runs than this needs a quieter machine.
const MOST_RUNS: u32 = 1000;

/// How many runs a side, or pairs, would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunsNeeded {
    /// About so many.
    About(u32),
    /// More than so many.
    MoreThan(u32),
}

/// What is asked of the runs.
pub(super) struct Question {
    /// What the noise of one run adds, see [`Estimate`](super::estimate::Estimate).
    pub(super) variances: [f64; 2],
    /// The change to be seen, or to be excluded; a logarithm above 0.
    pub(super) margin: f64,
    /// The change that was seen; a logarithm.
    pub(super) shift: f64,
    /// Among so many metrics the confidence is divided.
    pub(super) tests: usize,
    /// Runs a side, or pairs, that could not tell.
    pub(super) runs: usize,
}

impl Question {
    /// With how many runs a change of the size of the margin would be seen, and none be called the same, in 80 % of
    /// all cases. Where these runs should have been enough, the change is close to the margin, and the answer is how
    /// many tell on which side of it it lies.
    pub(super) fn runs_needed(&self) -> RunsNeeded {
        let error = 1.0 - CONFIDENCE;
        let seen = self.least(self.margin, error / (2 * self.tests.max(1)) as f64, 1.0 - POWER);
        // No change may be missed on either side, so that each has half of what may go wrong.
        let same = self.least(self.margin, error, (1.0 - POWER) / 2.0);
        let needed = seen.max(same);
        let had = u32::try_from(self.runs).unwrap_or(u32::MAX);
        if needed > RunsNeeded::About(had) {
            return needed;
        }
        self.least(self.margin - self.shift.abs(), error, 1.0 - POWER)
    }

    /// The least number of runs with which a change of this size stands out, if a false alarm on one side and a miss
    /// may have these probabilities.
    fn least(&self, size: f64, alarm: f64, miss: f64) -> RunsNeeded {
        let sum: f64 = self.variances.iter().sum();
        let squares = (z_quantile(1.0 - alarm) + z_quantile(1.0 - miss)).powi(2);
        // With the normal distribution in the place of t: never too many.
        let start = sum * squares / (size * size);
        if size <= 0.0 || start > f64::from(MOST_RUNS) {
            return RunsNeeded::MoreThan(MOST_RUNS);
        }
        let enough = |runs: u32| {
            let (error, freedom) = noise(self.variances, f64::from(runs));
            (t_quantile(1.0 - alarm, freedom) + t_quantile(1.0 - miss, freedom)) * error <= size
        };
        let least = u32::try_from(LEAST_RUNS).unwrap_or(u32::MAX);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within MOST_RUNS")]
        let start = (start as u32).max(least);
        (start..=MOST_RUNS)
            .find(|runs| enough(*runs))
            .map_or(RunsNeeded::MoreThan(MOST_RUNS), RunsNeeded::About)
    }
}

/// The standard error of so many runs a side, and its degrees of freedom.
fn noise(variances: [f64; 2], runs: f64) -> (f64, f64) {
    let [one, other] = variances;
    let sum = one + other;
    let shares = if sum > 0.0 { (one / sum).powi(2) + (other / sum).powi(2) } else { 0.5 };
    ((sum / runs).sqrt(), (runs - 1.0) / shares)
}

/// The smallest ratio above 1 that so many pairs of runs tell from 1, with 95 % confidence and in 80 % of all cases, if
/// the log ratio of a pair has this variance. `None` for fewer than three pairs.
pub(in super::super) fn detectable(variance: f64, pairs: usize) -> Option<f64> {
    if pairs < LEAST_RUNS {
        return None;
    }
    let (error, freedom) = noise([variance, 0.0], pairs as f64);
    let quantiles = t_quantile(f64::midpoint(1.0, CONFIDENCE), freedom) + t_quantile(POWER, freedom);
    Some(if error > 0.0 { ratio(quantiles * error) } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(deviation: f64, tests: usize) -> RunsNeeded {
        let variances = [deviation * deviation, 0.0];
        Question { variances, margin: 1.05_f64.ln(), shift: 0.0, tests, runs: 3 }.runs_needed()
    }

    fn apart(deviation: f64, tests: usize) -> RunsNeeded {
        let variances = [deviation * deviation; 2];
        Question { variances, margin: 1.05_f64.ln(), shift: 0.0, tests, runs: 3 }.runs_needed()
    }

    #[test]
    fn numbers_are_those_of_the_noncentral_t_distribution() {
        // scipy 1.17: the least n for which stats.nct gives 80 % power at ln 1.05, two-sided at 5 % / 2. That "same" has
        // 80 % where nothing changed needs fewer: 11, 38, 146 and 19, 73, 289, by integration over the chi distribution.
        for (deviation, exact) in [(0.05, 13), (0.1, 43), (0.2, 163)] {
            assert_eq!((pairs(deviation, 2), deviation), (RunsNeeded::About(exact), deviation));
        }
        for (deviation, exact) in [(0.05, 22), (0.1, 82), (0.2, 321)] {
            assert_eq!((apart(deviation, 2), deviation), (RunsNeeded::About(exact), deviation));
        }
    }

    #[test]
    fn one_test_needs_what_same_needs() {
        // As above: 11, 35, 134 would do to see a change, 11, 38, 146 to see none.
        for (deviation, exact) in [(0.05, 11), (0.1, 38), (0.2, 146)] {
            assert_eq!((pairs(deviation, 1), deviation), (RunsNeeded::About(exact), deviation));
        }
    }

    #[test]
    fn the_number_is_bounded_on_both_sides() {
        assert_eq!(pairs(0.0, 4), RunsNeeded::About(3));
        assert_eq!(pairs(1.0, 1), RunsNeeded::MoreThan(1000));
        assert_eq!(pairs(f64::MAX, 1), RunsNeeded::MoreThan(1000));
        let none = Question { variances: [0.0, 0.0], margin: 0.0, shift: 0.0, tests: 1, runs: 3 };
        assert_eq!(none.runs_needed(), RunsNeeded::MoreThan(1000));
        assert!(RunsNeeded::About(1000) < RunsNeeded::MoreThan(1000));
    }

    #[test]
    fn a_change_close_to_the_margin_needs_as_many_as_tell_on_which_side_it_is() {
        let question = |shift| Question { variances: [0.0004, 0.0], margin: 0.05, shift, tests: 1, runs: 10 };
        let [near, nearer] = [0.04, 0.045].map(|shift| question(shift).runs_needed());
        assert!(RunsNeeded::About(10) < near && near < nearer, "{near:?} {nearer:?}");
        assert_eq!(question(0.05).runs_needed(), RunsNeeded::MoreThan(1000));
    }

    #[test]
    fn the_smallest_change_shrinks_with_the_pairs() {
        // exp((t(0.975, 9) + t(0.8, 9)) * 0.1 / sqrt(10))
        assert!((detectable(0.01, 10).unwrap() - 1.104_587).abs() < 1e-6);
        let all = [3, 5, 10, 20, 100].map(|pairs| detectable(0.01, pairs).unwrap());
        assert!(all.windows(2).all(|two| two[0] > two[1]), "{all:?}");
        assert_eq!((detectable(0.01, 2), detectable(0.0, 3)), (None, Some(1.0)));
        assert!(detectable(f64::MAX, 3).unwrap().is_finite());
    }
}
