//! The text report, read back into values.

use std::collections::BTreeMap;

/// The labels of the table of connection times.
const ROWS: [&str; 4] = ["Connect", "Processing", "Waiting", "Total"];

/// One row of the table of connection times, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    pub(crate) min: f64,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
}

/// What became of the requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) complete: u64,
    pub(crate) connect: u64,
    pub(crate) receive: u64,
    pub(crate) length: u64,
    pub(crate) exceptions: u64,
    pub(crate) write_errors: u64,
    pub(crate) non_2xx: u64,
}

impl Counts {
    /// So many complete requests, all of them good.
    pub(crate) fn good(complete: u64) -> Self {
        Self { complete, ..Self::default() }
    }

    /// So many complete requests, so many of them failed with class Receive.
    pub(crate) fn receive(complete: u64, receive: u64) -> Self {
        Self { complete, receive, ..Self::default() }
    }

    /// So many complete requests, so many of them failed with class Exceptions.
    pub(crate) fn exceptions(complete: u64, exceptions: u64) -> Self {
        Self { complete, exceptions, ..Self::default() }
    }

    /// So many requests, all of which failed with class Connect.
    pub(crate) fn connect(complete: u64) -> Self {
        Self { complete, connect: complete, ..Self::default() }
    }
}

/// A text report.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    text: String,
    numbers: BTreeMap<String, f64>,
    rows: BTreeMap<String, Row>,
    /// Percentage and milliseconds, in the order of the report.
    pub(crate) percentiles: Vec<(u32, u64)>,
}

impl Report {
    /// Reads the report on a standard output; `None` if there is none.
    pub(crate) fn of(stdout: &str) -> Option<Self> {
        let start = stdout.find("Server Software:")?;
        let text = stdout[start..].to_owned();
        let mut report = Self {
            numbers: BTreeMap::new(),
            rows: BTreeMap::new(),
            percentiles: Vec::new(),
            text: text.clone(),
        };
        for line in text.lines() {
            report.read_line(line);
        }
        Some(report)
    }

    fn read_line(&mut self, line: &str) {
        if let Some((percent, time)) = line.trim_start().split_once("%  ") {
            let time = time.trim().split(' ').next().and_then(|number| number.parse().ok());
            self.percentiles.extend(percent.parse().ok().zip(time));
        }
        let Some((label, value)) = line.split_once(':') else { return };
        let words: Vec<&str> = value.split_whitespace().collect();
        if ROWS.contains(&label) {
            let cells: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
            if let [min, mean, deviation, median, max] = cells[..] {
                self.rows.insert(label.to_owned(), Row { min, mean, deviation, median, max });
            }
        } else if let Some(number) = words.first().and_then(|word| word.parse().ok()) {
            let again = self.numbers.contains_key(label);
            let label = if again { format!("{label} (all)") } else { label.to_owned() };
            self.numbers.insert(label, number);
        }
    }

    /// The number behind a label; the second `Time per request` has ` (all)` behind its label. `None` if the report
    /// has no such line.
    pub(crate) fn number(&self, label: &str) -> Option<f64> {
        self.numbers.get(label).copied()
    }

    /// The count behind a label.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count printed as a whole number"
    )]
    pub(crate) fn count(&self, label: &str) -> Option<u64> {
        self.number(label).map(|number| number as u64)
    }

    /// The text behind a label, up to the end of the line.
    pub(crate) fn text_of(&self, label: &str) -> Option<&str> {
        self.text.lines().find_map(|line| Some(line.strip_prefix(label)?.strip_prefix(':')?.trim()))
    }

    /// One row of the table of connection times.
    pub(crate) fn row(&self, name: &str) -> Row {
        *self.rows.get(name).unwrap_or_else(|| panic!("no row {name} in\n{}", self.text))
    }

    /// A percentile in milliseconds.
    pub(crate) fn percentile(&self, percent: u32) -> u64 {
        let found = self.percentiles.iter().find(|(listed, _)| *listed == percent);
        found.unwrap_or_else(|| panic!("no {percent}% in\n{}", self.text)).1
    }

    /// What became of the requests. Fails the test if `Failed requests` is not the sum of its classes, or if a line
    /// that stands only for numbers above 0 says 0.
    pub(crate) fn counts(&self) -> Counts {
        let split = self.text.lines().find_map(|line| {
            let inner = line.strip_prefix("   (Connect: ")?.strip_suffix(')')?;
            let parts: Vec<&str> = inner.split(", ").collect();
            let [connect, receive, length, exceptions] = parts[..] else { return None };
            let number = |text: &str, label: &str| text.strip_prefix(label)?.parse::<u64>().ok();
            Some([
                number(connect, "")?,
                number(receive, "Receive: ")?,
                number(length, "Length: ")?,
                number(exceptions, "Exceptions: ")?,
            ])
        });
        let failed = self.count("Failed requests").expect("Failed requests");
        assert_eq!(split.is_some(), failed > 0, "the split stands exactly if requests failed\n{}", self.text);
        let [connect, receive, length, exceptions] = split.unwrap_or_default();
        assert_eq!(connect + receive + length + exceptions, failed, "the split adds up\n{}", self.text);
        let optional = |label: &str| {
            let count = self.count(label);
            assert_ne!(count, Some(0), "{label} stands only when it is not 0\n{}", self.text);
            count.unwrap_or(0)
        };
        let complete = self.count("Complete requests").expect("Complete requests");
        let (write_errors, non_2xx) = (optional("Write errors"), optional("Non-2xx responses"));
        Counts { complete, connect, receive, length, exceptions, write_errors, non_2xx }
    }
}

#[test]
fn a_report_is_read_back() {
    let text = "banner: 7\n\nServer Software:        x\nComplete requests:      10\nFailed requests:        3\n   \
                (Connect: 0, Receive: 1, Length: 2, Exceptions: 0)\nNon-2xx responses:      4\nTime per request:       \
                0.269 [ms] (mean)\nTime per request:       0.135 [ms] (mean, across all concurrent requests)\nTotal:  \
                        0    1   0.1      2       3\n  50%      2\n 100%      3 (longest request)\n";
    let report = Report::of(text).expect("a report");
    let counts = Counts { complete: 10, receive: 1, length: 2, non_2xx: 4, ..Counts::default() };
    assert_eq!(report.counts(), counts);
    assert_eq!(report.number("Time per request (all)"), Some(0.135));
    assert_eq!(report.row("Total"), Row { min: 0.0, mean: 1.0, deviation: 0.1, median: 2.0, max: 3.0 });
    assert_eq!(report.percentiles, [(50, 2), (100, 3)]);
    assert_eq!(report.text_of("Server Software"), Some("x"));
    assert_eq!(report.number("banner"), None);
}
