//! HTTP/2 together with what else rab can do: ways to the server, lists of URLs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixListener;
use std::thread;

use crate::support::http2::polite::{Polite, page};
use crate::support::rab::{Rab, ask};
use crate::support::report::Counts;
use crate::support::server::{self, Step, send};
use crate::support::tls::Pair;

/// Ways to share out twelve requests.
const WAYS: [&str; 4] = ["-n 12", "-n 12 -k -c 2", "-n 12 --streams 4", "-n 12 -c 2 --streams 3 -W 2"];

#[test]
fn through_a_tunnel() {
    let server = Polite::start_tls(Pair::usual().config(), |_, _| page("hello"));
    for way in WAYS {
        let established = send("HTTP/1.1 200 Connection established\r\n\r\n");
        let proxy = server::Plan::always(vec![established, Step::Relay(server.port())]).start();
        let through = format!("--http2 {way} -X 127.0.0.1:{}", proxy.port());
        let done = ask(&through, "https://name.test:8443/doc");
        assert_eq!(done.good_report().counts(), Counts::good(12), "{done}");
        assert!(server.heard().iter().all(|one| one.url == "https://name.test:8443/doc"));
        let connections = if way == "-n 12" { 12..=12 } else { 1..=way.matches("-c 2").count() + 1 };
        assert!(connections.contains(&proxy.connections().len()), "{done}");
    }
}

#[test]
fn at_another_address() {
    let server = Polite::start(|_, _| page("hello"));
    for way in WAYS {
        let to = format!("--http2 {way} --connect-to 127.0.0.1:{}", server.port());
        let done = ask(&to, "http://name.test:81/doc");
        assert_eq!(done.good_report().counts(), Counts::good(12), "{done}");
    }
    assert!(server.heard().iter().all(|one| one.url == "http://name.test:81/doc"));
}

#[test]
fn over_a_unix_socket() {
    let server = Polite::start(|_, _| page("hello"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    let port = server.port();
    // Lasts as long as the tests do.
    thread::spawn(move || {
        for near in listener.incoming() {
            let (mut near, mut far) = (near.unwrap(), TcpStream::connect(("127.0.0.1", port)).unwrap());
            let (mut back, mut forth) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            thread::spawn(move || io::copy(&mut forth, &mut far).and_then(|_| far.shutdown(Shutdown::Write)));
            thread::spawn(move || {
                io::copy(&mut back, &mut near).and_then(|_| near.shutdown(Shutdown::Write))
            });
        }
    });
    for way in WAYS {
        let over = format!("--http2 {way} --unix-socket {}", path.display());
        let done = ask(&over, "http://name.test:81/doc");
        assert_eq!(done.good_report().counts(), Counts::good(12), "{done}");
    }
    assert!(server.heard().iter().all(|one| one.url == "http://name.test:81/doc"));
}

#[test]
fn a_list_of_urls() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("list"), "/a\nHEAD /b\nPOST /c @body\n/none\n").unwrap();
    fs::write(folder.path().join("body"), vec![b'd'; 40_000]).unwrap();
    for way in ["-n 40", "-n 40 --streams 4", "-n 40 -c 2 --streams 5 -W 2 --shuffle 7"] {
        let server = Polite::start(|_, heard| {
            let mut answer = page(heard.url.rsplit('/').next().unwrap().repeat(100));
            if heard.url.ends_with("/none") {
                *answer.status_mut() = hyper::StatusCode::NOT_FOUND;
            }
            answer
        });
        let url = format!("http://127.0.0.1:{}/", server.port());
        let words = ["--http2", "--urls", "list"].into_iter().chain(way.split_whitespace());
        let done = Rab::new(words.chain([url.as_str()])).folder(folder.path()).run();
        assert_eq!(done.good_report().counts(), Counts { non_2xx: 10, ..Counts::good(40) }, "{done}");
        let mut heard = BTreeMap::<_, usize>::new();
        for one in server.heard() {
            let path = one.url.strip_prefix(url.as_str()).unwrap().to_owned();
            *heard.entry((one.method, path, one.body)).or_default() += 1;
        }
        let expected = [("GET", "a", 0), ("GET", "none", 0), ("HEAD", "b", 0), ("POST", "c", 40_000)];
        let expected = expected.map(|(method, path, body)| ((method.to_owned(), path.to_owned(), body), 10));
        assert_eq!(heard, BTreeMap::from(expected), "{done}");
    }
}
