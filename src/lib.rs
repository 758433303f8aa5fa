//! rab is ab for today: the same options and the same report, with every core, flat memory, and answers counted
//! right.
//!
//! Data flows one way. Each arrow is one function with one input type and one output type:
//!
//! ```text
//! argv -> Args -> Plan -> run -> samples -> Recording -> Run -> Summary -> reports
//! ```
//!
//! | module | purpose |
//! | --- | --- |
//! | [`args`] | what was typed: ab's letters and their rules |
//! | [`plan`] | what will be done: the URL, the request's bytes, the load |
//! | [`net`] | connections: names, addresses, TLS, streams that count their bytes |
//! | [`proto`] | one exchange on a connection, by the wire engine or by hyper |
//! | [`mod@run`] | the loop: slots, tickets, time limits, why a run ended |
//! | [`record`] | what happened: samples, failures, histograms |
//! | [`saved`] | a run as a file, and back |
//! | [`stats`] | ab's arithmetic, and what several runs say |
//! | [`summary`] | all that a report may show |
//! | [`report`] | one file a format |
//! | [`hints`] | what a careful colleague would point out |
//! | [`progress`] | what is said while a run goes on |
//! | [`sink`] | where text and files go |
//! | `tasks` | what the program does besides a benchmark, a file each |
//! | [`demo`] | the server of `--demo` |

pub mod args;
pub mod demo;
pub mod hints;
pub mod net;
pub mod plan;
pub mod progress;
pub mod proto;
pub mod record;
pub mod report;
pub mod run;
pub mod saved;
pub mod sink;
pub mod stats;
mod strerror;
pub mod summary;
mod tasks;

use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use jiff::tz::TimeZone;

use args::{Args, Invocation, Refusal};
use plan::{FileFormat, Output, Plan};
use progress::Progress;
use record::Tape;
use run::{Ending, Signal};
use saved::{Machine, Run};
use sink::{Console, OutputFile};
use summary::{Asides, Summary};

/// The exit code of ab for a usage text that was asked for.
const USAGE_SHOWN: u8 = 22;

/// The exit code when standard output or a file could not be written.
const OUTPUT_LOST: u8 = 1;

/// What the program knows of its surroundings.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// Standard error is a terminal, so that a person reads it and not a script.
    pub err_is_terminal: bool,
}

/// The whole program: reads the words after the program's name, does what they say, and returns the exit code.
///
/// Exit codes are ab's: 0 when the run came to its end, whatever failed in it; 22 for a usage error; the system's
/// error number, modulo 256, for an error that ended the run; 1 after SIGINT. SIGTERM gives 143. Of rab alone are 3 for a
/// broken rule of `--fail-if`, and 10 to 12 of `rab compare`.
pub fn run(words: impl IntoIterator<Item = OsString>, console: &Arc<Console>, around: Surroundings) -> u8 {
    let code = match args::parse(words) {
        Ok(Invocation::Run(args)) => benchmark(*args, console, around),
        Ok(Invocation::Report { args, files }) => tasks::report(&args, &files, console),
        Ok(Invocation::Compare { args, files }) => tasks::compare(&args, &files, console),
        Ok(Invocation::Check { args, files }) => tasks::check(&args, &files, console),
        Ok(Invocation::Usage(text)) => {
            console.err(text);
            Ok(USAGE_SHOWN)
        }
        Ok(Invocation::Help(text) | Invocation::Generated(text)) => {
            console.out(text);
            Ok(0)
        }
        Ok(Invocation::Version { html }) => {
            console.out(report::banner(html));
            Ok(0)
        }
        Err(refusal) => Err(refusal),
    };
    let code = code.unwrap_or_else(|refusal| {
        console.err(refusal.to_string());
        refusal.status
    });
    match console.out_failure() {
        Some(error) => {
            console.err(format!("rab: cannot write to standard output: {}\n", strerror::strerror(&error)));
            if code == 0 { OUTPUT_LOST } else { code }
        }
        None => code,
    }
}

/// One benchmark, from what was typed to the exit code.
fn benchmark(args: Args, console: &Arc<Console>, around: Surroundings) -> Result<u8, Refusal> {
    let demo = if args.demo { Some(demo::start().map_err(|error| no_demo(&error))?) } else { None };
    let plan = Arc::new(Plan::new(args, demo)?);
    if demo.is_some() {
        // Each connection has both its ends in this process.
        net::raise_open_files(plan.load.concurrency.saturating_mul(2));
    }
    let Some(files) = open(&plan, console) else { return Ok(OUTPUT_LOST) };
    let progress = Arc::new(Progress::new(Arc::clone(console), Arc::clone(&plan)));
    progress.begin();
    let result = run::run(Arc::clone(&plan), Arc::clone(&progress) as _);
    progress.end(&result);
    let run = Run::new(&plan, result, machine());
    let summary = Summary::new(&run, &plan.output, Asides::of(&plan));
    print(&plan.output, &summary, console, around);
    let all_written = write(&plan, files, &run, &summary, console);
    hint(&plan.output, &summary, console);
    let is_broken = tasks::gates(&plan.gates, &run, console);
    Ok(exit_code(&run.ending, all_written, is_broken))
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

fn no_demo(error: &io::Error) -> Refusal {
    Refusal::error(format!("the server of --demo could not be started: {error}"))
}

/// Makes sure that the files can be written, before anything is sent; says what cannot.
fn open(plan: &Plan, console: &Console) -> Option<Vec<OutputFile>> {
    let files: Result<Vec<_>, _> = plan.output.files.iter().map(OutputFile::open).collect();
    files.inspect_err(|error| console.err(format!("{error}\n"))).ok()
}

/// Prints the report where it belongs.
fn print(output: &Output, summary: &Summary, console: &Console, around: Surroundings) {
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
/// as they were, unless its part is asked for, and so does one in which nothing is complete. A saved run says itself how
/// it ended, so that it is written after an error as well.
fn write(plan: &Plan, files: Vec<OutputFile>, run: &Run, summary: &Summary, console: &Console) -> bool {
    if summary.complete == 0 {
        return true;
    }
    let is_whole = plan.output.partial || !matches!(run.ending, Ending::Failed(_));
    let (no_tape, zone) = (Tape::default(), TimeZone::system());
    let tape = run.recording.tape.as_ref().unwrap_or(&no_tape);
    let wanted = files.into_iter().filter(|file| is_whole || file.format() == FileFormat::SavedRun);
    let written = wanted.map(|file| {
        let saved =
            || -> report::Lines<'_> { Box::new(std::iter::once(saved::to_json(std::slice::from_ref(run)))) };
        let lines = report::file(file.format(), summary, tape, &zone).unwrap_or_else(saved);
        file.write(lines, console).inspect_err(|error| console.err(format!("{error}\n")))
    });
    // One that cannot be written is no reason to leave out the next.
    written.filter(Result::is_err).count() == 0
}

/// Prints what a careful colleague would point out.
fn hint(output: &Output, summary: &Summary, console: &Console) {
    if !output.quiet {
        for hint in hints::hints(summary) {
            console.err(format!("hint: {hint}\n"));
        }
    }
}

fn exit_code(ending: &Ending, all_written: bool, is_broken: bool) -> u8 {
    match ending {
        Ending::Complete | Ending::TimeLimit if !all_written => OUTPUT_LOST,
        Ending::Complete | Ending::TimeLimit if is_broken => tasks::BROKEN,
        Ending::Complete | Ending::TimeLimit => 0,
        Ending::Interrupted(Signal::Interrupt) => 1,
        Ending::Interrupted(Signal::Terminate) => 143,
        Ending::Failed(fatal) => fatal.exit_code(),
    }
}
