//! All that may be shown of a run.
//!
//! In comes a [`Run`], fresh or from a file, out goes one [`Summary`]. Every report and every hint reads it and nothing
//! else, so each figure is derived once and all formats agree. It holds no credentials: of a bearer token only the time
//! of its expiry.

mod asides;
mod compared;
mod figures;
#[cfg(test)]
pub(crate) mod fixture;
mod gate;
mod measured;
mod run_figures;
mod series;
#[cfg(test)]
pub(crate) mod series_fixture;
mod swept;
mod token;

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use crate::record::{Lengths, Recording};
use crate::saved::Run;
use crate::stats::{ab, html};

// What a summary is made of, so that its readers need no other module.
pub use crate::plan::{Attributes, FileFormat, Measure, Operator, Output, Percent, Rule, Unit, Version};
pub use crate::record::{Causes, Entry, Failure, Failures, Micros, Outcome, Phase, Statuses, Tape};
pub use crate::run::{Ending, Fatal, Signal, SocketCall};
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
pub use compared::{Compared, Flaw, Terms};
pub use figures::{Figures, Times};
pub use gate::Gate;
pub use measured::measured;
pub use run_figures::run_figures;
pub use series::{Column, RunRow, Series};
pub use swept::{Broken, Swept};

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
    /// Path and query of the URL as typed.
    pub document_path: Vec<u8>,
    /// How long the document is.
    pub document_length: DocumentLength,
    /// Connections at a time.
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
    /// Any length is good (`-l`).
    Variable,
}

/// Lengths of the documents received whole, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The least.
    pub least: u64,
    /// The most frequent.
    pub most_common: u64,
    /// The greatest.
    pub greatest: u64,
}

/// Why the scheme of the URL may not be the server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeDoubt {
    /// A plain request was answered with TLS.
    AnsweredInTls,
    /// No TLS handshake came to its end.
    NeverSecured,
}

impl SchemeDoubt {
    fn new(run: &Run) -> Option<Self> {
        if run.server.speaks_tls {
            return Some(Self::AnsweredInTls);
        }
        (run.conditions.tls.is_some() && run.server.tls.is_none()).then_some(Self::NeverSecured)
    }
}

/// How the run went, beyond the numbers of ab's report.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the run")]
pub struct Circumstances {
    /// Why the run ended.
    pub ending: Ending,
    /// When the run began, on the wall clock.
    pub began: SystemTime,
    /// When it ended, on the wall clock.
    pub ended: SystemTime,
    /// So many requests were asked for.
    pub requests: u64,
    /// The limit on the time of the run (`-t`).
    pub time_limit: Option<Duration>,
    /// A connection was allowed to be silent for so long (`-s`).
    pub silence: Duration,
    /// The report goes to standard output even if an error ended the run (`--partial`).
    pub partial: bool,
    /// The run is saved to a file (`--save`), unless nothing is complete.
    pub saves: bool,
    /// The addresses that connections went to.
    pub addresses: Vec<SocketAddr>,
    /// The server has kept a connection open after a response, or would have.
    pub server_keeps: bool,
    /// Broken connections did not end the run (`-r`).
    pub tolerate: bool,
    /// The HTTP version of the requests.
    pub version: Version,
    /// The requests have a body under ab's default type, `text/plain`.
    pub plain_text_body: bool,
    /// When the bearer token of the requests expires, if they have one that says so.
    pub token_expiry: Option<Timestamp>,
    /// How often each status was answered.
    pub statuses: Statuses,
    /// The `Location` field of the first 3xx response that had one.
    pub location: Option<Vec<u8>>,
    /// Which lengths were seen, if some were not that of the first document.
    pub sizes: Option<Sizes>,
    /// Responses that ended before the length that their head announces, and the bytes that these lack.
    pub cut_short: (u64, u64),
    /// Requests that went out once more, since the server had closed the reused connection.
    pub resent: u64,
    /// Why the scheme of the URL may not be the server's.
    pub scheme_doubt: Option<SchemeDoubt>,
    /// Remarks about the command line, in whole sentences.
    pub remarks: Vec<String>,
}

impl Summary {
    /// Sums up a run, with what this output needs beyond ab's report.
    pub fn new(run: &Run, output: &Output, asides: Asides) -> Self {
        let (recording, conditions) = (&run.recording, &run.conditions);
        let (complete, load) = (recording.complete, &conditions.load);
        let concurrency = usize::try_from(load.concurrency).unwrap_or(usize::MAX);
        let sent = conditions.has_body().then_some(recording.sent);
        Self {
            server_software: run.server.software.clone(),
            hostname: conditions.target.host.clone(),
            port: conditions.target.port,
            tls: TlsLines::new(run),
            document_path: conditions.path().to_vec(),
            document_length: if load.fixed_length {
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
            keep_alive: load.keep_alive.then_some(recording.kept_alive),
            transferred: recording.received,
            sent,
            html: recording.document,
            rates: Rates::new(concurrency, run.elapsed, complete, recording.received, sent),
            table: (complete > 0).then(|| Phase::ALL.map(|phase| Row::new(recording, phase))),
            html_table: (complete > 0).then(|| html::rows(recording)),
            percentiles: ab::percentiles(recording.phase(Phase::Total)),
            served: if output.writes(FileFormat::Csv) {
                ab::served_curve(recording.phase(Phase::Total))
            } else {
                Vec::new()
            },
            figures: output.json.as_deref().map(|percentiles| Figures::new(run, percentiles)),
            series: None,
            circumstances: Circumstances::new(run, output, asides),
        }
    }
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

impl Circumstances {
    fn new(run: &Run, output: &Output, asides: Asides) -> Self {
        let (load, recording) = (&run.conditions.load, &run.recording);
        Self {
            ending: run.ending.clone(),
            began: run.began,
            ended: run.began.checked_add(Duration::from_micros(run.elapsed)).unwrap_or(run.began),
            requests: load.requests,
            time_limit: load.time_limit.map(Duration::from_micros),
            silence: Duration::from_micros(load.silence),
            partial: output.partial,
            saves: output.writes(FileFormat::SavedRun),
            addresses: run.server.addresses.clone(),
            server_keeps: run.server.keeps,
            tolerate: load.tolerate,
            version: run.conditions.version,
            plain_text_body: asides.plain_text_body,
            token_expiry: asides.token_expiry,
            statuses: recording.statuses.clone(),
            location: run.server.location.clone(),
            sizes: sizes(recording, run.server.document_length),
            cut_short: (recording.cut_short, recording.missing),
            resent: recording.resent,
            scheme_doubt: SchemeDoubt::new(run),
            remarks: asides.remarks,
        }
    }
}

/// The lengths of all whole documents. The recording counts the odd ones one by one; all good ones are as long as the
/// first.
fn sizes(recording: &Recording, first: Option<u64>) -> Option<Sizes> {
    recording.odd_lengths.range()?;
    let mut all = Lengths::default();
    if let Some(first) = first {
        all.count(first, recording.complete.saturating_sub(recording.failures.total()));
    }
    all.merge(&recording.odd_lengths);
    let (least, greatest) = all.range()?;
    Some(Sizes { least, most_common: all.most_common()?, greatest })
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
            stamps,
            outcome,
            status: Some(200),
            document: 100,
            missing: 0,
            kept_alive: true,
            write_error: false,
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
        plan.request.body = Some(bytes::Bytes::new());
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
