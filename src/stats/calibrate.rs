//! How small a change this machine can show.
//!
//! In come repeats of one and the same run, out goes for each metric the smallest ratio that so many pairs of runs tell
//! from 1. Two neighbouring repeats are a pair of what an interleaved comparison would record, but for the change; so
//! the spread of their log ratios is its noise.

use super::compare::{Comparison, Estimate, Pairing, Settings, compare, detectable};
use super::{Metric, RunFigures};

/// What a series of repeats says about the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// How many pairs the repeats make; a last one without a partner does not count.
    pub pairs: usize,
    /// One for each metric that has a value above 0 in all pairs; empty for fewer than three pairs.
    pub metrics: Vec<Detectable>,
    /// The pairs, compared as if there had been a change. Better or worse is a false alarm, which one series in 20 may
    /// have.
    pub check: Comparison,
}

/// The smallest change of one metric that can be told.
#[derive(Debug, Clone, PartialEq)]
pub struct Detectable {
    /// The metric.
    pub metric: Metric,
    /// The standard deviation of the logarithm of the ratio of a pair: about the share by which two runs differ.
    pub deviation: f64,
    /// For each number of pairs asked for that is at least three, the smallest ratio above 1 that is told from 1 with 95 %
    /// confidence, in 80 % of all cases. A comparison also asks that it be beyond the margin.
    pub smallest: Vec<(usize, f64)>,
}

/// Makes pairs of neighbouring runs, in the order in which they were recorded, and says what `pairs` of them can tell.
///
/// Which run of a pair counts as the one before changes from pair to pair, as in a comparison. So it is noise, not a
/// change, if the second of two runs is always a little slower.
pub fn calibrate(runs: &[RunFigures], pairs: &[usize], settings: &Settings) -> Calibration {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, pair) in runs.chunks_exact(2).enumerate() {
        let turned = at % 2;
        before.push(pair[turned].clone());
        after.push(pair[1 - turned].clone());
    }
    let metrics =
        Metric::ALL.into_iter().filter_map(|metric| smallest(metric, &before, &after, pairs)).collect();
    let check = compare(&before, &after, Pairing::Interleaved, settings);
    Calibration { pairs: before.len(), metrics, check }
}

fn smallest(
    metric: Metric,
    before: &[RunFigures],
    after: &[RunFigures],
    pairs: &[usize],
) -> Option<Detectable> {
    let values = |runs: &[RunFigures]| -> Option<Vec<f64>> {
        runs.iter().map(|run| metric.of(run).filter(|value| *value > 0.0)).collect()
    };
    // Fewer pairs than can be judged have no spread worth the name either.
    detectable(0.0, before.len())?;
    let [variance, _] = Estimate::paired(&values(before)?, &values(after)?, metric.tick()).variances;
    let smallest = pairs.iter().filter_map(|&pairs| Some((pairs, detectable(variance, pairs)?))).collect();
    Some(Detectable { metric, deviation: variance.sqrt(), smallest })
}

#[cfg(test)]
mod tests {
    use super::super::compare::{Conclusion, Verdict};
    use super::*;

    fn runs(rps: &[f64]) -> Vec<RunFigures> {
        let run =
            |&rps| RunFigures { rps: Some(rps), p95: Some(0), complete: 10_000, ..RunFigures::default() };
        rps.iter().map(run).collect()
    }

    #[test]
    fn neighbours_are_pairs_that_change_places() {
        let found = calibrate(
            &runs(&[1000.0, 1100.0, 1050.0, 950.0, 990.0, 1080.0, 7.0]),
            &[2, 3, 10],
            &Settings::default(),
        );
        assert_eq!((found.pairs, found.check.runs), (3, (3, 3)));
        // numpy 2.4: std(log([1100/1000, 1050/950, 1080/990]), ddof=1); scipy 1.17: exp((t.ppf(0.975, n - 1) +
        // t.ppf(0.8, n - 1)) * std / sqrt(n))
        let [rps] = found.metrics.as_slice() else { panic!("{found:?}") };
        assert_eq!(rps.metric, Metric::Rps);
        assert!((rps.deviation - 0.006_614_802_021_62).abs() < 1e-11, "{rps:?}");
        let [(3, three), (10, ten)] = rps.smallest.as_slice() else { panic!("{rps:?}") };
        assert!((three - 1.020_694_013_77).abs() < 1e-9 && (ten - 1.006_601_529_09).abs() < 1e-9, "{rps:?}");
    }

    #[test]
    fn the_check_finds_nothing_where_nothing_changed() {
        let found = calibrate(
            &runs(&[1000.0, 1003.0, 1001.0, 999.0, 1002.0, 1000.5, 998.0, 1001.5]),
            &[5],
            &Settings { deciding: vec![Metric::Rps], ..Settings::default() },
        );
        assert_eq!(found.check.conclusion, Conclusion::Told(Verdict::Same));
    }

    #[test]
    fn few_runs_calibrate_nothing() {
        for count in 0..6 {
            let found = calibrate(&runs(&vec![1000.0; count]), &[5], &Settings::default());
            assert_eq!((found.pairs, found.metrics), (count / 2, Vec::new()));
        }
    }
}
