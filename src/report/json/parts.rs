//! What fell to single URLs and single addresses, in the JSON report.

use serde::Serialize;

use crate::summary::{self, Address, ByUrl, Circumstances, UrlRow};

/// The table of the URLs.
#[derive(Serialize)]
pub(super) struct Urls<'a> {
    rows: Vec<Row<'a>>,
    others: Option<Row<'a>>,
}

/// The requests of one URL, or of several.
#[derive(Serialize)]
struct Row<'a> {
    url: &'a str,
    complete: u64,
    failed: u64,
    non_2xx: u64,
    mean_us: u64,
    p50_us: Option<u64>,
    p95_us: Option<u64>,
    max_us: u64,
}

/// The requests that went to one of several addresses.
#[derive(Serialize)]
pub(super) struct Share {
    address: String,
    connections: u64,
    unconnected: u64,
    complete: u64,
    failed: u64,
}

impl<'a> Urls<'a> {
    pub(super) fn new(urls: &'a ByUrl) -> Self {
        Self { rows: urls.rows.iter().map(Row::new).collect(), others: urls.others.as_ref().map(Row::new) }
    }
}

impl<'a> Row<'a> {
    fn new(row: &'a UrlRow) -> Self {
        let [p50_us, p95_us] = row.percentiles.map_or([None; 2], |percentiles| percentiles.map(Some));
        Self {
            url: &row.name,
            complete: row.tally.complete,
            failed: row.tally.failed,
            non_2xx: row.tally.non_2xx,
            mean_us: row.mean,
            p50_us,
            p95_us,
            max_us: row.tally.max,
        }
    }
}

impl Share {
    /// One for each address, if they were used in turn.
    pub(super) fn all(circumstances: &Circumstances) -> Vec<Self> {
        let each = circumstances.addresses.iter().zip(&circumstances.shares);
        let one = |(address, share): (&Address, &summary::Share)| Self {
            address: address.to_string(),
            connections: share.connections,
            unconnected: share.unconnected,
            complete: share.complete,
            failed: share.failed,
        };
        each.map(one).collect()
    }
}
