//! How far apart the repeats of one run are.
//!
//! In comes one value a run, out go the figures that describe them, and which of them lie outside Tukey's fences. Those
//! are named and kept: on a shared machine a slow run is part of what there is to know.

use super::Metric;

/// Fewer values have no quartiles worth the name.
const LEAST_FOR_FENCES: usize = 4;

/// Within this share of the median a value is never named, however close together the others are.
const NEVER_FAR: f64 = 0.01;

/// The figures of one metric over the runs of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// How many runs have a value.
    pub runs: usize,
    /// The least value.
    pub min: f64,
    /// The middle one; the mean of the middle two for an even count.
    pub median: f64,
    /// The greatest value.
    pub max: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// The geometric mean, which ratios are made of; `None` if a value is 0.
    pub geometric_mean: Option<f64>,
    /// The coefficient of variation: standard deviation (of a sample) over mean. `None` for one value, and for zeros.
    pub cv: Option<f64>,
    /// The runs outside Tukey's fences, in their order; empty for fewer than four runs.
    pub outliers: Vec<Outlier>,
}

/// A run that lies apart from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// Which run, counted from 0.
    pub run: usize,
    /// Its value.
    pub value: f64,
    /// Above the others, or below.
    pub above: bool,
    /// How far.
    pub fence: Fence,
}

/// Tukey's fences, by how many interquartile ranges a value is beyond the quartiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// More than 1.5.
    Mild,
    /// More than 3.
    Severe,
}

impl Spread {
    /// The spread of one metric's values, in the order of the runs. `None` if no run has one.
    ///
    /// Quartiles are interpolated between the two nearest values, as in most statistics programs (type 7 of Hyndman and
    /// Fan).
    pub fn new(values: &[Option<f64>], metric: Metric) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().flatten().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        // As parts of the greatest, so that no sum or square overflows.
        let scale = if max > 0.0 { max } else { 1.0 };
        let count = sorted.len() as f64;
        let mean = sorted.iter().map(|value| value / scale).sum::<f64>() / count;
        let squares: f64 = sorted.iter().map(|value| (value / scale - mean).powi(2)).sum();
        let cv = (sorted.len() > 1 && mean > 0.0).then(|| (squares / (count - 1.0)).sqrt() / mean);
        let logs: f64 = sorted.iter().map(|value| value.ln()).sum();
        Some(Self {
            runs: sorted.len(),
            min,
            median: quantile(&sorted, 0.5),
            max,
            mean: mean * scale,
            geometric_mean: (min > 0.0).then(|| (logs / count).exp().clamp(min, max)),
            cv,
            outliers: outliers(values, &sorted, metric),
        })
    }
}

/// A quantile of sorted values, of which there is at least one.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the slice")]
    let below = place as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

fn outliers(values: &[Option<f64>], sorted: &[f64], metric: Metric) -> Vec<Outlier> {
    if sorted.len() < LEAST_FOR_FENCES {
        return Vec::new();
    }
    let [first, median, third] = [0.25, 0.5, 0.75].map(|share| quantile(sorted, share));
    let range = third - first;
    let near = (median * NEVER_FAR).max(metric.tick());
    let found = values.iter().enumerate().filter_map(|(run, value)| {
        let value = (*value)?;
        let beyond = (value - third).max(first - value);
        let fence = if beyond > 3.0 * range {
            Fence::Severe
        } else if beyond > 1.5 * range {
            Fence::Mild
        } else {
            return None;
        };
        ((value - median).abs() > near).then_some(Outlier { run, value, above: value > third, fence })
    });
    found.collect()
}

/// The run that stands for a series: the median one by requests a second, of an even count the lower middle. Of equal
/// ones, the earlier. Runs without a value do not count; `None` if none has one.
pub fn median_run(rps: &[Option<f64>]) -> Option<usize> {
    let mut runs: Vec<(usize, f64)> =
        rps.iter().enumerate().filter_map(|(run, rps)| Some((run, (*rps)?))).collect();
    runs.sort_by(|one, other| one.1.total_cmp(&other.1));
    runs.get(runs.len().checked_sub(1)? / 2).map(|(run, _)| *run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spread(values: &[f64]) -> Spread {
        Spread::new(&values.iter().copied().map(Some).collect::<Vec<_>>(), Metric::Rps).unwrap()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-10 * expected.abs(), "{found} for {expected}");
    }

    #[test]
    fn figures_are_those_of_numpy_and_scipy() {
        // numpy 2.4, scipy 1.17: min, median, max, mean, stats.gmean, std(ddof=1) / mean
        let found = spread(&[980.0, 1010.0, 995.0, 1032.5, 640.0, 1003.0]);
        assert_eq!((found.runs, found.min, found.median, found.max), (6, 640.0, 999.0, 1032.5));
        near(found.mean, 943.416_666_667);
        near(found.geometric_mean.unwrap(), 931.372_869_415);
        near(found.cv.unwrap(), 0.158_628_818_327);
    }

    #[test]
    fn runs_outside_the_fences_are_named_with_their_number() {
        // Quartiles 983.75 and 1008.25: the lower fences are 947 and 910.25.
        let found = spread(&[980.0, 1010.0, 995.0, 1032.5, 640.0, 1003.0]).outliers;
        assert_eq!(found, [Outlier { run: 4, value: 640.0, above: false, fence: Fence::Severe }]);
        // Quartiles 987.5 and 1008.25: the upper fences are 1039.375 and 1070.5.
        let found = spread(&[980.0, 1010.0, 1060.0, 995.0, 985.0, 1003.0]).outliers;
        assert_eq!(found, [Outlier { run: 2, value: 1060.0, above: true, fence: Fence::Mild }]);
        assert_eq!(spread(&[1.0, 1.0, 100.0]).outliers, []);
    }

    #[test]
    fn a_run_without_a_value_keeps_its_number() {
        let values = [None, Some(10.0), Some(10.1), Some(90.0), Some(10.0), Some(10.2)];
        let found = Spread::new(&values, Metric::Rps).unwrap();
        assert_eq!((found.runs, found.outliers[0].run, found.outliers.len()), (5, 3, 1));
        assert_eq!(Spread::new(&[None], Metric::Rps), None);
    }

    #[test]
    fn a_tick_of_the_clock_or_a_hundredth_is_not_far() {
        let times = [Some(42.0), Some(42.0), Some(42.0), Some(43.0), Some(42.0)];
        assert_eq!(Spread::new(&times, Metric::P50).unwrap().outliers, []);
        assert_eq!(Spread::new(&times, Metric::Rps).unwrap().outliers.len(), 1);
        assert_eq!(spread(&[1000.0, 1000.0, 1000.0, 1009.0]).outliers, []);
    }

    #[test]
    fn zeros_and_single_values_have_what_they_can() {
        let zeros = spread(&[0.0, 0.0, 0.0, 0.0]);
        assert_eq!((zeros.mean, zeros.geometric_mean, zeros.cv), (0.0, None, None));
        let one = spread(&[5.0]);
        assert_eq!((one.median, one.mean, one.geometric_mean, one.cv), (5.0, 5.0, Some(5.0), None));
    }

    #[test]
    fn the_median_run_is_the_lower_middle() {
        let of = |rps: &[f64]| median_run(&rps.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some(2));
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0]), Some(3));
        assert_eq!(of(&[5.0, 5.0]), Some(0));
        assert_eq!(median_run(&[None, Some(1.0)]), Some(1));
        assert_eq!(median_run(&[None]), None);
    }

    proptest! {
        #[test]
        fn all_figures_are_numbers(values in prop::collection::vec(
            prop_oneof![Just(0.0), Just(f64::MAX), Just(f64::MIN_POSITIVE), 0.0..1e9_f64], 1..12)
        ) {
            let found = spread(&values);
            let figures = [found.min, found.median, found.max, found.mean];
            prop_assert!(figures.iter().all(|figure| figure.is_finite()), "{:?}", found);
            prop_assert!(found.min <= found.median && found.median <= found.max);
            prop_assert!(found.cv.is_none_or(f64::is_finite) && found.geometric_mean.is_none_or(f64::is_finite));
        }
    }
}
