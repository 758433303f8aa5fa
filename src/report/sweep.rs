//! The table of a sweep, a row a step, and what its end says.
//!
//! In come [`RunRow`]s one by one, since each is printed when its step ends; out go lines.

use super::series::{line, values};
use crate::summary::{Broken, Column, Knee, RunRow, Swept};

/// The heads of the columns.
pub(super) fn head() -> String {
    let heads = line("conns", Column::ALL.map(|column| column.name().to_owned()));
    format!("\nConcurrency from step to step (times in ms)\n{} {:>6}\n", heads.trim_end(), "CPU")
}

/// One step.
pub(super) fn row(run: &RunRow) -> String {
    let cpu =
        run.figures.client_cpu.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let line = line(&run.concurrency.to_string(), values(run));
    let mark = if run.is_whole() { "" } else { "  cut short" };
    format!("{} {cpu:>6}{mark}\n", line.trim_end())
}

/// Where more connections stopped to help, and why the sweep ended early.
pub(super) fn end(swept: &Swept) -> String {
    let knee = match &swept.knee {
        Some(found) => self::knee(swept, *found),
        None if swept.steps.len() < 2 => String::new(),
        None => "No knee: no step brought under 5 % more rps while its p95 grew by over 25 %.\n".to_owned(),
    };
    let broken = swept.broken.as_ref().map(|broken| self::broken(swept, broken)).unwrap_or_default();
    format!("\n{broken}{knee}")
}

fn knee(swept: &Swept, found: Knee) -> String {
    let connections = |row: usize| swept.steps.get(row).map_or(0, |run| run.concurrency);
    let more = if found.gain < 0.0 { "fewer" } else { "more" };
    format!(
        "Knee at {} connections: {:.1} % {more} rps than with {}, and a p95 that is {:.0} % longer.\n",
        connections(found.at),
        found.gain.abs() * 100.0,
        connections(found.before),
        found.growth * 100.0,
    )
}

fn broken(swept: &Swept, broken: &Broken) -> String {
    let connections = swept.steps.last().map_or(0, |run| run.concurrency);
    let found = match broken.value {
        // Three decimals are a microsecond in the unit of most rules.
        Some(value) => format!("{} was {}{}", broken.rule.measure, trimmed(value), broken.rule.unit),
        None => "nothing was complete to hold it against".to_owned(),
    };
    format!("Stopped after {connections} connections by {}: {found}.\n", broken.rule)
}

/// Up to three decimals, without zeros at the end.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::series_fixture as fixture;

    #[test]
    fn a_sweep_is_as_expected() {
        let swept = fixture::swept();
        let rows: String = swept.steps.iter().map(row).collect();
        let found = [head(), rows, end(&swept)].concat();
        assert_eq!(found, include_str!("expected/sweep.txt"), "{found}");
    }

    #[test]
    fn no_knee_and_no_figure_are_said() {
        let mut swept = fixture::swept();
        swept.knee = None;
        swept.broken = Some(Broken { value: None, ..swept.broken.unwrap() });
        let found = end(&swept);
        assert!(found.contains("No knee") && found.contains("nothing was complete"), "{found}");
        assert_eq!(end(&Swept { steps: Vec::new(), knee: None, broken: None }), "\n");
    }
}
