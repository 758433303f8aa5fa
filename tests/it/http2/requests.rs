//! What goes out: pseudo-header fields, header fields, bodies.

use crate::support::http2::polite::{Heard, Polite, page};
use crate::support::rab::{Done, Rab, ask};
use crate::support::report::Counts;

/// Runs with these words in front of the URL; gives what the server has heard.
fn heard(words: &[&str]) -> (Done, Vec<Heard>, u16) {
    let server = Polite::start(|_, _| page("hello"));
    let done = Rab::new(["--http2"].iter().chain(words).copied().chain([server.url().as_str()])).run();
    (done, server.heard(), server.port())
}

/// A file with this content.
fn file(content: &[u8]) -> (tempfile::NamedTempFile, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let path = file.path().display().to_string();
    (file, path)
}

#[test]
fn a_get_names_its_host_as_the_authority() {
    let (done, heard, port) = heard(&["-n", "2"]);
    assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
    for one in heard {
        assert_eq!((one.method.as_str(), one.url), ("GET", format!("http://127.0.0.1:{port}/doc")));
        let names: Vec<_> = one.fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["user-agent", "accept"], "neither Host nor Connection");
    }
}

#[test]
fn a_host_that_was_typed_is_the_authority() {
    let (done, heard, _) = heard(&["-H", "Host: example.test:81", "-H", "X-A: 1", "-C", "a=1", "-A", "u:p"]);
    assert_eq!(done.good_report().counts(), Counts::good(1), "{done}");
    let one = &heard[0];
    assert_eq!(one.url, "http://example.test:81/doc");
    assert_eq!(one.values("host"), [""; 0]);
    assert_eq!(one.values("x-a"), ["1"]);
    assert_eq!(one.values("cookie"), ["a=1"]);
    assert_eq!(one.values("authorization"), ["Basic dTpw"]);
}

#[test]
fn fields_about_the_connection_are_left_out_with_a_hint() {
    let forbidden = [
        "Connection: keep-alive, X-A",
        "proxy-connection: x",
        "Keep-Alive: timeout=5",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
        "TE: gzip",
    ];
    let mut words = vec!["-k", "-H", "TE: trailers", "-H", "X-A: 1"];
    for field in forbidden {
        words.extend(["-H", field]);
    }
    let (done, heard, _) = heard(&words);
    assert_eq!(done.good_report().counts(), Counts::good(1), "{done}");
    let names: Vec<_> = heard[0].fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["te", "x-a", "user-agent", "accept"]);
    assert_eq!(heard[0].values("te"), ["trailers"]);
    for field in forbidden {
        done.assert_hint(&[&format!("-H '{field}' was left out"), "HTTP/2"]);
    }
    assert_eq!(done.hints().len(), forbidden.len(), "{done}");
}

#[test]
fn a_body_goes_out_with_its_length() {
    for length in [0, 1, 16_384, 16_385, 200_000] {
        let (_file, path) = file(&vec![b'd'; length]);
        for (option, method) in [("-p", "POST"), ("-u", "PUT")] {
            let (done, heard, _) =
                heard(&["-n", "6", "-c", "2", "--streams", "3", option, &path, "-T", "a/b"]);
            assert_eq!(done.good_report().counts(), Counts::good(6), "{done}");
            assert_eq!(heard.len(), 6);
            for one in heard {
                assert_eq!((one.method.as_str(), one.body), (method, length));
                assert_eq!(one.values("content-length"), [length.to_string()]);
                assert_eq!(one.values("content-type"), ["a/b"]);
            }
            let sent = done.report().count("Total body sent").unwrap();
            assert!(sent > 6 * length as u64 && sent < 6 * length as u64 + 9000, "{done}");
        }
    }
}

#[test]
fn other_methods_and_paths() {
    let (done, heard, port) = heard(&["-i", "-n", "2", "-k"]);
    assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
    assert_eq!(done.report().count("Document Length"), Some(0));
    assert!(heard.iter().all(|one| one.method == "HEAD"));

    let server = Polite::start(|_, _| page("hello"));
    let done = ask("--http2 -m PURGE", &format!("http://127.0.0.1:{}/a/b?c=%20&d", server.port()));
    assert_eq!(done.good_report().counts(), Counts::good(1), "{done}");
    let one = &server.heard()[0];
    assert_eq!(one.method, "PURGE");
    assert_eq!(one.url, format!("http://127.0.0.1:{}/a/b?c=%20&d", server.port()));
    assert_ne!(port, server.port());
}

/// A proxy is told the whole URL by the pseudo-header fields that a server gets as well.
#[test]
fn a_proxy_is_spoken_to_as_a_server() {
    let server = Polite::start(|_, _| page("hello"));
    let proxy = format!("127.0.0.1:{}", server.port());
    let done = ask(&format!("--http2 -n 2 -P p:w -X {proxy}"), "http://target.test:81/doc?a");
    assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
    assert_eq!(done.report().text_of("Server Hostname"), Some("target.test"));
    for one in server.heard() {
        assert_eq!(one.url, "http://target.test:81/doc?a");
        assert_eq!(one.values("proxy-authorization"), ["Basic cDp3"]);
    }
}
