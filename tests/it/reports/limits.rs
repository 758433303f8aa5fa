//! Limits of the system (section C of the list).

use crate::support::ports::with_ports;
use crate::support::rab::{Rab, ask, rab};
use crate::support::report::Counts;
use crate::support::server::{Plan, closing, keeping, wait};

#[test]
fn r30_ports_do_not_run_out_where_the_server_closes() {
    let Some(done) = with_ports(100, "exec \"$RAB\" --demo -n 2000 -c 4") else { return };
    assert_eq!(done.good_report().counts(), Counts::good(2000), "{done}");
}

#[test]
fn r30_used_up_ports_are_named_with_the_remedy() {
    let Some(done) = with_ports(20, "exec \"$RAB\" --demo -k -n 1000 -c 60") else { return };
    assert_eq!(done.code(), 99, "{done}");
    assert!(
        done.messages().iter().any(|line| line.ends_with("Cannot assign requested address (99)")),
        "{done}"
    );
    done.assert_hint(&["-B", "port"]);
}

#[test]
fn r31_a_run_of_many_times_the_ports_does_not_stop_half_way() {
    let Some(done) = with_ports(50, "exec \"$RAB\" --demo -n 2500 -c 5") else { return };
    assert_eq!(done.good_report().counts(), Counts::good(2500), "{done}");
}

#[test]
fn r32_a_second_run_right_after_the_first_works_too() {
    let script = "\"$RAB\" --demo -n 90 -c 2 >/dev/null && exec \"$RAB\" --demo -n 90 -c 2";
    let Some(done) = with_ports(60, script) else { return };
    assert_eq!(done.good_report().counts(), Counts::good(90), "{done}");
}

#[test]
fn r33_used_up_ports_end_the_run_under_r_as_well() {
    let Some(done) = with_ports(20, "exec \"$RAB\" --demo -r -k -n 1000 -c 60") else { return };
    assert_eq!(done.code(), 99, "{done}");
    assert_eq!(done.messages().len(), 1, "{done}");
}

#[test]
fn r34_the_soft_limit_of_descriptors_is_raised() {
    let server = Plan::always(keeping(5)).start();
    let script = format!("ulimit -Sn 64; exec \"$RAB\" -k -n 400 -c 200 -q {}", server.url());
    let done = Rab::shell(&script).run();
    assert_eq!(done.good_report().counts(), Counts::good(400), "{done}");
    assert_eq!(server.connections().len(), 200);
}

#[test]
fn r34_workers_need_descriptors_too() {
    let server = Plan::always(keeping(5)).start();
    let script = format!("ulimit -Sn 100; exec \"$RAB\" -k -n 90 -c 30 -W 30 -q {}", server.url());
    let done = Rab::shell(&script).run();
    assert_eq!(done.good_report().counts(), Counts::good(90), "{done}");
}

#[test]
fn r34_the_hard_limit_of_descriptors_is_named_with_the_number_needed() {
    let server = Plan::always(keeping(5)).start();
    let script = format!("ulimit -n 24; exec \"$RAB\" -W 1 -k -n 150 -c 100 {}", server.url());
    let done = Rab::shell(&script).run();
    assert_eq!((done.messages(), done.code()), (vec!["socket: Too many open files (24)"], 24), "{done}");
    done.assert_hint(&["-c 100", "ulimit -Hn"]);
}

#[test]
fn r35_the_first_connections_can_be_spread_over_time() {
    // The first answer is there after 250 ms, the second connection opens 100 ms later, and the third 100 ms after it.
    let mut slow = closing(5);
    slow.insert(0, wait(250));
    let server = Plan::always(slow).start();
    let report = ask("-n 4 -c 4 -R 100", &server.url()).good_report();
    assert_eq!(report.counts(), Counts::good(4));
    assert!(report.number("Time taken for tests").is_some_and(|seconds| seconds >= 0.69));
}

#[test]
fn r36_several_source_addresses_are_used_in_turn() {
    for addresses in [&["-B", "127.0.0.2,127.0.0.3"][..], &["-B", "127.0.0.2", "-B", "127.0.0.3"]] {
        let server = Plan::always(closing(5)).start();
        let url = server.url();
        let arguments = addresses.iter().copied().chain(["-n", "20", "-c", "2", &url]);
        assert_eq!(rab(arguments).good_report().counts(), Counts::good(20));
        let peers: std::collections::BTreeSet<_> =
            server.connections().iter().map(|connection| connection.peer.ip().to_string()).collect();
        assert_eq!(peers.into_iter().collect::<Vec<_>>(), ["127.0.0.2", "127.0.0.3"]);
    }
}
