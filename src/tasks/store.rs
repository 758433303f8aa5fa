//! The file of saved runs, which is written whole after each run, so that nothing measured is lost.

use std::iter::once;

use crate::plan::{FileFormat, Plan, SideFile};
use crate::saved::{self, Run};
use crate::sink::{Console, FileError, OutputFile};

/// The file of `--save`, if there is one.
pub(super) struct Store<'a> {
    console: &'a Console,
    /// What was asked for, and the file as long as it is not written.
    file: Option<(SideFile, Option<OutputFile>)>,
    /// So many runs are in it.
    written: usize,
}

impl<'a> Store<'a> {
    /// Makes sure that the file can be written, before anything is sent; says so if it cannot.
    pub(super) fn open(plan: &Plan, console: &'a Console) -> Option<Self> {
        let wanted = plan.output.files.iter().find(|file| file.format == FileFormat::SavedRun);
        let opened = wanted.map(|wanted| Ok((wanted.clone(), Some(OutputFile::open(wanted)?)))).transpose();
        let file = opened.inspect_err(|error: &FileError| console.err(format!("{error}\n"))).ok()?;
        Some(Self { console, file, written: 0 })
    }

    /// Writes all runs so far, if the file can be replaced whole. What goes to a pipe or a terminal goes there once, at
    /// the end.
    pub(super) fn keep(&mut self, runs: &[Run]) {
        let is_replaced = |file: &OutputFile| file.is_replaced();
        if self.file.as_ref().is_some_and(|(_, file)| file.as_ref().is_none_or(is_replaced)) {
            // At the end it is tried again, and counts.
            let _ = self.write(runs);
        }
    }

    /// Writes what is not written yet, and returns whether all is. A run in which nothing was complete is left out, and
    /// a file of none is left as it was.
    pub(super) fn write(&mut self, runs: &[Run]) -> bool {
        // A run in which nothing was complete ends a series.
        let runs = match runs {
            [before @ .., last] if last.recording.complete == 0 => before,
            all => all,
        };
        let Some((wanted, file)) = &mut self.file else { return true };
        if runs.len() == self.written {
            return true;
        }
        let opened = file.take().map_or_else(|| OutputFile::open(wanted), Ok);
        let written = opened.and_then(|file| file.write(once(saved::to_json(runs)), self.console));
        match written {
            Ok(()) => self.written = runs.len(),
            Err(error) => self.console.err(format!("{error}\n")),
        }
        self.written == runs.len()
    }
}
