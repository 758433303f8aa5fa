//! A real Apache httpd with `mod_http2`: by its log, and beside HTTP/1.1 on the same pages and the same port.

use super::assert_counts_agree;
use crate::support::access_log::{Logged, connections};
use crate::support::apache::{Apache, BIG, Mpm, WORD_LENGTH};
use crate::support::certificate::Pem;
use crate::support::rab::{Done, ask};
use crate::support::report::Counts;

/// HTTP/2 is asked for by ALPN over TLS, and otherwise by beginning with it.
const BOTH: &str = "Protocols h2 h2c http/1.1\nH2Direct on\nRedirect 301 /moved /page\nRedirect 410 /gone";

fn run(apache: &Apache, path: &str, options: &str, count: usize) -> (Done, Vec<Logged>) {
    let done = ask(&format!("-n {count} {options}"), &apache.url(path));
    let log = apache.log(count);
    assert_eq!(log.len(), count, "{done}\n{log:#?}");
    (done, log)
}

/// What should be the same in both versions.
fn seen(done: &Done) -> (Counts, [Option<u64>; 2]) {
    let report = done.good_report();
    (report.counts(), ["Document Length", "HTML transferred"].map(|label| report.count(label)))
}

#[test]
fn the_same_pages_as_under_http_1_1() {
    let pem = Pem::usual();
    for certificate in [None, Some(&pem)] {
        let Some(apache) = Apache::start(Mpm::Event, BOTH, certificate) else { return };
        for (path, count) in
            [("/page", 60), ("/none", 60), ("/moved", 60), ("/gone", 60), ("/cgi-bin/word", 20), ("/big", 6)]
        {
            let (before, _) = run(&apache, path, "--http1.1 -k -c 2", count);
            for way in ["-c 2", "-c 2 -k", "-c 2 --streams 3", "-c 2 --streams 3 -W 2"] {
                let (done, log) = run(&apache, path, &format!("--http2 {way}"), count);
                assert_eq!(seen(&done), seen(&before), "{path} {way}\n{done}\n{before}");
                assert_counts_agree(&done, &log, "GET");
                // Where they are kept, the second one may come too late for anything to do.
                let expected = if way == "-c 2" { count..=count } else { 1..=2 };
                assert!(expected.contains(&connections(&log)), "{way} {done}");
            }
        }
    }
}

#[test]
fn large_files_and_scripts_and_posts() {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; 54321]).unwrap();
    let post = format!("-T a/b -p {}", body.path().display());
    let Some(apache) = Apache::start(Mpm::Event, BOTH, None) else { return };
    let (done, log) = run(&apache, "/big", "--http2 --streams 4 -s 60", 30);
    assert_counts_agree(&done, &log, "GET");
    assert_eq!(done.report().count("HTML transferred"), Some(30 * BIG as u64));

    let (done, log) = run(&apache, "/page", "--http2 --streams 4 -i", 30);
    assert_counts_agree(&done, &log, "HEAD");
    assert_eq!(done.report().count("Document Length"), Some(0));

    let (done, log) = run(&apache, "/cgi-bin/size", &format!("--http2 -c 2 --streams 3 {post}"), 12);
    assert_counts_agree(&done, &log, "POST");
    // The script says 54321 and ends the line.
    assert_eq!(done.report().count("Document Length"), Some(6));
}

#[test]
fn a_limit_below_the_streams() {
    let few = format!("{BOTH}\nH2MaxSessionStreams 3");
    let Some(apache) = Apache::start(Mpm::Event, &few, None) else { return };
    let (done, log) = run(&apache, "/page", "--http2 --streams 10", 100);
    assert_counts_agree(&done, &log, "GET");
    assert_eq!(connections(&log), 1);
    done.assert_hint(&["takes 3 requests at a time", "--streams 10"]);
}

/// One process for each connection, with a single thread for all of its streams.
#[test]
fn apache_with_processes() {
    let Some(apache) = Apache::start(Mpm::Prefork, BOTH, None) else { return };
    let (done, log) = run(&apache, "/cgi-bin/word", "--http2 -c 2 --streams 3", 20);
    assert_counts_agree(&done, &log, "GET");
    assert_eq!(done.report().count("HTML transferred"), Some(20 * WORD_LENGTH as u64));
}

/// Without `mod_http2` at work nothing chooses it, and nobody knows the preface.
#[test]
fn an_apache_that_speaks_http_1_alone() {
    let pem = Pem::usual();
    let Some(apache) = Apache::start(Mpm::Event, "Protocols http/1.1", None) else { return };
    let done = ask("--http2 -n 5", &apache.url("/page"));
    done.assert_ended("the server does not speak HTTP/2: it answered in something else", 1, 0);
    let Some(apache) = Apache::start(Mpm::Event, "Protocols http/1.1", Some(&pem)) else { return };
    let done = ask("--http2 -n 5", &apache.url("/page"));
    // It chooses HTTP/1.1, for which it was not asked.
    done.assert_ended("the server does not speak HTTP/2: it did not choose it in the TLS handshake", 1, 0);
    done.assert_hint(&["--http1.1"]);
}
