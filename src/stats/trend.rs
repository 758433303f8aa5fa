//! Whether the values of a series rise or fall with time: the test of Mann and Kendall.
//!
//! It asks of each two runs whether the later one is the greater. A machine that warms up, throttles or fills its disk
//! shows itself that way, and then a comparison with a series from another hour compares the hours.

use super::student::two_sided_normal_p;

/// Up to so many values without ties the probability is exact; beyond, the normal approximation is as good.
const MOST_EXACT: usize = 50;

/// Fewer values cannot show a trend at 5 %.
const LEAST: usize = 5;

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Kendall's S: pairs that rise less pairs that fall.
    pub score: i64,
    /// The probability of a score at least as far from 0 without a trend.
    pub p: f64,
}

impl Trend {
    /// Whether the values rise.
    pub fn rises(&self) -> bool {
        self.score > 0
    }
}

/// Tests values in the order of time. `None` for fewer than five, which cannot show a trend at 5 %.
pub fn mann_kendall(values: &[f64]) -> Option<Trend> {
    let count = values.len();
    if count < LEAST {
        return None;
    }
    let sign = |one: f64, two: f64| i64::from(two > one) - i64::from(two < one);
    let pairs =
        values.iter().enumerate().flat_map(|(at, &one)| values[at + 1..].iter().map(move |&two| (one, two)));
    let score = pairs.map(|(one, two)| sign(one, two)).sum();
    let ties = ties(values);
    let p = if ties.is_empty() && count <= MOST_EXACT {
        exact_p(count, score)
    } else {
        normal_p(count, score, &ties)
    };
    Some(Trend { score, p })
}

/// The sizes of the groups of equal values.
fn ties(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    #[expect(clippy::float_cmp, reason = "equal values are what is looked for")]
    let groups = sorted.chunk_by(|one, two| one == two);
    groups.map(|group| group.len() as f64).filter(|size| *size > 1.0).collect()
}

/// How likely a score at least as far from 0 is if all orders are equally likely. The score follows from the number of
/// inversions, whose distribution grows by one value at a time.
fn exact_p(count: usize, score: i64) -> f64 {
    let mut likely = vec![1.0];
    for size in 2..=count {
        // The new value makes 0 to size - 1 inversions, each as likely as the others.
        let mut next = vec![0.0; likely.len() + size - 1];
        for (inversions, probability) in likely.iter().enumerate() {
            for more in 0..size {
                next[inversions + more] += probability / size as f64;
            }
        }
        likely = next;
    }
    let most = likely.len() as u64 - 1;
    let far = |inversions: u64| most.abs_diff(2 * inversions) >= score.unsigned_abs();
    let tails =
        (0..).zip(&likely).filter(|(inversions, _)| far(*inversions)).map(|(_, probability)| probability);
    tails.sum::<f64>().min(1.0)
}

/// The normal approximation, with Kendall's correction of the variance for ties, and for the score's steps.
fn normal_p(count: usize, score: i64, ties: &[f64]) -> f64 {
    let term = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let variance = (term(count as f64) - ties.iter().copied().map(term).sum::<f64>()) / 18.0;
    if score == 0 || variance <= 0.0 {
        return 1.0;
    }
    two_sided_normal_p((score.unsigned_abs() as f64 - 1.0) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<Trend>, score: i64, p: f64) {
        let found = found.unwrap();
        assert!(found.score == score && (found.p - p).abs() < 1e-9, "{found:?} for {score}, {p}");
    }

    #[test]
    fn without_ties_the_probability_is_that_of_scipy() {
        // scipy 1.17: stats.kendalltau(range(n), values, method="exact")
        near(mann_kendall(&[1.0, 2.0, 3.0, 4.0, 5.0]), 10, 0.016_666_666_666_7);
        near(mann_kendall(&[5.0, 4.0, 3.0, 1.0, 2.0]), -8, 0.083_333_333_333_3);
        near(mann_kendall(&[10.2, 10.9, 10.1, 11.3, 11.0, 11.8, 11.5, 12.1]), 20, 0.014_136_904_761_9);
    }

    #[test]
    fn with_ties_the_probability_is_that_of_pymannkendall() {
        // pymannkendall 1.4.3: original_test(values)
        near(mann_kendall(&[1.0, 2.0, 2.0, 3.0, 5.0, 4.0, 5.0, 6.0]), 24, 0.003_851_291_378_59);
        near(mann_kendall(&[3.0, 3.0, 3.0, 3.0, 3.0]), 0, 1.0);
        let long: Vec<f64> = (0..60).map(|n| f64::from(n * 37 % 61)).collect();
        near(mann_kendall(&long), 168, 0.286_824_352_33);
    }

    #[test]
    fn few_values_show_no_trend() {
        assert_eq!(mann_kendall(&[1.0, 2.0, 3.0, 4.0]), None);
    }

    #[test]
    fn turning_the_values_round_turns_the_trend() {
        let values = [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0];
        let backwards: Vec<f64> = values.iter().rev().copied().collect();
        let (one, other) = (mann_kendall(&values).unwrap(), mann_kendall(&backwards).unwrap());
        assert_eq!((one.score, one.p), (-other.score, other.p));
        assert!(one.rises() && !other.rises());
    }
}
