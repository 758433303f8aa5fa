//! The length check, for each URL by itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{List, document, origin, request_line, site};
use crate::support::report::Counts;
use crate::support::server::{Plan, closing};

#[test]
fn urls_of_different_length_are_no_failures() {
    for options in ["-n 20", "-n 60 -c 5 -k -W 2", "-n 20 --http1.1", "-n 20 -l"] {
        let server = site();
        let done = List::new("/\n/longer\nPOST /much-longer\nHEAD /longer\n").run(options, &origin(&server));
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::good(report.count("Complete requests").unwrap()), "{done}");
        assert_eq!(report.text_of("Document Path"), Some("/ and 3 more"), "{done}");
        assert_eq!(report.text_of("Document Length"), Some("Variable"), "{done}");
        assert_eq!(done.hints(), [""; 0]);
    }
}

#[test]
fn one_url_that_changes_has_failures_of_its_own() {
    for options in ["-n 30", "-n 30 -c 3 -k", "-n 30 -k --http1.1"] {
        let times = AtomicUsize::new(0);
        let server = Plan::by(move |_, request| {
            let length = match request_line(request).as_str() {
                "GET /odd" => 100 + times.fetch_add(1, Ordering::Relaxed),
                line => line.len(),
            };
            document(request, "200 OK", length)
        })
        .start();
        let list = List::new("/a\n/odd\n/bb\n");
        let done = list.run(&format!("{options} --by-url"), &origin(&server));
        assert_eq!(
            done.good_report().counts(),
            Counts { complete: 30, length: 9, ..Counts::default() },
            "{done}"
        );
        done.assert_hint(&["not as long as the first of their URL", "-l"]);
        done.assert_hint(&["failures came from 1 of 3 URLs: GET /odd (9 of its 10 requests)"]);
        let done = list.run(&format!("{options} -l"), &origin(&server));
        assert_eq!(done.good_report().counts(), Counts::good(30), "{done}");
    }
}

#[test]
fn lines_that_are_the_same_are_one_url() {
    let server = Plan::cycle([closing(10), closing(11)]).start();
    let done = List::new("/a\n/a\n").run("", &origin(&server));
    let report = done.good_report();
    assert_eq!(report.counts(), Counts { complete: 2, length: 1, ..Counts::default() }, "{done}");
    assert_eq!(report.text_of("Document Path"), Some("/a"));
    assert_eq!(report.text_of("Document Length"), Some("10 bytes"));
    done.assert_hint(&["not as long as the first; sizes seen are 10 to 11 bytes"]);
}

#[test]
fn failures_before_the_first_document_of_any_url_end_the_run() {
    // As with one URL: the twelfth connection that fails ends a run in which nothing has succeeded.
    let list = List::new("/a\n/b\n");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let done = list.run("-r -n 50", &format!("http://127.0.0.1:{port}/"));
    assert_eq!(done.code(), 1, "{done}");
    assert!(done.stderr.contains("Test aborted after 10 failures"), "{done}");
}
