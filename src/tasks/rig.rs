//! One run after the other.
//!
//! In come plans one by one, out go [`Run`]s. Before the first there may be a warm-up, between two of them a pause. A
//! signal, or a run in which nothing was complete, ends the series: what comes after it is not begun.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use super::outcome::exit_code;
use crate::plan::{Course, Plan, WarmUp};
use crate::progress::Progress;
use crate::run::{self, Ending, Interrupts};
use crate::saved::{Machine, Run};
use crate::sink::Console;
use crate::stats::ab::seconds;

/// Makes runs.
pub(super) struct Rig<'a> {
    console: &'a Arc<Console>,
    course: &'a Course,
    /// What comes before the next run.
    warm_up: Option<WarmUp>,
    /// Says nothing of what goes on.
    quiet: bool,
    /// The signals since the first run began.
    interrupts: Interrupts,
    worst: Option<Ending>,
    is_over: bool,
}

impl<'a> Rig<'a> {
    /// For the runs of a course.
    pub(super) fn new(course: &'a Course, console: &'a Arc<Console>, quiet: bool) -> Self {
        Self {
            console,
            course,
            warm_up: course.warm_up,
            quiet,
            interrupts: Interrupts::default(),
            worst: None,
            is_over: false,
        }
    }

    /// Makes a run; `None` if the series is over.
    pub(super) fn run(&mut self, plan: &Arc<Plan>, progress: &Arc<Progress>) -> Option<Run> {
        if let Some(warm_up) = self.warm_up.take() {
            self.warm_up(&plan.warm_up(warm_up));
        } else if self.worst.is_some() {
            self.pause();
        }
        if self.is_over {
            return None;
        }
        let run = measure(plan, progress, &self.interrupts);
        self.note(&run);
        Some(run)
    }

    /// Says a line on standard error, unless nothing is to be said there.
    pub(super) fn say(&self, line: &str) {
        if !self.quiet {
            self.console.err(format!("{line}\n"));
        }
    }

    /// Whether a signal has ended the series.
    pub(super) fn was_interrupted(&self) -> bool {
        matches!(self.worst, Some(Ending::Interrupted(_)))
    }

    /// The exit code of the worst ending; `all_written` is whether all files could be, `is_broken` whether a rule of
    /// `--fail-if` is.
    pub(super) fn exit_code(&self, all_written: bool, is_broken: bool) -> u8 {
        exit_code(self.worst.as_ref().unwrap_or(&Ending::Complete), all_written, is_broken)
    }

    fn warm_up(&mut self, plan: &Plan) {
        let plan = Arc::new(plan.clone());
        let progress = Arc::new(Progress::new(Arc::clone(self.console), Arc::clone(&plan)));
        let run = measure(&plan, &progress, &self.interrupts);
        let (complete, time) = (run.recording.complete, seconds(run.elapsed));
        self.say(&format!("Warm-up: {complete} requests in {time:.3} s, which do not count"));
        // Its end counts only if it is also that of the series.
        let is_good = matches!(run.ending, Ending::Complete | Ending::TimeLimit) && complete > 0;
        if is_good { self.heed() } else { self.note(&run) }
    }

    /// The pause between two runs.
    fn pause(&mut self) {
        match self.interrupts.pause(self.course.cool_down) {
            Ok(None) => {}
            Ok(Some(signal)) => self.end(Ending::Interrupted(signal)),
            Err(error) => self.end(Ending::Failed(error.into())),
        }
    }

    /// Notes how a run ended, and whether another may follow.
    fn note(&mut self, run: &Run) {
        if run.recording.complete == 0 || matches!(run.ending, Ending::Interrupted(_)) {
            self.end(run.ending.clone());
        } else {
            self.worse(run.ending.clone());
        }
    }

    /// Ends the series if a signal has come after the end of the warm-up.
    fn heed(&mut self) {
        if let Some(signal) = self.interrupts.seen() {
            self.end(Ending::Interrupted(signal));
        }
    }

    fn end(&mut self, ending: Ending) {
        self.is_over = true;
        self.worse(ending);
    }

    /// Keeps the worst ending: an error before a signal, and the first of its kind.
    fn worse(&mut self, ending: Ending) {
        let rank = |ending: &Ending| match ending {
            Ending::Complete | Ending::TimeLimit => 1,
            Ending::Interrupted(_) => 2,
            Ending::Failed(_) => 3,
        };
        if self.worst.as_ref().map_or(0, rank) < rank(&ending) {
            self.worst = Some(ending);
        }
    }
}

/// Makes one run, and says how it ended as far as ab says so on standard error.
fn measure(plan: &Arc<Plan>, progress: &Arc<Progress>, interrupts: &Interrupts) -> Run {
    let result = run::run_in_series(Arc::clone(plan), Arc::clone(progress) as _, interrupts);
    progress.ended(&result.ending, result.recording.complete);
    Run::new(plan, result, machine())
}

/// What this machine is.
fn machine() -> Machine {
    let cores = available_parallelism().map_or(1, NonZero::get);
    Machine {
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
    }
}
