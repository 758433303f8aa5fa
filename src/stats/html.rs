//! ab's arithmetic for the table of connection times in its HTML report, which differs from that of the text report.
//!
//! In come the [`Distribution`]s of a run, out go whole milliseconds as that table shows them.

use super::ab::whole_ms;
use crate::record::{Distribution, Micros, Phase, Recording};

/// A row of the HTML table, in whole milliseconds. Signed, see [`difference`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HtmlRow {
    /// Connect, Processing or Total: ab's HTML report has no Waiting.
    pub phase: Phase,
    /// The least time.
    pub min: i64,
    /// See [`average_ms`].
    pub average: i64,
    /// The greatest time.
    pub max: i64,
}

/// The average as ab's HTML report has it: the sum is rounded to milliseconds and then divided, cut to a whole number.
/// So it may be a millisecond below the rounded mean of the text report, and below the least time. 0 if there is
/// nothing.
pub fn average_ms(times: &Distribution) -> u64 {
    let sum = times.sum().saturating_add(500) / 1000;
    let average = sum.checked_div(u128::from(times.count())).unwrap_or(0);
    // No average is above the greatest of its values, which is a `Micros`.
    u64::try_from(average).unwrap_or(Micros::MAX)
}

/// Processing as ab's HTML report has it: the difference of the other two rows, column by column.
///
/// The longest request need not be the one that took longest to connect, so that the maximum may be below the
/// minimum, and any column below the Processing of the text report, which is measured request by request.
pub fn difference(total: HtmlRow, connect: HtmlRow) -> HtmlRow {
    HtmlRow {
        phase: Phase::Processing,
        min: total.min - connect.min,
        average: total.average - connect.average,
        max: total.max - connect.max,
    }
}

/// The three rows of the table, in its order.
pub fn rows(recording: &Recording) -> [HtmlRow; 3] {
    let [connect, total] = [Phase::Connect, Phase::Total].map(|phase| row(phase, &recording.phase(phase)));
    [connect, difference(total, connect), total]
}

fn row(phase: Phase, times: &Distribution) -> HtmlRow {
    // Milliseconds of 64 bits of microseconds are far from the end of 63 bits.
    let signed = |ms| i64::try_from(ms).unwrap_or(i64::MAX);
    HtmlRow {
        phase,
        min: signed(whole_ms(times.min())),
        average: signed(average_ms(times)),
        max: signed(whole_ms(times.max())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Outcome, Sample, Stamps};
    use proptest::prelude::*;

    fn distribution(all: &[Micros]) -> Distribution {
        let mut times = Distribution::new();
        for &each in all {
            times.record(each);
        }
        times
    }

    /// Requests that took so long to connect, and so long after that.
    fn recording(all: &[(Micros, Micros)]) -> Recording {
        let mut recording = Recording::default();
        for &(connected, rest) in all {
            let done = connected + rest;
            let stamps = Stamps { start: 0, connected, written: connected, first_byte: done, done };
            recording.record(&Sample {
                url: 0,
                stamps,
                outcome: Outcome::Good,
                status: Some(200),
                document: 0,
                missing: 0,
                kept_alive: false,
                write_error: false,
                planned: None,
            });
        }
        recording
    }

    fn figures(row: HtmlRow) -> [i64; 3] {
        [row.min, row.average, row.max]
    }

    #[test]
    fn the_average_is_the_rounded_sum_divided_whole() {
        // The sum of 3.4 ms is 3, of 3.5 ms it is 4.
        assert_eq!(average_ms(&distribution(&[1700, 1700])), 1);
        assert_eq!(average_ms(&distribution(&[1700, 1800])), 2);
        assert_eq!(average_ms(&distribution(&[999, 999, 999])), 1);
        assert_eq!(average_ms(&Distribution::new()), 0);
    }

    #[test]
    fn processing_is_a_difference_of_columns() {
        // The one that took 50 ms to connect is not the one that took 60 ms in all.
        let rows = rows(&recording(&[(50_000, 1000), (0, 60_000)]));
        assert_eq!(rows.map(|row| row.phase), [Phase::Connect, Phase::Processing, Phase::Total]);
        assert_eq!(rows.map(figures), [[0, 25, 50], [51, 30, 10], [51, 55, 60]]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn rows_add_up_column_by_column(
            all in prop::collection::vec((0..3_000_000_u64, 0..3_000_000_u64), 1..50)
        ) {
            let [connect, processing, total] = rows(&recording(&all));
            for column in 0..3 {
                prop_assert_eq!(
                    figures(connect)[column] + figures(processing)[column],
                    figures(total)[column]
                );
            }
            // One millisecond is what cutting may cost.
            prop_assert!(total.min - 1 <= total.average && total.average <= total.max);
        }
    }
}
