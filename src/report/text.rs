//! ab's text report, to the column.
//!
//! In comes a [`Summary`], out goes everything that ab prints after the `Benchmarking` line. Scripts find values by
//! label, by line number and by word, so no line is added, moved or worded differently.

use std::fmt::Display;

use crate::summary::{Advice, DocumentLength, Phase, Rates, Row, Summary, seconds, whole_ms};

/// Which of the optional sections are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sections {
    /// The table of percentages (not with `-d`).
    pub percentiles: bool,
    /// Deviation, median and the advice about them (not with `-S`).
    pub confidence: bool,
}

impl Default for Sections {
    fn default() -> Self {
        Self { percentiles: true, confidence: true }
    }
}

/// The report, from the two line ends before `Server Software:` to the end.
///
/// As in ab these two follow whatever ends the `Benchmarking` line: `..done` and a line end after a run without
/// progress lines, the line end alone with them, nothing at all after a signal. The caller prints that part.
///
/// If nothing is complete, the report ends after `HTML transferred:`, as in ab.
pub fn text(summary: &Summary, sections: Sections) -> Vec<u8> {
    let mut page = Page(Vec::new());
    page.line("\n");
    server(&mut page, summary);
    document(&mut page, summary);
    counts(&mut page, summary);
    if let Some(rates) = &summary.rates {
        self::rates(&mut page, rates);
    }
    if let Some(rows) = &summary.table {
        if sections.confidence { confidence_table(&mut page, rows) } else { plain_table(&mut page, rows) }
    }
    if sections.percentiles && !summary.percentiles.is_empty() {
        percentiles(&mut page, summary);
    }
    page.0
}

/// The bytes so far.
struct Page(Vec<u8>);

impl Page {
    /// A line as it is.
    fn line(&mut self, line: impl AsRef<[u8]>) {
        self.0.extend_from_slice(line.as_ref());
        self.0.push(b'\n');
    }

    /// A label with its colon, padded to 24 columns even if nothing follows, and a value.
    fn value(&mut self, label: &str, value: impl Display) {
        self.line(format!("{label:<24}{value}"));
    }

    /// The same with a value that need not be UTF-8.
    fn bytes(&mut self, label: &str, value: &[u8]) {
        self.0.extend_from_slice(format!("{label:<24}").as_bytes());
        self.line(value);
    }
}

fn server(page: &mut Page, summary: &Summary) {
    page.bytes("Server Software:", &summary.server_software);
    page.value("Server Hostname:", &summary.hostname);
    page.value("Server Port:", summary.port);
    if let Some(tls) = &summary.tls {
        page.value("SSL/TLS Protocol:", &tls.protocol);
        if let Some(key) = &tls.temp_key {
            page.value("Server Temp Key:", key);
        }
        if let Some(name) = &tls.server_name {
            page.value("TLS Server Name:", name);
        }
    }
    if let Some(version) = summary.protocol {
        page.value("HTTP Protocol:", version.as_str());
    }
    page.line("");
}

fn document(page: &mut Page, summary: &Summary) {
    page.bytes("Document Path:", &summary.document_path);
    match summary.document_length {
        DocumentLength::Fixed(bytes) => page.value("Document Length:", format_args!("{bytes} bytes")),
        DocumentLength::Variable => page.value("Document Length:", "Variable"),
    }
    page.line("");
}

fn counts(page: &mut Page, summary: &Summary) {
    let failures = &summary.failures;
    page.value("Concurrency Level:", summary.concurrency);
    page.value("Time taken for tests:", format_args!("{:.3} seconds", seconds(summary.elapsed)));
    page.value("Complete requests:", summary.complete);
    page.value("Failed requests:", failures.total());
    if failures.total() > 0 {
        page.line(format!(
            "   (Connect: {}, Receive: {}, Length: {}, Exceptions: {})",
            failures.connect, failures.receive, failures.length, failures.exceptions
        ));
    }
    if summary.write_errors > 0 {
        page.value("Write errors:", summary.write_errors);
    }
    if summary.non_2xx > 0 {
        page.value("Non-2xx responses:", summary.non_2xx);
    }
    if let Some(kept) = summary.keep_alive {
        page.value("Keep-Alive requests:", kept);
    }
    page.value("Total transferred:", format_args!("{} bytes", summary.transferred));
    if let Some(sent) = summary.sent {
        page.value("Total body sent:", sent);
    }
    page.value("HTML transferred:", format_args!("{} bytes", summary.html));
}

fn rates(page: &mut Page, rates: &Rates) {
    page.value("Requests per second:", format_args!("{:.2} [#/sec] (mean)", rates.requests_per_second));
    page.value("Time per request:", format_args!("{:.3} [ms] (mean)", rates.ms_per_request));
    page.value(
        "Time per request:",
        format_args!("{:.3} [ms] (mean, across all concurrent requests)", rates.ms_across_all),
    );
    page.value("Transfer rate:", format_args!("{:.2} [Kbytes/sec] received", rates.received));
    if let Some(body) = &rates.with_body {
        page.value("", format_args!("{:.2} kb/s sent", body.sent));
        page.value("", format_args!("{:.2} kb/s total", body.total));
    }
}

/// The label of a row, and what the advice calls its times.
fn names(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::Connect => ("Connect:", "initial connection"),
        Phase::Processing => ("Processing:", "processing"),
        Phase::Waiting => ("Waiting:", "waiting"),
        Phase::Total => ("Total:", "total"),
    }
}

fn confidence_table(page: &mut Page, rows: &[Row]) {
    page.line("\nConnection Times (ms)");
    page.line("              min  mean[+/-sd] median   max");
    for row in rows {
        let [min, mean, median, max] = [row.min, row.mean, row.median, row.max].map(whole_ms);
        let (label, deviation) = (names(row.phase).0, row.deviation / 1000.0);
        page.line(format!("{label:<12}{min:5} {mean:4} {deviation:5.1} {median:6} {max:7}"));
    }
    for row in rows {
        let topic = names(row.phase).1;
        match row.advice() {
            Some(Advice::Error) => page.line(format!(
                "ERROR: The median and mean for the {topic} time are more than twice the standard\n       \
                 deviation apart. These results are NOT reliable."
            )),
            Some(Advice::Warning) => page.line(format!(
                "WARNING: The median and mean for the {topic} time are not within a normal deviation\n        \
                 These results are probably not that reliable."
            )),
            None => {}
        }
    }
}

fn plain_table(page: &mut Page, rows: &[Row]) {
    page.line("\nConnection Times (ms)");
    page.line("              min   avg   max");
    for row in rows {
        let [min, mean, max] = [row.min, row.mean, row.max].map(whole_ms);
        page.line(format!("{:<12}{min:5} {mean:5}{max:5}", names(row.phase).0));
    }
}

fn percentiles(page: &mut Page, summary: &Summary) {
    page.line("\nPercentage of the requests served within a certain time (ms)");
    for &(percent, time) in &summary.percentiles {
        let longest = if percent == 100 { " (longest request)" } else { "" };
        page.line(format!("{percent:4}%  {:5}{longest}", whole_ms(time)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Failures, TlsLines, fixture};

    #[track_caller]
    fn assert_text(summary: &Summary, sections: Sections, expected: &str) {
        let found = String::from_utf8(text(summary, sections)).unwrap();
        assert_eq!(found.strip_prefix("\n\n"), Some(expected));
    }

    /// The report up to the rates.
    fn head(summary: &Summary) -> String {
        let all = String::from_utf8(text(summary, Sections::default())).unwrap();
        let end = all.find("Requests per second:").unwrap_or(all.len());
        all[2..end].to_owned()
    }

    #[test]
    fn a_whole_report_comes_back_to_the_byte() {
        assert_text(&fixture::staging(), Sections::default(), include_str!("expected/staging.txt"));
    }

    #[test]
    fn without_confidence_the_table_is_narrower() {
        let sections = Sections { confidence: false, ..Sections::default() };
        assert_text(&fixture::staging(), sections, include_str!("expected/no_confidence.txt"));
    }

    #[test]
    fn without_percentages_the_report_ends_at_the_table() {
        let sections = Sections { percentiles: false, ..Sections::default() };
        let mut summary = fixture::staging();
        assert_text(&summary, sections, include_str!("expected/no_percentiles.txt"));
        summary.percentiles.clear();
        assert_text(&summary, Sections::default(), include_str!("expected/no_percentiles.txt"));
    }

    #[test]
    fn nothing_complete_ends_after_the_counts() {
        let mut summary = fixture::summary(&fixture::plan(), fixture::run_result());
        summary.server_software.clear();
        summary.document_length = DocumentLength::Fixed(0);
        assert_text(&summary, Sections::default(), include_str!("expected/nothing_complete.txt"));
    }

    #[test]
    fn every_optional_line_has_its_place() {
        let mut summary = fixture::staging();
        summary.tls = Some(TlsLines {
            protocol: "TLSv1.3,TLS_AES_256_GCM_SHA384,2048,256".into(),
            temp_key: Some("X25519 253 bits".into()),
            server_name: Some("staging.example.com".into()),
        });
        summary.failures = Failures { connect: 1, receive: 2, length: 3, exceptions: 4 };
        summary.write_errors = 4;
        summary.non_2xx = 5;
        summary.keep_alive = Some(0);
        summary.sent = Some(16_900);
        summary.rates = Rates::new(10, 3_368_190, 100, 642_500, summary.sent);
        assert_text(&summary, Sections::default(), include_str!("expected/every_line.txt"));
    }

    #[test]
    fn optional_lines_come_one_by_one() {
        let plain = head(&fixture::staging());
        let with = |change: fn(&mut Summary), after: &str, line: &str| {
            let mut summary = fixture::staging();
            change(&mut summary);
            let at = plain.find(after).map_or(0, |at| at + plain[at..].find('\n').unwrap() + 1);
            let expected = format!("{}{line}\n{}", &plain[..at], &plain[at..]);
            assert_eq!(head(&summary), expected);
        };
        with(|s| s.write_errors = 1, "Failed requests", "Write errors:           1");
        with(|s| s.non_2xx = 3, "Failed requests", "Non-2xx responses:      3");
        with(|s| s.keep_alive = Some(7), "Failed requests", "Keep-Alive requests:    7");
        with(|s| s.sent = Some(507), "Total transferred", "Total body sent:        507");
    }

    #[test]
    fn any_length_is_called_variable() {
        let mut summary = fixture::staging();
        summary.document_length = DocumentLength::Variable;
        assert!(head(&summary).contains("\nDocument Length:        Variable\n"));
    }

    #[test]
    fn an_empty_server_name_keeps_the_padding_and_bytes_stay_bytes() {
        let mut summary = fixture::staging();
        summary.server_software.clear();
        assert!(head(&summary).starts_with("Server Software:        \n"));
        summary.document_path = b"/caf\xe9".to_vec();
        let found = text(&summary, Sections::default());
        assert!(found.windows(30).any(|part| part == b"\nDocument Path:          /caf\xe9"));
    }

    #[test]
    fn advice_follows_the_table_in_the_order_of_its_rows() {
        let mut summary = fixture::staging();
        for row in summary.table.iter_mut().flatten() {
            row.deviation = if row.phase == Phase::Connect { 3000.0 } else { 1500.0 };
        }
        let found = String::from_utf8(text(&summary, Sections::default())).unwrap();
        let table = found.find("Total:  ").unwrap();
        let end = found.find("\nPercentage").unwrap();
        let below: String =
            found[table..end].lines().skip(1).fold(String::new(), |all, line| all + line + "\n");
        assert_eq!(below, include_str!("expected/advice.txt"));
    }

    #[test]
    fn wide_numbers_push_the_columns() {
        let mut summary = fixture::staging();
        for row in summary.table.iter_mut().flatten() {
            (row.mean, row.median, row.max) = (123_456_000, 123_456_000, 12_345_678_000);
        }
        let found = String::from_utf8(text(&summary, Sections::default())).unwrap();
        assert!(found.contains("\nTotal:        145 123456  67.9 123456 12345678\n"));
    }
}
