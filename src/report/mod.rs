//! The formats of a report, a file each.
//!
//! In comes a [`Summary`], out go bytes. A format computes nothing and opens nothing: where the bytes go is decided
//! elsewhere. Bytes, not text, since a path or a `Server` field need not be UTF-8.

mod banner;
mod html;
mod text;

pub use banner::banner;
pub use text::{Sections, text};

use crate::summary::{Output, Summary};

/// The report in the form that was asked for, from the two line ends that follow whatever ends the `Benchmarking`
/// line.
pub fn report(summary: &Summary, output: &Output) -> Vec<u8> {
    let sections = Sections { percentiles: output.percentiles, confidence: output.confidence };
    match &output.html {
        Some(attributes) => html::html(summary, attributes),
        None => text(summary, sections),
    }
}
