//! `--connect-to`.

use super::{Secured, assert_is_about, fields, line, named};
use crate::support::needs;
use crate::support::report::Counts;
use crate::support::server::{Plan, closing, keeping};
use crate::support::tls::{DIALECTS, files};

#[test]
fn connections_go_elsewhere_and_all_else_is_the_url_s() {
    for dialect in DIALECTS {
        let server = Plan::always(closing(10)).start();
        let port = server.port();
        let done =
            line(&format!("-n 4 -c 2 {dialect} --connect-to 127.0.0.1:{port} http://name.test:81/doc"));
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::good(4), "{done}");
        assert_is_about(&report, "name.test", 81);
        assert!(done.stdout.contains("Benchmarking name.test (be patient)"), "{done}");
        for request in server.requests() {
            assert!(request.starts_with("GET /doc HTTP/1."), "{request}");
            assert_eq!(fields(&request, "Host"), ["Host: name.test:81"]);
        }
    }
}

#[test]
fn the_port_is_that_of_the_url_unless_one_is_given() {
    let server = Plan::always(closing(10)).start();
    for place in ["127.0.0.1", "localhost"] {
        let done = line(&format!("-n 2 --connect-to {place} http://name.test:{}/", server.port()));
        assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
    }
    if needs::ipv6_loopback() {
        let server = Plan::always(closing(10)).hosts(&["::1"]).start();
        for (place, url_port) in
            [("[::1]".to_owned(), server.port()), (format!("[::1]:{}", server.port()), 81)]
        {
            let done = line(&format!("-n 2 --connect-to {place} http://name.test:{url_port}/"));
            assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
        }
    }
}

#[test]
fn tls_is_spoken_with_the_name_of_the_url() {
    let pair = named();
    let (_folder, path) = files(&[("own", pair.certificate.pem())]);
    let server = Secured::start(&pair);
    for dialect in DIALECTS {
        let elsewhere =
            format!("-n 2 {dialect} --connect-to 127.0.0.1:{} --cacert {}", server.port, path("own"));
        let done = line(&format!("{elsewhere} https://name.test/"));
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::good(2), "{done}");
        assert_is_about(&report, "name.test", 443);
        assert_eq!(report.text_of("TLS Server Name"), Some("name.test"));
        for (name, request) in server.take_seen() {
            assert_eq!(
                (name.as_deref(), fields(&request, "Host")),
                (Some("name.test"), vec!["Host: name.test"])
            );
        }
        // The certificate is not for the place that is connected to.
        let done = line(&format!("{elsewhere} https://127.0.0.1/"));
        assert_eq!(done.good_report().counts(), Counts::connect(2), "{done}");
        assert!(done.messages()[0].contains("it is not for 127.0.0.1, but for name.test"), "{done}");
    }
}

#[test]
fn what_cannot_be_reached_is_named_as_what_it_is() {
    let server = Plan::always(keeping(10)).start();
    let port = server.port();
    // The URL's own host would answer.
    let done = line(&format!("-n 2 --connect-to 127.0.0.2 http://127.0.0.1:{port}/"));
    done.assert_ended("apr_socket_recv: Connection refused (111)", 111, 0);
    done.assert_hint(&[&format!("no connection to 127.0.0.2:{port} could be made")]);
    let done = line(&format!("-n 2 --connect-to a..b http://127.0.0.1:{port}/"));
    done.assert_ended("apr_sockaddr_info_get() for a..b: Name or service not known (670002)", 50, 0);
    assert_eq!(server.connections().len(), 0);
}

#[test]
fn mistakes_are_named_before_anything_is_sent() {
    let server = Plan::always(keeping(10)).start();
    let port = server.port();
    line(&format!("--connect-to http://127.0.0.1:{port} http://name.test/"))
        .assert_usage_error("--connect-to takes host[:port], not 'http://127.0.0.1:");
    let done = line(&format!("-X 127.0.0.1:{port} --connect-to 127.0.0.1:{port} http://name.test/"));
    done.assert_usage_error("-X and --connect-to do not go together");
    assert_eq!(server.connections().len(), 0);
}
