//! ab's CSV file (`-e`): the time within which each percentage of the requests was served.
//!
//! In comes a [`Summary`], out go ab's header and 101 lines: whole percentages from 0 to 100, and milliseconds with
//! three decimals. The file has them all even after a single request.

use super::Lines;
use crate::summary::{Micros, Summary};

const HEADER: &str = "Percentage served,Time in ms\n";

/// The lines of the file.
pub(super) fn csv(summary: &Summary) -> Lines<'_> {
    let lines = summary.served.iter().map(|(percent, time)| format!("{percent},{}\n", milliseconds(*time)));
    Box::new(std::iter::once(HEADER.to_owned()).chain(lines))
}

/// Milliseconds with three decimals, which are microseconds, so that nothing is rounded.
pub(super) fn milliseconds(time: Micros) -> String {
    format!("{}.{:03}", time / 1000, time % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;

    #[test]
    fn there_is_a_line_for_each_percentage() {
        let mut summary = fixture::staging();
        summary.served = (0..=100).map(|percent| (percent, u64::from(percent) * 1001)).collect();
        let text: String = csv(&summary).collect();
        assert!(text.starts_with("Percentage served,Time in ms\n0,0.000\n1,1.001\n2,2.002\n"), "{text}");
        assert!(text.ends_with("\n99,99.099\n100,100.100\n") && text.lines().count() == 102);
    }
}
