//! The program: gathers what it is started with, hands it to the library, and leaves with its exit code.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use rab::Surroundings;
use rab::sink::Console;

fn main() -> ExitCode {
    let around = Surroundings { err_is_terminal: io::stderr().is_terminal() };
    let console = Arc::new(Console::new(Box::new(io::stdout()), Box::new(io::stderr())));
    ExitCode::from(rab::run(std::env::args_os().skip(1), &console, around))
}
