//! Runs that end early (section B of the list).

use std::time::Duration;

use crate::support::rab::{Done, Rab, ask};
use crate::support::report::Counts;
use crate::support::server::{Plan, Step, answer, closing};

#[test]
fn r22_one_reset_ends_the_run_and_r_is_named() {
    let reset = vec![Step::Reset];
    let server = Plan::cycle([closing(5), closing(5), closing(5), closing(5), reset]).start();
    let done = ask("-n 100 -c 1", &server.url());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 4);
    done.assert_hint(&["-r"]);
}

#[test]
fn r23_what_was_measured_before_a_late_reset_is_not_lost() {
    let plan = Plan::by(|number, _| if number == 90 { vec![Step::Reset] } else { closing(5) });
    let done = ask("-n 100", &plan.clone().start().url());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 90);
    done.assert_hint(&["--partial"]);
    let server = plan.start();
    let done = ask("-n 100 --partial", &server.url());
    assert_eq!((done.code(), done.report().counts()), (104, Counts::good(90)), "{done}");
}

#[test]
fn r24_a_reset_after_a_whole_reply_is_a_success() {
    let server = Plan::always(answer("200 OK", &[], b"12345", Step::Reset)).start();
    let done = ask("-n 40 -c 4", &server.url());
    assert_eq!(done.good_report().counts(), Counts::good(40), "{done}");
}

#[test]
fn r27_a_connection_that_never_comes_about_is_a_connect_failure() {
    // One place in the queue of a listener that nobody serves: the first connection gets it, no other does.
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let _first = std::net::TcpStream::connect_timeout(&address, Duration::from_secs(5)).unwrap();
    let done = ask("-n 2 -r -s 1", &format!("http://{address}/"));
    let counts = done.good_report().counts();
    assert_eq!((counts.complete, counts.connect + counts.receive), (2, 2), "{done}");
    assert!(counts.connect > 0, "{done}");
}

/// Four good answers, then silence; the run is stopped once the fifth request has arrived.
fn stopped_at_the_fifth(signal: impl Fn(&crate::support::rab::Running)) -> Done {
    let server = Plan::by(|number, _| if number < 4 { closing(5) } else { vec![Step::Hang] }).start();
    let running = Rab::new(["-n", "10", &server.url()]).start();
    server.wait_for_requests(5);
    signal(&running);
    running.wait()
}

#[test]
fn r28_interrupt_prints_the_report_of_what_is_complete() {
    let done = stopped_at_the_fifth(crate::support::rab::Running::interrupt);
    assert_eq!(done.code(), 1, "{done}");
    assert_eq!(done.report().counts(), Counts::good(4));
    assert_eq!(done.messages(), [""; 0], "{done}");
}

#[test]
fn r28_terminate_prints_the_same_report() {
    let done = stopped_at_the_fifth(crate::support::rab::Running::terminate);
    assert_eq!(done.code(), 143, "{done}");
    assert_eq!(done.report().counts(), Counts::good(4));
}

#[test]
fn r28_interrupt_before_any_answer_prints_a_report_without_tables() {
    let server = Plan::always(vec![Step::Hang]).start();
    let running = Rab::new(["-n", "10", &server.url()]).start();
    server.wait_for_requests(1);
    running.interrupt();
    let done = running.wait();
    assert_eq!(done.code(), 1, "{done}");
    assert_eq!(done.report().counts(), Counts::good(0));
    assert!(done.stdout.ends_with("HTML transferred:       0 bytes\n"), "{done}");
}

#[test]
fn r29_the_address_that_refused_is_named() {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    let done = ask("-c 1 -n 100", &format!("http://127.0.0.1:{port}/"));
    done.assert_ended("apr_socket_recv: Connection refused (111)", 111, 0);
    done.assert_hint(&["127.0.0.1", &port.to_string()]);
}
