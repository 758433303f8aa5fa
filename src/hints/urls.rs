//! Which URLs of a list stand out.

use crate::summary::{Summary, Trouble};

/// More of a URL than this says nothing to people.
const SHOWN_OF_URL: usize = 200;

/// The report counts failures over all URLs.
pub(super) fn failures(summary: &Summary) -> Option<String> {
    summary.circumstances.failing.as_ref().map(|trouble| told(summary, "failures", trouble))
}

/// And it counts statuses likewise.
pub(super) fn statuses(summary: &Summary) -> Option<String> {
    summary.circumstances.refusing.as_ref().map(|trouble| told(summary, "statuses other than 2xx", trouble))
}

/// A saved run has them where the list is short, or the table was asked for.
pub(super) fn no_table(summary: &Summary) -> Option<String> {
    let is_asked = summary.circumstances.by_url && summary.by_url.is_none();
    (is_asked && summary.complete > 0).then(|| {
        "the saved run has no counts by URL, so there is no table; it has them with --urls and --by-url beside --save"
            .to_owned()
    })
}

fn told(summary: &Summary, what: &str, trouble: &Trouble) -> String {
    let Trouble { urls, affected, worst, times, complete } = trouble;
    let mut shown: String = worst.chars().take(SHOWN_OF_URL).collect();
    if shown.len() < worst.len() {
        shown.push_str("...");
    }
    let from = if *affected == 1 { ":" } else { ", above all from" };
    let more = if summary.by_url.is_some() { "" } else { "; --by-url lists them" };
    format!(
        "{what} came from {affected} of {urls} URLs{from} {shown} ({times} of its {complete} requests){more}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;

    fn trouble(affected: usize, worst: &str) -> Trouble {
        Trouble { urls: 42, affected, worst: worst.into(), times: 3, complete: 10 }
    }

    #[test]
    fn the_worst_url_is_named_with_its_share() {
        let mut summary = fixture::staging();
        assert_eq!((failures(&summary), statuses(&summary)), (None, None));
        summary.circumstances.failing = Some(trouble(1, "GET /x"));
        summary.circumstances.refusing = Some(trouble(5, "GET /y"));
        let expected = "failures came from 1 of 42 URLs: GET /x (3 of its 10 requests); --by-url lists them";
        assert_eq!(failures(&summary).as_deref(), Some(expected));
        summary.by_url = Some(fixture::by_url());
        let expected =
            "statuses other than 2xx came from 5 of 42 URLs, above all from GET /y (3 of its 10 requests)";
        assert_eq!(statuses(&summary).as_deref(), Some(expected));
    }

    #[test]
    fn a_table_that_cannot_be_is_named() {
        let mut summary = fixture::staging();
        assert_eq!(no_table(&summary), None);
        summary.circumstances.by_url = true;
        assert!(no_table(&summary).unwrap().contains("--by-url beside --save"));
        summary.by_url = Some(fixture::by_url());
        assert_eq!(no_table(&summary), None);
    }

    #[test]
    fn a_long_url_is_cut() {
        let mut summary = fixture::staging();
        summary.circumstances.failing = Some(trouble(2, &"\u{e4}".repeat(10_000)));
        let hint = failures(&summary).unwrap();
        assert!(hint.contains("\u{e4}... (3 of") && hint.chars().count() < 400, "{hint}");
    }
}
