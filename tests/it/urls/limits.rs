//! Long lists.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{List, document, origin, paths, site};
use crate::support::report::Counts;
use crate::support::server::{Plan, Step};

const MANY: usize = 100_000;

/// A list of so many different lines.
fn long() -> List {
    let mut text = String::new();
    for number in 0..MANY {
        writeln!(text, "/articles/{number:06}?view=full&page={}", number % 7).unwrap();
    }
    List::new(text)
}

#[test]
fn a_hundred_thousand_lines_take_their_turns() {
    let (list, server) = (long(), site());
    for options in ["-n 300 -k -c 3 -q", "-n 300 -k -c 3 -q --http1.1 --shuffle 1 --by-url"] {
        let done = list.run(options, &origin(&server));
        assert_eq!(done.good_report().counts(), Counts::good(300), "{done}");
        assert_eq!(
            done.report().text_of("Document Path"),
            Some("/articles/000000?view=full&page=0 and 99999 more")
        );
    }
    let requests = server.requests();
    let paths: BTreeSet<&str> = requests.iter().map(|request| request.split(' ').nth(1).unwrap()).collect();
    // The second run took its turns all over the list.
    assert!(paths.len() > 550, "{}", paths.len());
}

#[test]
fn requests_share_what_is_the_same_for_all() {
    let lines = 30_000;
    let list = List::new(paths(lines).join("\n")).file("body", [b'b'; 1000]);
    let field = format!("X-Long:{}", "y".repeat(1000));
    for engine in ["wire", "hyper"] {
        let server = Plan::by(|number, request| match number {
            0..5 => document(request, "200 OK", 5),
            _ => vec![Step::Hang],
        })
        .start();
        let options = format!("-k --engine {engine} -n 10 --by-url -p body -H {field}");
        let running = list.ready(&options, &origin(&server)).start();
        server.wait_for_requests(6);
        let peak = running.peak_memory() * 1024;
        running.interrupt();
        let done = running.wait();
        assert_eq!(done.report().counts(), Counts::good(5), "{done}");
        // The long field is in the head that is ready to be sent, and once for all: not a second time in each request.
        // Nor is the body there. The program by itself has some 12 MB.
        let each = peak.saturating_sub(12_000_000) / lines as u64;
        assert!(each < 2600, "{engine}: {each} bytes a line");
    }
}
