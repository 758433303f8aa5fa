//! ab's report as an HTML table (`-w`).
//!
//! In comes a [`Summary`] with the attributes of the command line, out goes everything from the two line ends before
//! the table to its end tag. Rows, tags and blanks are ab's; so is what it leaves out: TLS, write errors, the Receive
//! class of failures, times per request, percentages, deviations.
//!
//! Unlike ab's, it can be shown in a browser without trust in the server: what comes from outside (the `Server` field,
//! the host, the path) is escaped, where ab prints its `<` and `&` as they are. Attributes come from the command line
//! and go out as typed. And unlike ab's it stays HTML after SIGINT, where ab falls back to text.

use std::fmt::Display;

use super::by_url::{COLUMNS, TITLE, figures};
use crate::summary::{Attributes, ByUrl, DocumentLength, HtmlRow, Phase, Rates, Summary, seconds};

/// The report. If nothing is complete, the table ends after `HTML transferred:`, as the text report does.
pub(super) fn html(summary: &Summary, attributes: &Attributes) -> Vec<u8> {
    let mut table = Table { bytes: Vec::new(), attributes };
    table.text("\n\n<table ");
    table.bytes(&attributes.table);
    table.text(">\n");
    server(&mut table, summary);
    counts(&mut table, summary);
    if let Some(rates) = &summary.rates {
        self::rates(&mut table, rates);
    }
    if let Some(rows) = &summary.html_table {
        times(&mut table, rows);
    }
    table.text("</table>\n");
    table.bytes
}

/// The table of the URLs, which follows the report.
pub(super) fn by_url(urls: &ByUrl, attributes: &Attributes) -> Vec<u8> {
    let mut table = Table { bytes: Vec::new(), attributes };
    table.text("\n<table ");
    table.bytes(&attributes.table);
    table.text(">\n");
    table.row();
    table.cell("th", &format!(" colspan={}", COLUMNS.len() + 1), TITLE.as_bytes());
    table.end_row();
    table.row();
    for heading in COLUMNS.into_iter().chain(["URL"]) {
        table.cell("th", "", heading.as_bytes());
    }
    table.end_row();
    for row in urls.rows.iter().chain(&urls.others) {
        table.row();
        for figure in figures(row) {
            table.cell("td", "", figure.as_bytes());
        }
        table.cell("td", "", &escaped(row.name.as_bytes()));
        table.end_row();
    }
    table.text("</table>\n");
    table.bytes
}

/// The bytes so far, and what stands in every tag.
struct Table<'a> {
    bytes: Vec<u8>,
    attributes: &'a Attributes,
}

impl Table<'_> {
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Begins a row.
    fn row(&mut self) {
        self.text("<tr ");
        self.bytes(&self.attributes.row);
        self.text(">");
    }

    /// A cell: the tag up to the blank before ab's attributes of cells, what follows these, and the content.
    fn cell(&mut self, tag: &str, more: &str, content: &[u8]) {
        let element = &tag[..2];
        self.text(&format!("<{tag} "));
        self.bytes(&self.attributes.cell);
        self.text(&format!("{more}>"));
        self.bytes(content);
        self.text(&format!("</{element}>"));
    }

    fn end_row(&mut self) {
        self.text("</tr>\n");
    }

    /// A label with its colon, and a value.
    fn value(&mut self, label: &str, value: impl Display) {
        self.named("th", label, value.to_string().as_bytes());
    }

    /// The same with a value from outside, which need not be UTF-8 and must not be markup.
    fn foreign(&mut self, label: &str, value: &[u8]) {
        self.named("th", label, &escaped(value));
    }

    /// A value that has no label.
    fn unnamed(&mut self, value: impl Display) {
        self.named("td", "&nbsp;", value.to_string().as_bytes());
    }

    fn named(&mut self, element: &str, label: &str, value: &[u8]) {
        self.row();
        self.cell(&format!("{element} colspan=2"), "", label.as_bytes());
        self.cell("td colspan=2", "", value);
        self.end_row();
    }
}

/// Text in which nothing is markup.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut safe = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'<' => safe.extend_from_slice(b"&lt;"),
            b'>' => safe.extend_from_slice(b"&gt;"),
            b'&' => safe.extend_from_slice(b"&amp;"),
            b'"' => safe.extend_from_slice(b"&quot;"),
            _ => safe.push(*byte),
        }
    }
    safe
}

fn server(table: &mut Table, summary: &Summary) {
    table.foreign("Server Software:", &summary.server_software);
    table.foreign("Server Hostname:", summary.hostname.as_bytes());
    table.value("Server Port:", summary.port);
    if let Some(version) = summary.protocol {
        table.value("HTTP Protocol:", version.as_str());
    }
    table.foreign("Document Path:", &summary.document_path);
    match summary.document_length {
        DocumentLength::Fixed(bytes) => table.value("Document Length:", format_args!("{bytes} bytes")),
        DocumentLength::Variable => table.value("Document Length:", "Variable"),
    }
}

fn counts(table: &mut Table, summary: &Summary) {
    let failures = &summary.failures;
    table.value("Concurrency Level:", summary.concurrency);
    table.value("Time taken for tests:", format_args!("{:.3} seconds", seconds(summary.elapsed)));
    table.value("Complete requests:", summary.complete);
    table.value("Failed requests:", failures.total());
    if failures.total() > 0 {
        // As ab: without Receive, and with a blank behind the attributes of this cell.
        let split = format!(
            "   (Connect: {}, Length: {}, Exceptions: {})",
            failures.connect, failures.length, failures.exceptions
        );
        table.row();
        table.cell("td colspan=4", " ", split.as_bytes());
        table.end_row();
    }
    if summary.non_2xx > 0 {
        table.value("Non-2xx responses:", summary.non_2xx);
    }
    if let Some(kept) = summary.keep_alive {
        table.value("Keep-Alive requests:", kept);
    }
    table.value("Total transferred:", format_args!("{} bytes", summary.transferred));
    if let Some(sent) = summary.sent {
        table.value("Total body sent:", sent);
    }
    table.value("HTML transferred:", format_args!("{} bytes", summary.html));
}

fn rates(table: &mut Table, rates: &Rates) {
    table.value("Requests per second:", format_args!("{:.2}", rates.requests_per_second));
    table.value("Transfer rate:", format_args!("{:.2} kb/s received", rates.received));
    if let Some(body) = &rates.with_body {
        table.unnamed(format_args!("{:.2} kb/s sent", body.sent));
        table.unnamed(format_args!("{:.2} kb/s total", body.total));
    }
}

fn times(table: &mut Table, rows: &[HtmlRow]) {
    table.row();
    table.cell("th", " colspan=4", b"Connection Times (ms)");
    table.end_row();
    table.row();
    for (gap, heading) in [("", "&nbsp;"), (" ", "min"), ("   ", "avg"), ("   ", "max")] {
        table.text(gap);
        table.cell("th", "", heading.as_bytes());
    }
    table.end_row();
    for row in rows {
        let label = match row.phase {
            Phase::Connect => "Connect:",
            Phase::Processing => "Processing:",
            Phase::Waiting => "Waiting:",
            Phase::Total => "Total:",
        };
        table.row();
        table.cell("th", "", label.as_bytes());
        for time in [row.min, row.average, row.max] {
            table.cell("td", "", format!("{time:5}").as_bytes());
        }
        table.end_row();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Failures, fixture};

    fn attributes(table: &str, row: &str, cell: &str) -> Attributes {
        Attributes { table: table.into(), row: row.into(), cell: cell.into() }
    }

    #[track_caller]
    fn assert_html(summary: &Summary, attributes: &Attributes, expected: &str) {
        let found = String::from_utf8(html(summary, attributes)).unwrap();
        assert_eq!(found.strip_prefix("\n\n"), Some(expected));
    }

    #[test]
    fn a_whole_table_comes_back_to_the_byte() {
        let attributes = attributes("", "", "bgcolor=white");
        assert_html(&fixture::staging(), &attributes, include_str!("expected/table.html"));
    }

    #[test]
    fn every_optional_row_has_its_place_and_attributes_go_out_as_typed() {
        let mut summary = fixture::staging();
        summary.document_length = DocumentLength::Variable;
        summary.failures = Failures { connect: 1, receive: 2, length: 3, exceptions: 4 };
        summary.write_errors = 4;
        summary.non_2xx = 5;
        summary.keep_alive = Some(0);
        summary.sent = Some(16_900);
        summary.rates = Rates::new(10, 3_368_190, 100, 642_500, summary.sent);
        let attributes = attributes("border=1 <", "align=left", "class=c");
        assert_html(&summary, &attributes, include_str!("expected/every_row.html"));
    }

    #[test]
    fn nothing_complete_ends_after_the_counts() {
        let summary = fixture::summary(&fixture::plan(), fixture::run_result());
        let found = String::from_utf8(html(&summary, &attributes("", "", ""))).unwrap();
        let end = "<tr ><th colspan=2 >HTML transferred:</th><td colspan=2 >0 bytes</td></tr>\n</table>\n";
        assert!(found.ends_with(end), "{found}");
    }

    #[test]
    fn what_comes_from_outside_is_no_markup() {
        let mut summary = fixture::staging();
        summary.server_software = b"<b>&\"\xff".to_vec();
        let found = html(&summary, &attributes("", "", ""));
        let expected = b"<td colspan=2 >&lt;b&gt;&amp;&quot;\xff</td>";
        assert!(found.windows(expected.len()).any(|part| part == expected));
        assert!(String::from_utf8_lossy(&found).contains("month=11&amp;year=2025</td>"));
    }
}
