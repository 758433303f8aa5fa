//! Input that is wrong, huge or hostile: a plain word about it and the right status, and never a panic.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::support::rab::{Done, Rab, ask, rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, Step, closing, send};

fn bytes(text: &[u8]) -> OsString {
    OsStr::from_bytes(text).to_owned()
}

/// The run has ended by itself, without a panic, and with one of these statuses.
fn assert_orderly(done: &Done, codes: &[i32]) {
    assert!(codes.contains(&done.code()), "{done}");
    assert!(!done.stderr.contains("panicked"), "{done}");
}

// ---------------------------------------------------------------- post files

#[test]
fn a_post_file_that_is_not_there_is_named() {
    for option in ["-p", "-u"] {
        let done = rab([option, "no/such/file", "http://127.0.0.1:9/"]);
        assert_eq!((done.code(), done.stdout.as_str()), (1, ""), "{done}");
        let message = "Could not open POST data file (no/such/file): No such file or directory";
        assert!(done.messages().len() == 1 && done.messages()[0].ends_with(message), "{done}");
    }
}

#[test]
fn a_folder_is_no_post_file() {
    let done = rab(["-p", ".", "http://127.0.0.1:9/"]);
    assert_eq!((done.code(), done.stdout.as_str()), (1, ""), "{done}");
    assert!(done.messages()[0].ends_with("Could not read POST data file: Is a directory"), "{done}");
}

#[test]
fn a_post_file_larger_than_memory_is_refused() {
    let file = tempfile::NamedTempFile::new().unwrap();
    if file.as_file().set_len(1 << 40).is_err() {
        crate::support::needs::left_out("the file system has no sparse file of 1 TB");
        return;
    }
    let done = rab(["-p", file.path().to_str().unwrap(), "http://127.0.0.1:9/"]);
    assert_eq!((done.code(), done.stdout.as_str()), (1, ""), "{done}");
    assert_eq!(done.messages().len(), 1, "{done}");
}

#[test]
fn the_post_data_may_come_from_standard_input() {
    let server = Plan::always(closing(5)).start();
    let done = Rab::new(["-n", "2", "-p", "-", &server.url()]).input(b"from \0 a pipe").run();
    assert_eq!(done.good_report().counts(), Counts::good(2));
    assert!(server.requests().iter().all(|request| request.ends_with("\r\n\r\nfrom \0 a pipe")));
}

#[test]
fn bytes_of_any_value_are_posted_as_they_are() {
    let all: Vec<u8> = (0..=255).collect();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all"), &all).unwrap();
    for engine in ["wire", "hyper"] {
        let server = Plan::always(closing(5)).start();
        let arguments = ["-p", "all", "--engine", engine, &server.url()];
        assert_eq!(Rab::new(arguments).folder(folder.path()).run().good_report().counts(), Counts::good(1));
        assert!(server.connections()[0].requests[0].ends_with(&all));
    }
}

// ---------------------------------------------------------------- headers

#[test]
fn line_ends_in_a_header_do_no_harm() {
    for engine in ["wire", "hyper"] {
        for value in ["X-A: 1\r\nX-B: 2", "X-A: 1\nX-B: 2", "X-A: 1\r\n\r\nGET /other HTTP/1.0", "\r\n", ""] {
            let server = Plan::always(closing(5)).start();
            let done = rab(["-s", "5", "-H", value, "--engine", engine, &server.url()]);
            assert_orderly(&done, &[0, 22]);
        }
    }
}

#[test]
fn values_of_other_options_with_line_ends_do_no_harm() {
    let server = Plan::always(closing(5)).start();
    for arguments in
        [["-C", "a=1\r\nX: 2"], ["-A", "user:a\r\nb"], ["-m", "GET /x HTTP/1.0\r\nX:"], ["-T", "a/b\r\nX: 1"]]
    {
        let done = rab(arguments.into_iter().chain(["-s", "5", &server.url()]));
        assert_orderly(&done, &[0, 22]);
    }
}

#[test]
fn a_nul_in_a_response_head_does_no_harm() {
    for engine in ["wire", "hyper"] {
        for head in [
            &b"HTTP/1.1 200 OK\r\nX-A: \0\r\nContent-Length: 0\r\n\r\n"[..],
            b"\0\0\0\0\r\n\r\n",
            b"HTTP/1.1 \0 OK\r\n\r\n",
        ] {
            let server = Plan::always(vec![send(head), Step::Close]).start();
            let done = ask(&format!("-n 3 --engine {engine}"), &server.url());
            assert_eq!(done.good_report().counts().complete, 3, "{done}");
        }
    }
}

#[test]
fn absurd_lengths_in_a_response_do_no_harm() {
    for length in ["99999999999999999999999", "-1", "1e3", "", "18446744073709551615", "5, 6"] {
        for engine in ["wire", "hyper"] {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nbody");
            let server = Plan::always(vec![send(head), Step::Close]).start();
            let done = ask(&format!("-n 2 --engine {engine}"), &server.url());
            assert_eq!(done.good_report().counts().complete, 2, "{length}: {done}");
        }
    }
    let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\nbody";
    let server = Plan::always(vec![send(chunk), Step::Close]).start();
    let counts = ask("-n 2", &server.url()).good_report().counts();
    assert_eq!(counts, Counts { complete: 2, exceptions: 2, ..Counts::default() });
}

// ---------------------------------------------------------------- arguments that are no UTF-8

#[test]
fn a_path_that_is_no_utf_8_goes_out_as_typed() {
    let server = Plan::always(closing(5)).start();
    let url = [server.url().as_bytes(), b"/\xff\xfe?q=\x80"].concat();
    rab([bytes(b"-n"), bytes(b"2"), bytes(&url)]).good_report();
    assert!(server.connections()[0].requests[0].starts_with(b"GET /doc/\xff\xfe?q=\x80 HTTP/1.0\r\n"));
}

#[test]
fn a_header_that_is_no_utf_8_goes_out_as_typed() {
    let server = Plan::always(closing(5)).start();
    rab([bytes(b"-H"), bytes(b"X-A: \xff"), bytes(server.url().as_bytes())]).good_report();
    let request = server.connections()[0].requests[0].clone();
    assert!(request.windows(8).any(|part| part == b"X-A: \xff\r\n"), "{request:?}");
}

#[test]
fn other_arguments_that_are_no_utf_8_are_refused() {
    for arguments in [
        [&b"-n"[..], b"\xff"],
        [b"-c", b"1\xff"],
        [b"--engine", b"\xff"],
        [b"-\xff", b"1"],
        [b"--\xff", b"1"],
    ] {
        let done = rab(arguments.map(bytes).into_iter().chain([bytes(b"http://127.0.0.1:9/")]));
        assert_orderly(&done, &[1, 22]);
        assert!(!done.stdout.contains("Server Software"), "{done}");
    }
    assert_orderly(&rab([bytes(b"http://\xff\xff/")]), &[22, 50, 51]);
    assert_orderly(&rab([bytes(b"-p"), bytes(b"\xff"), bytes(b"http://127.0.0.1:9/")]), &[1]);
}

// ---------------------------------------------------------------- URLs and numbers

#[test]
fn ports_that_are_none_make_the_url_invalid() {
    for port in ["0", "65536", "99999", "4294967376", "18446744073709551696"] {
        rab([format!("http://127.0.0.1:{port}/")]).assert_usage_error("invalid URL");
    }
}

#[test]
fn urls_without_a_host_are_invalid() {
    for url in ["/doc", "http:///doc", "http://", "", "http://:80/"] {
        let done = rab([url]);
        assert_orderly(&done, &[22]);
        assert_eq!(done.stdout, "", "{done}");
    }
}

#[test]
fn other_schemes_are_refused_by_name() {
    let done = rab(["ftp://127.0.0.1/doc"]);
    done.assert_usage_error("ftp");
}

#[test]
fn the_scheme_is_read_without_case_the_fragment_stays_and_credentials_become_a_header() {
    let server = Plan::always(closing(5)).start();
    rab([format!("HTTP://user:pass@127.0.0.1:{}/doc#part", server.port())]).good_report();
    let request = &server.requests()[0];
    assert!(request.starts_with("GET /doc HTTP/1.0\r\n"), "{request}");
    assert!(request.contains("\r\nAuthorization: Basic dXNlcjpwYXNz\r\n"), "{request}");
    assert!(request.contains("\r\nHost: 127.0.0.1:"), "{request}");
}

#[test]
fn numbers_that_are_none_are_refused_and_their_option_named() {
    for (option, value) in [
        ("-n", "10k"),
        ("-n", "abc"),
        ("-n", "99999999999999999999999"),
        ("-n", "1.5"),
        ("-c", "abc"),
        ("-c", "99999999999999999999999"),
        ("-t", "soon"),
        ("-t", "99999999999999999999999"),
        ("-s", "x"),
        ("-b", "4k"),
        ("-v", "loud"),
        ("-R", "x"),
        ("-W", "x"),
    ] {
        // ab's own message about -c says what it is about in a word.
        let name = if value.starts_with("99") && option == "-c" { "Concurrency" } else { option };
        rab([option, value, "http://127.0.0.1:9/"]).assert_usage_error(name);
    }
}

#[test]
fn no_requests_at_all_keeps_the_status_of_ab() {
    for value in ["0", "-5"] {
        let done = rab(["-n", value, "http://127.0.0.1:9/"]);
        assert_eq!((done.code(), done.stdout.as_str()), (1, ""), "{done}");
        assert_eq!(done.messages().len(), 1, "{done}");
    }
}

#[test]
fn concurrency_has_its_limits() {
    for arguments in [["-c", "0"], ["-c", "-1"], ["-c", "200001"], ["-c", "5"]] {
        let done = rab(arguments.into_iter().chain(["http://127.0.0.1:9/"]));
        done.assert_usage_error("");
        assert!(done.stderr.to_lowercase().contains("concurrency"), "{done}");
    }
}

#[test]
fn the_largest_numbers_that_make_sense_are_taken() {
    let server = Plan::sequence([closing(5), vec![Step::Reset]]).start();
    let done = ask("-n 18446744073709551615 -s 1000000", &server.url());
    assert_orderly(&done, &[104, 22]);
}

// ---------------------------------------------------------------- options

#[test]
fn unknown_options_are_named() {
    let url = "http://127.0.0.1:9/";
    rab(["-j", url]).assert_usage_error("j");
    rab(["-n", "2", "-j", url]).assert_usage_error("j");
    rab(["-kj", url]).assert_usage_error("j");
    rab(["--nonsense", url]).assert_usage_error("nonsense");
}

#[test]
fn a_missing_value_or_url_is_a_usage_error() {
    rab(["-n"]).assert_usage_error("n");
    rab([""; 0]).assert_usage_error("");
    rab(["http://127.0.0.1:9/", "http://127.0.0.1:9/"]).assert_usage_error("");
}

#[test]
fn demo_has_its_own_url() {
    rab(["--demo", "http://127.0.0.1:9/"]).assert_usage_error("demo");
}

#[test]
fn help_is_no_mistake() {
    let done = rab(["--help"]);
    assert_eq!((done.code(), done.stderr.as_str()), (0, ""), "{done}");
    assert!(done.stdout.contains("-n") && done.stdout.contains("-k"), "{done}");
}

#[test]
fn options_may_follow_the_url() {
    let server = Plan::always(closing(5)).start();
    let url = server.url();
    assert_eq!(rab([url.as_str(), "-n", "3"]).good_report().counts(), Counts::good(3));
}

// ---------------------------------------------------------------- standard output

#[test]
fn a_reader_that_has_left_is_no_reason_to_complain() {
    let server = Plan::always(closing(5)).start();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let done = Rab::new(["-n", "3", &server.url()]).output_to(writer).run();
    assert_eq!(done.messages(), [""; 0], "{done}");
    let script = format!("\"$RAB\" -n 3 {} | head -1", server.url());
    let done = Rab::shell(&script).run();
    assert_eq!((done.messages(), done.stdout.lines().count()), (Vec::new(), 1), "{done}");
}

#[test]
fn a_full_disk_is_said_and_makes_the_run_fail() {
    let server = Plan::always(closing(5)).start();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let done = Rab::new(["-n", "3", &server.url()]).output_to(full).run();
    assert_ne!(done.code(), 0, "{done}");
    assert!(done.stderr.contains("No space left on device"), "{done}");
    assert!(!done.stderr.contains("panicked"), "{done}");
}
