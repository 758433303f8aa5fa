//! curl as the reference: what it sends on the same ways.

use super::{Secured, fields, line};
use crate::support::needs;
use crate::support::rab::{Done, Rab};
use crate::support::server::{Plan, Step, closing, send};
use crate::support::tls::Pair;

/// Runs curl; `None` if it is not installed.
fn curl(words: &str) -> Option<Done> {
    needs::programs(&["curl"]).then(|| {
        let done = Rab::of("curl", ["-s", "-S"].into_iter().chain(words.split_whitespace())).run();
        assert_eq!(done.code(), 0, "{done}");
        done
    })
}

/// Request line and the lines of these fields.
fn gist(request: &str, names: &[&str]) -> Vec<String> {
    let lines = request.lines().take(1).chain(names.iter().flat_map(|name| fields(request, name)));
    lines.map(ToOwned::to_owned).collect()
}

#[test]
fn a_tunnel_is_asked_for_in_the_same_words() {
    let server = Secured::start(&Pair::usual());
    for url in ["https://name.test/doc?q", "https://name.test:8443/", "https://[::1]/"] {
        let steps = vec![send("HTTP/1.1 200 Connection established\r\n\r\n"), Step::Relay(server.port)];
        let proxy = Plan::always(steps).start();
        let port = proxy.port();
        let tunnel =
            format!("-k -p -x http://127.0.0.1:{port} --proxy-user user:pw -o /dev/null --http1.1 {url}");
        if curl(&tunnel).is_none() {
            return;
        }
        line(&format!("--http1.1 -k -X 127.0.0.1:{port} -P user:pw {url}")).good_report();
        let asked: Vec<_> =
            proxy.requests().iter().map(|request| gist(request, &["Host", "Proxy-Authorization"])).collect();
        assert_eq!((asked.len(), asked[0].len()), (2, 3), "{asked:?}");
        assert_eq!(asked[0], asked[1]);
        let inside: Vec<_> = server.take_seen().iter().map(|(_, request)| gist(request, &["Host"])).collect();
        assert_eq!((inside.len(), &inside[0]), (2, &inside[1]), "{inside:?}");
    }
}

#[test]
fn a_unix_socket_and_another_address_get_the_same_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let there = Plan::always(closing(10)).at(&path).start();
    let elsewhere = Plan::always(closing(10)).start();
    let socket = format!("--unix-socket {}", path.display());
    for url in ["http://name.test/doc?q", "http://name.test:81/", "http://[::1]:81/"] {
        let place = format!("127.0.0.1:{}", elsewhere.port());
        if curl(&format!("{socket} {url}")).is_none() {
            return;
        }
        curl(&format!("--connect-to ::{place} {url}"));
        line(&format!("--http1.1 {socket} {url}")).good_report();
        line(&format!("--http1.1 --connect-to {place} {url}")).good_report();
        for server in [&there, &elsewhere] {
            let requests = server.requests();
            let [.., first, second] = requests.as_slice() else { panic!("{requests:?}") };
            assert_eq!(gist(first, &["Host"]), gist(second, &["Host"]));
        }
    }
}
