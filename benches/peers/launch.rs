//! One run of a client, and what it cost.
//!
//! The kernel counts what a process had before it became another program into its peak of memory, so each client is
//! started by a small process that does nothing else: this program, called anew.

use std::ffi::OsString;
use std::io::{Seek, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The first word on the command line of the small process.
pub(crate) const FLAG: &str = "--launch";

/// What a finished client has cost.
pub(crate) struct Run {
    /// Processor time, user's and system's.
    cpu: Duration,
    /// From its start to its end.
    wall: Duration,
    /// The most memory that it had, in KiB.
    peak: u64,
}

/// What is compared.
#[derive(Clone, Copy)]
pub(crate) struct Figures {
    /// Processor time a request, in microseconds.
    pub(crate) cpu: f64,
    /// Requests a second, from the client's start to its end.
    pub(crate) rate: f64,
    /// The most memory that it had, in MiB.
    pub(crate) peak: f64,
}

impl Figures {
    pub(crate) fn new(run: &Run, complete: u64) -> Self {
        let complete = complete as f64;
        Self {
            cpu: run.cpu.as_secs_f64() * 1e6 / complete,
            rate: complete / run.wall.as_secs_f64(),
            peak: run.peak as f64 / 1024.0,
        }
    }
}

/// Runs a client to its end, and returns what it cost and what it wrote.
pub(crate) fn launch(program: &str, arguments: &[String]) -> (Run, String) {
    let mut output = tempfile::tempfile().expect("a temporary file");
    let status = Command::new(std::env::current_exe().expect("this program's path"))
        .args([FLAG, program])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(output.try_clone().expect("one more descriptor"))
        .stderr(Stdio::null())
        .status()
        .expect("this program starts");
    output.rewind().expect("the file is read from its start");
    let text = std::io::read_to_string(output).expect("what a client writes is text");
    assert!(status.success(), "{program} {} failed:\n{text}", arguments.join(" "));
    let (text, last) = text.trim_end().rsplit_once('\n').expect("a last line");
    let mut numbers = last.split(' ').map(|word| word.parse().expect("a number"));
    let mut next = || numbers.next().expect("three numbers");
    let run = Run { cpu: Duration::from_micros(next()), wall: Duration::from_micros(next()), peak: next() };
    (run, text.to_owned())
}

/// The small process: runs a client, and adds a line to what it wrote: processor time and time in microseconds, peak of
/// memory in KiB.
pub(crate) fn launched(mut words: impl Iterator<Item = OsString>) {
    let began = Instant::now();
    let status =
        Command::new(words.next().expect("a program")).args(words).status().expect("the client starts");
    let wall = began.elapsed().as_micros();
    assert!(status.success(), "{status}");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the kernel has counted");
    let cpu = (usage.user_time() + usage.system_time()).num_microseconds();
    writeln!(std::io::stdout(), "\n{cpu} {wall} {}", usage.max_rss()).expect("there is room in the file");
}
