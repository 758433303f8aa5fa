//! Real Express applications on Node, alone and behind a load balancer.

use super::{SPOKEN, Spoken, assert_agrees};
use crate::support::express::{Counted, Express};
use crate::support::nginx::{Nginx, Site};
use crate::support::rab::{Done, rab};
use crate::support::report::Counts;

/// Runs with options that are separated by blanks, and a way of speaking.
fn ask(options: &str, spoken: Spoken, url: &str) -> Done {
    rab(options.split_whitespace().chain(spoken).chain([url]))
}

/// Fails unless the report's sums are those of the application.
#[track_caller]
fn assert_counted(done: &Done, counted: Counted) {
    let report = done.good_report();
    assert_eq!(report.counts().complete, counted.requests, "{done}");
    assert_eq!(report.count("Total transferred"), Some(counted.sent), "{done}");
}

#[test]
fn a_text_whose_length_is_told() {
    for spoken in SPOKEN {
        for (options, connections) in [("-n 30 -c 3", 30), ("-n 30 -k", 1)] {
            let Some(express) = Express::start() else { return };
            let done = ask(options, spoken, &express.url("/text"));
            let counted = express.counted();
            assert_counted(&done, counted);
            assert_eq!(counted.connections, connections, "{spoken:?} {options}");
            let report = done.report();
            assert_eq!(report.counts(), Counts::good(30));
            assert_eq!(report.count("Document Length"), Some(11));
            let kept = if connections == 1 { Some(30) } else { None };
            assert_eq!(report.count("Keep-Alive requests"), kept, "{done}");
        }
    }
}

#[test]
fn a_list_whose_length_varies() {
    for spoken in SPOKEN {
        for (options, length) in [("-n 30 -k", 20), ("-n 30 -c 3 -l", 0)] {
            let Some(express) = Express::start() else { return };
            let done = ask(options, spoken, &express.url("/json"));
            assert_counted(&done, express.counted());
            // The lengths come in turn, and the first one counts.
            assert_eq!(done.report().counts(), Counts { length, ..Counts::good(30) }, "{done}");
            if length == 0 {
                assert_eq!(done.report().text_of("Document Length"), Some("Variable"));
            } else {
                done.assert_hint(&["-l"]);
            }
            // "[]", one element, two elements.
            assert_eq!(done.report().count("HTML transferred"), Some(10 * (2 + 11 + 21)));
        }
    }
}

#[test]
fn a_post_comes_back() {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; 70_000]).unwrap();
    for spoken in SPOKEN {
        for more in ["", "-k"] {
            let Some(express) = Express::start() else { return };
            let options = format!("-n 12 -c 2 -T text/plain -p {} {more}", body.path().display());
            let done = ask(&options, spoken, &express.url("/echo"));
            let counted = express.counted();
            assert_counted(&done, counted);
            assert_eq!(counted.received, 12 * 70_000);
            assert_eq!(done.report().counts(), Counts::good(12));
            assert_eq!(done.report().count("HTML transferred"), Some(12 * 70_000));
        }
    }
}

/// Where Node does not know the length, it sends chunks to those who speak HTTP/1.1, and closes after the others.
#[test]
fn a_stream_is_cut_into_chunks_or_closed() {
    for spoken in SPOKEN {
        let Some(express) = Express::start() else { return };
        let done = ask("-n 24 -c 2 -k", spoken, &express.url("/stream"));
        let counted = express.counted();
        assert_counted(&done, counted);
        let report = done.report();
        assert_eq!(report.counts(), Counts::good(24), "{done}");
        assert_eq!(report.count("HTML transferred"), Some(24 * "one two".len() as u64));
        if spoken[0] == "--http1.1" {
            assert_eq!(report.count("Keep-Alive requests"), Some(24));
            assert!(counted.connections <= 2, "{counted:?}");
        } else {
            assert_eq!(report.count("Keep-Alive requests"), Some(0));
            assert_eq!(counted.connections, 24);
            done.assert_hint(&["--http1.1"]);
        }
    }
}

#[test]
fn two_applications_behind_a_load_balancer() {
    for spoken in SPOKEN {
        let (Some(one), Some(other)) = (Express::start(), Express::start()) else { return };
        let http = format!(
            "upstream both {{ server 127.0.0.1:{}; server 127.0.0.1:{}; }}",
            one.port(),
            other.port()
        );
        let site = Site { http: &http, server: "location / { proxy_pass http://both; }", ..Site::default() };
        let Some(nginx) = Nginx::serve(&site) else { return };
        let mut before = 0;
        for (options, path) in [("-c 4", "/text"), ("-c 4 -k", "/text"), ("-c 4 -k", "/stream")] {
            let done = ask(&format!("-n 100 {options}"), spoken, &nginx.url(path));
            assert_eq!(done.good_report().counts(), Counts::good(100), "{done}");
            assert_agrees(&done, &nginx.log(before + 100)[before..], "GET");
            // What the applications do not tell the length of, nginx cannot either.
            let kept = if path == "/stream" && spoken[0] == "--http1.0" { 0 } else { 100 };
            let kept = options.contains("-k").then_some(kept);
            assert_eq!(done.report().count("Keep-Alive requests"), kept, "{done}");
            before += 100;
            let (one, other) = (one.counted().requests, other.counted().requests);
            assert_eq!(one + other, before as u64);
            assert!(one.abs_diff(other) <= before as u64 / 5, "{one} and {other}");
        }
        // With the applications gone, the balancer answers for them: quick, complete, and of no use.
        drop((one, other));
        let done = ask("-n 20 -c 4", spoken, &nginx.url("/text"));
        assert_eq!(done.good_report().counts(), Counts { non_2xx: 20, ..Counts::good(20) }, "{done}");
        done.assert_hint(&["502"]);
    }
}
