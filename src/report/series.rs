//! The table of several runs, which follows the report of the one that stands for them.
//!
//! In comes a [`Series`], out go lines: a row a run, their spread, and what is to be said of single runs. None begins with
//! a label of ab's report.

use crate::summary::{Attributes, Column, Ending, Fence, RunRow, Series, Spread};

/// What stands where there is no figure.
const NONE: &str = "-";

/// A figure of a spread, such as the least.
type Figure = fn(&Spread) -> f64;

/// The table, for the form of the report above it.
pub(super) fn series(series: &Series, html: Option<&Attributes>) -> String {
    let text = text(series);
    // There are words and numbers in it, and nothing to be escaped.
    if html.is_some() { format!("<pre>{text}</pre>\n") } else { text }
}

fn text(series: &Series) -> String {
    let rows =
        (1..).zip(&series.runs).map(|(number, run): (usize, _)| line(&number.to_string(), values(run)));
    let figures: [(&str, Figure); 3] = [("min", |s| s.min), ("median", |s| s.median), ("max", |s| s.max)];
    let spread = figures.map(|(label, figure)| {
        line(label, cells(series, |column, spread| Some(value(column, figure(spread)))))
    });
    let cv = line("CV", cells(series, |_, spread| Some(format!("{:.1} %", spread.cv? * 100.0))));
    let median = series.median + 1;
    let notes =
        (0..).zip(&series.runs).map(|(number, run)| outside(series, number) + &cut_short(number, run));
    [
        "\nAll runs (times in ms)\n".to_owned(),
        line("run", Column::ALL.map(|column| column.name().to_owned())),
        rows.collect(),
        spread.concat(),
        cv,
        format!("\nThe report above is that of run {median}, the median one by rps.\n"),
        notes.collect(),
    ]
    .concat()
}

/// The values of a run, by column.
pub(super) fn values(run: &RunRow) -> [String; 7] {
    Column::ALL.map(|column| column.of(run).map_or_else(|| NONE.to_owned(), |found| value(column, found)))
}

/// A value: requests a second with two decimals, times in milliseconds with three, counts whole (but for a median).
fn value(column: Column, value: f64) -> String {
    match column {
        Column::Failed | Column::Non2xx if value.fract() == 0.0 => format!("{value:.0}"),
        Column::Failed | Column::Non2xx => format!("{value:.1}"),
        _ if column.is_time() => format!("{:.3}", value / 1000.0),
        _ => format!("{value:.2}"),
    }
}

fn cells(series: &Series, cell: impl Fn(Column, &Spread) -> Option<String>) -> [String; 7] {
    let mut cells = Column::ALL.map(|_| NONE.to_owned());
    for (text, (column, spread)) in cells.iter_mut().zip(series.columns()) {
        if let Some(found) = spread.and_then(|spread| cell(column, spread)) {
            *text = found;
        }
    }
    cells
}

/// A line: what it is about, and a cell a column.
pub(super) fn line(label: &str, [rps, times @ .., failed, other]: [String; 7]) -> String {
    let times: Vec<String> = times.iter().map(|time| format!("{time:>9}")).collect();
    format!("{label:>6} {rps:>11} {} {failed:>8} {other:>8}\n", times.join(" "))
}

/// In which columns a run lies outside Tukey's fences.
fn outside(series: &Series, number: usize) -> String {
    let found = series.columns().filter_map(|(column, spread)| {
        let outlier = spread?.outliers.iter().find(|outlier| outlier.run == number)?;
        let side = if outlier.above { "above" } else { "below" };
        let fence = match outlier.fence {
            Fence::Mild => "",
            Fence::Severe => ", far",
        };
        Some(format!("{} ({side}{fence})", column.name()))
    });
    let found: Vec<String> = found.collect();
    if found.is_empty() {
        return String::new();
    }
    format!("Run {} lies outside the fences of the others: {}.\n", number + 1, found.join(", "))
}

fn cut_short(number: usize, run: &RunRow) -> String {
    let by = match run.ending {
        Ending::Complete | Ending::TimeLimit => return String::new(),
        Ending::Interrupted(_) => "A signal",
        Ending::Failed(_) => "An error",
    };
    format!("{by} cut run {} short: it has no part in the spread.\n", number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::series_fixture as fixture;

    #[test]
    fn the_table_is_as_expected() {
        let found = series(&fixture::series(), None);
        assert_eq!(found, include_str!("expected/series.txt"), "{found}");
    }

    #[test]
    fn in_html_it_is_set_as_it_is() {
        let attributes = Attributes { table: Vec::new(), row: Vec::new(), cell: Vec::new() };
        let found = series(&fixture::series(), Some(&attributes));
        assert!(found.starts_with("<pre>\nAll runs") && found.ends_with("</pre>\n"));
        assert!(!text(&fixture::series()).contains(['<', '>', '&']));
    }
}
