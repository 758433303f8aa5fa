//! `rab report`: what a saved run prints is what it printed.

use tempfile::tempdir;

use super::{name, save};
use crate::support::rab::{Rab, rab};
use crate::support::saved::summary;
use crate::support::server::{Plan, Step, answer, closing, keeping};
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
