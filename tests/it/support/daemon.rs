//! A real server program of a test's own: in a temporary folder, on a port of its own, ended with the test.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The longest that a server may take to start, to end, or to write what it has done into its log.
const BOUND: Duration = Duration::from_secs(20);

/// What the program itself says, outside the logs that its configuration names.
const OUTPUT: &str = "output";

/// A running server; dropping it ends it.
pub(crate) struct Daemon {
    child: Child,
    folder: TempDir,
    port: u16,
}

impl Daemon {
    /// Starts what `prepare` makes of a folder and a port. A server that cannot say which port it was given has to be
    /// told one, and somebody else may take it first: then the server ends, and is started again on another.
    ///
    /// `port_of` looks into the folder for the sign that the server listens, and for the port.
    pub(crate) fn start(
        prepare: impl Fn(&Path, u16) -> Command,
        port_of: impl Fn(&Path, u16) -> Option<u16>,
    ) -> Self {
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let folder = tempfile::tempdir().unwrap();
            let mut command = prepare(folder.path(), port);
            let output = File::create(folder.path().join(OUTPUT)).unwrap();
            command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
            let mut daemon = Self { child: command.spawn().expect("the server starts"), folder, port };
            if daemon.is_up(&port_of) {
                return daemon;
            }
            daemon.print_logs();
        }
        panic!("the server does not start");
    }

    /// Waits until it accepts; false if it has ended instead.
    fn is_up(&mut self, port_of: impl Fn(&Path, u16) -> Option<u16>) -> bool {
        poll("the server listens", || {
            if self.child.try_wait().unwrap().is_some() {
                return Some(false);
            }
            // Whoever has the port, it is this server only if this server has written so.
            self.port = port_of(self.folder.path(), self.port)?;
            TcpStream::connect(("127.0.0.1", self.port)).is_ok().then_some(true)
        })
    }

    /// The port it listens on, on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A file in its folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The body of a page, asked for without the program under test.
    pub(crate) fn fetch(&self, path: &str) -> String {
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        connection.set_read_timeout(Some(BOUND)).unwrap();
        connection.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").expect("a head and a body").1.to_owned()
    }

    fn print_logs(&self) {
        for name in [OUTPUT, "error.log"] {
            let text = fs::read(self.path(name)).unwrap_or_default();
            eprintln!("the server's {name}:\n{}", String::from_utf8_lossy(&text));
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Politely, so that a server with processes of its own ends these as well.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let since = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && since.elapsed() < BOUND {
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            self.print_logs();
        }
    }
}

/// The sign of servers that write the number of their process into `pid` once they listen where they were told to.
pub(crate) fn pid_file(folder: &Path, port: u16) -> Option<u16> {
    folder.join("pid").exists().then_some(port)
}

/// The sign of servers that say where they listen: the port behind the last colon of the line with these words.
pub(crate) fn said_in_output(folder: &Path, words: &str) -> Option<u16> {
    let text = fs::read_to_string(folder.join(OUTPUT)).ok()?;
    let line = text.lines().find(|line| line.contains(words))?;
    line.rsplit_once(':')?.1.parse().ok()
}

/// Asks again and again until there is an answer; the test fails if there is none in time.
pub(crate) fn poll<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(since.elapsed() < BOUND, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
