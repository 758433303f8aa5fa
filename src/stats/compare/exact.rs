//! Figures beside the interval that assume less about the noise: an exact permutation test, and the shift of Hodges and
//! Lehmann. They decide nothing; they let a reader see whether a verdict hangs on one odd run.

use super::Pairing;
use super::estimate::ratio;

/// With more runs a side there are too many orders to try, and the t distribution is as good.
const MOST_RUNS: usize = 10;

/// With more differences than this the median of all is not worth its memory.
const MOST_DIFFERENCES: usize = 1_000_000;

/// The exact permutation test of the difference of mean logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Permutation {
    /// The share of all ways to label the runs in which the sides are at least as far apart.
    pub p: f64,
    /// The least p that so many runs can have: with 3 runs a side 0.1, so that none is below 0.05.
    pub least: f64,
}

/// Tries all ways to swap the sides of each pair, or to deal the runs to the two sides. In come logarithms. `None` for
/// more than ten runs a side, or none.
pub(super) fn permutation(before: &[f64], after: &[f64], pairing: Pairing) -> Option<Permutation> {
    let most = before.len().max(after.len());
    if most > MOST_RUNS || before.is_empty() || after.is_empty() {
        return None;
    }
    // The sum that is dealt anew, and which of its values are as far from the middle as the observed one. Rounding must
    // not tell an order from its mirror image.
    let (mut tally, least) = match pairing {
        Pairing::Interleaved => {
            let differences: Vec<f64> = before.iter().zip(after).map(|(one, other)| other - one).collect();
            let seen = differences.iter().sum();
            let mut tally = Tally::new(seen, 0.0, &differences);
            swap(&differences, 0.0, &mut tally);
            (tally, 2.0)
        }
        Pairing::Apart => {
            let all: Vec<f64> = before.iter().chain(after).copied().collect();
            let middle = all.iter().sum::<f64>() * before.len() as f64 / all.len() as f64;
            let mut tally = Tally::new(before.iter().sum(), middle, &all);
            deal(&all, before.len(), 0.0, &mut tally);
            // Only sides of the same size can change places.
            (tally, if before.len() == after.len() { 2.0 } else { 1.0 })
        }
    };
    tally.all = tally.all.max(1);
    let all = f64::from(tally.all);
    Some(Permutation { p: f64::from(tally.far) / all, least: least / all })
}

/// How many sums are as far from the middle as the one that was seen.
struct Tally {
    middle: f64,
    seen: f64,
    far: u32,
    all: u32,
}

impl Tally {
    fn new(seen: f64, middle: f64, values: &[f64]) -> Self {
        let size: f64 = values.iter().map(|value| value.abs()).sum();
        Self { middle, seen: (seen - middle).abs() - size * 1e-12, far: 0, all: 0 }
    }

    fn count(&mut self, sum: f64) {
        self.all += 1;
        self.far += u32::from((sum - self.middle).abs() >= self.seen);
    }
}

/// Counts the sums of all choices of signs.
fn swap(differences: &[f64], sum: f64, tally: &mut Tally) {
    match differences {
        [] => tally.count(sum),
        [first, rest @ ..] => {
            swap(rest, sum + first, tally);
            swap(rest, sum - first, tally);
        }
    }
}

/// Counts the sums of all choices of so many values.
fn deal(values: &[f64], choose: usize, sum: f64, tally: &mut Tally) {
    match values {
        _ if choose == 0 => tally.count(sum),
        [first, rest @ ..] => {
            deal(rest, choose - 1, sum + first, tally);
            if rest.len() >= choose {
                deal(rest, choose, sum, tally);
            }
        }
        [] => {}
    }
}

/// The shift of Hodges and Lehmann as a ratio: of pairs the median of the means of each two differences (each with
/// itself too), else the median of all differences between the sides. In come logarithms. `None` for none, and for too
/// many.
pub(super) fn hodges_lehmann(before: &[f64], after: &[f64], pairing: Pairing) -> Option<f64> {
    let count = match pairing {
        Pairing::Interleaved => after.len().saturating_mul(after.len() + 1) / 2,
        Pairing::Apart => before.len().saturating_mul(after.len()),
    };
    if count > MOST_DIFFERENCES {
        return None;
    }
    let mut all: Vec<f64> = match pairing {
        Pairing::Interleaved => {
            let differences: Vec<f64> = before.iter().zip(after).map(|(one, other)| other - one).collect();
            let rest = |at: usize| differences[at..].iter();
            differences
                .iter()
                .enumerate()
                .flat_map(|(at, one)| rest(at).map(|two| f64::midpoint(*one, *two)))
                .collect()
        }
        Pairing::Apart => before.iter().flat_map(|one| after.iter().map(move |other| other - one)).collect(),
    };
    all.sort_unstable_by(f64::total_cmp);
    let last = all.len().checked_sub(1)?;
    Some(ratio(f64::midpoint(all[last / 2], all[last.div_ceil(2)])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: [f64; 5] = [6.92, 6.861_8, 7.006_6, 6.773_3, 6.897_7];
    const AFTER: [f64; 5] = [6.961_5, 6.989_7, 7.012_8, 6.802_6, 6.891_2];

    #[test]
    fn the_permutation_test_is_that_of_scipy() {
        // scipy 1.17: stats.permutation_test((after, before), lambda a, b: abs(a.mean() - b.mean()), n_resamples=inf,
        // alternative="greater", permutation_type="samples" for pairs, else "independent").pvalue
        let of = |before, after, pairing| {
            let found = permutation(before, after, pairing).unwrap();
            [found.p, found.least]
        };
        let near = |found: [f64; 2], expected: [f64; 2]| {
            assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-10), "{found:?} {expected:?}");
        };
        near(of(&BEFORE, &AFTER, Pairing::Interleaved), [0.1875, 2.0 / 32.0]);
        near(of(&BEFORE, &AFTER, Pairing::Apart), [0.468_253_968_254, 2.0 / 252.0]);
        near(of(&BEFORE, &AFTER[..3], Pairing::Apart), [0.125, 1.0 / 56.0]);
        near(of(&[1.0; 3], &[2.0; 3], Pairing::Apart), [0.1, 0.1]);
        near(of(&[1.0; 3], &[1.0; 3], Pairing::Interleaved), [1.0, 0.25]);
    }

    #[test]
    fn more_runs_than_can_be_tried_have_no_exact_p() {
        assert_eq!(permutation(&[0.0; 11], &[0.0; 3], Pairing::Apart), None);
        assert_eq!(permutation(&[], &[], Pairing::Interleaved), None);
        assert!(permutation(&[0.0; 10], &[0.0; 10], Pairing::Apart).unwrap().p >= 1.0);
    }

    #[test]
    fn the_shift_is_a_median_of_differences() {
        // numpy 2.4: exp(median(subtract.outer(after, before))); of pairs exp(median of the Walsh averages)
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?}");
        };
        near(hodges_lehmann(&BEFORE, &AFTER, Pairing::Apart), 1.042_373_161_85);
        near(hodges_lehmann(&BEFORE, &AFTER[..4], Pairing::Apart), 1.069_028_187_72);
        near(hodges_lehmann(&BEFORE, &AFTER, Pairing::Interleaved), 1.029_733_468_18);
        // One odd run does not move it far.
        near(hodges_lehmann(&[0.0, 0.0, 0.0, 0.0], &[0.1, 0.1, 0.1, 9.0], Pairing::Apart), 0.1_f64.exp());
        assert_eq!(hodges_lehmann(&[], &[], Pairing::Apart), None);
    }
}
