//! The Express application in `tests/express`, on a real Node.

use std::path::Path;
use std::process::Command;

use super::daemon::{Daemon, said_in_output};
use super::needs;

/// What the application has counted since it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) requests: u64,
    /// Connections with a request.
    pub(crate) connections: u64,
    /// Bytes sent over these, heads included.
    pub(crate) sent: u64,
    /// Bytes of the bodies that were received.
    pub(crate) received: u64,
}

/// A running application; dropping it ends it.
pub(crate) struct Express {
    daemon: Daemon,
}

impl Express {
    /// Starts the application; `None`, and a word about it, if Node or the packages are not installed.
    pub(crate) fn start() -> Option<Self> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/express");
        let installed = home.join("node_modules/express/package.json").is_file();
        if !needs::programs(&["node"])
            || !(installed || needs::left_out("Express is not installed: `npm ci` in tests/express"))
        {
            return None;
        }
        let prepare = |_: &Path, _| {
            let mut command = Command::new("node");
            command.arg(home.join("server.js"));
            command
        };
        let daemon = Daemon::start(prepare, |folder, _| said_in_output(folder, "listening on 127.0.0.1:"));
        Some(Self { daemon })
    }

    pub(crate) fn port(&self) -> u16 {
        self.daemon.port()
    }

    /// The URL of a path that begins with `/`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port())
    }

    /// What it has counted so far; this question is left out.
    pub(crate) fn counted(&self) -> Counted {
        let answer = self.daemon.fetch("/count");
        let numbers: Vec<u64> = answer.split(' ').map(|word| word.parse().unwrap()).collect();
        let [requests, connections, sent, received] = numbers[..] else { panic!("no counts: {answer}") };
        Counted { requests, connections, sent, received }
    }
}
