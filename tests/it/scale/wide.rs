//! Many connections at a time, and the threads that they are spread over.

use crate::support::ports::with_ports;
use crate::support::rab::ask;
use crate::support::report::Counts;
use crate::support::server::{Plan, keeping};

use super::{files, nginx};

#[test]
fn five_thousand_connections_at_a_time_are_counted_exactly() {
    if !files(11_000) {
        return;
    }
    let Some(nginx) = nginx("backlog=4096", None) else { return };
    for (options, asked) in [("-n 20000", 20_000), ("-k -n 10000 -W 3 --http1.1", 10_000)] {
        let before = nginx.requests();
        let done = ask(&format!("-q -c 5000 {options}"), &nginx.url("/page"));
        assert_eq!(done.good_report().counts(), Counts::good(asked), "{done}");
        assert_eq!(nginx.requests() - before, asked, "{done}");
    }
}

#[test]
fn any_number_of_workers_shares_any_number_of_requests() {
    let server = Plan::always(keeping(5)).start();
    for (workers, connections, requests) in
        [(1, 1, 1), (8, 1, 3), (3, 7, 100), (4, 4, 4), (5, 3, 1001), (0, 2, 99)]
    {
        for keep in ["", "-k"] {
            let before = server.requests().len();
            let options = format!("{keep} -W {workers} -c {connections} -n {requests}");
            let done = ask(&options, &server.url());
            assert_eq!(done.good_report().counts(), Counts::good(requests), "{done}");
            assert_eq!(server.requests().len() - before, usize::try_from(requests).unwrap(), "{done}");
            assert!(server.most_in_flight() <= 7);
        }
    }
}

#[test]
#[ignore = "a debug build needs too long; .ci/run has it with the release build"]
fn a_hundred_thousand_connections_fit_through_two_thousand_ports() {
    for engine in ["wire", "hyper"] {
        let script = format!("exec \"$RAB\" --demo -q -n 100000 -c 20 --engine {engine}");
        let Some(done) = with_ports(2000, &script) else { return };
        assert_eq!(done.good_report().counts(), Counts::good(100_000), "{done}");
    }
}
