//! Running the built program.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::report::Report;

/// A run that takes longer is killed, and its test fails.
const BOUND: Duration = Duration::from_secs(60);

/// The program under test. `RAB_TEST_PROGRAM` puts another in its place, such as a release build, or ab to try a
/// server's script on.
pub(crate) fn program() -> OsString {
    std::env::var_os("RAB_TEST_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_rab").into())
}

/// Runs the program with these arguments to its end.
pub(crate) fn rab<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Done {
    Rab::new(arguments).run()
}

/// Runs the program with a command line that has no blanks inside its words; `url` comes last.
pub(crate) fn ask(options: &str, url: &str) -> Done {
    rab(options.split_whitespace().chain([url]))
}

/// A run to be started.
pub(crate) struct Rab {
    command: Command,
    input: Option<Vec<u8>>,
    bound: Duration,
}

impl Rab {
    /// The program with these arguments, an environment of its own and no input.
    pub(crate) fn new<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self::of(program(), arguments)
    }

    /// A shell script, in which `"$RAB"` is the program.
    pub(crate) fn shell(script: &str) -> Self {
        Self::of("sh", ["-c", script])
    }

    /// Another program, which is to start the one under test as `"$RAB"`.
    pub(crate) fn of<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs([("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("TERM", "dumb")]);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("RAB", self::program());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that the bound reaches what a script has started too.
        command.process_group(0);
        Self { command, input: None, bound: BOUND }
    }

    /// May take this long, instead of the bound of all others.
    pub(crate) fn bound(mut self, bound: Duration) -> Self {
        self.bound = bound;
        self
    }

    /// Runs in this folder.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Sees this variable in its environment.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gets these bytes on standard input.
    pub(crate) fn input(mut self, bytes: &[u8]) -> Self {
        self.command.stdin(Stdio::piped());
        self.input = Some(bytes.to_vec());
        self
    }

    /// Writes its standard output to this instead of where the test can read it.
    pub(crate) fn output_to(mut self, target: impl Into<Stdio>) -> Self {
        self.command.stdout(target);
        self
    }

    /// Runs to the end.
    pub(crate) fn run(self) -> Done {
        self.start().wait()
    }

    /// Starts, and leaves the test to go on.
    pub(crate) fn start(mut self) -> Running {
        let shown = format!("{:?}", self.command.get_args().collect::<Vec<_>>());
        let began = Instant::now();
        let mut child = self.command.spawn().expect("the program starts");
        drop(self.command);
        let pid = Pid::from_child(&child);
        let input = child.stdin.take().zip(self.input).map(|(pipe, bytes)| feed(pipe, bytes));
        let (stdout, stderr) = (gather(child.stdout.take()), gather(child.stderr.take()));
        let status = reap(child);
        Running { shown, began, bound: self.bound, pid, stdout, stderr, status, input, reaped: false }
    }
}

/// A run that goes on.
pub(crate) struct Running {
    shown: String,
    began: Instant,
    bound: Duration,
    pid: Pid,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    status: Receiver<ExitStatus>,
    input: Option<std::thread::JoinHandle<()>>,
    reaped: bool,
}

impl Running {
    /// Sends SIGINT.
    pub(crate) fn interrupt(&self) {
        kill_process(self.pid, Signal::INT).expect("the program is there to be interrupted");
    }

    /// Sends SIGTERM.
    pub(crate) fn terminate(&self) {
        kill_process(self.pid, Signal::TERM).expect("the program is there to be terminated");
    }

    /// The most memory that the program has had so far, in KiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.pid.as_raw_nonzero());
        let status = std::fs::read_to_string(path).expect("the program is there to be looked at");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).expect("a peak of memory")
    }

    /// How many descriptors the program has open.
    pub(crate) fn descriptors(&self) -> usize {
        self.count("fd")
    }

    /// How many threads the program has.
    pub(crate) fn threads(&self) -> usize {
        self.count("task")
    }

    /// How many entries this folder of the process has.
    fn count(&self, folder: &str) -> usize {
        let path = format!("/proc/{}/{folder}", self.pid.as_raw_nonzero());
        std::fs::read_dir(path).expect("the program is there to be looked at").count()
    }

    /// Waits for the end; a run beyond its bound is killed and fails the test.
    pub(crate) fn wait(mut self) -> Done {
        let left = self.bound.saturating_sub(self.began.elapsed());
        let status = self.status.recv_timeout(left).ok();
        self.reaped = status.is_some();
        if !self.reaped {
            self.kill();
        }
        // Nobody else should hold the pipes by now; if somebody does, the bound still stands.
        let text = |pipe: &Receiver<Vec<u8>>| {
            let bytes = pipe.recv_timeout(Duration::from_secs(10)).expect("the output comes to an end");
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (stdout, stderr) = (text(&self.stdout), text(&self.stderr));
        if let Some(thread) = self.input.take() {
            thread.join().expect("standard input is fed");
        }
        let took = self.began.elapsed();
        let Some(status) = status else {
            panic!("{} is still running after {took:.0?}\n{stdout}\n{stderr}", self.shown);
        };
        Done { shown: std::mem::take(&mut self.shown), stdout, stderr, status, took }
    }

    fn kill(&mut self) {
        let _ = kill_process_group(self.pid, Signal::KILL);
        self.reaped = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
        }
    }
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Done {
    shown: String,
    /// Standard output; bytes that are no UTF-8 are replaced.
    pub(crate) stdout: String,
    /// Standard error, likewise.
    pub(crate) stderr: String,
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// How long it took.
    pub(crate) took: Duration,
}

impl Done {
    /// The exit status. A signal fails the test.
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("ended by signal {:?}\n{self}", self.status.signal()))
    }

    /// The report; the test fails if there is none.
    pub(crate) fn report(&self) -> Report {
        Report::of(&self.stdout).unwrap_or_else(|| panic!("no report\n{self}"))
    }

    /// The report of a run that ended with status 0.
    pub(crate) fn good_report(&self) -> Report {
        assert_eq!(self.code(), 0, "{self}");
        self.report()
    }

    /// The lines on standard error that are neither empty nor hints.
    pub(crate) fn messages(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| !line.is_empty() && !line.starts_with("hint:")).collect()
    }

    /// The `hint:` lines.
    pub(crate) fn hints(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("hint:")).collect()
    }

    /// Fails the test unless one hint contains all of these words.
    pub(crate) fn assert_hint(&self, words: &[&str]) {
        let said = self.hints().iter().any(|hint| words.iter().all(|word| hint.contains(word)));
        assert!(said, "no hint says {words:?}\n{self}");
    }

    /// Fails the test unless an error ended the run: this message, this status, no report, and on standard output the
    /// number of requests that were complete (nothing if that is 0).
    pub(crate) fn assert_ended(&self, message: &str, code: i32, complete: u64) {
        assert_eq!(self.messages(), [message], "{self}");
        assert_eq!(self.code(), code, "{self}");
        assert!(!self.stdout.contains("Server Software"), "{self}");
        let total = format!("(be patient)...Total of {complete} requests completed\n");
        match complete {
            0 => assert!(self.stdout.ends_with("(be patient)..."), "{self}"),
            _ => assert!(self.stdout.ends_with(&total), "{self}"),
        }
    }

    /// Fails the test unless this is how a usage error looks: nothing on standard output, a message that contains
    /// `words`, the usage, status 22.
    pub(crate) fn assert_usage_error(&self, words: &str) {
        assert_eq!(self.code(), 22, "{self}");
        assert_eq!(self.stdout, "", "{self}");
        let lines = self.messages();
        assert!(
            lines.first().is_some_and(|line| line.starts_with("rab: ") && line.contains(words)),
            "{self}"
        );
        assert!(lines.iter().any(|line| line.starts_with("Usage:")), "{self}");
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "---- {} ended with {} after {:.1?}", self.shown, self.status, self.took)?;
        write!(f, "---- stdout\n{}\n---- stderr\n{}\n----", self.stdout, self.stderr)
    }
}

fn gather(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

fn feed(mut pipe: ChildStdin, bytes: Vec<u8>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        // A program that does not read its input to the end is free not to.
        let _ = pipe.write_all(&bytes);
    })
}

fn reap(mut child: Child) -> Receiver<ExitStatus> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        if let Ok(status) = child.wait() {
            let _ = sender.send(status);
        }
    });
    receiver
}
