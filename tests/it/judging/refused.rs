//! What `rab compare` refuses to compare, and why; and files that it cannot read.

use std::fs;

use serde_json::{Value, json};

use super::{Shelf, task, without_detail};
use crate::support::saved::comparison;

/// A change of conditions.
type Change = fn(&mut Value);

#[test]
fn other_conditions_are_named_and_may_be_waived() {
    let shelf = Shelf::new();
    let before = shelf.steady("before", 0, 1.0);
    let changes: [(Change, &str); 10] = [
        (|run| run["plan"]["target"]["port"] = json!(1), "the target is http://127.0.0.1:"),
        (|run| run["plan"]["requests"]["first"]["path"] = json!("/\u{1b}x"), "before and /\\u{1b}x after"),
        (
            |run| run["plan"]["requests"]["first"]["method"] = json!("PUT"),
            "the method is GET before and PUT after",
        ),
        (
            |run| {
                run["plan"]["requests"]["first"]["body"] = json!({"bytes": 5, "sha256": "0123456789abcdef"});
            },
            "the body is not given before and 5 bytes (01234567) after",
        ),
        (|run| run["plan"]["load"]["concurrency"] = json!(9), "-c is 2 before and 9 after"),
        (|run| run["plan"]["load"]["keep_alive"] = json!(false), "-k is on before and off after"),
        (
            |run| run["plan"]["http_version"] = json!("HTTP/1.1"),
            "the version of HTTP is HTTP/1.0 before and HTTP/1.1 after",
        ),
        (|run| run["plan"]["engine"] = json!("hyper"), "--engine is wire before and hyper after"),
        (
            |run| {
                run["plan"]["network"]["destination"] =
                    json!({"kind": "proxy", "host": "p", "port": 1, "tunnel": false});
            },
            "before and through p:1 after",
        ),
        (
            |run| run["ending"] = json!({"kind": "failed", "message": "", "error": {"kind": "timeout"}}),
            "an error ended run 1 after (apr_pollset_poll",
        ),
    ];
    for (change, words) in changes {
        let after = shelf.put("after", 1000, &[1.0; 3], change);
        let done = task("compare", &[&before, &after]);
        let text = done.stdout.replace('\n', " ");
        assert!(
            done.code() == 12 && text.starts_with("Not comparable: ") && text.contains(words),
            "{words}: {done}"
        );
        assert!(!text.contains("verdict"), "{done}");
        let value = comparison(&task("compare --json", &[&before, &after]).stdout);
        assert_eq!(
            (&value["conclusion"], &value["metrics"]),
            (&json!("not-comparable"), &json!([])),
            "{value}"
        );
        assert_ne!(value["flaws"], json!([]), "{value}");
        let waived = task("compare --anyway", &[&before, &after]);
        let text = waived.stdout.replace("\n  ", " ");
        assert!(waived.code() == 0 && text.contains("- Compared all the same: "), "{waived}");
        assert!(
            comparison(&task("compare --json --anyway", &[&before, &after]).stdout)["metrics"]
                .as_array()
                .map(Vec::len)
                == Some(4)
        );
    }
}

#[test]
fn tls_is_a_condition() {
    let shelf = Shelf::new();
    let tls = |suite: &str| json!({"suites": [suite], "server_name": null, "verified": false, "client_certificate": false});
    let one = shelf.put("one", 0, &[1.0], |run| run["plan"]["tls"] = tls("A"));
    let other = shelf.put("other", 9, &[1.0], |run| run["plan"]["tls"] = tls("B"));
    let done = task("compare", &[&one, &other]);
    assert!(
        done.code() == 12 && done.stdout.contains("TLS suites (-f, -Z) is A before and B after"),
        "{done}"
    );
}

#[test]
fn runs_of_one_side_must_be_alike() {
    let shelf = Shelf::new();
    let good = shelf.steady("good", 0, 1.0);
    let mixed = shelf.put("mixed", 1000, &[1.0; 3], |run| {
        if run["started_unix_us"] == json!(1_020_000_000) {
            run["plan"]["load"]["concurrency"] = json!(7);
        }
    });
    let done = task("compare", &[&good, &mixed]);
    let words = "the runs after are not alike (-c is 2 in run 1 and 7 in run 3)";
    assert!(done.code() == 12 && done.stdout.replace('\n', " ").contains(words), "{done}");
}

#[test]
fn what_may_explain_something_is_a_remark() {
    let shelf = Shelf::new();
    let before = shelf.steady("before", 0, 1.0);
    let after = shelf.put("after", 1000, &[1.0; 3], |run| {
        run["rab"] = json!("99.0.0");
        run["machine"]["cores"] = json!(999);
        run["plan"]["load"]["requests"] = json!(777);
    });
    let done = task("compare", &[&before, &after]);
    let text = done.stdout.replace("\n  ", " ");
    assert_eq!(done.code(), 0, "{done}");
    for words in ["after.", "99.0.0 after.", "999 cores after.", "-n is 200 before and 777 after."] {
        assert!(text.contains(words), "{words}: {done}");
    }
}

#[test]
fn other_answers_and_other_documents_are_other_work() {
    let shelf = Shelf::new();
    let before = shelf.steady("before", 0, 1.0);
    let longer = shelf.put("longer", 1000, &[0.5; 5], |run| run["server"]["document_bytes"] = json!(200));
    let refusing = shelf.put("refusing", 1000, &[0.5; 5], |run| {
        run["statuses"] = json!({"403": 200});
        without_detail(run);
    });
    for (after, words) in [
        (longer, "Not comparable: the document has 100 bytes before and 200 after."),
        (refusing, "Not comparable: answers other than 2xx are 0.00 % before and 100.00 % after."),
    ] {
        let done = task("compare", &[&before, &after]);
        let text = done.stdout.replace('\n', " ");
        assert!(done.code() == 12 && text.starts_with(words), "{done}");
        let waived = task("compare --anyway", &[&before, &after]);
        assert!(waived.code() == 0 && waived.stdout.starts_with("After is faster: "), "{waived}");
    }
}

#[test]
fn a_client_that_was_the_limit_is_named() {
    let shelf = Shelf::new();
    let before = shelf.steady("before", 0, 1.0);
    let busy = shelf.put("busy", 1000, &[1.0; 5], |run| run["client"]["cpu_us"] = run["elapsed_us"].clone());
    let done = task("compare --strict", &[&before, &busy]);
    let text = done.stdout.replace('\n', " ");
    assert!(done.code() == 11 && text.contains("rab itself was the limit"), "{done}");
}

#[test]
fn too_few_requests_for_a_percentile_leave_it_out() {
    let shelf = Shelf::of("-n 50");
    let (one, other) = (shelf.steady("one", 0, 1.0), shelf.steady("other", 1000, 1.2));
    let value = comparison(&task("compare --json", &[&one, &other]).stdout);
    assert_eq!(value["conclusion"], "worse");
    let p95 = &value["metrics"][2];
    assert_eq!((&p95["decides"], &p95["reason"]), (&json!(false), &json!("few-requests")), "{p95}");
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let shelf = Shelf::new();
    let good = shelf.steady("good", 0, 1.0);
    let text = fs::read_to_string(&good).unwrap();
    let bad = shelf.folder.path().join("bad");
    for (content, words) in [
        (text[..text.len() / 2].to_owned(), "is cut short"),
        (
            text.replacen("\"schema_version\":1", "\"schema_version\":7", 1),
            "is a saved run in a newer format",
        ),
        ("{}".to_owned(), "is JSON, but no saved run"),
    ] {
        fs::write(&bad, content).unwrap();
        for files in [[&good, &bad], [&bad, &good]] {
            let done = task("compare", &files.map(std::path::PathBuf::as_path));
            assert!(done.code() == 1 && done.stdout.is_empty() && done.stderr.contains(words), "{done}");
            assert_eq!(done.stderr.lines().count(), 1, "{done}");
        }
        assert_eq!(task("check --fail-if failed>0", &[&good, &bad]).stdout, "");
    }
    let done = task("compare /no/such", &[&good]);
    assert!(done.code() == 1 && done.stderr.starts_with("rab: '/no/such' cannot be read"), "{done}");
}
