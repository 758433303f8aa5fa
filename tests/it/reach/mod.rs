//! How the server is reached: at another address, over a unix socket, through a tunnel, at all addresses of its name.
//! Whatever lies between, the requests, the name in TLS and the report are about the URL.

mod all_addresses;
mod connect_to;
mod curl;
mod real_proxy;
mod tunnel;
mod unix_socket;

use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::support::rab::{Done, rab};
use crate::support::report::Report;
use crate::support::tls::{PAGE, Pair, listen_tls, request};

/// Runs with words that are separated by blanks.
fn line(words: &str) -> Done {
    rab(words.split_whitespace())
}

/// Fails unless the report is about this host and port.
#[track_caller]
fn assert_is_about(report: &Report, host: &str, port: u16) {
    assert_eq!(report.text_of("Server Hostname"), Some(host));
    assert_eq!(report.count("Server Port"), Some(port.into()));
}

/// The lines of a request with this field name, in any case.
fn fields<'a>(request: &'a str, name: &str) -> Vec<&'a str> {
    let is = |line: &&str| line.split_once(':').is_some_and(|(own, _)| own.eq_ignore_ascii_case(name));
    request.lines().filter(is).collect()
}

/// What came inside TLS: the name that the client sent, and a request.
type Seen = (Option<String>, String);

/// A TLS server on a port of its own that answers with short pages.
struct Secured {
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Secured {
    fn start(pair: &Pair) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let seen_there = Arc::clone(&seen);
        let port = listen_tls(pair.config(), move |tls| {
            loop {
                let request = request(tls)?;
                if request.is_empty() {
                    return Ok(());
                }
                let name = tls.conn.server_name().map(ToOwned::to_owned);
                seen_there.lock().unwrap().push((name, request));
                tls.write_all(PAGE)?;
            }
        });
        Self { port, seen }
    }

    /// What has been seen since this was last asked.
    fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

/// A certificate for `name.test`.
fn named() -> Pair {
    Pair::new(&rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.subject_alt_names = vec![rcgen::SanType::DnsName("name.test".try_into().unwrap())];
    })
}
