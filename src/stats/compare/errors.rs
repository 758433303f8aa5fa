//! Whether more requests went wrong.
//!
//! In come the counts of each run, out goes the difference of the shares of all runs together, with Newcombe's interval
//! (his method 10, from Wilson's score intervals). That interval takes each request for an independent case. Failures
//! come in bursts, so with three runs a side or more it is made as wide as the spread of the runs' own shares asks for,
//! if that is wider, and then any difference whose interval excludes 0 counts.
//!
//! With fewer runs a burst cannot be told from a change. So only what nobody would call a burst counts, one request in
//! twenty; any other difference beyond chance is a finding, see [`ErrorComparison::beyond_chance`].
//!
//! The confidence is 99 %, not 95 %: failures and server errors are asked beside the metrics, and so all false alarms
//! together stay below 5 + 1 + 1 %.

use super::super::RunFigures;
use super::super::student::{t_quantile, z_quantile};
use super::estimate::{variance, welch};
use super::{LEAST_RUNS, NOTABLE_SHARE, Pairing, Verdict};

/// The confidence of the interval.
pub const ERROR_CONFIDENCE: f64 = 0.99;

/// With fewer than three runs a side, a difference of shares must be greater than this to be a change.
const UNREPEATED_SHARE: f64 = 0.05;

/// What can go wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// It failed, in one of the classes of the report.
    Failed,
    /// It was answered with a status of 500 or above, which does not make it a failed one.
    ServerError,
}

impl ErrorKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Failed, Self::ServerError];

    /// As options and JSON call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::ServerError => "server-errors",
        }
    }

    fn count(self, run: &RunFigures) -> u64 {
        match self {
            Self::Failed => run.failed,
            Self::ServerError => run.server_errors,
        }
    }
}

/// How often something went wrong on the two sides. Shares are of the complete requests, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorComparison {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Its share before, all runs together.
    pub before: f64,
    /// Its share after.
    pub after: f64,
    /// After less before.
    pub difference: f64,
    /// The least difference that is compatible with the counts, at [`ERROR_CONFIDENCE`].
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// If requests were independent, such a difference would be no accident. So the counts moved, whatever the spread
    /// between runs says of it.
    pub beyond_chance: bool,
    /// Worse for more, better for fewer; the same if there is none on either side, or the interval is within half a
    /// point of 0.
    pub verdict: Verdict,
}

impl ErrorComparison {
    /// `None` if nothing is complete on a side.
    pub(super) fn new(
        kind: ErrorKind,
        before: &[RunFigures],
        after: &[RunFigures],
        pairing: Pairing,
    ) -> Option<Self> {
        let [one, other] = [Pool::new(kind, before)?, Pool::new(kind, after)?];
        let difference = other.share - one.share;
        let repeated = before.len().min(after.len()) >= LEAST_RUNS;
        let spread = between_runs(&one.shares, &other.shares, pairing);
        let (one_low, one_high) = one.wilson();
        let (other_low, other_high) = other.wilson();
        // hypot, as each end is off by both sides.
        let below = (one_high - one.share).hypot(other.share - other_low);
        let above = (one.share - one_low).hypot(other_high - other.share);
        let beyond_chance = difference > below || -difference > above;
        let low = (difference - below.max(spread)).max(-1.0);
        let high = (difference + above.max(spread)).min(1.0);
        let notable = repeated || difference.abs() > UNREPEATED_SHARE;
        let verdict = if low > 0.0 && notable {
            Verdict::Worse
        } else if high < 0.0 && notable {
            Verdict::Better
        } else if one.share + other.share == 0.0 || (low > -NOTABLE_SHARE && high < NOTABLE_SHARE) {
            Verdict::Same
        } else {
            Verdict::CannotTell
        };
        Some(Self {
            kind,
            before: one.share,
            after: other.share,
            difference,
            low,
            high,
            beyond_chance,
            verdict,
        })
    }
}

/// The runs of one side together.
struct Pool {
    /// Complete requests.
    complete: f64,
    /// The share of those that went wrong.
    share: f64,
    /// The same run by run.
    shares: Vec<Option<f64>>,
}

impl Pool {
    fn new(kind: ErrorKind, runs: &[RunFigures]) -> Option<Self> {
        let share = pooled_share(runs, |run| kind.count(run))?;
        let complete = runs.iter().map(|run| run.complete as f64).sum();
        let shares = runs.iter().map(|run| run.share(kind.count(run))).collect();
        Some(Self { complete, share, shares })
    }

    /// Wilson's score interval of the share.
    fn wilson(&self) -> (f64, f64) {
        let z = z_quantile(f64::midpoint(1.0, ERROR_CONFIDENCE));
        let (n, p, square) = (self.complete, self.share, z * z);
        let middle = p + square / (2.0 * n);
        let half = z * (p * (1.0 - p) / n + square / (4.0 * n * n)).sqrt();
        let size = 1.0 + square / n;
        // At the ends the interval begins or ends with the share itself, but for rounding.
        (((middle - half) / size).clamp(0.0, p), ((middle + half) / size).clamp(p, 1.0))
    }
}

/// Half of the interval that the runs' own shares give; 0 for fewer than three runs, whose spread says nothing.
fn between_runs(before: &[Option<f64>], after: &[Option<f64>], pairing: Pairing) -> f64 {
    let (error, freedom) = match pairing {
        Pairing::Interleaved => {
            let pairs = before.iter().zip(after);
            let differences: Vec<f64> = pairs.filter_map(|(one, other)| Some((*other)? - (*one)?)).collect();
            let count = differences.len() as f64;
            if differences.len() < LEAST_RUNS {
                return 0.0;
            }
            ((variance(&differences) / count).sqrt(), count - 1.0)
        }
        Pairing::Apart => {
            let [one, other] = [before, after].map(|side| side.iter().flatten().copied().collect::<Vec<_>>());
            if one.len().min(other.len()) < LEAST_RUNS {
                return 0.0;
            }
            let (_, error, freedom) = welch(&one, &other);
            (error, freedom)
        }
    };
    if error > 0.0 { t_quantile(f64::midpoint(1.0, ERROR_CONFIDENCE), freedom) * error } else { 0.0 }
}

/// What share of the complete requests of all runs together a count makes up; `None` if nothing is complete.
pub(super) fn pooled_share(runs: &[RunFigures], count: impl Fn(&RunFigures) -> u64) -> Option<f64> {
    let complete: f64 = runs.iter().map(|run| run.complete as f64).sum();
    let counted: f64 = runs.iter().map(|run| count(run).min(run.complete) as f64).sum();
    (complete > 0.0).then(|| counted / complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs(counts: &[(u64, u64)]) -> Vec<RunFigures> {
        let run = |&(failed, complete)| RunFigures { complete, failed, ..RunFigures::default() };
        counts.iter().map(run).collect()
    }

    fn compared(before: &[(u64, u64)], after: &[(u64, u64)]) -> ErrorComparison {
        ErrorComparison::new(ErrorKind::Failed, &runs(before), &runs(after), Pairing::Apart).unwrap()
    }

    #[test]
    fn one_run_a_side_has_newcombe_s_interval() {
        // statsmodels 0.15: confint_proportions_2indep(after, complete, before, complete, method="newcomb", alpha=0.01)
        for ((before, after), (low, high)) in [
            (((0, 10_000), (500, 10_000)), (0.044_637_270_186_6, 0.055_918_326_865_3)),
            (((30, 1000), (12, 800)), (-0.033_940_516_128, 0.004_234_568_476_75)),
            (((56, 70), (48, 80)), (-0.371_808_431_776, -0.005_370_869_250_08)),
        ] {
            let found = compared(&[before], &[after]);
            assert!(
                (found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9,
                "{found:?} {low} {high}"
            );
        }
    }

    #[test]
    fn more_errors_are_worse_and_less_are_better() {
        let none = [(0, 10_000); 5];
        let few = [(30, 10_000), (25, 10_000), (41, 10_000), (33, 10_000), (28, 10_000)];
        assert_eq!(compared(&none, &few).verdict, Verdict::Worse);
        assert_eq!(compared(&few, &none).verdict, Verdict::Better);
        assert_eq!(compared(&none, &none).verdict, Verdict::Same);
        assert_eq!(compared(&few, &few).verdict, Verdict::Same);
        assert_eq!(compared(&[(1, 100); 3], &[(2, 100); 3]).verdict, Verdict::CannotTell);
    }

    #[test]
    fn a_burst_in_one_run_is_no_change() {
        let burst = compared(&[(0, 10_000); 4], &[(0, 10_000), (0, 10_000), (500, 10_000), (0, 10_000)]);
        assert!(burst.low < 0.0 && burst.verdict == Verdict::CannotTell, "{burst:?}");
    }

    #[test]
    fn without_repeats_it_takes_one_in_twenty() {
        let burst = compared(&[(0, 10_000)], &[(400, 10_000)]);
        assert!(burst.beyond_chance && burst.verdict == Verdict::CannotTell, "{burst:?}");
        assert!(!compared(&[(0, 10_000)], &[(3, 10_000)]).beyond_chance);
        assert_eq!(compared(&[(0, 10_000)], &[(600, 10_000)]).verdict, Verdict::Worse);
        assert_eq!(compared(&[(10_000, 10_000)], &[(0, 10_000)]).verdict, Verdict::Better);
    }

    #[test]
    fn pairs_that_fail_together_are_compared_pair_by_pair() {
        let before = runs(&[(10, 1000), (200, 1000), (90, 1000), (400, 1000), (50, 1000)]);
        let after = runs(&[(40, 1000), (231, 1000), (119, 1000), (432, 1000), (80, 1000)]);
        let of = |pairing| ErrorComparison::new(ErrorKind::Failed, &before, &after, pairing).unwrap().verdict;
        assert_eq!((of(Pairing::Interleaved), of(Pairing::Apart)), (Verdict::Worse, Verdict::CannotTell));
    }

    #[test]
    fn a_side_without_requests_has_no_share() {
        let none =
            ErrorComparison::new(ErrorKind::Failed, &runs(&[(0, 0)]), &runs(&[(1, 9)]), Pairing::Apart);
        assert_eq!(none, None);
        assert_eq!(pooled_share(&[], |run| run.failed), None);
    }

    fn side() -> impl Strategy<Value = Vec<(u64, u64)>> {
        prop::collection::vec(
            (prop_oneof![Just(0), any::<u64>(), 0..50_u64], prop_oneof![1..100_u64, 1..u64::MAX]),
            1..6,
        )
    }

    proptest! {
        #[test]
        fn swapped_sides_mirror_the_answer_and_all_are_numbers(before in side(), after in side()) {
            let (one, other) = (compared(&before, &after), compared(&after, &before));
            for figure in [one.before, one.after, one.difference, one.low, one.high] {
                prop_assert!((-1.0..=1.0).contains(&figure), "{:?}", one);
            }
            prop_assert!(one.low <= one.difference && one.difference <= one.high);
            prop_assert!((one.low + other.high).abs() < 1e-9 && (one.high + other.low).abs() < 1e-9);
            prop_assert_eq!(one.verdict.mirrored(), other.verdict);
        }
    }
}
