//! What is shown of HTTP/2: in the report, in files, and with -v.

use std::fs;

use super::http2;
use crate::support::http2::{Plan, Then};
use crate::support::rab::rab;
use crate::support::report::Counts;

/// A server whose answers have a `Server` field, and every third of which is not there.
fn server() -> Plan {
    Plan::by(|link, request| {
        let status = if request.number % 3 == 2 { 404 } else { 200 };
        link.head(request.stream, status, &[("server", "Script/2.0"), ("x-odd", "a:b")]);
        link.data(request.stream, b"hello", true);
        Then::Keep
    })
}

#[test]
fn verbosity_2_shows_heads() {
    let server = server().start();
    let done = http2("-v 2 -n 3 -k -H X-A:1", &server);
    assert_eq!(done.good_report().counts(), Counts { non_2xx: 1, ..Counts::good(3) }, "{done}");
    let request = format!(
        "INFO: GET header == \n---\nGET /doc HTTP/2\r\nX-A:1\r\nHost: 127.0.0.1:{}\r\n",
        server.port()
    );
    assert!(done.stdout.contains(&request), "{done}");
    let head = "LOG: header received:\nHTTP/2 200\r\nserver: Script/2.0\r\nx-odd: a:b\r\n\r\n\n";
    assert_eq!(done.stdout.matches(head).count(), 2, "{done}");
    assert!(done.stdout.contains("HTTP/2 404\r\n"), "{done}");
    assert_eq!(done.stdout.matches("WARNING: Response code not 2xx (404)").count(), 1, "{done}");
}

#[test]
fn verbosity_4_shows_codes_too() {
    let done = http2("-v 4 -n 4 --streams 2", &server().start());
    assert_eq!(done.good_report().counts(), Counts { non_2xx: 1, ..Counts::good(4) }, "{done}");
    assert_eq!(done.stdout.matches("LOG: Response code = 200").count(), 3, "{done}");
    assert_eq!(done.stdout.matches("LOG: header received:").count(), 4, "{done}");
}

#[test]
fn the_html_report_has_the_protocol_too() {
    let server = server().start();
    let done = http2("-w -n 2 -k", &server);
    assert_eq!(done.code(), 0, "{done}");
    assert!(done.stdout.contains("HTTP Protocol:") && done.stdout.contains(">HTTP/2<"), "{done}");
}

#[test]
fn files_have_a_line_for_each_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (samples, gnuplot, csv) = (path("samples"), path("gnuplot"), path("csv"));
    let url = server().start();
    let done = rab([
        "--http2",
        "-n",
        "60",
        "-c",
        "2",
        "--streams",
        "5",
        "--samples",
        &samples,
        "-g",
        &gnuplot,
        "-e",
        &csv,
        &url.url(),
    ]);
    assert_eq!(done.good_report().counts(), Counts { non_2xx: 20, ..Counts::good(60) }, "{done}");
    let samples = fs::read_to_string(samples).unwrap();
    assert_eq!(samples.lines().count(), 61, "{samples}");
    assert_eq!(samples.lines().filter(|line| line.contains(",404,good,5,true")).count(), 20, "{samples}");
    assert_eq!(samples.lines().filter(|line| line.contains(",200,good,5,true")).count(), 40, "{samples}");
    assert_eq!(fs::read_to_string(gnuplot).unwrap().lines().count(), 61);
    assert_eq!(fs::read_to_string(csv).unwrap().lines().count(), 101 + 1);
}
