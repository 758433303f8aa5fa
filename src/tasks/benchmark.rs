//! A benchmark: one run, several of the same, or a sweep over loads.

use std::io;
use std::sync::Arc;

use super::series::series;
use super::sweep::sweep;
use crate::args::{Args, Refusal};
use crate::plan::{Course, Plan};
use crate::sink::Console;
use crate::{Surroundings, demo, net};

/// From what was typed to the exit code.
pub(crate) fn benchmark(args: Args, console: &Arc<Console>, around: Surroundings) -> Result<u8, Refusal> {
    let demo = if args.demo { Some(demo::start().map_err(|error| no_demo(&error))?) } else { None };
    // ab's mistakes come before those that only rab knows.
    let course = Course::new(&args);
    let plan = Plan::new(args, demo)?;
    let course = course?;
    let plans = match &course.sweep {
        Some(sweep) => super::sweep::steps(&plan, sweep)?,
        None => vec![plan.clone()],
    };
    if demo.is_some() {
        // Each connection has both its ends in this process.
        let most = plans.iter().map(|plan| plan.load.concurrency).max().unwrap_or_default();
        net::raise_open_files(most.saturating_mul(2));
    }
    Ok(match &course.sweep {
        Some(swept) => sweep(&plan, plans, &course, &swept.until, console),
        None => series(&plan, &course, console, around),
    })
}

fn no_demo(error: &io::Error) -> Refusal {
    Refusal::error(format!("the server of --demo could not be started: {error}"))
}
