//! A real page of metrics: Prometheus' exporter, whose answers differ in length from time to time.

use std::path::Path;
use std::process::Command;

use super::SPOKEN;
use crate::support::daemon::{Daemon, poll, said_in_output};
use crate::support::needs;
use crate::support::rab::rab;
use crate::support::report::Counts;

const EXPORTER: &str = "prometheus-node-exporter";

fn start() -> Option<Daemon> {
    let prepare = |_: &Path, _| {
        let mut command = Command::new(EXPORTER);
        command.arg("--web.listen-address=127.0.0.1:0");
        command
    };
    let port_of = |folder: &Path, _| said_in_output(folder, "msg=\"Listening on\"");
    needs::programs(&[EXPORTER]).then(|| Daemon::start(prepare, port_of))
}

/// How often the page has been answered, by what it says of itself.
fn answered(page: &str) -> u64 {
    let label = "promhttp_metric_handler_requests_total{code=\"200\"} ";
    page.lines().find_map(|line| line.strip_prefix(label)).expect("the page counts").parse().unwrap()
}

#[test]
fn a_page_of_metrics() {
    let Some(exporter) = start() else { return };
    let url = format!("http://127.0.0.1:{}/metrics", exporter.port());
    let mut asked = 0;
    for spoken in SPOKEN {
        for options in ["-n 6 -c 2", "-n 6 -c 2 -l", "-n 6 -k -l"] {
            let done = rab(options.split_whitespace().chain(spoken).chain([url.as_str()]));
            asked += 6;
            let report = done.good_report();
            // Without -l some lengths may be others than the first one, or all the same by chance.
            let length = if options.contains("-l") { 0 } else { report.counts().length };
            assert_eq!(report.counts(), Counts { length, ..Counts::good(6) }, "{done}");
            let variable = report.text_of("Document Length") == Some("Variable");
            assert_eq!(variable, options.contains("-l"), "{done}");
            assert!(report.count("HTML transferred") > Some(6 * 1000), "{done}");
            if options.contains("-k") {
                // Chunks, or the end of the connection.
                let kept = if spoken[0] == "--http1.1" { 6 } else { 0 };
                assert_eq!(report.count("Keep-Alive requests"), Some(kept), "{done}");
            }
        }
    }
    // An answer may be counted after it is sent, so this is asked until all are; each question is one more.
    poll("all requests are counted", || {
        let seen = answered(&exporter.fetch("/metrics"));
        assert!(seen <= asked, "{seen} of {asked}");
        let all = seen == asked;
        asked += 1;
        all.then_some(())
    });
}
