//! rab's own list of requests (`--samples`): a line a complete request, in the order in which they began.
//!
//! In come the tape and the moment from which its stamps count, out goes CSV with a header line (RFC 4180, but for its
//! line ends: these are single line feeds, as in ab's files, which every reader of CSV takes). Only a URL may need quotes.
//!
//! | column | meaning |
//! | --- | --- |
//! | `start_us` | when the request began, in microseconds since the start of the run |
//! | `started` | the same in seconds since 1970, with six decimals |
//! | `connect_us`, `processing_us`, `waiting_us`, `total_us` | the four phases of the report, in microseconds |
//! | `status` | the status code; empty if no response head was read |
//! | `outcome` | `good`, or the class of the failure: `connect`, `receive`, `length`, `exception` |
//! | `document_bytes` | bytes of the document that were received |
//! | `kept_alive` | `true` if the report counts it among the keep-alive requests, otherwise `false` |
//! | `url` | only with `--urls`: method, path and body file, as in the table of `--by-url` |
//!
//! The wall clock is read once, at the start of the run; from there a steady clock counts, so that a clock that is set
//! during the run does not tear a hole into the list.

use std::time::Duration;

use jiff::Timestamp;

use super::Lines;
use crate::summary::{Entry, Failure, Outcome, Phase, Summary, Tape};

const HEADER: &str = "start_us,started,connect_us,processing_us,waiting_us,total_us,status,outcome,\
                      document_bytes,kept_alive";

/// The lines of the file.
pub(super) fn samples<'a>(summary: &'a Summary, tape: &'a Tape) -> Lines<'a> {
    let header = format!("{HEADER}{}\n", if summary.url_names.is_empty() { "" } else { ",url" });
    let lines = tape.by_start().into_iter().map(|(entry, url)| {
        let name = url.and_then(|url| summary.url_names.get(url as usize));
        format!("{}{}\n", line(summary, entry), name.map(|name| column(name)).unwrap_or_default())
    });
    Box::new(std::iter::once(header).chain(lines))
}

/// One more column, in quotes where CSV wants them.
fn column(text: &str) -> String {
    if text.contains([',', '"']) { format!(",\"{}\"", text.replace('"', "\"\"")) } else { format!(",{text}") }
}

/// When a request began, on the wall clock. A clock beyond the year 9999 gives its beginning, 1970.
pub(super) fn started(summary: &Summary, entry: &Entry) -> Timestamp {
    let started = summary.circumstances.began.checked_add(Duration::from_micros(entry.start()));
    started.and_then(|started| Timestamp::try_from(started).ok()).unwrap_or_default()
}

fn line(summary: &Summary, entry: &Entry) -> String {
    let started = started(summary, entry);
    let [connect, processing, waiting, total] = Phase::ALL.map(|phase| entry.duration(phase));
    let status = entry.status().map(|status| status.to_string()).unwrap_or_default();
    format!(
        "{},{}.{:06},{connect},{processing},{waiting},{total},{status},{},{},{}",
        entry.start(),
        started.as_second(),
        started.subsec_microsecond(),
        name(entry.outcome()),
        entry.document(),
        entry.kept_alive()
    )
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Good => "good",
        Outcome::Failed(Failure::Connect) => "connect",
        Outcome::Failed(Failure::Receive) => "receive",
        Outcome::Failed(Failure::Length) => "length",
        Outcome::Failed(Failure::Exception) => "exception",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Sample, Stamps};
    use crate::summary::fixture;

    #[test]
    fn lines_are_in_order_of_time_with_all_there_is_to_know() {
        let text: String = samples(&fixture::staging(), &fixture::tape()).collect();
        assert_eq!(text, include_str!("expected/samples.csv"));
    }

    #[test]
    fn with_a_list_each_line_ends_with_its_url() {
        let mut summary = fixture::staging();
        summary.url_names = ["GET /a,b", "POST /b @\"x\"", "GET /c"].map(Into::into).into();
        let (mut tape, stamps) = (Tape::with_urls(), Stamps::default());
        for url in 0..3 {
            tape.record(&Sample {
                url,
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
        let text: String = samples(&summary, &tape).collect();
        let ends: Vec<&str> = text.lines().map(|line| &line[line.rfind("e,").unwrap() + 2..]).collect();
        assert_eq!(ends, ["url", "\"GET /a,b\"", "\"POST /b @\"\"x\"\"\"", "GET /c"]);
    }
}
