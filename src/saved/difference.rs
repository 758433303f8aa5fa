//! In what two runs differ before anything was measured.
//!
//! In come two [`Run`]s, out go the differences of their conditions and surroundings. Every field is named here, so that
//! a new one does not compile until somebody has decided what it means for a comparison.

use super::{Body, Conditions, Destination, Load, Machine, Network, Request, Requests, Run, Target, Tls};

/// One thing that is not the same in two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What, by the name of its option if it has one: `-c`.
    pub what: &'static str,
    /// Its value in the first run, on one line.
    pub before: String,
    /// Its value in the second.
    pub after: String,
    /// What it means.
    pub weight: Weight,
}

/// What a difference means for a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The target. It may be what is compared.
    Target,
    /// Another load or another request: the numbers say nothing about each other.
    Decisive,
    /// It may explain something.
    Remark,
}

/// The differences, in the order in which a reader cares.
pub fn differences(before: &Run, after: &Run) -> Vec<Difference> {
    let mut found = Found(Vec::new());
    conditions(&mut found, &before.conditions, &after.conditions);
    let secured = |run: &Run| run.server.tls.as_ref().map_or("none".to_owned(), super::Secured::protocol);
    found.compare("the TLS session", Weight::Remark, &secured(before), &secured(after));
    found.compare("the version of rab", Weight::Remark, &before.rab, &after.rab);
    found.compare("the machine of rab", Weight::Remark, &before.machine, &after.machine);
    found.0
}

/// What was found so far.
struct Found(Vec<Difference>);

impl Found {
    fn compare<T: Shown + PartialEq + ?Sized>(
        &mut self,
        what: &'static str,
        weight: Weight,
        one: &T,
        other: &T,
    ) {
        if one != other {
            let [before, after] = [one, other].map(|value| on_one_line(&value.shown()));
            self.0.push(Difference { what, before, after, weight });
        }
    }
}

fn conditions(found: &mut Found, before: &Conditions, after: &Conditions) {
    let Conditions { target, requests, version, engine, streams, load: amount, network: net, tls: secured } =
        before;
    found.compare("the target", Weight::Target, target, &after.target);
    all_requests(found, requests, &after.requests);
    found.compare("the version of HTTP", Weight::Decisive, version.as_str(), after.version.as_str());
    found.compare("--engine", Weight::Decisive, engine, &after.engine);
    found.compare(
        "the number of requests at a time on a connection",
        Weight::Decisive,
        streams,
        &after.streams,
    );
    load(found, amount, &after.load);
    network(found, net, &after.network);
    // Where one side has none, the schemes of the targets differ.
    if let (Some(before), Some(after)) = (secured, &after.tls) {
        tls(found, before, after);
    }
}

fn all_requests(found: &mut Found, before: &Requests, after: &Requests) {
    let Requests { urls, turns, shuffle, with_body, sha256, first } = before;
    found.compare("the number of different requests", Weight::Decisive, urls, &after.urls);
    found.compare("the number of lines of --urls", Weight::Decisive, turns, &after.turns);
    found.compare("the number of requests with a body", Weight::Decisive, with_body, &after.with_body);
    let is_list = *turns > 1 && after.turns > 1;
    if is_list {
        found.compare("the digest of the list of --urls", Weight::Decisive, sha256, &after.sha256);
        found.compare("--shuffle", Weight::Remark, shuffle, &after.shuffle);
        return;
    }
    let (Request { method, path, header_names, headers_sha256, body }, other) = (first, &after.first);
    found.compare("the method", Weight::Decisive, method, &other.method);
    found.compare("the path", Weight::Target, path.as_slice(), &other.path);
    found.compare("the body", Weight::Decisive, body, &other.body);
    if *header_names == other.header_names {
        let (one, other) = (headers_sha256, &other.headers_sha256);
        found.compare("the digest of the header lines", Weight::Remark, one, other);
    } else {
        found.compare("the list of header fields", Weight::Remark, header_names, &other.header_names);
    }
}

fn load(found: &mut Found, before: &Load, after: &Load) {
    let Load {
        requests,
        time_limit,
        concurrency,
        workers,
        ramp,
        rate,
        silence,
        keep_alive,
        tolerate,
        fixed_length,
    } = before;
    found.compare("-c", Weight::Decisive, concurrency, &after.concurrency);
    found.compare("-k", Weight::Decisive, keep_alive, &after.keep_alive);
    found.compare("-W", Weight::Decisive, workers, &after.workers);
    found.compare("--rate", Weight::Decisive, rate, &after.rate);
    found.compare("-n", Weight::Remark, requests, &after.requests);
    let micros = |time: &Option<u64>| time.map(Micros);
    found.compare("-t", Weight::Remark, &micros(time_limit), &micros(&after.time_limit));
    found.compare("--ramp-up", Weight::Remark, &Micros(*ramp), &Micros(after.ramp));
    found.compare("-s", Weight::Remark, &Micros(*silence), &Micros(after.silence));
    found.compare("-r", Weight::Remark, tolerate, &after.tolerate);
    found.compare("-l", Weight::Remark, &!fixed_length, &!after.fixed_length);
}

fn network(found: &mut Found, before: &Network, after: &Network) {
    let Network { destination, all_addresses, local_addresses, socket_buffer } = before;
    if !matches!((destination, &after.destination), (Destination::Server { .. }, Destination::Server { .. }))
    {
        found.compare("the way (-X, --unix-socket)", Weight::Decisive, destination, &after.destination);
    }
    found.compare("--all-addresses", Weight::Decisive, all_addresses, &after.all_addresses);
    found.compare("-b", Weight::Decisive, socket_buffer, &after.socket_buffer);
    found.compare("-B", Weight::Remark, local_addresses, &after.local_addresses);
}

fn tls(found: &mut Found, before: &Tls, after: &Tls) {
    let Tls { suites, server_name, verified, client_certificate } = before;
    found.compare("the list of TLS suites (-f, -Z)", Weight::Decisive, suites, &after.suites);
    found.compare(
        "the client certificate (-E)",
        Weight::Decisive,
        client_certificate,
        &after.client_certificate,
    );
    found.compare("the TLS server name (-I)", Weight::Remark, server_name, &after.server_name);
    found.compare("--verify", Weight::Remark, verified, &after.verified);
}

/// A time in microseconds.
#[derive(PartialEq, Eq)]
struct Micros(u64);

/// How a value stands in a sentence.
trait Shown {
    fn shown(&self) -> String;
}

macro_rules! shown_as_displayed {
    ($($kind:ty),*) => { $(impl Shown for $kind { fn shown(&self) -> String { self.to_string() } })* };
}

shown_as_displayed!(str, String, u32, u64, f64);

impl Shown for bool {
    fn shown(&self) -> String {
        if *self { "on" } else { "off" }.to_owned()
    }
}

impl Shown for Micros {
    fn shown(&self) -> String {
        if self.0.is_multiple_of(1_000_000) {
            format!("{} s", self.0 / 1_000_000)
        } else {
            format!("{} ms", self.0 as f64 / 1000.0)
        }
    }
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map_or("not given".to_owned(), Shown::shown)
    }
}

impl Shown for Vec<String> {
    fn shown(&self) -> String {
        if self.is_empty() { "none".to_owned() } else { self.join(", ") }
    }
}

impl Shown for [u8] {
    fn shown(&self) -> String {
        String::from_utf8_lossy(self).into_owned()
    }
}

impl Shown for Target {
    fn shown(&self) -> String {
        let Self { scheme, host, port } = self;
        if host.contains(':') {
            format!("{scheme}://[{host}]:{port}")
        } else {
            format!("{scheme}://{host}:{port}")
        }
    }
}

impl Shown for Body {
    fn shown(&self) -> String {
        let digest: String = self.sha256.chars().take(8).collect();
        format!("{} bytes ({digest})", self.bytes)
    }
}

impl Shown for Destination {
    fn shown(&self) -> String {
        match self {
            Self::Server { host, port } => format!("to {host}:{port}"),
            Self::Proxy { host, port, .. } => format!("through {host}:{port}"),
            Self::UnixSocket { path } => format!("to {}", String::from_utf8_lossy(path)),
        }
    }
}

impl Shown for Machine {
    fn shown(&self) -> String {
        format!("{} on {}, {} cores", self.os, self.arch, self.cores)
    }
}

/// A value as a message shows it: nothing in it is for a terminal to obey.
fn on_one_line(text: &str) -> String {
    let mut line = String::new();
    for each in text.chars() {
        if each.is_control() {
            line.extend(each.escape_default());
        } else {
            line.push(each);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Version;
    use crate::summary::fixture;

    /// The differences after a change, each as `what before after weight`.
    fn found(change: impl Fn(&mut Run)) -> Vec<String> {
        let (one, mut other) = (fixture::mixed(), fixture::mixed());
        change(&mut other);
        let all = differences(&one, &other);
        all.iter()
            .map(|each| format!("{}: {} | {} {:?}", each.what, each.before, each.after, each.weight))
            .collect()
    }

    #[test]
    fn a_run_does_not_differ_from_itself() {
        assert_eq!(found(|_| ()), [""; 0]);
        // What was measured is no condition.
        assert_eq!(found(|run| (run.elapsed, run.recording.complete) = (1, 2)), [""; 0]);
    }

    #[test]
    fn every_condition_has_its_name_and_weight() {
        type Change = fn(&mut Run);
        let changes: [(Change, &str); 21] = [
            (
                |run| run.conditions.target.port = 1,
                "the target: http://127.0.0.1:8080 | http://127.0.0.1:1 Target",
            ),
            (
                |run| run.conditions.target.host = "::1".into(),
                "the target: http://127.0.0.1:8080 | http://[::1]:8080 Target",
            ),
            (|run| run.conditions.requests.first.path = b"/\x1b".into(), "the path: /doc | /\\u{1b} Target"),
            (|run| run.conditions.requests.first.method = "PUT".into(), "the method: GET | PUT Decisive"),
            (
                |run| {
                    run.conditions.requests.first.body = Some(Body { bytes: 3, sha256: "0123456789".into() });
                },
                "the body: not given | 3 bytes (01234567) Decisive",
            ),
            (|run| run.conditions.requests.urls = 2, "the number of different requests: 1 | 2 Decisive"),
            (
                |run| run.conditions.requests.first.header_names.clear(),
                "the list of header fields: X-Key | none Remark",
            ),
            (
                |run| run.conditions.version = Version::Http11,
                "the version of HTTP: HTTP/1.0 | HTTP/1.1 Decisive",
            ),
            (|run| run.conditions.engine = "hyper".into(), "--engine: wire | hyper Decisive"),
            (|run| run.conditions.load.concurrency = 3, "-c: 2 | 3 Decisive"),
            (|run| run.conditions.load.keep_alive = false, "-k: on | off Decisive"),
            (|run| run.conditions.load.workers = 4, "-W: 1 | 4 Decisive"),
            (|run| run.conditions.load.requests = Some(5), "-n: 10 | 5 Remark"),
            (|run| run.conditions.load.time_limit = Some(5_000_000), "-t: not given | 5 s Remark"),
            (|run| run.conditions.load.ramp = 1500, "--ramp-up: 0 s | 1.5 ms Remark"),
            (|run| run.conditions.load.fixed_length = false, "-l: off | on Remark"),
            (
                |run| {
                    run.conditions.network.destination =
                        Destination::Proxy { host: "p".into(), port: 1, tunnel: false };
                },
                "the way (-X, --unix-socket): to 127.0.0.1:8080 | through p:1 Decisive",
            ),
            (|run| run.conditions.load.rate = Some(2.5), "--rate: not given | 2.5 Decisive"),
            (
                |run| run.conditions.streams = 3,
                "the number of requests at a time on a connection: 1 | 3 Decisive",
            ),
            (
                |run| run.rab = "9".into(),
                concat!("the version of rab: ", env!("CARGO_PKG_VERSION"), " | 9 Remark"),
            ),
            (
                |run| run.machine.cores = 64,
                "the machine of rab: linux on x86_64, 2 cores | linux on x86_64, 64 cores Remark",
            ),
        ];
        for (change, expected) in changes {
            assert_eq!(found(change), [expected]);
        }
    }

    #[test]
    fn header_values_are_compared_by_their_digest() {
        let all = found(|run| run.conditions.requests.first.headers_sha256 = "12".into());
        assert!(all.len() == 1 && all[0].starts_with("the digest of the header lines: "), "{all:?}");
    }

    #[test]
    fn tls_is_compared_where_both_have_it() {
        let tls = |suites: &str| Tls {
            suites: vec![suites.into()],
            server_name: None,
            verified: false,
            client_certificate: false,
        };
        let (mut one, mut other) = (fixture::mixed(), fixture::mixed());
        (one.conditions.tls, other.conditions.tls) = (Some(tls("A")), Some(tls("B")));
        let all = differences(&one, &other);
        assert_eq!(
            (all.len(), all[0].what, all[0].weight),
            (1, "the list of TLS suites (-f, -Z)", Weight::Decisive)
        );
    }
}
