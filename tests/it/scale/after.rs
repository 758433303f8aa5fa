//! Nothing is left behind: once a run is over, its threads and its descriptors are gone.
//!
//! The program is looked at between the end of the run and its report, which it cannot get rid of: standard output is a
//! pipe that nobody reads.

use std::io::Write;
use std::path::Path;

use crate::support::certificate::Pem;
use crate::support::daemon::poll;
use crate::support::rab::Rab;
use crate::support::server::{Plan, Step, closing, keeping};

use super::nginx;

/// What a pipe of one page holds.
const PAGE: usize = 4096;

/// What a process has.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    descriptors: usize,
    threads: usize,
}

/// What the program has after a run with these options, as soon as that is no more than so many descriptors.
fn after(options: &str, url: &str, most: usize) -> Left {
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&writer, PAGE).unwrap();
    // There is room for the line that begins a run, and not for a report.
    writer.write_all(&[b'x'; PAGE - 100]).unwrap();
    let said = tempfile::NamedTempFile::new().unwrap();
    let script = format!("exec \"$RAB\" -Q {options} {url} 2>{}", said.path().display());
    let running = Rab::shell(&script).output_to(writer).start();
    poll("the end of the run", || is_over(said.path()).then_some(()));
    // The system lists a thread that has been joined for a moment longer, and a report may read a file about time zones.
    let left = poll("the end of all that the run needed", || {
        let left = Left { descriptors: running.descriptors(), threads: running.threads() };
        (left.threads == 1 && left.descriptors <= most).then_some(left)
    });
    drop(reader);
    assert_eq!(running.wait().code(), 0, "{options}");
    left
}

/// Whether the program has said that the run is over; what it says next is the report.
fn is_over(said: &Path) -> bool {
    std::fs::read_to_string(said).is_ok_and(|text| text.contains("Finished "))
}

/// All that a run has left is what the smallest one leaves: a thread, the standard streams, and what signals need.
fn assert_nothing_left(options: &str, url: &str) {
    let server = Plan::always(closing(5)).start();
    let least = after("-n 200", &server.url(), 9);
    let left = after(options, url, least.descriptors);
    assert!(left.descriptors <= least.descriptors, "{options}: {left:?} {least:?}");
}

#[test]
fn nothing_is_left_of_many_connections() {
    let server = Plan::always(keeping(5)).start();
    for options in ["-n 600 -c 50", "-k -n 600 -c 50", "-k -n 600 -c 50 -W 4", "-k -n 600 -c 50 --http1.1"] {
        assert_nothing_left(options, &server.url());
    }
}

#[test]
fn nothing_is_left_of_requests_in_flight_at_the_time_limit() {
    let server = Plan::sequence([keeping(5), vec![Step::Hang]]).start();
    for options in ["-k -t 1 -c 50 -W 2", "-k -t 1 -c 50 --http1.1"] {
        assert_nothing_left(options, &server.url());
    }
}

#[test]
fn nothing_is_left_of_failures() {
    let server = Plan::cycle([closing(5), vec![Step::Reset], vec![Step::Close]]).start();
    for options in ["-r -n 600 -c 20", "-r -k -n 600 -c 20 -W 2 --http1.1"] {
        assert_nothing_left(options, &server.url());
    }
}

#[test]
fn nothing_is_left_over_tls() {
    let pem = Pem::usual();
    let Some(nginx) = nginx("", Some(&pem)) else { return };
    for options in ["-n 300 -c 20 -W 2", "-k -n 300 -c 20"] {
        assert_nothing_left(options, &nginx.url("/page"));
    }
}

#[test]
fn nothing_is_left_over_http2() {
    let pem = Pem::usual();
    for certificate in [None, Some(&pem)] {
        let Some(nginx) = nginx("http2", certificate) else { return };
        for options in
            ["-k -n 600 -c 10 --streams 10 -W 2", "-n 300 -c 5 --streams 5", "-k -t 1 -c 5 --streams 5"]
        {
            assert_nothing_left(&format!("--http2 {options}"), &nginx.url("/page"));
        }
    }
}
