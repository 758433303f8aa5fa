//! Signals: the first one ends the run with its report, the next one ends the process.

use std::io::Write as _;

use crate::support::needs;
use crate::support::rab::Rab;
use crate::support::server::{Plan, Step, closing};

/// What a pipe of one page holds.
const PAGE: usize = 4096;

#[test]
fn a_second_signal_ends_the_process_that_cannot_get_rid_of_its_report() {
    let server = Plan::sequence([closing(100), vec![Step::Hang]]).start();
    let (_reader, mut writer) = std::io::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&writer, PAGE).unwrap();
    // There is room for the line that begins a run, and not for a report.
    writer.write_all(&[b'x'; PAGE - 100]).unwrap();
    let running = Rab::new(["-Q", "-n", "5", &server.url()]).output_to(writer).start();
    server.wait_for_requests(2);
    running.interrupt();
    // The run is over when its last connection is; what is left is to print.
    assert_eq!(server.ended_connections().len(), 2);
    running.interrupt();
    assert_eq!(running.wait().code(), 130);
}

#[test]
fn a_terminal_on_standard_error_gets_the_report_that_an_error_keeps_back() {
    if !needs::programs(&["script"]) {
        return;
    }
    let server = Plan::sequence([closing(100), vec![Step::Reset]]).start();
    let inner = format!("\"$RAB\" -n 5 {} >/dev/null", server.url());
    let done = Rab::of("script", ["-qec", &inner, "/dev/null"]).run();
    assert_eq!(done.code(), 104, "{done}");
    assert!(done.stdout.contains("Complete requests:      1\r\n"), "{done}");
    assert!(done.stdout.contains("apr_socket_recv: Connection reset by peer (104)\r\n"), "{done}");
}
