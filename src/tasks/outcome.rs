//! What a run leaves behind for people and scripts: its report, its files, hints, and an exit code.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::check::BROKEN;
use crate::plan::{FileFormat, Output, Plan};
use crate::record::Tape;
use crate::run::{Ending, Signal};
use crate::saved::Run;
use crate::sink::{Console, OutputFile};
use crate::summary::Summary;
use crate::{OUTPUT_LOST, Surroundings, hints, report};

/// Makes sure that the files of a report can be written, before anything is sent; says what cannot. The saved run is not
/// among them.
pub(super) fn open(plan: &Plan, console: &Console) -> Option<Vec<OutputFile>> {
    let of_report = plan.output.files.iter().filter(|file| file.format != FileFormat::SavedRun);
    let files: Result<Vec<_>, _> = of_report.map(OutputFile::open).collect();
    files.inspect_err(|error| console.err(format!("{error}\n"))).ok()
}

/// Prints the report where it belongs.
pub(super) fn print(output: &Output, summary: &Summary, console: &Console, around: Surroundings) {
    let report = report::report(summary, output);
    match summary.circumstances.ending {
        // A script that reads a report must not take a broken run for a whole one.
        Ending::Failed(_) if output.partial => console.out(report),
        Ending::Failed(_) if around.err_is_terminal && summary.complete > 0 => console.err(report),
        Ending::Failed(_) => {}
        _ => console.out(report),
    }
}

/// Writes the files, and returns whether nothing went wrong with that. As in ab, a run that an error ended leaves them
/// as they were, unless its part is asked for, and so does one in which nothing is complete.
pub(super) fn write(
    plan: &Plan,
    files: Vec<OutputFile>,
    run: &Run,
    summary: &Summary,
    console: &Arc<Console>,
) -> bool {
    let is_whole = plan.output.partial || !matches!(run.ending, Ending::Failed(_));
    if summary.complete == 0 || !is_whole {
        return true;
    }
    let (no_tape, zone) = (Tape::default(), TimeZone::system());
    let tape = run.recording.tape.as_ref().unwrap_or(&no_tape);
    let written = files.into_iter().filter_map(|file| {
        let lines = report::file(file.format(), summary, tape, &zone)?;
        Some(file.write(lines, console).inspect_err(|error| console.err(format!("{error}\n"))))
    });
    // One that cannot be written is no reason to leave out the next.
    written.filter(Result::is_err).count() == 0
}

/// Prints what a careful colleague would point out.
pub(super) fn hint(output: &Output, summary: &Summary, console: &Console) {
    if !output.quiet {
        for hint in hints::hints(summary) {
            console.err(format!("hint: {hint}\n"));
        }
    }
}

/// What a script learns of a run: `is_broken` is whether a rule of `--fail-if` is.
pub(super) fn exit_code(ending: &Ending, all_written: bool, is_broken: bool) -> u8 {
    match ending {
        Ending::Complete | Ending::TimeLimit if !all_written => OUTPUT_LOST,
        Ending::Complete | Ending::TimeLimit if is_broken => BROKEN,
        Ending::Complete | Ending::TimeLimit => 0,
        Ending::Interrupted(Signal::Interrupt) => 1,
        Ending::Interrupted(Signal::Terminate) => 143,
        Ending::Failed(fatal) => fatal.exit_code(),
    }
}
