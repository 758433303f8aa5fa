//! All that may be shown of a run.
//!
//! In comes a [`Run`], fresh or from a file, out goes one [`Summary`]. Every report and every hint reads it and nothing
//! else, so each figure is derived once and all formats agree. It holds no credentials: of a bearer token only the time
//! of its expiry.

mod asides;
mod circumstances;
mod compared;
mod figures;
#[cfg(test)]
pub(crate) mod fixture;
mod gate;
mod measured;
mod run_figures;
mod schedule;
mod series;
#[cfg(test)]
pub(crate) mod series_fixture;
mod swept;
mod token;
mod urls;

use std::sync::Arc;

use crate::saved::{Requests, Run};
use crate::stats::{ab, html};

// What a summary is made of, so that its readers need no other module.
pub use crate::plan::{Attributes, FileFormat, Measure, Operator, Output, Percent, Rule, Unit, Version};
pub use crate::record::{
    Causes, Entry, Failure, Failures, Micros, Outcome, Phase, Share, Statuses, Streak, Tape,
};
pub use crate::run::{Address, Ending, FILES_OF_A_WORKER, Fatal, Signal, SocketCall};
pub use crate::saved::Difference;
pub use crate::stats::Metric;
pub use crate::stats::ab::{Advice, BodyRates, Rates, Row, seconds, whole_ms};
pub use crate::stats::calibrate::Calibration;
pub use crate::stats::compare::{
    Because, Comparison, Conclusion, ErrorComparison, ErrorKind, Finding, Interval, MetricComparison,
    Pairing, Permutation, Reason, RunsNeeded, Settings, Side, Verdict,
};
pub use crate::stats::html::HtmlRow;
pub use crate::stats::knee::Knee;
pub use crate::stats::spread::{Fence, Outlier, Spread};
pub use asides::Asides;
pub use circumstances::{Circumstances, Client, SchemeDoubt, Sizes};
pub use compared::{Compared, Flaw, Terms};
pub use figures::{Figures, Times};
pub use gate::Gate;
pub use measured::measured;
pub use run_figures::run_figures;
pub use schedule::Schedule;
pub use series::{Column, RunRow, Series};
pub use swept::{Broken, Swept};
pub use urls::{ByUrl, Trouble, UrlRow};

/// The values of ab's report, in its order, and what the hints need besides.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The `Server` field of the first response up to its first blank; empty if it has none.
    pub server_software: Vec<u8>,
    /// The host of the URL, an IPv6 address without its brackets.
    pub hostname: String,
    /// The port of the URL.
    pub port: u16,
    /// The TLS lines; `None` for plain HTTP, or if no handshake came to its end.
    pub tls: Option<TlsLines>,
    /// The version in which the server first answered; only with `--http1.1` and `--http2`.
    pub protocol: Option<Version>,
    /// Path and query of the URL as typed; of many, those of the first and how many more there are.
    pub document_path: Vec<u8>,
    /// How long the document is.
    pub document_length: DocumentLength,
    /// Requests in flight at a time: connections times the requests on each.
    pub concurrency: usize,
    /// From just before the first connection to the last event.
    pub elapsed: Micros,
    /// Requests that ended, well or not.
    pub complete: u64,
    /// Those of them that failed, by class.
    pub failures: Failures,
    /// Those of them that could not be sent.
    pub write_errors: u64,
    /// Responses with a status that is not 2xx.
    pub non_2xx: u64,
    /// Responses that left their connection open; only with `-k`, then also if it is 0.
    pub keep_alive: Option<u64>,
    /// Bytes received, heads and broken answers included.
    pub transferred: u64,
    /// Bytes sent, heads included; only if the requests have a body.
    pub sent: Option<u64>,
    /// Bytes of documents received.
    pub html: u64,
    /// What is divided by the time taken; `None` if nothing is complete.
    pub rates: Option<Rates>,
    /// The table of connection times, in the order of [`Phase::ALL`]; `None` if nothing is complete.
    pub table: Option<[Row; 4]>,
    /// The table of connection times in the HTML report; `None` if nothing is complete.
    pub html_table: Option<[HtmlRow; 3]>,
    /// Percentages and the time within which so many requests were served; empty for fewer than two requests.
    pub percentiles: Vec<(u8, Micros)>,
    /// Percentages from 0 to 100 and the time within which so many requests were served, for `-e`; empty without it.
    pub served: Vec<(u8, Micros)>,
    /// The table of the URLs; `None` without `--by-url`, if nothing is complete, or if a file does not have it.
    pub by_url: Option<ByUrl>,
    /// The names of the URLs, by their number, for `--samples`; empty without a list of URLs or without that file.
    pub url_names: Arc<[Box<str>]>,
    /// How a schedule was kept; `None` without one.
    pub schedule: Option<Schedule>,
    /// What JSON shows besides; `None` unless that is the report.
    pub figures: Option<Figures>,
    /// The runs that this one stands for; `None` if it is the only one.
    pub series: Option<Series>,
    /// What ab's report does not show.
    pub circumstances: Circumstances,
}

/// The lines about TLS, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsLines {
    /// Protocol, cipher by its OpenSSL name, bits of the certificate's key and of the cipher, joined by commas.
    pub protocol: String,
    /// Kind and bits of the ephemeral key.
    pub temp_key: Option<String>,
    /// The name sent to the server (SNI, RFC 6066, section 3).
    pub server_name: Option<String>,
}

/// The length of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentLength {
    /// Bytes of the first document that was received well, to which all others are held; 0 if there was none.
    Fixed(u64),
    /// Any length is good (`-l`), or each of many URLs has its own.
    Variable,
}

impl Summary {
    /// Sums up a run, with what this output needs beyond ab's report.
    pub fn new(run: &Run, output: &Output, asides: Asides) -> Self {
        let (recording, conditions) = (&run.recording, &run.conditions);
        let (complete, requests) = (recording.complete, &conditions.requests);
        let concurrency = conditions.in_flight();
        let sent = (requests.with_body > 0).then_some(recording.sent);
        Self {
            server_software: run.server.software.clone(),
            hostname: conditions.target.host.clone(),
            port: conditions.target.port,
            tls: TlsLines::new(run),
            protocol: run.server.version.filter(|_| conditions.version != Version::Http10),
            document_path: document_path(requests),
            document_length: if conditions.load.fixed_length && requests.urls == 1 {
                DocumentLength::Fixed(run.server.document_length.unwrap_or(0))
            } else {
                DocumentLength::Variable
            },
            concurrency,
            elapsed: run.elapsed,
            complete,
            failures: recording.failures,
            write_errors: recording.write_errors,
            non_2xx: recording.statuses.non_2xx(),
            keep_alive: conditions.load.keep_alive.then_some(recording.kept_alive),
            transferred: recording.received,
            sent,
            html: recording.document,
            rates: Rates::new(concurrency, run.elapsed, complete, recording.received, sent),
            table: (complete > 0).then(|| Phase::ALL.map(|phase| Row::new(recording, phase))),
            html_table: (complete > 0).then(|| html::rows(recording)),
            percentiles: ab::percentiles(&recording.phase(Phase::Total)),
            served: if output.writes(FileFormat::Csv) {
                ab::served_curve(&recording.phase(Phase::Total))
            } else {
                Vec::new()
            },
            by_url: if output.by_url { ByUrl::new(&run.url_names, &recording.urls) } else { None },
            url_names: if output.writes(FileFormat::Samples) {
                Arc::clone(&run.url_names)
            } else {
                Arc::default()
            },
            schedule: Schedule::new(run),
            figures: output.json.as_deref().map(|percentiles| Figures::new(run, percentiles)),
            series: None,
            circumstances: Circumstances::new(run, output, asides),
        }
    }
}

/// The path, on one line also for many URLs, and with a path as its first word.
fn document_path(requests: &Requests) -> Vec<u8> {
    let mut path = requests.first.path.clone();
    let more = requests.urls.saturating_sub(1);
    if more > 0 {
        path.extend_from_slice(format!(" and {more} more").as_bytes());
    }
    path
}

impl TlsLines {
    fn new(run: &Run) -> Option<Self> {
        let secured = run.server.tls.as_ref()?;
        Some(Self {
            protocol: secured.protocol(),
            temp_key: secured.temp_key.clone(),
            server_name: run.conditions.tls.as_ref().and_then(|tls| tls.server_name.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::record::{Failure, Outcome, Sample, Stamps};
    use crate::run::RunResult;
    use proptest::prelude::*;

    /// A good response that took so many microseconds: to connect, to answer, to send all.
    fn sample(connect: Micros, waiting: Micros, rest: Micros) -> Sample {
        let (connected, first_byte) = (connect, connect + waiting);
        let stamps = Stamps { start: 0, connected, written: connected, first_byte, done: first_byte + rest };
        let outcome = Outcome::Good;
        Sample {
            url: 0,
            stamps,
            outcome,
            status: Some(200),
            document: 100,
            missing: 0,
            kept_alive: true,
            write_error: false,
            planned: None,
        }
    }

    /// What is made of a run with these samples.
    fn summary(plan: &Plan, samples: &[Sample]) -> Summary {
        let mut result = fixture::run_result();
        for sample in samples {
            result.recording.record(sample);
        }
        fixture::summary(plan, result)
    }

    #[test]
    fn nothing_complete_has_no_rates_and_no_table() {
        let interrupted = RunResult { document_length: None, ..fixture::run_result() };
        let summary = fixture::summary(&fixture::plan(), interrupted);
        assert_eq!((summary.rates, summary.table, summary.percentiles), (None, None, vec![]));
        assert_eq!(summary.document_length, DocumentLength::Fixed(0));
    }

    #[test]
    fn options_decide_which_lines_there_are() {
        let (mut plan, samples) = (fixture::plan(), [sample(1, 2, 3)]);
        let without = summary(&plan, &samples);
        assert_eq!((without.keep_alive, without.sent), (None, None));
        plan.load.keep_alive = true;
        plan.load.fixed_length = false;
        fixture::change_request(&mut plan, |request| request.body = Some(bytes::Bytes::new()));
        let with = summary(&plan, &samples);
        assert_eq!((with.keep_alive, with.sent), (Some(1), Some(0)));
        assert_eq!(with.document_length, DocumentLength::Variable);
    }

    #[test]
    fn sizes_take_the_good_documents_into_account() {
        let odd =
            |document| Sample { document, outcome: Outcome::Failed(Failure::Length), ..sample(1, 1, 1) };
        let good = sample(1, 1, 1);
        let seen = summary(&fixture::plan(), &[good, good, good, odd(98), odd(98), odd(103)]);
        let sizes = seen.circumstances.sizes;
        assert_eq!(sizes, Some(Sizes { least: 98, most_common: 100, greatest: 103 }));
        let even = summary(&fixture::plan(), &[good]);
        assert_eq!(even.circumstances.sizes, None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn the_figures_of_a_report_agree(
            times in prop::collection::vec((0..500_000_u64, 0..500_000_u64, 0..500_000_u64), 2..100)
        ) {
            let samples: Vec<_> = times.into_iter().map(|(c, w, r)| sample(c, w, r)).collect();
            let summary = summary(&fixture::plan(), &samples);
            let [connect, processing, waiting, total] = summary.table.unwrap();
            for row in [connect, processing, waiting, total] {
                prop_assert!(row.min <= row.mean && row.mean <= row.max);
                prop_assert!(row.min <= row.median && row.median <= row.max);
                prop_assert!(row.max <= total.max && row.min <= total.min && row.mean <= total.mean);
            }
            let sum = whole_ms(connect.mean) + whole_ms(processing.mean);
            prop_assert!(sum.abs_diff(whole_ms(total.mean)) <= 1);
            prop_assert_eq!(summary.percentiles.last(), Some(&(100, total.max)));
        }
    }
}
