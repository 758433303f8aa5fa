//! The formats of a report, a file each.
//!
//! In comes a [`Summary`], out go bytes. A format computes nothing and opens nothing: where the bytes go is decided
//! elsewhere. Bytes, not text, since a path or a `Server` field need not be UTF-8.

mod banner;
mod by_url;
mod calibration;
pub mod comparison;
mod csv;
mod frame;
mod gate;
mod gnuplot;
mod html;
mod json;
mod samples;
mod schedule;
mod series;
mod series_json;
mod sweep;
mod text;

pub use banner::banner;
pub use frame::{closing, opening};
pub use gate::gate;
pub use text::{Sections, text};

use jiff::tz::TimeZone;

use crate::summary::{Calibration, FileFormat, Output, RunRow, Summary, Swept, Tape};

/// A file, line by line with its line ends: made as it is written, since it may be longer than memory has room for.
pub type Lines<'a> = Box<dyn Iterator<Item = String> + 'a>;

/// The report in the form that was asked for, from the two line ends that follow whatever ends the `Benchmarking`
/// line.
pub fn report(summary: &Summary, output: &Output) -> Vec<u8> {
    let by_url = summary.by_url.as_ref();
    let mut page = match (&output.json, &output.html) {
        (Some(_), _) => return json::json(summary),
        (None, Some(attributes)) => {
            let mut page = html::html(summary, attributes);
            page.extend(by_url.map(|urls| html::by_url(urls, attributes)).unwrap_or_default());
            page
        }
        (None, None) => {
            let sections = Sections { percentiles: output.percentiles, confidence: output.confidence };
            let mut page = text(summary, sections);
            page.extend(summary.schedule.as_ref().map(schedule::schedule).unwrap_or_default().into_bytes());
            page.extend(by_url.map(by_url::by_url).unwrap_or_default().into_bytes());
            page
        }
    };
    if let Some(runs) = &summary.series {
        page.extend(series::series(runs, output.html.as_ref()).into_bytes());
    }
    page
}

/// What stands above the rows of a sweep.
pub fn sweep_head() -> String {
    sweep::head()
}

/// The row of a step.
pub fn sweep_row(run: &RunRow) -> String {
    sweep::row(run)
}

/// What follows the rows of a sweep.
pub fn sweep_end(swept: &Swept) -> String {
    sweep::end(swept)
}

/// What a calibration found.
pub fn calibration(found: &Calibration) -> String {
    calibration::calibration(found)
}

/// A file in its format; `None` if that is no report. Only those that list single requests read the tape; their dates
/// are those of the zone.
pub fn file<'a>(
    format: FileFormat,
    summary: &'a Summary,
    tape: &'a Tape,
    zone: &'a TimeZone,
) -> Option<Lines<'a>> {
    match format {
        FileFormat::Csv => Some(csv::csv(summary)),
        FileFormat::Gnuplot => Some(gnuplot::gnuplot(summary, tape, zone)),
        FileFormat::Samples => Some(samples::samples(summary, tape)),
        FileFormat::SavedRun => None,
    }
}
