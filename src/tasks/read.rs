//! The runs of a file that was named on the command line.

use std::ffi::OsStr;
use std::path::Path;

use crate::args::{Refusal, shown, shown_bytes};
use crate::saved::{self, Run};

/// The runs, at least one; or a line that names the file and what is wrong with it.
pub(super) fn read(file: &OsStr) -> Result<Vec<Run>, Refusal> {
    saved::read(Path::new(file)).map_err(|error| {
        // It may quote the file, nothing of which is for a terminal to obey.
        let what = shown_bytes(error.to_string().as_bytes());
        Refusal::error(format!("'{}' {what}", shown(file)))
    })
}
