//! What there is to say about single URLs of a list.
//!
//! In come the names of the URLs and what was recorded of each, out go the table of `--by-url` and, for the hints, the URL
//! that failed most. Both are bounded, however long the list is.

use std::cmp::Reverse;

use crate::record::{Distribution, Micros, Tally, Urls};
use crate::stats::ab;

/// The table has a line for so many URLs; what is beyond is summed up in one.
const MOST_ROWS: usize = 50;

/// The table of `--by-url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByUrl {
    /// A row for each URL of which a request is complete, the longest mean first; of equals, the earlier in the list.
    pub rows: Vec<UrlRow>,
    /// All URLs for which there are not enough rows; `None` if there are no such.
    pub others: Option<UrlRow>,
}

/// The complete requests of one URL or of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlRow {
    /// Method, path and body file, without control characters; for several URLs, their number.
    pub name: String,
    /// How many there are, how many failed, how often a status was not 2xx.
    pub tally: Tally,
    /// The mean of their total times.
    pub mean: Micros,
    /// The times within which half of them and 95 of a hundred were served, to one part in a hundred; `None` with more
    /// than [`MOST_DISTRIBUTIONS`](crate::record::MOST_DISTRIBUTIONS) URLs.
    pub percentiles: Option<[Micros; 2]>,
}

impl UrlRow {
    fn new(name: String, tally: Tally, times: Option<&Distribution>) -> Self {
        Self {
            name,
            tally,
            mean: tally.sum.checked_div(tally.complete).unwrap_or(0),
            percentiles: times.map(|times| [50, 95].map(|percent| ab::percentile(times, percent))),
        }
    }
}

impl ByUrl {
    /// The table; `None` if nothing is complete.
    pub(super) fn new(names: &[Box<str>], urls: &Urls) -> Option<Self> {
        let tallies = urls.tallies();
        let mut asked: Vec<usize> = (0..tallies.len()).filter(|&url| tallies[url].complete > 0).collect();
        let mean = |url: usize| tallies[url].sum / tallies[url].complete;
        asked.sort_by_key(|&url| Reverse(mean(url)));
        let others = asked.split_off(asked.len().min(MOST_ROWS));
        let row = |&url: &usize| UrlRow::new(names[url].to_string(), tallies[url], urls.times(url));
        let rows: Vec<UrlRow> = asked.iter().map(row).collect();
        (!rows.is_empty()).then(|| Self { rows, others: sum(urls, &others) })
    }
}

/// Several URLs in one row; `None` if there are none.
fn sum(urls: &Urls, several: &[usize]) -> Option<UrlRow> {
    let mut all = Tally::default();
    let mut times = Distribution::coarse();
    for &url in several {
        all.merge(&urls.tallies()[url]);
        urls.times(url).into_iter().for_each(|of_one| times.merge(of_one));
    }
    let times = Some(&times).filter(|times| times.count() > 0);
    (!several.is_empty()).then(|| UrlRow::new(format!("({} others)", several.len()), all, times))
}

/// Something that happened to requests of some URLs and not of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// How many URLs have complete requests.
    pub urls: usize,
    /// To how many of them it happened.
    pub affected: usize,
    /// The one to which it happened most often, by its name.
    pub worst: String,
    /// How often.
    pub times: u64,
    /// In how many complete requests.
    pub complete: u64,
}

impl Trouble {
    /// What `count` counts; `None` if it happened to no URL, or to all.
    pub(super) fn new(names: &[Box<str>], urls: &Urls, count: fn(&Tally) -> u64) -> Option<Self> {
        let asked = || names.iter().zip(urls.tallies()).filter(|(_, tally)| tally.complete > 0);
        let affected = || asked().filter(|(_, tally)| count(tally) > 0);
        let (all, some) = (asked().count(), affected().count());
        // Of equals the first, which a search for the last greatest finds backwards.
        let (worst, tally) = affected().rev().max_by_key(|(_, tally)| count(tally))?;
        (some < all).then(|| Self {
            urls: all,
            affected: some,
            worst: worst.to_string(),
            times: count(tally),
            complete: tally.complete,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Failure, MOST_DISTRIBUTIONS, Outcome, Recording, Sample, Stamps};
    use crate::summary::Phase;

    fn names(count: usize) -> Vec<Box<str>> {
        (0..count).map(|number| format!("GET /{number}").into()).collect()
    }

    /// URLs with requests of these times, by URL; one of 13 microseconds failed.
    fn recorded(count: usize, all: &[(u32, Micros)]) -> Urls {
        let mut recording = Recording::new(None, None, Urls::new(count, true));
        for &(url, total) in all {
            let stamps = Stamps { done: total, ..Stamps::default() };
            let outcome = if total == 13 { Outcome::Failed(Failure::Receive) } else { Outcome::Good };
            recording.record(&Sample {
                url,
                stamps,
                outcome,
                status: Some(200),
                document: 0,
                missing: 0,
                kept_alive: false,
                write_error: false,
                planned: None,
            });
        }
        assert_eq!(recording.phase(Phase::Total).count(), all.len() as u64);
        recording.urls
    }

    #[test]
    fn the_slowest_url_comes_first_and_one_that_was_never_asked_for_is_left_out() {
        let urls = recorded(4, &[(0, 10), (0, 20), (2, 40), (3, 15)]);
        let table = ByUrl::new(&names(4), &urls).unwrap();
        let rows: Vec<_> =
            table.rows.iter().map(|row| (row.name.as_str(), row.mean, row.tally.max)).collect();
        assert_eq!(rows, [("GET /2", 40, 40), ("GET /0", 15, 20), ("GET /3", 15, 15)]);
        assert_eq!((table.rows[1].percentiles, table.others), (Some([20, 20]), None));
        assert_eq!(ByUrl::new(&names(4), &recorded(4, &[])), None);
    }

    #[test]
    fn what_has_no_row_is_summed_up() {
        let all: Vec<_> = (0..60).flat_map(|url| [(url, 100 + 2 * Micros::from(url)), (url, 13)]).collect();
        let table = ByUrl::new(&names(60), &recorded(60, &all)).unwrap();
        let others = table.others.unwrap();
        assert_eq!((table.rows.len(), table.rows[0].name.as_str()), (50, "GET /59"));
        assert_eq!(
            (others.name.as_str(), others.tally.complete, others.tally.failed),
            ("(10 others)", 20, 10)
        );
        assert_eq!((others.tally.max, others.mean, others.percentiles), (118, 61, Some([100, 118])));
    }

    #[test]
    fn a_long_list_has_means_and_no_percentiles() {
        let count = MOST_DISTRIBUTIONS + 1;
        let all: Vec<_> = (0..1001).map(|url| (url, 10)).collect();
        let table = ByUrl::new(&names(count), &recorded(count, &all)).unwrap();
        assert_eq!((table.rows.len(), table.rows[0].percentiles), (50, None));
        assert_eq!(table.others.map(|others| (others.tally.complete, others.percentiles)), Some((951, None)));
    }

    #[test]
    fn trouble_of_some_urls_names_the_first_of_the_worst() {
        let failed = |all: &[(u32, Micros)]| Trouble::new(&names(4), &recorded(4, all), |tally| tally.failed);
        assert_eq!(failed(&[(0, 1), (1, 2)]), None);
        assert_eq!(failed(&[(0, 13), (1, 13)]), None);
        let trouble = failed(&[(0, 13), (1, 13), (1, 13), (1, 1), (2, 13), (2, 13), (3, 1)]).unwrap();
        let expected = Trouble { urls: 4, affected: 3, worst: "GET /1".into(), times: 2, complete: 3 };
        assert_eq!(trouble, expected);
    }
}
