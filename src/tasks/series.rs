//! One run, or several of the same plan.
//!
//! The report is that of the median run. A series of one has no other, and is what ab does.

use std::sync::Arc;

use super::check::gates;
use super::outcome::{hint, open, print, write};
use super::rig::Rig;
use super::store::Store;
use crate::plan::{Course, Plan};
use crate::progress::Progress;
use crate::saved::Run;
use crate::sink::Console;
use crate::summary::{Asides, RunRow, Series, Summary};
use crate::{OUTPUT_LOST, Surroundings};

/// Makes the runs of a plan, and returns the exit code.
pub(super) fn series(plan: &Plan, course: &Course, console: &Arc<Console>, around: Surroundings) -> u8 {
    let Some(files) = open(plan, console) else { return OUTPUT_LOST };
    let Some(mut store) = Store::open(plan, console) else { return OUTPUT_LOST };
    let is_one = course.repeat == 1;
    let each = Arc::new(if is_one { plan.clone() } else { plan.without_progress() });
    let progress = Arc::new(Progress::new(Arc::clone(console), Arc::clone(&each)));
    progress.begin();
    let mut rig = Rig::new(course, console, plan.output.quiet);
    let mut runs = Vec::new();
    for number in 1..=course.repeat {
        let Some(run) = rig.run(&each, &progress) else { break };
        runs.push(run);
        if !is_one {
            rig.say(&told(&format!("Run {number} of {}", course.repeat), runs.last()));
            store.keep(&runs);
        }
    }
    let Some(series) = Series::new(&runs) else { return rig.exit_code(true, false) };
    let run = &runs[series.median];
    progress.closed(&run.ending, run.recording.complete);
    let summary = Summary::new(run, &plan.output, Asides::of(plan));
    let summary = Summary { series: (!is_one).then_some(series), ..summary };
    print(&plan.output, &summary, console, around);
    // Both are tried, whatever becomes of the first.
    let all_written = write(plan, files, run, &summary, console) & store.write(&runs);
    hint(&plan.output, &summary, console);
    let is_broken = gates(&plan.gates, run, console);
    rig.exit_code(all_written, is_broken)
}

/// The line on a run that has ended.
pub(super) fn told(what: &str, run: Option<&Run>) -> String {
    let figures = run.map(RunRow::new).map(|row| row.figures);
    match figures.and_then(|figures| figures.rps.zip(figures.p95)) {
        Some((rps, p95)) => format!("{what}: {rps:.2} requests a second, p95 {:.3} ms", p95 as f64 / 1000.0),
        None => format!("{what}: nothing complete"),
    }
}
