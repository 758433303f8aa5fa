//! `rab calibrate`: repeats one run, and says how small a change this machine can tell.

use std::sync::Arc;

use super::rig::Rig;
use super::series::told;
use super::store::Store;
use crate::args::{Args, Refusal};
use crate::plan::{Course, Plan};
use crate::progress::Progress;
use crate::run::Ending;
use crate::sink::Console;
use crate::stats::calibrate;
use crate::stats::compare::Settings;
use crate::summary::run_figures;
use crate::{OUTPUT_LOST, report};

/// Pairs of runs unless `--repeat` says otherwise, as for a comparison.
const PAIRS: usize = 10;

/// For so many pairs, besides those that were made, it is said what they would tell.
const SHOWN: [usize; 4] = [5, 10, 20, 40];

/// From what was typed to the exit code.
pub(crate) fn calibrate(args: Args, console: &Arc<Console>) -> Result<u8, Refusal> {
    let course = Course::of(&args, PAIRS);
    let plan = Plan::new(args, None)?;
    let quiet = plan.output.quiet;
    let plan = Arc::new(plan.without_progress());
    let Some(mut store) = Store::open(&plan, console) else { return Ok(OUTPUT_LOST) };
    let progress = Arc::new(Progress::new(Arc::clone(console), Arc::clone(&plan)));
    let mut rig = Rig::new(&course, console, quiet);
    let mut runs = Vec::new();
    let all = 2 * course.repeat;
    for number in 1..=all {
        let Some(run) = rig.run(&plan, &progress) else { break };
        runs.push(run);
        rig.say(&told(&format!("Run {number} of {all}"), runs.last()));
        store.keep(&runs);
    }
    // The figures of what was cut short are those of a part.
    let whole = runs.iter().filter(|run| matches!(run.ending, Ending::Complete | Ending::TimeLimit));
    let figures: Vec<_> = whole.map(run_figures).collect();
    let mut shown = SHOWN.to_vec();
    shown.push(figures.len() / 2);
    shown.sort_unstable();
    shown.dedup();
    if !figures.is_empty() {
        let found = calibrate::calibrate(&figures, &shown, &Settings::default());
        console.out(report::calibration(&found));
    }
    let all_written = store.write(&runs);
    Ok(rig.exit_code(all_written, false))
}
