//! ab's file for gnuplot (`-g`): a line a complete request, whether it failed or not, in order of total time.
//!
//! In come the tape and the moment from which its stamps count, out go ab's header and lines with tabs between the
//! columns: the start as C's `ctime` writes it, in local time; the start in whole seconds since 1970; then connect,
//! processing, total and waiting time in whole milliseconds, rounded like the tables of the report. Since the lines
//! are not in order of time, this is no picture of how a run went: `--samples` is.

use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::Lines;
use super::samples::started;
use crate::summary::{Entry, Phase, Summary, Tape, whole_ms};

const HEADER: &str = "starttime\tseconds\tctime\tdtime\tttime\twait\n";

/// C's `ctime`: 24 characters, the day of the month padded with a blank.
const CTIME: &str = "%a %b %e %H:%M:%S %Y";

/// The lines of the file.
pub(super) fn gnuplot<'a>(summary: &'a Summary, tape: &'a Tape, zone: &'a TimeZone) -> Lines<'a> {
    let lines = tape.by_total().into_iter().map(move |entry| line(summary, entry, zone));
    Box::new(std::iter::once(HEADER.to_owned()).chain(lines))
}

fn line(summary: &Summary, entry: &Entry, zone: &TimeZone) -> String {
    let started = started(summary, entry);
    let seconds = started.as_second();
    // The format is valid; a zone whose rules cannot be applied leaves the number.
    let date =
        strtime::format(CTIME, &started.to_zoned(zone.clone())).unwrap_or_else(|_| seconds.to_string());
    let phases = [Phase::Connect, Phase::Processing, Phase::Total, Phase::Waiting];
    let [connect, processing, total, waiting] = phases.map(|phase| whole_ms(entry.duration(phase)));
    format!("{date}\t{seconds}\t{connect}\t{processing}\t{total}\t{waiting}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;

    #[test]
    fn lines_are_in_order_of_total_time_with_ab_s_columns() {
        let (summary, tape) = (fixture::staging(), fixture::tape());
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let text: String = gnuplot(&summary, &tape, &zone).collect();
        assert_eq!(text, include_str!("expected/requests.tsv"));
    }

    #[test]
    fn a_date_is_24_characters_long_on_any_day() {
        let mut summary = fixture::staging();
        let tape = fixture::tape();
        for days in 0..40 {
            summary.circumstances.began += std::time::Duration::from_secs(86_400 * days);
            let text: String = gnuplot(&summary, &tape, &TimeZone::UTC).collect();
            assert!(text.lines().skip(1).all(|line| line.find('\t') == Some(24)), "{text}");
        }
    }
}
