//! What is printed and written.

use super::{FileFormat, Percent, SideFile, UNBOUNDED};

/// Text of the command line for the HTML report, as typed: it goes out unchanged, behind a blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// For the table (`-x`); empty unless given.
    pub table: Vec<u8>,
    /// For its rows (`-y`); empty unless given.
    pub row: Vec<u8>,
    /// For its cells (`-z`); `bgcolor=white` unless given, as in ab.
    pub cell: Vec<u8>,
}

/// What is printed, and how much of it; and the files that are written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the command line")]
pub struct Output {
    /// Troubleshooting level (`-v`), 0 to say nothing; levels above 4 are like 4.
    pub verbosity: u32,
    /// No progress lines and no hints (`-q`).
    pub quiet: bool,
    /// The banner opens standard output (not with `-Q`).
    pub banner: bool,
    /// The percentile table is printed (not with `-d`).
    pub percentiles: bool,
    /// Mean, deviation, median and the advice about them are printed (not with `-S`).
    pub confidence: bool,
    /// When an error ends the run, the report of what was complete goes to standard output (`--partial`).
    pub partial: bool,
    /// A table of the URLs follows the report (`--by-url`).
    pub by_url: bool,
    /// The report is an HTML table with these attributes (`-w`, `-x`, `-y`, `-z`) and not text. `percentiles` and
    /// `confidence` mean nothing for it, as in ab.
    pub html: Option<Attributes>,
    /// The report is JSON with these percentiles (`--json`) and not text.
    pub json: Option<Vec<Percent>>,
    /// Files that are written after the run (`-e`, `-g`, `--samples`, `--save`).
    pub files: Vec<SideFile>,
}

/// From this level on, the request and the heads of responses are shown.
pub(super) const SHOWS_HEADS: u32 = 2;

impl Output {
    /// Whether the request and the heads of responses are shown (`-v 2` and above).
    pub fn shows_heads(&self) -> bool {
        self.verbosity >= SHOWS_HEADS
    }

    /// Whether every single request has to be remembered, and not only what they sum up to.
    pub fn needs_tape(&self) -> bool {
        self.writes(FileFormat::Gnuplot) || self.writes(FileFormat::Samples)
    }

    /// Whether more has to be recorded than ab's report shows.
    pub fn needs_detail(&self) -> bool {
        self.writes(FileFormat::SavedRun) || self.json.is_some()
    }

    /// So many complete requests lie between two progress lines in a run of so many, as in ab: a tenth of the run, at
    /// least 100. `None` with `-q`, for runs of up to 150 requests, and for those that only time ends, which have no
    /// progress lines.
    pub fn progress_interval(&self, requests: u64) -> Option<u64> {
        (!self.quiet && requests > 150 && requests < UNBOUNDED).then(|| (requests / 10).max(100))
    }

    /// Whether there is a file of this format.
    pub fn writes(&self, format: FileFormat) -> bool {
        self.files.iter().any(|file| file.format == format)
    }
}
