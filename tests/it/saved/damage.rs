//! Files that are no saved runs, or no longer.

use std::fs;

use tempfile::tempdir;

use super::{name, save};
use crate::support::rab::rab;
use crate::support::server::{Plan, closing};

#[test]
fn what_is_wrong_with_a_file_is_said_in_a_line_with_its_name() {
    let (server, folder) = (Plan::always(closing(100)).start(), tempdir().unwrap());
    let good = folder.path().join("good");
    save(&good, "-n 5", &server.url()).good_report();
    let text = fs::read_to_string(&good).unwrap();
    let bad = folder.path().join("bad\u{1b}[1m");
    let shown = name(&bad).replace('\u{1b}', "\\u{1b}");
    for (content, words) in [
        (String::new(), "is empty"),
        (text[..text.len() / 2].to_owned(), "is cut short in line"),
        ("Server Software: x\n".to_owned(), "is not JSON"),
        ("{\"a\": 1}".to_owned(), "is JSON, but no saved run"),
        (
            text.replacen("\"schema_version\": 1", "\"schema_version\": 7", 1),
            "is a saved run in a newer format, version 7",
        ),
        (
            text.replacen("\"complete\": 5", "\"complete\": 6", 1),
            "is a damaged saved run: in run 1, the durations",
        ),
        (text.replacen("HISTF", "HISTG", 1), "is a damaged saved run: in run 1, the histogram of `connect`"),
    ] {
        fs::write(&bad, content).unwrap();
        // One bad file keeps the others back as well.
        let done = rab(["report", name(&good), name(&bad)]);
        assert_eq!((done.code(), done.stdout.as_str()), (1, ""), "{done}");
        let lines: Vec<&str> = done.stderr.lines().collect();
        assert_eq!(lines.len(), 1, "{done}");
        assert!(lines[0].starts_with(&format!("rab: '{shown}' {words}")), "{done}");
    }
    for (path, words) in [("/no/such", "No such file or directory"), ("/", "Is a directory")] {
        let done = rab(["report", path]);
        assert_eq!(done.code(), 1);
        assert!(done.stderr.starts_with(&format!("rab: '{path}' cannot be read: {words}")), "{done}");
    }
}

/// The unit tests cut at every place; here a few, from outside, with the program as it is.
#[test]
fn a_cut_file_is_never_taken_for_a_whole_one() {
    let (server, folder) = (Plan::always(closing(100)).start(), tempdir().unwrap());
    let (good, cut) = (folder.path().join("good"), folder.path().join("cut"));
    save(&good, "-n 50 -c 5", &server.url()).good_report();
    let bytes = fs::read(&good).unwrap();
    for part in 1..24 {
        fs::write(&cut, &bytes[..bytes.len() * part / 24 - 1]).unwrap();
        let done = rab(["report", name(&cut)]);
        assert_eq!((done.code(), done.stdout.as_str()), (1, ""), "{done}");
        assert!(done.stderr.contains("is cut short in line"), "{done}");
    }
}
