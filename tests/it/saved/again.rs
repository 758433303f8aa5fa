//! `rab report`: what a saved run prints is what it printed.

use std::fs;

use serde_json::{Value, json};
use tempfile::tempdir;

use super::{name, origin, run, save};
use crate::support::rab::{Rab, rab};
use crate::support::saved::{saved, summary};
use crate::support::server::{Plan, Step, answer, closing, keeping, send};
use crate::support::tls::{Pair, listen_tls, pages};

#[test]
fn a_report_is_printed_again_byte_for_byte() {
    let server = Plan::by(|number, _| match number % 7 {
        3 => answer("302 Found", &["Location: /secret"], &[b'x'; 100], Step::Close),
        4 => closing(90),
        5 => vec![Step::Close],
        _ => closing(100),
    })
    .start();
    let secured = listen_tls(Pair::usual().config(), pages);
    let folder = tempdir().unwrap();
    let (plain, tls) = (server.url(), format!("https://localhost:{secured}/?q=%20"));
    for (number, (words, again, url)) in [
        ("-n 20 -c 3", "", plain.as_str()),
        ("-n 1", "", &plain),
        ("-n 200 -c 3 -k -l", "", &plain),
        ("-n 200 -q -p /dev/null", "-q", &plain),
        ("-n 20 -d", "-d", &plain),
        ("-n 20 -S -Q", "-SQ", &plain),
        ("-n 20 -w -x border=1", "-w -x border=1", &plain),
        ("-n 20 --json --percentiles 50,99.99", "--json --percentiles 50,99.99", &plain),
        ("-n 7 -c 2 -k", "", &tls),
        ("-n 7 --http1.1 --json", "--json", &tls),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(number.to_string());
        let first = save(&path, words, url);
        assert_eq!(first.code(), 0, "{first}");
        let second =
            Rab::new(["report"].into_iter().chain(again.split_whitespace()).chain([name(&path)])).run();
        assert_eq!((second.code(), &second.stdout), (0, &first.stdout), "{words}");
    }
}

/// Runs with these words, saves the run, and fails unless its report again is the same to the byte, and the hints are.
#[track_caller]
fn assert_same(words: &str, again: &str) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.json");
    let first = Rab::new(words.split_whitespace().chain(["--save", name(&path)])).run();
    assert_eq!(first.code(), 0, "{first}");
    saved(&path);
    let second = Rab::new(["report"].into_iter().chain(again.split_whitespace()).chain([name(&path)])).run();
    assert_eq!((second.code(), &second.stdout), (0, &first.stdout), "{words}");
    assert_eq!(second.hints(), first.hints(), "{words}");
}

#[test]
fn so_is_one_about_many_urls() {
    let server = Plan::by(|_, request| match request {
        request if request.starts_with(b"GET /missing ") => answer("404 Not Found", &[], b"", Step::Close),
        request if request.starts_with(b"GET /broken ") => vec![Step::Close],
        _ => closing(5),
    })
    .start();
    let folder = tempdir().unwrap();
    let list = folder.path().join("list");
    fs::write(&list, "/good\n/missing\n/broken\nPOST /good @/dev/null\n/good\n").unwrap();
    let listed = format!("{} -n 40 -c 2 --urls {}", origin(&server), name(&list));
    for (options, again) in [
        ("", ""),
        ("--shuffle 9223372036854775806 --by-url", "--by-url"),
        ("--by-url -w", "--by-url -w"),
        ("--by-url --json", "--by-url --json"),
        ("--by-url --rate 4000", "--by-url"),
    ] {
        assert_same(&format!("{listed} {options}"), again);
    }
}

#[test]
fn a_long_list_has_its_table_where_that_was_asked_for() {
    let (server, folder) = (Plan::always(keeping(5)).start(), tempdir().unwrap());
    let (list, path) = (folder.path().join("list"), folder.path().join("run.json"));
    fs::write(&list, (0..1001).map(|number| format!("/{number}\n")).collect::<Vec<_>>().concat()).unwrap();
    let words = format!("-k -q --urls {}", name(&list));
    let listed = format!("{words} {}", origin(&server));
    assert_same(&format!("{listed} --by-url"), "-q --by-url");
    save(&path, &words, &origin(&server)).good_report();
    let file = saved(&path);
    let requests = &run(&file)["plan"]["requests"];
    assert_eq!(
        (&requests["urls"], &requests["first"]["path"], &run(&file)["urls"]),
        (&json!(1001), &json!("/0"), &Value::Null)
    );
    let done = rab(["report", "--by-url", name(&path)]);
    done.assert_hint(&["the saved run has no counts by URL", "--by-url beside --save"]);
    assert!(done.stdout.contains("\nDocument Path:          /0 and 1000 more\n"), "{done}");
}

#[test]
fn so_is_one_on_schedule_until_its_time_is_up() {
    let server = Plan::always(keeping(5)).start();
    for (options, again) in [
        ("-n 200 -k -c 3 --rate 5000", ""),
        ("-n 20 --rate 2000.1 --json", "--json"),
        ("-c 3 -k --rate 300 --ramp-up 100ms --duration 300ms", ""),
        ("-c 3 -k --duration 200ms --json", "--json"),
    ] {
        assert_same(&format!("{options} {}", server.url()), again);
    }
}

#[test]
fn so_is_one_over_http_2() {
    for (options, again) in [("--streams 3", ""), ("", ""), ("--streams 5 --json", "--json"), ("-w", "-w")] {
        assert_same(&format!("--demo -n 60 -c 2 --http2 {options}"), again);
    }
}

#[test]
fn so_is_one_that_went_another_way() {
    let folder = tempdir().unwrap();
    let socket = folder.path().join("s");
    let (server, local) = (Plan::always(closing(5)).start(), Plan::always(closing(5)).at(&socket).start());
    let (url, port) = (server.url(), server.port());
    let secured = listen_tls(Pair::usual().config(), pages);
    let tunnel = Plan::always(vec![send("HTTP/1.1 200 OK\r\n\r\n"), Step::Relay(secured)]).start();
    let refusing = Plan::always(answer("407 Proxy Authentication Required", &[], b"", Step::Close)).start();
    for words in [
        format!("-n 5 -X 127.0.0.1:{port} http://name.test/"),
        format!("-n 5 -k -X 127.0.0.1:{} https://localhost/", tunnel.port()),
        format!("-n 5 -X 127.0.0.1:{} https://localhost/", refusing.port()),
        format!("-n 5 --connect-to 127.0.0.1:{port} http://name.test/"),
        format!("-n 5 --unix-socket {} http://name.test/", name(&socket)),
        format!("-n 5 --all-addresses {url}"),
    ] {
        assert_same(&words, "");
        assert_same(&format!("{words} --json"), "--json");
    }
    assert!(!local.requests().is_empty());
}

#[test]
fn several_files_are_reported_in_their_order() {
    let (server, folder) = (Plan::always(keeping(100)).start(), tempdir().unwrap());
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let reports = [save(&one, "-n 3", &server.url()), save(&two, "-n 4 -k", &server.url())];
    let done = rab(["report", name(&two), name(&one)]);
    assert_eq!(done.stdout, format!("{}{}", reports[1].stdout, reports[0].stdout));
    let counts = |json: &str| summary(json)["requests"]["complete"].as_u64();
    let done = rab(["report", "--json", name(&one)]);
    assert_eq!(counts(&done.stdout), Some(3));
}

#[test]
fn a_run_that_an_error_ended_is_reported_with_the_error() {
    let server = Plan::by(|number, _| if number < 5 { closing(5) } else { vec![Step::Reset] }).start();
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.json");
    assert_eq!(save(&path, "-n 50", &server.url()).code(), 104);
    let done = rab(["report", name(&path)]);
    assert_eq!((done.code(), done.report().counts().complete), (0, 5), "{done}");
    assert_eq!(done.messages(), ["apr_socket_recv: Connection reset by peer (104)"], "{done}");
    assert!(done.stdout.contains("(be patient)...Total of 5 requests completed\n"), "{done}");
    done.assert_hint(&["the server reset a connection"]);
    assert!(done.hints().iter().all(|hint| !hint.contains("--partial")), "{done}");
}

#[test]
fn report_is_a_word_of_its_own() {
    rab(["report"]).assert_usage_error("report takes the files of saved runs");
    rab(["report", "-n", "5", "file"]).assert_usage_error("illegal option -- n");
    rab(["report", "--json", "-w", "file"]).assert_usage_error("--json and -w");
    let help = rab(["report", "--help"]);
    assert!(help.code() == 0 && help.stdout.contains("rab report [options] file..."), "{help}");
    assert!(help.stdout.contains("--percentiles") && !help.stdout.contains("--engine"), "{help}");
    // As a URL it would lack a path.
    rab(["-k", "report"]).assert_usage_error("invalid URL");
    assert!(rab(["-h"]).stderr.contains("\n    report file..."));
}
