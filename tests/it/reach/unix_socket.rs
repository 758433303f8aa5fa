//! `--unix-socket`.

use std::io::{Read, Write};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use socket2::{Domain, SockAddr, Socket, Type};
use tempfile::TempDir;

use super::{Secured, assert_is_about, fields, line, named};
use crate::support::access_log::connections;
use crate::support::certificate::Pem;
use crate::support::nginx::{BIG, Nginx, PAGE, Site};
use crate::support::report::Counts;
use crate::support::server::{Plan, Step, answer_bytes, closing, head, keeping, send};
use crate::support::tls::{DIALECTS, files};

/// A place for a socket.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    (folder, path)
}

/// Options that lead to it.
fn through(path: &Path) -> String {
    format!("--unix-socket {}", path.display())
}

#[test]
fn requests_go_over_the_socket_and_all_else_is_the_url_s() {
    for dialect in DIALECTS {
        for (options, plan, kept) in
            [("", Plan::always(closing(10)), None), ("-k", Plan::always(keeping(10)), Some(6))]
        {
            let (_folder, path) = place();
            let server = plan.at(&path).start();
            let done =
                line(&format!("-n 6 -c 2 {options} {dialect} {} http://name.test:81/doc", through(&path)));
            let report = done.good_report();
            assert_eq!(report.counts(), Counts::good(6), "{done}");
            assert_eq!((report.count("Keep-Alive requests"), done.messages().len()), (kept, 0), "{done}");
            assert_is_about(&report, "name.test", 81);
            let requests = server.requests();
            assert_eq!(requests.len(), 6);
            assert!(requests.iter().all(|request| request.starts_with("GET /doc HTTP/1.")));
            assert!(requests.iter().all(|request| fields(request, "Host") == ["Host: name.test:81"]));
            assert_eq!(server.connections().len(), if kept.is_some() { 2 } else { 6 });
        }
    }
}

#[test]
fn tls_goes_over_the_socket_with_the_name_of_the_url() {
    let pair = named();
    let (_folder, file) = files(&[("own", pair.certificate.pem())]);
    let secured = Secured::start(&pair);
    for dialect in DIALECTS {
        let (_folder, path) = place();
        let server = Plan::always(closing(0)).at(&path).on_accept(vec![Step::Relay(secured.port)]).start();
        let options = format!("-k -n 6 -c 2 {dialect} --cacert {}", file("own"));
        let done = line(&format!("{options} {} https://name.test/", through(&path)));
        let report = done.good_report();
        assert_eq!(
            (report.counts(), report.count("Keep-Alive requests")),
            (Counts::good(6), Some(6)),
            "{done}"
        );
        assert_is_about(&report, "name.test", 443);
        assert_eq!(server.connections().len(), 2);
        let seen = secured.take_seen();
        assert!(seen.iter().all(|(name, _)| name.as_deref() == Some("name.test")), "{seen:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_at_sign_is_for_abstract_sockets() {
    let (folder, _) = place();
    let name = format!("rab-{}", folder.path().file_name().unwrap().display());
    let server = Plan::always(closing(10)).at(format!("\0{name}")).start();
    let done = line(&format!("-n 3 --unix-socket @{name} http://name.test/"));
    assert_eq!((done.good_report().counts(), server.requests().len()), (Counts::good(3), 3), "{done}");
    let done = line(&format!("-n 3 --unix-socket @{name}x http://name.test/"));
    done.assert_ended("apr_socket_recv: Connection refused (111)", 111, 0);
    done.assert_hint(&[&format!("no connection to @{name}x could be made")]);
}

/// Where TCP drops large bodies within the system, a unix socket has to be read; what belongs to the next response must
/// stay.
#[test]
fn large_bodies_are_counted_to_the_byte() {
    const LENGTH: usize = 3_000_000;
    let whole = answer_bytes(LENGTH);
    let (start, rest) = whole.split_at(whole.len() - 5);
    for dialect in DIALECTS {
        let (_folder, path) = place();
        let steps = vec![send(start), send([rest, &head("103 Early", &[])].concat()), Step::Keep];
        let server = Plan::always(vec![send(&whole), Step::Keep]).at(&path).start();
        let done =
            line(&format!("-k -n 4 {dialect} -H Connection:keep-alive {} http://name.test/", through(&path)));
        let report = done.good_report();
        assert_eq!(report.counts(), Counts::good(4), "{done}");
        assert_eq!(report.count("HTML transferred"), Some(4 * LENGTH as u64));
        assert_eq!(report.count("Total transferred"), Some(4 * whole.len() as u64));
        assert_eq!(server.requests_per_connection(), [4]);
        drop(server);
        // What comes after the end of a response ends the connection, and is no part of the document.
        std::fs::remove_file(&path).unwrap();
        let server = Plan::always(steps).at(&path).start();
        let done = line(&format!("-k -n 3 {dialect} {} http://name.test/", through(&path)));
        assert_eq!(done.good_report().count("HTML transferred"), Some(3 * LENGTH as u64), "{done}");
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn a_body_goes_out_over_the_socket() {
    const LENGTH: usize = 5_000_000;
    let (_folder, body) = files(&[("body", "b".repeat(LENGTH))]);
    for dialect in DIALECTS {
        let (_folder, path) = place();
        let server = Plan::always(closing(10)).slow_reader().at(&path).start();
        let done =
            line(&format!("-n 2 -p {} -b 9000 {dialect} {} http://name.test/", body("body"), through(&path)));
        assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
        assert!(server.requests().iter().all(|request| request.ends_with(&"b".repeat(LENGTH))));
    }
}

#[test]
fn a_connection_that_breaks_is_what_it_is_over_tcp() {
    let part = vec![send(head("200 OK", &["Content-Length: 10"])), send("part"), Step::Close];
    let (_folder, path) = place();
    let server = Plan::cycle([closing(10), part]).at(&path).start();
    let done = line(&format!("-n 4 {} http://name.test/", through(&path)));
    assert_eq!(done.good_report().counts(), Counts::receive(4, 2), "{done}");
    drop(server);
    // Closed with the request unread, which is a reset.
    std::fs::remove_file(&path).unwrap();
    let _server = Plan::always(closing(10)).on_accept(vec![Step::Head, Step::Abandon]).at(&path).start();
    let (_folder, body) = files(&[("body", "b".repeat(1_000_000))]);
    let options = format!("-n 3 -p {} {} http://name.test/", body("body"), through(&path));
    line(&options).assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 0);
    assert_eq!(line(&format!("-r {options}")).good_report().counts(), Counts::receive(3, 3));
}

#[test]
fn a_socket_that_nobody_serves_ends_the_run_or_fails_requests() {
    let (folder, missing) = place();
    let deserted = folder.path().join("deserted");
    drop(UnixListener::bind(&deserted).unwrap());
    let datagrams = folder.path().join("datagrams");
    let _datagrams = UnixDatagram::bind(&datagrams).unwrap();
    for (path, message, code) in [
        (&missing, "No such file or directory (2)", 2),
        (&deserted, "Connection refused (111)", 111),
        (&datagrams, "Protocol wrong type for socket (91)", 91),
    ] {
        let options = format!("-n 3 {} http://name.test/", through(path));
        let done = line(&options);
        done.assert_ended(&format!("apr_socket_recv: {message}"), code, 0);
        done.assert_hint(&[&format!("no connection to {} could be made", path.display())]);
        let done = line(&format!("-r {options}"));
        assert_eq!((done.good_report().counts(), done.messages().len()), (Counts::connect(3), 0), "{done}");
    }
}

#[test]
fn what_cannot_be_a_socket_is_refused_before_anything_else() {
    let (folder, _) = place();
    let file = folder.path().join("file");
    std::fs::write(&file, "text").unwrap();
    for path in [file.as_path(), folder.path()] {
        let done = line(&format!("{} http://name.test/", through(path)));
        let message = format!("rab: --unix-socket: {} is not a socket", path.display());
        assert_eq!(
            (done.messages(), done.code(), done.stdout.as_str()),
            (vec![message.as_str()], 1, ""),
            "{done}"
        );
    }
    line(&format!("--unix-socket {} http://name.test/", "s".repeat(108)))
        .assert_usage_error("--unix-socket: a path of 108 bytes is too long");
    line("--unix-socket @ http://name.test/").assert_usage_error("--unix-socket takes a path");
    line("--unix-socket s -B 127.0.0.1 http://name.test/").assert_usage_error("-B and --unix-socket");
}

/// A socket whose queue is full. The sockets that come with it fill the queue.
fn full(path: &Path) -> (Socket, Vec<Socket>) {
    let stream = || Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
    let listener = stream();
    listener.bind(&SockAddr::unix(path).unwrap()).unwrap();
    listener.listen(0).unwrap();
    let mut waiting = Vec::new();
    loop {
        let socket = stream();
        socket.set_nonblocking(true).unwrap();
        if socket.connect(&SockAddr::unix(path).unwrap()).is_err() {
            return (listener, waiting);
        }
        waiting.push(socket);
        assert!(waiting.len() < 50, "the queue of a listener never fills up");
    }
}

#[test]
fn a_full_queue_is_silence() {
    let (_folder, path) = place();
    let (_listener, waiting) = full(&path);
    assert!(!waiting.is_empty());
    let done = line(&format!("-n 2 -s 1 {} http://name.test/", through(&path)));
    done.assert_ended("apr_pollset_poll: The timeout specified has expired (70007)", 119, 0);
    let done = line(&format!("-r -n 2 -s 1 {} http://name.test/", through(&path)));
    assert_eq!(done.good_report().counts(), Counts::connect(2), "{done}");
}

#[test]
fn whoever_finds_the_queue_full_waits_for_room() {
    let (_folder, path) = place();
    let (listener, waiting) = full(&path);
    std::thread::spawn(move || {
        // Long enough for the program to have been turned away; nothing depends on that.
        std::thread::sleep(Duration::from_millis(300));
        drop(waiting);
        // One at a time, so that with several connections there is rarely room.
        while let Ok((mut socket, _)) = listener.accept() {
            if socket.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {
                let _ = socket.write_all(&answer_bytes(10));
            }
        }
    });
    let done = line(&format!("-n 40 -c 20 {} http://name.test/", through(&path)));
    assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
}

#[test]
fn a_real_server_agrees() {
    let pem = Pem::usual();
    for (scheme, certificate, ssl) in [("http", None, ""), ("https", Some(&pem), " ssl")] {
        for dialect in DIALECTS {
            let (_folder, path) = place();
            let listen = format!("listen unix:{}{ssl};", path.display());
            let Some(nginx) = Nginx::serve(&Site { server: &listen, certificate, ..Site::default() }) else {
                return;
            };
            let ask = |options: &str, file: &str| {
                line(&format!("{options} {dialect} {} {scheme}://name.test/{file}", through(&path)))
            };
            let done = ask("-n 60 -c 5 -k", "page");
            let report = done.good_report();
            let log = nginx.log(60);
            assert_eq!(report.counts(), Counts::good(60), "{done}");
            assert_eq!(report.count("HTML transferred"), Some(60 * PAGE as u64));
            assert_eq!(report.count("Total transferred"), Some(log.iter().map(|line| line.bytes_sent).sum()));
            assert_eq!(connections(&log), 5);
            let done = ask("-n 5 -c 2", "big");
            assert_eq!(done.good_report().count("HTML transferred"), Some(5 * BIG as u64), "{done}");
            assert_eq!(
                nginx.log(65)[60..].iter().map(|line| line.body_bytes_sent).sum::<u64>(),
                5 * BIG as u64
            );
        }
    }
}
