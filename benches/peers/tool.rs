//! The clients: how each is told what to do, and where it says how much it has done.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scenario::{Dialect, STREAMS, Scenario};

/// A client.
pub(crate) struct Client {
    /// Its name in the tables.
    pub(crate) name: String,
    /// The program.
    pub(crate) program: String,
    /// What it says about its version.
    pub(crate) version: String,
    kind: Kind,
    /// Options for every run.
    options: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rab,
    Ab,
    Wrk,
    H2load,
    Oha,
}

/// rab, rab with other options, and what else is installed.
pub(crate) fn clients<'a>(rab: &str, also: impl Iterator<Item = &'a str>) -> Vec<Client> {
    let mut clients = vec![Client::new("rab", rab, Kind::Rab, "-V", &[])];
    for options in also {
        let words: Vec<&str> = options.split_whitespace().collect();
        clients.push(Client::new(&format!("rab {options}"), rab, Kind::Rab, "-V", &words));
    }
    for (name, kind, asks) in [
        ("ab", Kind::Ab, "-V"),
        ("wrk", Kind::Wrk, "-v"),
        ("h2load", Kind::H2load, "--version"),
        ("oha", Kind::Oha, "--version"),
    ] {
        match installed(name) {
            Some(program) => clients.push(Client::new(name, &program.to_string_lossy(), kind, asks, &[])),
            None => println!("Left out, since it is not installed: {name}.\n"),
        }
    }
    clients
}

/// Where a program is.
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // Servers are often outside an ordinary user's PATH.
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|file| Path::is_file(file))
}

impl Client {
    fn new(name: &str, program: &str, kind: Kind, asks_version: &str, options: &[&str]) -> Self {
        let output = Command::new(program).arg(asks_version).output().expect("an installed program starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().next().unwrap_or_default();
        // The first word with a number, in whatever sentence, without the name before it.
        let numbers = line.split([' ', ',']).filter_map(|word| word.rsplit('/').next());
        let version = numbers.clone().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let version = version.unwrap_or(line).to_owned();
        let options = options.iter().map(ToString::to_string).collect();
        Self { name: name.to_owned(), program: program.to_owned(), version, kind, options }
    }

    /// Whether this is the one that the others are compared with.
    pub(crate) fn is_reference(&self) -> bool {
        self.kind == Kind::Rab && self.options.is_empty()
    }

    /// The command line for a scenario; `None` if the client cannot do it.
    pub(crate) fn arguments(&self, scenario: &Scenario, url: &str) -> Option<Vec<String>> {
        let (requests, connections) = (scenario.requests, scenario.connections);
        let http2 = scenario.dialect == Dialect::Http2;
        let line = match self.kind {
            Kind::Rab => {
                let keep = if scenario.reuse { "-k" } else { "" };
                let dialect = match scenario.dialect {
                    Dialect::Usual => String::new(),
                    Dialect::Http11 => "--http1.1".to_owned(),
                    Dialect::Http2 => format!("--http2 --streams {STREAMS}"),
                };
                format!("-q -n {requests} -c {connections} {keep} {dialect}")
            }
            Kind::Ab | Kind::Wrk if http2 => return None,
            Kind::H2load if !scenario.reuse => return None,
            Kind::Ab => {
                format!("-q -n {requests} -c {connections} {}", if scenario.reuse { "-k" } else { "" })
            }
            Kind::Wrk => format!("-t 1 -c {connections} -d {}", scenario.seconds),
            Kind::H2load => {
                let dialect = if http2 { format!("-m {STREAMS}") } else { "--h1".to_owned() };
                format!("-t 1 -n {requests} -c {connections} {dialect}")
            }
            Kind::Oha => {
                let keep = if scenario.reuse { "" } else { "--disable-keepalive" };
                let dialect = if http2 { format!("--http2 -p {STREAMS}") } else { String::new() };
                let plain = "--no-tui --insecure --worker-threads 1";
                format!("{plain} -n {requests} -c {connections} {keep} {dialect}")
            }
        };
        let mut words: Vec<_> = line.split_whitespace().map(ToOwned::to_owned).collect();
        if self.kind == Kind::Wrk && !scenario.reuse {
            // It has no option for it, but asks the server to close, and connects again when that does.
            words.extend(["-H".to_owned(), "Connection: close".to_owned()]);
        }
        words.extend(self.options.iter().cloned());
        words.push(url.to_owned());
        Some(words)
    }

    /// How many requests were good, by the client's own account; `None` if it does not say so, or some were not.
    pub(crate) fn complete(&self, output: &str) -> Option<u64> {
        let after =
            |label: &str| output.lines().find_map(|line| line.trim().strip_prefix(label)).map(str::trim);
        match self.kind {
            Kind::Rab | Kind::Ab => {
                let is_good = after("Failed requests:") == Some("0") && after("Non-2xx responses:").is_none();
                after("Complete requests:")?.parse().ok().filter(|_| is_good)
            }
            Kind::Wrk => {
                let is_good = after("Non-2xx or 3xx responses:").is_none();
                let line = output.lines().find(|line| line.contains(" requests in "))?;
                line.split_whitespace().next()?.parse().ok().filter(|_| is_good)
            }
            Kind::H2load => {
                let line = after("requests:")?;
                let good = line.split(',').find_map(|part| part.trim().strip_suffix(" succeeded"))?;
                good.parse().ok().filter(|_| line.contains(" 0 failed"))
            }
            Kind::Oha => {
                let good = after("[200]")?.strip_suffix(" responses")?;
                good.parse().ok().filter(|_| after("Success rate:") == Some("100.00%"))
            }
        }
    }
}
