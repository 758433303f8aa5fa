//! Beside h2load: the same requests, statuses and bytes of documents, from the same servers.

use std::process::Command;

use crate::support::apache::{Apache, Mpm};
use crate::support::certificate::Pem;
use crate::support::needs;
use crate::support::nginx::{Nginx, Site};
use crate::support::rab::ask;

/// What a load generator has seen: requests that succeeded and failed, statuses by their first digit from 2 to 5, bytes of
/// documents.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    succeeded: u64,
    failed: u64,
    statuses: [u64; 4],
    document: u64,
}

/// The number in front of a word.
fn before(line: &str, word: &str) -> u64 {
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|own| *own == word).unwrap_or_else(|| panic!("no {word} in {line}"));
    words[at - 1].trim_matches(['(', ')']).parse().unwrap()
}

fn h2load(load: [u64; 3], url: &str) -> Seen {
    let [requests, clients, streams] = load.map(|number| number.to_string());
    let output = Command::new("h2load")
        .args(["-n", &requests, "-c", &clients, "-m", &streams, url])
        .output()
        .expect("h2load starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |start: &str| {
        text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no {start} in {text}"))
    };
    let (requests, codes, traffic) = (line("requests:"), line("status codes:"), line("traffic:"));
    Seen {
        // h2load takes answers other than 2xx and 3xx for failed.
        succeeded: before(requests, "done") - before(requests, "errored"),
        failed: before(requests, "errored"),
        statuses: ["2xx", "3xx", "4xx", "5xx"].map(|status| before(codes, status)),
        document: before(traffic, "data"),
    }
}

fn rab(load: [u64; 3], url: &str) -> Seen {
    let [requests, clients, streams] = load;
    let done = ask(&format!("-q --http2 -n {requests} -c {clients} --streams {streams}"), url);
    let report = done.good_report();
    let counts = report.counts();
    let failed = report.count("Failed requests").unwrap();
    // One page has one status.
    let at = match url.rsplit('/').next().unwrap() {
        "moved" => 1,
        "none" => 2,
        _ => 0,
    };
    let mut statuses = [0; 4];
    statuses[at] = if at == 0 { counts.complete - counts.non_2xx } else { counts.non_2xx };
    Seen {
        succeeded: counts.complete - failed,
        failed,
        statuses,
        document: report.count("HTML transferred").unwrap(),
    }
}

/// Asks for these pages with both.
fn compare(url: impl Fn(&str) -> String) {
    for (path, load) in [
        ("/page", [200, 1, 1]),
        ("/page", [200, 4, 10]),
        ("/page", [201, 4, 10]),
        ("/none", [100, 2, 5]),
        ("/moved", [100, 2, 5]),
        ("/big", [12, 2, 3]),
    ] {
        let url = url(path);
        assert_eq!(rab(load, &url), h2load(load, &url), "{url} {load:?}");
    }
}

#[test]
fn the_same_of_nginx() {
    if !needs::programs(&["h2load"]) {
        return;
    }
    let pem = Pem::usual();
    for certificate in [None, Some(&pem)] {
        let server = "location /moved { return 301 /page; }";
        let site = Site { server, certificate, listen: "http2", ..Site::default() };
        let Some(nginx) = Nginx::serve(&site) else { return };
        compare(|path| nginx.url(path));
        // Each has made the same number of requests.
        let made = 2 * (200 + 200 + 201 + 100 + 100 + 12);
        assert_eq!(nginx.log(made).len(), made);
    }
}

#[test]
fn the_same_of_apache() {
    if !needs::programs(&["h2load"]) {
        return;
    }
    let directives = "Protocols h2 h2c http/1.1\nH2Direct on\nRedirect 301 /moved /page";
    let Some(apache) = Apache::start(Mpm::Event, directives, None) else { return };
    compare(|path| apache.url(path));
    let made = 2 * (200 + 200 + 201 + 100 + 100 + 12);
    assert_eq!(apache.log(made).len(), made);
}
