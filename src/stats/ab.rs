//! ab's arithmetic.
//!
//! In come the [`Distribution`] of a phase and the counts of a run, out go the figures of ab's report. Scripts compare
//! rab's numbers with those of ab, so every rounding and every choice of a sample is ab's, unless a function says how
//! it differs. Times are in microseconds until [`whole_ms`] makes the milliseconds of the table.

use crate::record::{Distribution, Micros, Phase, Recording};

/// Bytes in the kilobyte of ab's transfer rates.
const KILOBYTE: f64 = 1024.0;

/// Millionths in one percent.
const MILLION: u32 = 1_000_000;

/// The percentages of the table of response times.
const PERCENTAGES: [u8; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// The sum divided by the count, cut to whole microseconds, as ab; 0 if there is nothing.
pub fn mean(times: &Distribution) -> Micros {
    let mean = times.sum().checked_div(u128::from(times.count())).unwrap_or(0);
    // No mean is above the greatest of its values, which is a `Micros`.
    Micros::try_from(mean).unwrap_or(Micros::MAX)
}

/// The sample deviation (divided by count - 1) around the cut [`mean`], in microseconds, as ab; 0 for fewer than two
/// requests.
///
/// The sum of the squared distances is exact: it comes from whole numbers, where nothing cancels out.
pub fn deviation(times: &Distribution) -> f64 {
    let (count, mean) = (u128::from(times.count()), u128::from(mean(times)));
    if count < 2 {
        return 0.0;
    }
    let squares = times.sum_of_squares() + count * mean * mean - 2 * mean * times.sum();
    (squares as f64 / (count - 1) as f64).sqrt()
}

/// Of the sorted requests number count / 2, counted from 0: the upper middle of an even count, as ab.
///
/// Differs from ab for odd counts above 1: this is the true middle, where ab averages it with its upper neighbour.
pub fn median(times: &Distribution) -> Micros {
    times.at_index(times.count() / 2)
}

/// Of the sorted requests number count * `percent` / 100, cut and counted from 0; 100 is the last. As ab.
pub fn percentile(times: &Distribution, percent: u8) -> Micros {
    times.at_index(index(times.count(), u32::from(percent) * MILLION))
}

/// The number of the request at which so many millionths of a percent of all have been served, by the same rule: count *
/// percent / 100, cut and counted from 0; 100 is beyond the last.
pub fn index(count: u64, millionths: u32) -> u64 {
    let index = u128::from(count) * u128::from(millionths) / u128::from(100 * MILLION);
    u64::try_from(index).unwrap_or(u64::MAX)
}

/// The table of response times: percentages with their [`percentile`]. Empty for fewer than two requests, as ab.
pub fn percentiles(times: &Distribution) -> Vec<(u8, Micros)> {
    if times.count() < 2 {
        return Vec::new();
    }
    PERCENTAGES.iter().map(|&percent| (percent, percentile(times, percent))).collect()
}

/// Percentages from 0 to 100, and the time within which so many requests were served, as ab's CSV file has them: 0 is
/// the least time, 100 the greatest, and between them it is of the sorted requests number 0.5 + count * percent / 100,
/// cut and counted from 0.
///
/// Differs from ab where that is beyond the last request, for up to 50 of them: ab reads what happens to lie there,
/// this is the last one.
pub fn served_curve(times: &Distribution) -> Vec<(u8, Micros)> {
    let index = |percent: u8| match percent {
        0 => 0,
        100.. => times.count(),
        _ => (times.count().saturating_mul(u64::from(percent)) + 50) / 100,
    };
    (0..=100).zip(times.at_indices((0..=100).map(index))).collect()
}

/// Whole milliseconds, halves upwards, as ab's tables show them.
pub fn whole_ms(time: Micros) -> u64 {
    time.saturating_add(500) / 1000
}

/// Seconds with their fraction.
pub fn seconds(time: Micros) -> f64 {
    time as f64 / 1_000_000.0
}

/// What ab says below its table when mean and median are far apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// More than one deviation apart.
    Warning,
    /// More than two deviations apart.
    Error,
}

/// A row of ab's table of connection times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Which row.
    pub phase: Phase,
    /// The least time.
    pub min: Micros,
    /// See [`mean`].
    pub mean: Micros,
    /// See [`deviation`]; microseconds.
    pub deviation: f64,
    /// See [`median`].
    pub median: Micros,
    /// The greatest time.
    pub max: Micros,
}

impl Row {
    /// The figures of one phase.
    pub fn new(recording: &Recording, phase: Phase) -> Self {
        let times = &recording.phase(phase);
        Self {
            phase,
            min: times.min(),
            mean: mean(times),
            deviation: deviation(times),
            median: median(times),
            max: times.max(),
        }
    }

    /// What the distance of mean and median deserves. As ab, the two are compared in the whole milliseconds that the
    /// table shows, against a deviation that is not rounded.
    pub fn advice(&self) -> Option<Advice> {
        let gap = whole_ms(self.mean).abs_diff(whole_ms(self.median)) as f64 * 1000.0;
        if gap > 2.0 * self.deviation {
            Some(Advice::Error)
        } else if gap > self.deviation {
            Some(Advice::Warning)
        } else {
            None
        }
    }
}

/// The lines of ab's report that divide by the time taken, or by the requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Complete requests a second.
    pub requests_per_second: f64,
    /// Milliseconds that one user waits for a request: concurrency * time / requests.
    pub ms_per_request: f64,
    /// Milliseconds from one completed request to the next: time / requests.
    pub ms_across_all: f64,
    /// Kilobytes (1024 bytes) received a second.
    pub received: f64,
    /// Only if the requests have a body, as ab.
    pub with_body: Option<BodyRates>,
}

/// The transfer rates that only requests with a body have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyRates {
    /// Kilobytes (1024 bytes) sent a second, heads and bodies.
    pub sent: f64,
    /// Kilobytes (1024 bytes) sent and received a second.
    pub total: f64,
}

impl Rates {
    /// The rates of a run: `received` and `sent` in bytes, `sent` only if the requests have a body. `None` if nothing
    /// is complete, as ab.
    pub fn new(
        concurrency: usize,
        elapsed: Micros,
        complete: u64,
        received: u64,
        sent: Option<u64>,
    ) -> Option<Self> {
        if complete == 0 {
            return None;
        }
        // A run shorter than the clock can tell took one of its ticks, or its rates would be infinite.
        let time = seconds(elapsed.max(1));
        let (received, complete) = (received as f64, complete as f64);
        let rate = |bytes: f64| bytes / KILOBYTE / time;
        Some(Self {
            requests_per_second: complete / time,
            ms_per_request: concurrency as f64 * time * 1000.0 / complete,
            ms_across_all: time * 1000.0 / complete,
            received: rate(received),
            with_body: sent
                .map(|sent| BodyRates { sent: rate(sent as f64), total: rate(received + sent as f64) }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn distribution(all: &[Micros]) -> Distribution {
        let mut times = Distribution::new();
        for &each in all {
            times.record(each);
        }
        times
    }

    fn row(mean: Micros, median: Micros, deviation: f64) -> Row {
        Row { phase: Phase::Total, min: 0, mean, deviation, median, max: mean.max(median) }
    }

    #[test]
    fn mean_is_cut_not_rounded() {
        assert_eq!(mean(&distribution(&[1, 2, 2, 2])), 1);
        assert_eq!(mean(&Distribution::new()), 0);
    }

    #[test]
    fn deviation_is_that_of_a_sample_around_the_cut_mean() {
        // Mean 1 (cut from 1.75): 0 + 1 + 1 + 1, divided by 3.
        assert!((deviation(&distribution(&[1, 2, 2, 2])) - 1.0).abs() < f64::EPSILON);
        assert!(deviation(&distribution(&[7])).abs() < f64::EPSILON);
    }

    #[test]
    fn deviation_of_long_times_that_hardly_differ_is_exact() {
        let day = 86_400_000_000;
        assert!((deviation(&distribution(&[day, day + 2])) - 2_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn median_of_an_even_count_is_the_upper_middle() {
        assert_eq!(median(&distribution(&[10, 20, 30, 40])), 30);
    }

    #[test]
    fn median_of_an_odd_count_is_the_middle_unlike_ab() {
        assert_eq!(median(&distribution(&[0, 151, 201])), 151);
    }

    #[test]
    fn percentile_cuts_its_index_and_100_is_the_last() {
        let times = distribution(&(0..10).map(|n| n * 100).collect::<Vec<_>>());
        let found = [50, 66, 99, 100].map(|percent| percentile(&times, percent));
        assert_eq!(found, [500, 600, 900, 900]);
        assert_eq!(percentile(&times, 0), 0);
    }

    #[test]
    fn an_index_may_be_that_of_a_part_of_a_percent() {
        let found = [0, 99_900_000, 99_999_999, 100_000_000].map(|millionths| index(1000, millionths));
        assert_eq!(found, [0, 999, 999, 1000]);
        assert_eq!(index(u64::MAX, 100_000_000), u64::MAX);
    }

    #[test]
    fn one_request_has_no_percentages() {
        assert_eq!(percentiles(&distribution(&[7])), []);
        assert_eq!(percentiles(&distribution(&[7, 7])).len(), 9);
    }

    #[test]
    fn the_curve_cuts_half_a_request_later_and_stays_within_the_requests() {
        let times = distribution(&[100, 200, 300, 400, 500]);
        let curve = served_curve(&times);
        let found = [0, 9, 10, 29, 30, 50, 89, 90, 99, 100].map(|percent: usize| curve[percent].1);
        assert_eq!(found, [100, 100, 200, 200, 300, 400, 500, 500, 500, 500]);
        let one = served_curve(&distribution(&[7]));
        assert_eq!((one.len(), one.iter().all(|(_, time)| *time == 7)), (101, true));
    }

    #[test]
    fn half_a_millisecond_is_rounded_up() {
        assert_eq!([499, 500, 1499, 1500].map(whole_ms), [0, 1, 1, 2]);
    }

    #[test]
    fn advice_compares_rounded_times_with_the_unrounded_deviation() {
        assert_eq!(row(1000, 2000, 499.0).advice(), Some(Advice::Error));
        assert_eq!(row(1000, 2000, 500.0).advice(), Some(Advice::Warning));
        assert_eq!(row(1000, 2000, 1000.0).advice(), None);
        // 1 microsecond apart, but shown as 1 and 2 milliseconds.
        assert_eq!(row(1499, 1500, 0.7).advice(), Some(Advice::Error));
        assert_eq!(row(1000, 1499, 0.0).advice(), None);
    }

    #[test]
    fn rates_follow_from_the_time_taken() {
        let rates = Rates::new(10, 2_000_000, 100, 2048, Some(4096)).unwrap();
        let figures = [rates.requests_per_second, rates.ms_per_request, rates.ms_across_all, rates.received];
        assert_eq!(figures.map(|figure| figure.to_string()), ["50", "200", "20", "1"]);
        assert_eq!(rates.with_body, Some(BodyRates { sent: 2.0, total: 3.0 }));
    }

    #[test]
    fn rates_are_finite_or_absent() {
        assert_eq!(Rates::new(1, 5, 0, 0, None), None);
        let at_once = Rates::new(1, 0, 1, 165, None).unwrap();
        assert!(at_once.requests_per_second.is_finite() && at_once.received.is_finite());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn figures_are_those_of_the_sorted_samples(mut all in prop::collection::vec(0..5_000_000_u64, 1..300)) {
            let times = distribution(&all);
            all.sort_unstable();
            let count = all.len();
            let cut = all.iter().sum::<u64>() / count as u64;
            let squares: f64 = all.iter().map(|&each| (each.abs_diff(cut) as f64).powi(2)).sum();
            let spread = if count < 2 { 0.0 } else { (squares / (count - 1) as f64).sqrt() };
            prop_assert_eq!(mean(&times), cut);
            prop_assert!((deviation(&times) - spread).abs() <= spread * 1e-9);

            let near = |found: Micros, exact: Micros| found.abs_diff(exact) as f64 <= exact as f64 / 10_000.0;
            prop_assert!(near(median(&times), all[count / 2]));
            for (percent, found) in percentiles(&times) {
                let index = (count * usize::from(percent) / 100).min(count - 1);
                prop_assert!(near(found, all[index]), "{}: {} for {}", percent, found, all[index]);
            }
        }

        #[test]
        fn percentages_never_decrease_and_end_at_the_maximum(all in prop::collection::vec(0..60_000_000_u64, 2..200)) {
            let times = distribution(&all);
            let found = percentiles(&times);
            prop_assert!(found.windows(2).all(|pair| pair[0].1 <= pair[1].1));
            prop_assert_eq!(found.last(), Some(&(100, times.max())));
            prop_assert_eq!(found[0].1, median(&times));
            let curve = served_curve(&times);
            prop_assert!(curve.windows(2).all(|pair| pair[0].1 <= pair[1].1));
            prop_assert_eq!((curve[0], curve[100]), ((0, times.min()), (100, times.max())));
        }
    }
}
