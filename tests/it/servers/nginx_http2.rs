//! A real nginx that speaks HTTP/2: by its log, and beside HTTP/1.1 on the same pages.

use std::collections::BTreeMap;

use super::assert_counts_agree;
use crate::support::access_log::{Logged, connections};
use crate::support::certificate::Pem;
use crate::support::nginx::{BIG, Nginx, PAGE, Site};
use crate::support::rab::{Done, ask};
use crate::support::report::Counts;

/// Pages besides the files.
const PAGES: &str = "
    location /empty { return 200 ''; }
    location /nothing { return 204; }
    location /moved { return 301 /page; }
    location /broken { return 500 'oops'; }
    location /post { return 200 'taken'; }
    location /packed { alias www/page; gzip on; gzip_types text/plain; gzip_min_length 1; }";

/// Ways to share out the requests.
const WAYS: [&str; 4] =
    ["-n 40 -c 2", "-n 40 -c 2 -k", "-n 40 -c 2 --streams 5", "-n 41 -c 3 --streams 7 -W 2"];

/// A site that speaks HTTP/2, without TLS nothing else.
fn site<'a>(server: &'a str, certificate: Option<&'a Pem>) -> Site<'a> {
    Site { server, certificate, listen: "http2", ..Site::default() }
}

/// How many requests came over each connection.
fn requests_per_connection(log: &[Logged]) -> Vec<u64> {
    let mut most = BTreeMap::<u64, u64>::new();
    for line in log {
        let known = most.entry(line.connection).or_default();
        *known = line.request.max(*known);
    }
    most.into_values().collect()
}

/// What should be the same in both versions.
fn seen(done: &Done) -> (Counts, [Option<u64>; 2], Option<String>) {
    let report = done.good_report();
    let software = report.text_of("Server Software").map(ToOwned::to_owned);
    let bytes = ["Document Length", "HTML transferred"].map(|label| report.count(label));
    (report.counts(), bytes, software)
}

/// Runs `--http1.1` and `--http2` on every page; gives the number of requests by HTTP/2.
fn compare(old: &Nginx, new: &Nginx) -> usize {
    let mut made = 0;
    for path in ["/page", "/none", "/empty", "/nothing", "/moved", "/broken", "/packed"] {
        for way in WAYS {
            let options = format!("-q {way} -H Accept-Encoding:gzip");
            let done = ask(&format!("--http2 {options}"), &new.url(path));
            let same = way.split(" --streams").next().unwrap();
            let before = ask(&format!("--http1.1 -q {same} -H Accept-Encoding:gzip"), &old.url(path));
            assert_eq!(seen(&done), seen(&before), "{path}\n{done}\n{before}");
            assert_eq!(done.report().text_of("HTTP Protocol"), Some("HTTP/2"));
            made += usize::try_from(done.report().counts().complete).unwrap();
        }
    }
    made
}

#[test]
fn the_same_pages_as_under_http_1_1() {
    let Some(new) = Nginx::serve(&site(PAGES, None)) else { return };
    let Some(old) = Nginx::start(PAGES) else { return };
    let made = compare(&old, &new);
    assert_eq!(new.log(made).len(), made);
}

#[test]
fn the_same_pages_as_under_http_1_1_over_tls() {
    let pem = Pem::usual();
    let Some(nginx) = Nginx::serve(&site(PAGES, Some(&pem))) else { return };
    let made = compare(&nginx, &nginx);
    assert_eq!(nginx.log(2 * made).len(), 2 * made);
}

#[test]
fn large_files_and_heads_and_posts() {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; 200_000]).unwrap();
    let post = format!("-p {}", body.path().display());
    let pem = Pem::usual();
    for certificate in [None, Some(&pem)] {
        let sized = format!("{PAGES} client_max_body_size 1m; client_body_buffer_size 1k;");
        let Some(nginx) = Nginx::serve(&site(&sized, certificate)) else { return };
        let mut seen = 0;
        for (options, method, path, count, document) in [
            ("-n 30 -c 2 --streams 3", "GET", "/big", 30, BIG),
            ("-n 6", "GET", "/big", 6, BIG),
            ("-i -n 20 --streams 4", "HEAD", "/page", 20, 0),
            (&format!("{post} -n 20 -c 2 --streams 4"), "POST", "/post", 20, 5),
            (&format!("{post} -n 10"), "POST", "/post", 10, 5),
        ] {
            let done = ask(&format!("--http2 -q -s 60 {options}"), &nginx.url(path));
            let log = nginx.log(seen + count);
            assert_counts_agree(&done, &log[seen..], method);
            assert_eq!(done.report().count("HTML transferred"), Some((count * document) as u64), "{done}");
            seen += count;
        }
    }
}

/// nginx says goodbye when it has taken so many requests, the last of which it has still to answer; what was under way
/// besides was not processed, and is not in its log.
#[test]
fn goodbyes_after_few_requests() {
    let pem = Pem::usual();
    for (requests, certificate) in [(1, None), (3, None), (10, None), (10, Some(&pem))] {
        let server = format!("keepalive_requests {requests};");
        for (options, count) in
            [("-n 95 -k", 95), ("-n 95 --streams 4", 95), ("-n 400 -c 4 --streams 10 -W 2", 400)]
        {
            let Some(nginx) = Nginx::serve(&site(&server, certificate)) else { return };
            let done = ask(&format!("--http2 -q {options}"), &nginx.url("/page"));
            let log = nginx.log(count);
            assert_eq!(log.len(), count, "{done}");
            assert_counts_agree(&done, &log, "GET");
            assert_eq!(done.report().count("HTML transferred"), Some((count * PAGE) as u64));
            let most = requests_per_connection(&log).into_iter().max().unwrap();
            assert!(most <= requests, "{most} {log:?}");
        }
    }
}

#[test]
fn a_limit_below_the_streams() {
    for limit in [1, 3] {
        let server = format!("http2_max_concurrent_streams {limit};");
        let Some(nginx) = Nginx::serve(&site(&server, None)) else { return };
        // Without TLS this nginx sends head and body apart, and the client's kernel confirms the first of two pieces late,
        // so that requests one by one take 40 ms each.
        let done = ask("--http2 -n 40 -c 2 --streams 10", &nginx.url("/page"));
        let log = nginx.log(40);
        assert_counts_agree(&done, &log, "GET");
        assert!(connections(&log) <= 2, "{done}");
        done.assert_hint(&[&format!("takes {limit} request"), "--streams 10"]);
    }
}

#[test]
fn a_connection_for_each_request_or_one_for_all() {
    let pem = Pem::usual();
    for certificate in [None, Some(&pem)] {
        let ways = [("-n 60 -c 3", 60..=60), ("-n 60 -c 3 -k", 1..=3), ("-n 60 -c 3 --streams 4", 1..=3)];
        for (options, expected) in ways {
            let Some(nginx) = Nginx::serve(&site("", certificate)) else { return };
            let done = ask(&format!("--http2 {options}"), &nginx.url("/page"));
            let log = nginx.log(60);
            assert_counts_agree(&done, &log, "GET");
            assert!(expected.contains(&connections(&log)), "{done}");
        }
    }
}

/// Without TLS such an nginx takes HTTP/2 alone, and others HTTP/1 alone.
#[test]
fn a_port_that_speaks_the_other_version() {
    let Some(nginx) = Nginx::start("") else { return };
    let done = ask("--http2 -n 5", &nginx.url("/page"));
    done.assert_ended("the server does not speak HTTP/2: it answered in something else", 1, 0);
}
