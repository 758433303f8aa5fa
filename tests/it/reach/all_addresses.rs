//! `--all-addresses`.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::support::needs;
use crate::support::rab::{Done, Rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, Server, Step, closing, keeping};
use crate::support::tls::DIALECTS;

/// Runs where `many.test` has these addresses; `None` where there can be no such place.
fn with_addresses(addresses: &[&str], words: &str) -> Option<Done> {
    if !needs::programs(&["unshare", "mount"]) {
        return None;
    }
    let hosts = tempfile::NamedTempFile::new().unwrap();
    let lines: Vec<String> = addresses.iter().map(|address| format!("{address} many.test\n")).collect();
    std::fs::write(hosts.path(), lines.concat()).unwrap();
    // A new mount namespace: nobody else sees the other file in the place of this one.
    let script = "mount --bind \"$0\" /etc/hosts && exec \"$RAB\" \"$@\"";
    let start = ["-rm", "sh", "-c", script, hosts.path().to_str().unwrap()];
    let done = Rab::of("unshare", start.into_iter().chain(words.split_whitespace())).run();
    if done.stderr.contains("unshare") || done.stderr.contains("mount") {
        needs::left_out("no new namespaces here");
        return None;
    }
    Some(done)
}

/// Connections and requests that came to each address of the server.
fn arrived(server: &Server) -> BTreeMap<IpAddr, (usize, usize)> {
    let mut all = BTreeMap::new();
    for connection in server.connections() {
        let entry: &mut (usize, usize) = all.entry(connection.local.ip()).or_default();
        entry.0 += 1;
        entry.1 += connection.requests.len();
    }
    all
}

/// The parts of the hint about addresses, sorted: the resolver has an order of its own.
fn told(done: &Done) -> Vec<String> {
    let about = |hint: &&&str| hint.contains(" on ") && hint.contains(" connection");
    let hints = done.hints();
    let hint = hints.iter().find(about).and_then(|hint| hint.strip_prefix("hint: "));
    let mut parts: Vec<String> =
        hint.into_iter().flat_map(|hint| hint.split("; ")).map(ToOwned::to_owned).collect();
    parts.sort();
    parts
}

const THREE: [&str; 3] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];

#[test]
fn connections_are_spread_evenly_and_the_hint_agrees_with_the_server() {
    for dialect in DIALECTS {
        for workers in ["", "-W 2"] {
            let server = Plan::always(closing(10)).hosts(&THREE).start();
            let words =
                format!("-n 30 -c 5 {workers} {dialect} --all-addresses http://many.test:{}/", server.port());
            let Some(done) = with_addresses(&THREE, &words) else { return };
            assert_eq!(done.good_report().counts(), Counts::good(30), "{done}");
            let each = arrived(&server);
            assert!(each.len() == 3 && each.values().all(|counts| *counts == (10, 10)), "{each:?}");
            let expected = THREE.map(|address| format!("{address}: 10 requests on 10 connections"));
            assert_eq!(told(&done), expected, "{done}");
        }
    }
}

#[test]
fn connections_that_are_kept_stay_where_they_are() {
    let server = Plan::always(keeping(10)).hosts(&THREE).start();
    let words = format!("-k -n 50 -c 5 --all-addresses http://many.test:{}/", server.port());
    let Some(done) = with_addresses(&THREE, &words) else { return };
    assert_eq!(done.good_report().count("Keep-Alive requests"), Some(50), "{done}");
    let each = arrived(&server);
    let mut connections: Vec<usize> = each.values().map(|counts| counts.0).collect();
    connections.sort_unstable();
    assert_eq!(connections, [1, 2, 2], "{each:?}");
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let expected: Vec<String> = each
        .iter()
        .map(|(ip, (connections, requests))| {
            format!("{ip}: {} on {}", plural(*requests, "request"), plural(*connections, "connection"))
        })
        .collect();
    assert_eq!(told(&done), expected, "{done}");
}

#[test]
fn without_the_option_one_address_serves_the_whole_run() {
    let server = Plan::always(closing(10)).hosts(&THREE).start();
    let words = format!("-n 9 -c 3 http://many.test:{}/", server.port());
    let Some(done) = with_addresses(&THREE, &words) else { return };
    assert_eq!((done.good_report().counts(), told(&done).len()), (Counts::good(9), 0), "{done}");
    assert_eq!(arrived(&server).len(), 1);
}

#[test]
fn both_families_have_their_turn() {
    if !needs::ipv6_loopback() {
        return;
    }
    let both = ["127.0.0.1", "::1"];
    let server = Plan::always(closing(10)).hosts(&both).start();
    let words = format!("-n 8 --all-addresses --connect-to many.test http://name.test:{}/", server.port());
    let Some(done) = with_addresses(&both, &words) else { return };
    assert_eq!(done.good_report().counts(), Counts::good(8), "{done}");
    assert_eq!(told(&done), ["127.0.0.1: 4 requests on 4 connections", "[::1]: 4 requests on 4 connections"]);
    assert_eq!(arrived(&server).len(), 2);
}

#[test]
fn an_address_that_fails_ends_the_run_or_fails_its_own_requests() {
    let server = Plan::always(closing(10)).hosts(&["127.0.0.1", "127.0.0.3"]).start();
    let port = server.port();
    let words = format!("-n 30 --all-addresses http://many.test:{port}/");
    let Some(done) = with_addresses(&THREE, &words) else { return };
    assert_eq!(done.code(), 111, "{done}");
    assert!(done.messages().contains(&"apr_socket_recv: Connection refused (111)"), "{done}");
    done.assert_hint(&[&format!("no connection to 127.0.0.2:{port} could be made")]);

    let Some(done) = with_addresses(&THREE, &format!("-r {words}")) else { return };
    let expected = Counts { complete: 30, connect: 10, ..Counts::default() };
    assert_eq!(done.good_report().counts(), expected, "{done}");
    let good = |address: &str| format!("{address}: 10 requests on 10 connections");
    let bad = "127.0.0.2: 10 requests on 0 connections, 10 failed".to_owned();
    assert_eq!(told(&done), [good("127.0.0.1"), bad, good("127.0.0.3")], "{done}");
}

#[test]
fn an_address_that_breaks_its_connections_is_seen() {
    let broken = Plan::always(vec![Step::Close]).hosts(&["127.0.0.2"]).start();
    let words = format!("-n 4 --all-addresses http://many.test:{}/", broken.port());
    let Some(done) = with_addresses(&["127.0.0.2"], &words) else { return };
    assert_eq!(done.good_report().counts(), Counts::receive(4, 4), "{done}");
    assert_eq!(told(&done), ["127.0.0.2: 4 requests on 4 connections, 4 failed"]);
}

#[test]
fn an_address_in_digits_is_the_only_one_and_q_says_nothing() {
    let server = Plan::always(closing(10)).start();
    let url = server.url();
    let done = Rab::new(["-n", "2", "--all-addresses", &url]).run();
    assert_eq!(told(&done), ["127.0.0.1: 2 requests on 2 connections"], "{done}");
    let done = Rab::new(["-q", "-n", "2", "--all-addresses", &url]).run();
    assert_eq!((done.good_report().counts(), done.hints().len()), (Counts::good(2), 0), "{done}");
}
