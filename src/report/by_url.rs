//! The table of `--by-url`, which follows ab's text report.
//!
//! In comes what is known of the URLs, out go lines: a title, the columns, a line a URL, and one for all that have no line.
//! The name is last, so that a long one moves no column. Scripts that look for ab's labels and percentages must find
//! those of the report alone, so no heading is one, and the median is `p50` here.

use super::csv::milliseconds;
use crate::summary::{ByUrl, UrlRow};

/// What the table is.
pub(super) const TITLE: &str = "Requests by URL, the slowest first (times in ms)";

/// The columns before the name.
pub(super) const COLUMNS: [&str; 7] = ["requests", "failed", "non2xx", "mean", "p50", "p95", "max"];

/// The table, with an empty line in front.
pub(super) fn by_url(urls: &ByUrl) -> String {
    let mut text = format!("\n{TITLE}\n{}", line(COLUMNS.map(str::to_owned), "URL"));
    for row in urls.rows.iter().chain(&urls.others) {
        text += &line(figures(row), &row.name);
    }
    text
}

/// The columns of a row as text; `-` stands for what was not kept.
pub(super) fn figures(row: &UrlRow) -> [String; 7] {
    let tally = &row.tally;
    let [complete, failed, non_2xx] =
        [tally.complete, tally.failed, tally.non_2xx].map(|count| count.to_string());
    let [p50, p95] = match row.percentiles {
        Some(percentiles) => percentiles.map(milliseconds),
        None => ["-", "-"].map(str::to_owned),
    };
    [complete, failed, non_2xx, milliseconds(row.mean), p50, p95, milliseconds(tally.max)]
}

fn line([complete, failed, non_2xx, mean, p50, p95, max]: [String; 7], name: &str) -> String {
    format!("{complete:>9} {failed:>8} {non_2xx:>8} {mean:>10} {p50:>10} {p95:>10} {max:>10}  {name}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html;
    use crate::summary::{Attributes, fixture};

    #[test]
    fn columns_are_aligned_and_names_come_last() {
        assert_eq!(by_url(&fixture::by_url()), include_str!("expected/by_url.txt"));
    }

    #[test]
    fn in_html_names_are_escaped() {
        let attributes = Attributes { table: b"border=1".into(), row: b"".into(), cell: b"class=c".into() };
        let found = String::from_utf8(html::by_url(&fixture::by_url(), &attributes)).unwrap();
        assert_eq!(found, include_str!("expected/by_url.html"));
    }
}
