//! Addresses, URL, headers, body (section D of the list).

use super::{fields, file, held_open};
use crate::support::needs;
use crate::support::rab::{ask, rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, Step, answer, closing, wait};

#[test]
fn r37_each_address_of_a_name_gets_a_new_socket() {
    let server = Plan::always(closing(5)).start();
    let done = ask("-n 12 -c 3", &format!("http://localhost:{}/", server.port()));
    assert_eq!(done.good_report().counts(), Counts::good(12), "{done}");
}

#[test]
fn r38_a_name_whose_first_address_refuses_leads_to_the_next() {
    // Whether the name leads to ::1 at all is up to the resolver; where it does, nobody listens there.
    let server = Plan::always(closing(5)).start();
    let done = ask("-n 3 -v 2", &format!("http://localhost:{}/", server.port()));
    assert_eq!(done.good_report().counts(), Counts::good(3), "{done}");
    assert_eq!(server.connections().len(), 3);
}

#[test]
fn r40_ipv6_literals_keep_their_brackets_on_the_wire_only() {
    if !needs::ipv6_loopback() {
        return;
    }
    let server = Plan::always(closing(5)).hosts(&["::1"]).start();
    let report = ask("-n 2", &format!("http://[::1]:{}/", server.port())).good_report();
    assert_eq!(report.text_of("Server Hostname"), Some("::1"));
    assert_eq!(fields(&server.requests()[0], "Host"), [format!("Host: [::1]:{}", server.port())]);
}

#[test]
fn r41_a_url_without_a_path_is_invalid_and_the_way_out_is_named() {
    for url in ["http://127.0.0.1", "http://127.0.0.1:8080", "http://127.0.0.1?x=1"] {
        let done = rab([url]);
        done.assert_usage_error("invalid URL");
        done.assert_hint(&["/"]);
    }
}

#[test]
fn r42_given_headers_replace_the_default_ones() {
    let server = Plan::always(closing(5)).start();
    let given = ["X-A: 1", "host: one.test", "USER-AGENT: mine", "X-B: 2", "Accept: text/html", "X-A: 3"];
    let url = server.url();
    rab(given.iter().flat_map(|line| ["-H", line]).chain([url.as_str()])).good_report();
    let request = &server.requests()[0];
    let lines: Vec<&str> = request.split("\r\n").skip(1).take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines, given);
}

#[test]
fn r43_a_host_header_goes_to_an_address() {
    for engine in ["wire", "hyper"] {
        let server = Plan::always(closing(5)).start();
        rab(["-H", "Host: name.test", "--engine", engine, &server.url()]).good_report();
        assert_eq!(fields(&server.requests()[0], "Host"), ["Host: name.test"]);
    }
}

#[test]
fn r44_one_content_type_goes_out() {
    let body = file(b"{}");
    let path = body.path().to_str().unwrap();
    let server = Plan::always(closing(5)).start();
    let url = server.url();
    rab(["-p", path, "-H", "Content-Type: application/json", &url]).good_report();
    let done = rab(["-p", path, "-T", "text/xml", "-H", "Content-Type: application/json", &url]);
    done.good_report();
    done.assert_hint(&["-T"]);
    let requests = server.requests();
    assert_eq!(fields(&requests[0], "Content-Type"), ["Content-Type: application/json"]);
    assert_eq!(fields(&requests[1], "Content-Type"), ["Content-type: text/xml"]);
}

#[test]
fn r45_the_default_type_is_plain_text_and_a_refusal_of_it_is_pointed_out() {
    let body = file(b"{}");
    let path = body.path().to_str().unwrap();
    let server = Plan::always(answer("415 Unsupported Media Type", &[], b"no", Step::Close)).start();
    let done = rab(["-n", "2", "-p", path, &server.url()]);
    assert_eq!(done.good_report().counts(), Counts { complete: 2, non_2xx: 2, ..Counts::default() });
    assert_eq!(fields(&server.requests()[0], "Content-Type"), ["Content-type: text/plain"]);
    done.assert_hint(&["-T"]);
}

#[test]
fn r46_a_post_ends_at_the_content_length_of_its_answer() {
    let body = file(b"hello\n");
    let server = Plan::always(held_open(&[])).start();
    let done = rab(["-s", "10", "-T", "text/plain", "-p", body.path().to_str().unwrap(), &server.url()]);
    assert_eq!(done.good_report().counts(), Counts::good(1));
    let request = &server.requests()[0];
    assert_eq!(fields(request, "Content-Length"), ["Content-length: 6"]);
    assert!(request.ends_with("\r\n\r\nhello\n"), "{request:?}");
}

#[test]
fn r47_a_body_of_50_mb_reaches_a_slow_reader_whole() {
    let bytes: Vec<u8> =
        (0..50_000_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let body = file(&bytes);
    let server = Plan::always(closing(5)).on_accept(vec![wait(100), Step::Keep]).slow_reader().start();
    let done = rab(["-T", "a/b", "-p", body.path().to_str().unwrap(), &server.url()]);
    let report = done.good_report();
    assert_eq!(report.counts(), Counts::good(1));
    let request = server.connections()[0].requests[0].clone();
    assert!(request.ends_with(&bytes), "the body has changed on its way");
    assert_eq!(report.count("Total body sent"), Some(request.len() as u64));
}

#[test]
fn r50_a_given_accept_encoding_goes_out_and_bytes_count_as_received() {
    let packed = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 4, 0, 0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0];
    let server = Plan::always(answer("200 OK", &["Content-Encoding: gzip"], &packed, Step::Close)).start();
    let report = rab(["-n", "2", "-H", "Accept-Encoding: gzip", &server.url()]).good_report();
    assert_eq!(report.count("Document Length"), Some(packed.len() as u64));
    let request = &server.requests()[0];
    assert_eq!(fields(request, "Accept-Encoding"), ["Accept-Encoding: gzip"]);
    assert!(request.ends_with("\r\n\r\n"), "{request:?}");
}

#[test]
fn r51_a_redirect_is_not_followed_but_named() {
    let server = Plan::always(answer("302 Found", &["Location: /else/where"], b"", Step::Close)).start();
    let done = ask("-n 20", &server.url());
    assert_eq!(done.good_report().counts(), Counts { complete: 20, non_2xx: 20, ..Counts::default() });
    done.assert_hint(&["/else/where"]);
    assert!(server.requests().iter().all(|request| request.starts_with("GET /doc ")));
}
