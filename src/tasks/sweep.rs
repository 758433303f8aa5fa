//! A run, or several, at each of some concurrencies; a row is printed as each step ends.

use std::sync::Arc;

use super::outcome::hint;
use super::rig::Rig;
use super::series::told;
use super::store::Store;
use crate::args::Refusal;
use crate::plan::{Course, Plan, Rule, Sweep};
use crate::progress::Progress;
use crate::sink::Console;
use crate::summary::{Asides, Broken, Series, Summary, Swept, measured};
use crate::{OUTPUT_LOST, report};

/// The plans of all steps, before anything is sent: each has its own concurrency, and all else in common.
pub(super) fn steps(plan: &Plan, sweep: &Sweep) -> Result<Vec<Plan>, Refusal> {
    let most = sweep.concurrencies.iter().max().copied().unwrap_or_default();
    let hint = |refusal: Refusal| refusal.hint(format!("-n is for each step of --sweep: -n {most} would do"));
    sweep.concurrencies.iter().map(|&concurrency| plan.at(concurrency).map_err(hint)).collect()
}

/// Goes through the steps, and returns the exit code. `until` are the rules that have to hold for the next one.
pub(super) fn sweep(
    plan: &Plan,
    steps: Vec<Plan>,
    course: &Course,
    until: &[Rule],
    console: &Arc<Console>,
) -> u8 {
    let Some(mut store) = Store::open(plan, console) else { return OUTPUT_LOST };
    let proxy = plan.network.proxy().map(ToString::to_string);
    console.out(report::opening(&plan.output, &plan.target.host, proxy.as_deref(), true));
    console.out(report::sweep_head());
    let mut rig = Rig::new(course, console, plan.output.quiet);
    let (mut runs, mut rows, mut broken) = (Vec::new(), Vec::new(), None);
    for step in steps {
        let step = Arc::new(step.without_progress());
        let progress = Arc::new(Progress::new(Arc::clone(console), Arc::clone(&step)));
        let before = runs.len();
        for number in 1..=course.repeat {
            let Some(run) = rig.run(&step, &progress) else { break };
            runs.push(run);
            if course.repeat > 1 {
                let (connections, all) = (step.load.concurrency, course.repeat);
                rig.say(&told(&format!("Run {number} of {all} at {connections} connections"), runs.last()));
            }
            store.keep(&runs);
        }
        let Some(series) = Series::new(&runs[before..]) else { break };
        let (run, row) = (&runs[before + series.median], series.runs[series.median].clone());
        console.out(report::sweep_row(&row));
        if rows.is_empty() {
            hint(&plan.output, &Summary::new(run, &plan.output, Asides::of(plan)), console);
        }
        rows.push(row);
        broken = Broken::first(until, |measure| measured(run, measure));
        if broken.is_some() {
            break;
        }
    }
    console.out(report::sweep_end(&Swept::new(rows, broken)));
    let all_written = store.write(&runs);
    rig.exit_code(all_written, false)
}
