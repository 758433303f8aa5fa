//! Where more load stops to give more throughput, and only makes everybody wait.
//!
//! In come the steps of a sweep, one row a load, out goes the step at which the knee shows. The rule is a plain one that
//! can be checked by eye in the table: throughput gains less than 5 %, while the 95th percentile grows by more than 25 %.

use crate::record::Micros;

/// The least gain of throughput that makes a step worth it.
const LEAST_GAIN: f64 = 0.05;

/// The greatest growth of the 95th percentile that a step may have without a gain.
const MOST_GROWTH: f64 = 0.25;

/// One step of a sweep. Of repeated runs, give the median ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Connections at a time, or requests a second asked for.
    pub load: f64,
    /// Complete requests a second.
    pub rps: Option<f64>,
    /// The 95th percentile of the requests' times.
    pub p95: Option<Micros>,
}

/// The step at which more load stopped to help. Rows are counted from 0, in the order given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    /// The last row that was worth its load.
    pub before: usize,
    /// The row at which it shows.
    pub at: usize,
    /// How much more throughput it has than the row before, as a share; below 0 for less.
    pub gain: f64,
    /// How much longer its 95th percentile is, as a share.
    pub growth: f64,
}

/// The first step, by ascending load, that gains under 5 % of throughput while its 95th percentile is over 25 % longer
/// than one step before. So that fine steps do not hide a knee by taking a little each, it also counts if that is so
/// against the last step that had gained 5 %.
///
/// Steps without figures are passed over. `None` if there is no knee, or fewer than two steps.
pub fn knee(steps: &[Step]) -> Option<Knee> {
    let mut rows: Vec<(usize, f64, f64)> = steps
        .iter()
        .enumerate()
        .filter_map(|(row, step)| {
            let rps = step.rps.filter(|rps| rps.is_finite() && *rps >= 0.0)?;
            // A time of 0 is one below the clock's tick.
            Some((row, rps, (step.p95? as f64).max(1.0)))
        })
        .collect();
    rows.sort_by(|one, other| steps[one.0].load.total_cmp(&steps[other.0].load));
    let mut worth = *rows.first()?;
    for two in rows.windows(2) {
        let (last, next) = (two[0], two[1]);
        for base in [last, worth] {
            let (gain, growth) = (gain(base.1, next.1), next.2 / base.2 - 1.0);
            if gain < LEAST_GAIN && growth > MOST_GROWTH {
                return Some(Knee { before: base.0, at: next.0, gain, growth });
            }
        }
        if gain(worth.1, next.1) >= LEAST_GAIN {
            worth = next;
        }
    }
    None
}

/// What comes after nothing is a gain without end, but for nothing.
fn gain(before: f64, after: f64) -> f64 {
    if before > 0.0 {
        (after / before - 1.0).min(f64::MAX)
    } else if after > 0.0 {
        f64::MAX
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn steps(rows: &[(f64, f64, Micros)]) -> Vec<Step> {
        rows.iter().map(|&(load, rps, p95)| Step { load, rps: Some(rps), p95: Some(p95) }).collect()
    }

    fn rows(found: Option<Knee>) -> Option<(usize, usize)> {
        found.map(|knee| (knee.before, knee.at))
    }

    #[test]
    fn the_first_step_that_only_makes_wait_is_the_knee() {
        let found = knee(&steps(&[
            (10.0, 1000.0, 12_000),
            (20.0, 1900.0, 13_000),
            (40.0, 2500.0, 20_000),
            (80.0, 2550.0, 41_000),
            (160.0, 2400.0, 90_000),
        ]));
        assert_eq!(rows(found), Some((2, 3)));
        let found = found.unwrap();
        assert!((found.gain - 0.02).abs() < 1e-12 && (found.growth - 1.05).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn gain_or_short_waits_alone_are_no_knee() {
        assert_eq!(knee(&steps(&[(1.0, 100.0, 100), (2.0, 105.0, 900)])), None);
        assert_eq!(knee(&steps(&[(1.0, 100.0, 100), (2.0, 100.0, 125)])), None);
        assert_eq!(rows(knee(&steps(&[(1.0, 100.0, 100), (2.0, 104.9, 126)]))), Some((0, 1)));
        assert_eq!((knee(&[]), knee(&steps(&[(1.0, 1.0, 1)]))), (None, None));
    }

    #[test]
    fn fine_steps_do_not_hide_it() {
        let fine =
            steps(&[(10.0, 1000.0, 100), (11.0, 1010.0, 110), (12.0, 1020.0, 121), (13.0, 1015.0, 133)]);
        assert_eq!(rows(knee(&fine)), Some((0, 3)));
    }

    #[test]
    fn rows_may_come_in_any_order_and_lack_figures() {
        let mut mixed = steps(&[(40.0, 1020.0, 400), (10.0, 500.0, 100), (20.0, 1000.0, 110)]);
        mixed.insert(1, Step { load: 30.0, rps: None, p95: Some(1) });
        assert_eq!(rows(knee(&mixed)), Some((3, 0)));
    }

    #[test]
    fn nothing_and_no_time_are_defined() {
        assert_eq!(knee(&steps(&[(1.0, 0.0, 0), (2.0, 0.0, 0), (3.0, 5.0, 9)])), None);
        assert_eq!(rows(knee(&steps(&[(1.0, 0.0, 0), (2.0, 0.0, 2)]))), Some((0, 1)));
    }

    proptest! {
        #[test]
        fn figures_are_numbers(all in prop::collection::vec((0.0..9.0_f64, any::<f64>(), any::<u64>()), 0..9)) {
            if let Some(found) = knee(&steps(&all)) {
                prop_assert!(found.gain.is_finite() && found.growth.is_finite() && found.at != found.before);
            }
        }
    }
}
