//! A real nginx.

use super::{SPOKEN, Spoken, assert_agrees};
use crate::support::access_log::{Logged, connections};
use crate::support::nginx::{BIG, Nginx, PAGE};
use crate::support::rab::{Done, rab};

/// Runs with these options and a way of speaking; `None` if there is no nginx.
fn against(
    directives: &str,
    path: &str,
    options: &[&str],
    spoken: Spoken,
    count: usize,
) -> Option<(Done, Vec<Logged>)> {
    let nginx = Nginx::start(directives)?;
    let url = nginx.url(path);
    let done = rab(options.iter().copied().chain(spoken).chain([url.as_str()]));
    let log = nginx.log(count);
    assert_eq!(log.len(), count, "{done}\n{log:?}");
    Some((done, log))
}

#[test]
fn a_static_page() {
    for spoken in SPOKEN {
        let Some((done, log)) = against("", "/page", &["-n", "50", "-c", "5"], spoken, 50) else { return };
        assert_agrees(&done, &log, "GET");
        assert_eq!(done.report().count("Document Length"), Some(PAGE as u64));
        assert_eq!(done.report().count("HTML transferred"), Some(50 * PAGE as u64));
        assert_eq!(connections(&log), 50, "{spoken:?}");
        assert!(done.report().text_of("Server Software").is_some_and(|name| name.starts_with("nginx/")));
    }
}

#[test]
fn a_page_that_is_not_there() {
    for spoken in SPOKEN {
        let Some((done, log)) = against("", "/none", &["-n", "20", "-c", "2", "-k"], spoken, 20) else {
            return;
        };
        assert_agrees(&done, &log, "GET");
        assert_eq!(done.report().counts().non_2xx, 20);
        assert!(log.iter().all(|line| line.status == 404));
    }
}

#[test]
fn a_post() {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; 5000]).unwrap();
    let options = ["-n", "20", "-c", "2", "-p", body.path().to_str().unwrap(), "-T", "a/b"];
    for spoken in SPOKEN {
        let taken = "location /post { return 200 'taken'; }";
        let Some((done, log)) = against(taken, "/post", &options, spoken, 20) else { return };
        assert_agrees(&done, &log, "POST");
        assert_eq!(done.report().count("Document Length"), Some(5));
        // nginx throws the bodies away here, and leaves them out of the length.
        let heads: u64 = log.iter().map(|line| line.request_length).sum();
        assert_eq!(done.report().count("Total body sent"), Some(heads + 20 * 5000), "{log:?}");
    }
}

#[test]
fn a_head() {
    for spoken in SPOKEN {
        let Some((done, log)) = against("", "/page", &["-n", "20", "-i", "-k"], spoken, 20) else { return };
        assert_agrees(&done, &log, "HEAD");
        assert_eq!(done.report().count("Document Length"), Some(0));
        assert_eq!(connections(&log), 1);
    }
}

#[test]
fn connections_that_end_after_ten_requests() {
    for spoken in SPOKEN {
        let ten = "keepalive_requests 10;";
        let Some((done, log)) = against(ten, "/page", &["-n", "95", "-c", "1", "-k"], spoken, 95) else {
            return;
        };
        assert_agrees(&done, &log, "GET");
        assert_eq!(connections(&log), 10, "{spoken:?}");
        assert_eq!(log.iter().filter(|line| line.request == 10).count(), 9);
        // nginx says close in the tenth answer.
        assert_eq!(done.report().count("Keep-Alive requests"), Some(86), "{done}");
    }
}

#[test]
fn many_connections_kept() {
    for spoken in SPOKEN {
        let Some((done, log)) = against("", "/page", &["-n", "400", "-c", "20", "-k", "-q"], spoken, 400)
        else {
            return;
        };
        assert_agrees(&done, &log, "GET");
        assert_eq!(done.report().count("Keep-Alive requests"), Some(400));
        assert!(connections(&log) <= 20);
    }
}

#[test]
fn a_large_file() {
    for spoken in SPOKEN {
        let Some((done, log)) = against("", "/big", &["-n", "6", "-c", "2"], spoken, 6) else { return };
        assert_agrees(&done, &log, "GET");
        assert_eq!(done.report().count("HTML transferred"), Some(6 * BIG as u64));
        assert!(log.iter().all(|line| line.body_bytes_sent == BIG as u64));
    }
}

#[test]
fn a_page_packed_on_the_way() {
    // nginx packs only for HTTP/1.1 unless told otherwise, and sends the result chunked.
    let packed = "gzip on; gzip_http_version 1.0; gzip_types text/plain; gzip_min_length 1;";
    for spoken in SPOKEN {
        let options = ["-n", "12", "-k", "-H", "Accept-Encoding: gzip"];
        let Some((done, log)) = against(packed, "/page", &options, spoken, 12) else { return };
        assert_agrees(&done, &log, "GET");
        assert!(done.report().count("Document Length").is_some_and(|length| length < PAGE as u64), "{done}");
    }
}
