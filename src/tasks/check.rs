//! Rules held against runs: `--fail-if` of a benchmark, and `rab check` for saved ones.

use std::ffi::OsString;

use super::read::read;
use crate::args::{Args, Refusal, shown, shown_bytes};
use crate::plan::Rule;
use crate::report::gate;
use crate::run::Ending;
use crate::saved::Run;
use crate::sink::Console;
use crate::summary::Gate;

/// The exit code for a broken rule.
pub(super) const BROKEN: u8 = 3;

/// `rab check`, from what was typed to the exit code. Every run of every file must keep every rule; a run that an error
/// ended has broken all of them, and its own exit code.
pub(crate) fn check(args: &Args, files: &[OsString], console: &Console) -> Result<u8, Refusal> {
    let all: Vec<(String, Vec<Run>)> =
        files.iter().map(|file| Ok((shown(file), read(file)?))).collect::<Result<_, Refusal>>()?;
    let (mut failed, mut is_broken) = (None, false);
    for (file, runs) in &all {
        for (number, run) in (1..).zip(runs) {
            let place = format!("{file}, run {number}");
            if let Ending::Failed(fatal) = &run.ending {
                let error = shown_bytes(fatal.to_string().trim().as_bytes());
                console.out(format!("{place}: an error ended it ({error})\n"));
                failed = failed.or(Some(fatal.exit_code()));
                continue;
            }
            for found in held(&args.judging.fail_if, run) {
                console.out(format!("{place}: {}\n", gate(&found)));
                is_broken |= found.broken;
            }
        }
    }
    Ok(failed.unwrap_or(if is_broken { BROKEN } else { 0 }))
}

/// Says on standard error what came of each rule of a benchmark, and returns whether one is broken. A run that an error
/// ended has that to say, and nothing else.
pub(super) fn gates(rules: &[Rule], run: &Run, console: &Console) -> bool {
    if matches!(run.ending, Ending::Failed(_)) {
        return false;
    }
    let mut is_broken = false;
    for found in held(rules, run) {
        console.err(format!("gate: {}\n", gate(&found)));
        is_broken |= found.broken;
    }
    is_broken
}

fn held(rules: &[Rule], run: &Run) -> impl Iterator<Item = Gate> {
    rules.iter().map(move |rule| Gate::new(*rule, run))
}
