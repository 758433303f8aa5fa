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
//! | [`saved`] | a run whole, as a file and from one |
//! | [`stats`] | ab's arithmetic, and what several runs say |
//! | [`summary`] | all that a report may show |
//! | [`report`] | one file a format |
//! | [`hints`] | what a careful colleague would point out |
//! | [`progress`] | what is said while a run goes on |
//! | [`sink`] | where text and files go |
//! | `tasks` | what the program can be asked to do, a file each |
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
use std::sync::Arc;

use args::Invocation;
use sink::Console;

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
        Ok(Invocation::Run(args)) => tasks::benchmark(*args, console, around),
        Ok(Invocation::Versus { args, urls }) => tasks::versus(&args, urls, console),
        Ok(Invocation::Calibrate(args)) => tasks::calibrate(*args, console),
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
