//! The formats of a report, a file each.
//!
//! In comes a [`Summary`], out go bytes. A format computes nothing and opens nothing: where the bytes go is decided
//! elsewhere. Bytes, not text, since a path or a `Server` field need not be UTF-8.

mod banner;
mod by_url;
mod csv;
mod gnuplot;
mod html;
mod samples;
mod schedule;
mod text;

pub use banner::banner;
pub use text::{Sections, text};

use jiff::tz::TimeZone;

use crate::summary::{FileFormat, Output, Summary, Tape};

/// A file, line by line with its line ends: made as it is written, since it may be longer than memory has room for.
pub type Lines<'a> = Box<dyn Iterator<Item = String> + 'a>;

/// The report in the form that was asked for, from the two line ends that follow whatever ends the `Benchmarking`
/// line.
pub fn report(summary: &Summary, output: &Output) -> Vec<u8> {
    let sections = Sections { percentiles: output.percentiles, confidence: output.confidence };
    let mut report = match &output.html {
        Some(attributes) => html::html(summary, attributes),
        None => text(summary, sections),
    };
    if let Some(kept) = &summary.schedule
        && output.html.is_none()
    {
        report.extend(schedule::schedule(kept).into_bytes());
    }
    if let Some(urls) = &summary.by_url {
        report.extend(match &output.html {
            Some(attributes) => html::by_url(urls, attributes),
            None => by_url::by_url(urls).into_bytes(),
        });
    }
    report
}

/// A file in its format. Only those that list single requests read the tape; their dates are those of the zone.
pub fn file<'a>(format: FileFormat, summary: &'a Summary, tape: &'a Tape, zone: &'a TimeZone) -> Lines<'a> {
    match format {
        FileFormat::Csv => csv::csv(summary),
        FileFormat::Gnuplot => gnuplot::gnuplot(summary, tape, zone),
        FileFormat::Samples => samples::samples(summary, tape),
    }
}
