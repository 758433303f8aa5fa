//! A connection for each request, and many requests on one.

use super::http2;
use crate::support::http2::frame::code;
use crate::support::http2::{End, Event, Plan, Then};
use crate::support::report::Counts;

/// Connections of this machine to a port that are in `TIME_WAIT` (state 06 in the table). Some may be there from a server
/// that had the port before.
fn time_wait(port: u16) -> usize {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let remote = format!(":{port:04X}");
    let lines = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.filter(|words| words[2].ends_with(&remote) && words[3] == "06").count()
}

#[test]
fn without_k_each_request_has_a_connection_of_its_own() {
    for options in ["-n 20", "-n 20 -c 4", "-n 20 -c 4 -W 2"] {
        let server = Plan::always(b"hello").start();
        let before = time_wait(server.port());
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(20), "{done}");
        assert_eq!(done.report().count("Keep-Alive requests"), None);
        assert_eq!(server.requests_per_connection(), [1; 20]);
        for connection in server.ended_connections() {
            let end = connection.end.unwrap();
            // After its goodbye the client leaves by a reset, which may be what the server notices first.
            assert!(matches!(end, End::Peer | End::PeerReset), "{connection:?}");
            if end == End::Peer {
                assert_eq!(connection.events.last(), Some(&Event::GoAway(code::NO_ERROR)), "{connection:?}");
            }
        }
        assert!(time_wait(server.port()) <= before, "{done}");
    }
}

/// A server that says goodbye leaves the closing to the client, and whoever closes first keeps a port for a minute.
#[test]
fn goodbyes_leave_no_ports_behind() {
    // At the end of the run each lane may leave one in the ordinary way.
    for (options, lanes) in
        [("-n 200 -q -k", 1), ("-n 200 -q --streams 3", 3), ("-n 200 -q --streams 5 -c 2 -W 2", 10)]
    {
        let plan = Plan::by(|link, request| {
            if request.place == 1 {
                link.go_away(request.stream, code::NO_ERROR);
            }
            if request.place <= 1 {
                link.answer(request.stream, 200, b"hello");
            }
            Then::Keep
        });
        let server = plan.start();
        let before = time_wait(server.port());
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(200), "{done}");
        server.ended_connections();
        let left = time_wait(server.port());
        assert!(left <= before + lanes, "{left} of {}", server.connections().len());
    }
}

#[test]
fn a_connection_that_the_server_closes_is_followed_by_another() {
    let plan = Plan::by(|link, request| {
        link.answer(request.stream, 200, b"hello");
        if request.place == 3 { Then::Close } else { Then::Keep }
    });
    for (options, count) in [("-n 20 -k", 20), ("-n 100 --streams 3", 100), ("-n 99 --streams 3 -c 2", 99)] {
        let server = plan.clone().start();
        let done = http2(options, &server);
        assert_eq!(done.good_report().counts(), Counts::good(count), "{done}");
        assert!(server.connections().len() as u64 >= count / 4, "{done}");
    }
}

#[test]
fn many_requests_on_one_connection() {
    let server = Plan::always(b"hello").start();
    let done = http2("-n 3000 -q --streams 20", &server);
    assert_eq!(done.good_report().counts(), Counts::good(3000), "{done}");
    assert_eq!(server.requests_per_connection(), [3000]);
    assert!(server.most_open() <= 20);
}

#[test]
fn progress_is_told_as_under_http_1() {
    let server = Plan::always(b"hello").start();
    let done = http2("-n 1000 --streams 8 -c 2", &server);
    let expected: Vec<_> = (1..=10).map(|part| format!("Completed {part}00 requests")).collect();
    assert_eq!(done.messages()[..10], expected.iter().map(String::as_str).collect::<Vec<_>>()[..], "{done}");
    assert_eq!(done.messages()[10..], ["Finished 1000 requests"]);
}
