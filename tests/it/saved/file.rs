//! What `--save` writes, and when.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::tempdir;

use super::{name, run, save};
use crate::support::rab::{Rab, Running, rab};
use crate::support::saved::saved;
use crate::support::server::{Plan, Server, Step, answer, closing, keeping, send};
use crate::support::tls::{Pair, listen_tls, one_page, pages};

/// The sum of a field over all slots of the series; 0 where it is left out.
fn sum(run: &Value, of: impl Fn(&Value) -> Option<u64>) -> u64 {
    run["series"]["slots"].as_array().expect("slots").iter().filter_map(of).sum()
}

/// Five good answers, then what `then` does, for ever.
fn good_then(then: Step) -> Server {
    Plan::by(move |number, _| if number < 5 { closing(100) } else { vec![then.clone()] }).start()
}

#[test]
fn a_saved_run_agrees_with_its_report() {
    let server = Plan::by(|number, _| match number % 5 {
        3 => answer("404 Not Found", &["Connection: keep-alive"], &[b'x'; 100], Step::Keep),
        4 => keeping(90),
        _ => keeping(100),
    })
    .start();
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.json");
    let done = save(&path, "-n 60 -c 4 -W 2 -k -C id=hidden -A user:hidden -H X-Token:hidden", &server.url());
    let report = done.good_report();
    let file = saved(&path);
    let run = run(&file);
    assert!(!file.to_string().contains("hidden") && !file.to_string().contains("dXNlcjpoaWRkZW4"), "{file}");
    assert_eq!(run["counts"]["complete"], 60);
    assert_eq!(run["statuses"], json!({"200": 48, "404": 12}));
    assert_eq!(run["failures"]["length"], report.counts().length);
    assert_eq!(run["causes"], json!({"length": report.counts().length}));
    assert_eq!(run["counts"]["kept_alive"], report.count("Keep-Alive requests").unwrap());
    assert_eq!(run["bytes"]["received"], report.count("Total transferred").unwrap());
    assert_eq!(run["bytes"]["document"], report.count("HTML transferred").unwrap());
    assert_eq!(run["times"]["total_2xx"]["count"], 48);
    assert_eq!(run["ending"], json!({"kind": "complete"}));
    let load = &run["plan"]["load"];
    assert_eq!(
        (&load["concurrency"], &load["workers"], &load["keep_alive"]),
        (&json!(4), &json!(2), &json!(true))
    );
    let names = &run["plan"]["requests"]["first"]["header_names"];
    assert_eq!(
        names,
        &json!(["Connection", "Cookie", "Authorization", "X-Token", "Host", "User-Agent", "Accept"])
    );
    assert_eq!(sum(run, |slot| slot["statuses"]["2xx"].as_u64()), 48);
    assert_eq!(sum(run, |slot| slot["statuses"]["4xx"].as_u64()), 12);
    assert_eq!(sum(run, |slot| slot["received_bytes"].as_u64()), run["bytes"]["received"].as_u64().unwrap());
    let slots = run["series"]["slots"].as_array().unwrap();
    let connections = |slot: &Value| slot["connection_seconds"].as_u64().unwrap_or(0);
    assert!(slots.iter().all(|slot| connections(slot) <= 4) && connections(&slots[0]) > 0, "{slots:?}");
}

#[test]
fn a_body_is_told_by_length_and_digest() {
    let (server, folder) = (Plan::always(closing(5)).start(), tempdir().unwrap());
    let (path, body) = (folder.path().join("run.json"), folder.path().join("body"));
    fs::write(&body, "abc").unwrap();
    save(&path, &format!("-n 2 -p {}", name(&body)), &server.url()).good_report();
    let file = saved(&path);
    let request = &run(&file)["plan"]["requests"]["first"];
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        (&request["method"], &request["body"]),
        (&json!("POST"), &json!({"bytes": 3, "sha256": sha256}))
    );
}

#[test]
fn tls_is_told_as_in_the_report() {
    let folder = tempdir().unwrap();
    for (number, options) in ["-n 3 -k", "-n 3 --http1.1 -k"].into_iter().enumerate() {
        let port = listen_tls(Pair::usual().config(), pages);
        let path = folder.path().join(number.to_string());
        let done = save(&path, options, &format!("https://localhost:{port}/"));
        let protocol = done.good_report().text_of("SSL/TLS Protocol").expect("a protocol").to_owned();
        let file = saved(&path);
        let tls = &run(&file)["server"]["tls"];
        let text = |name: &str| tls[name].to_string().trim_matches('"').to_owned();
        let parts = ["version", "cipher", "certificate_bits", "cipher_bits"].map(text);
        assert_eq!(parts.join(","), protocol);
        assert_eq!(run(&file)["plan"]["tls"]["server_name"], "localhost");
        assert_eq!(run(&file)["plan"]["tls"]["verified"], false);
    }
}

#[test]
fn a_run_that_ends_early_is_saved_with_its_ending() {
    let interrupted = |signal: &str| json!({"kind": "interrupted", "signal": signal});
    for (signal, code, ending) in [
        (Some(Running::interrupt as fn(&Running)), 1, interrupted("SIGINT")),
        (Some(Running::terminate), 143, interrupted("SIGTERM")),
        (None, 0, json!({"kind": "time_limit"})),
    ] {
        let (server, folder) = (good_then(Step::Hang), tempdir().unwrap());
        let path = folder.path().join("run.json");
        let limit = if signal.is_some() { "60" } else { "2" };
        let running = Rab::new(["-t", limit, "-n", "50", "--save", name(&path), &server.url()]).start();
        server.wait_for_requests(6);
        if let Some(signal) = signal {
            signal(&running);
        }
        assert_eq!(running.wait().code(), code);
        let file = saved(&path);
        assert_eq!((&run(&file)["ending"], &run(&file)["counts"]["complete"]), (&ending, &json!(5)));
        assert_eq!(run(&file)["counts"]["unfinished"], 1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_run_that_an_error_ends_is_saved_with_it() {
    let (server, folder) = (good_then(Step::Reset), tempdir().unwrap());
    let (path, csv) = (folder.path().join("run.json"), folder.path().join("csv"));
    let done = save(&path, &format!("-n 50 -e {}", name(&csv)), &server.url());
    done.assert_ended("apr_socket_recv: Connection reset by peer (104)", 104, 5);
    let file = saved(&path);
    let ending = &run(&file)["ending"];
    assert_eq!(ending["message"], "apr_socket_recv: Connection reset by peer (104)");
    assert_eq!(ending["error"], json!({"kind": "socket", "call": "receive", "errno": 104}));
    assert_eq!(
        (&run(&file)["counts"]["complete"], &run(&file)["counts"]["unfinished"]),
        (&json!(5), &json!(1))
    );
    assert!(!csv.exists());
}

#[test]
fn failures_are_told_by_their_cause() {
    let replies = [
        closing(100),
        vec![Step::Reset],
        vec![Step::Close],
        vec![send("no HTTP at all, as anybody can see\r\n\r\n"), Step::Close],
        closing(99),
    ];
    let (server, folder) = (Plan::cycle(replies).start(), tempdir().unwrap());
    let path = folder.path().join("run.json");
    let report = save(&path, "-n 20 -r", &server.url()).good_report();
    let file = saved(&path);
    assert_eq!(run(&file)["causes"], json!({"reset": 4, "closed": 4, "not_http": 4, "length": 4}));
    let counts = report.counts();
    assert_eq!((counts.receive, counts.length, counts.exceptions), (8, 4, 4));
    let refused = folder.path().join("refused.json");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let done = save(&refused, "-n 5 -r", &format!("http://127.0.0.1:{port}/"));
    assert_eq!(done.code(), 0, "{done}");
    assert_eq!(run(&saved(&refused))["causes"], json!({"connection_refused": 5}));
}

#[test]
fn failed_handshakes_have_a_cause() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.json");
    let plain = vec![send("HTTP/1.1 400 Bad Request\r\n\r\n"), Step::Close];
    let server = Plan::always(closing(5)).on_accept(plain).start();
    let done = save(&path, "-n 3", &format!("https://127.0.0.1:{}/", server.port()));
    assert_eq!(done.code(), 0, "{done}");
    assert_eq!(run(&saved(&path))["causes"], json!({"tls_handshake": 3}));
}

#[test]
fn what_cannot_begin_leaves_the_file_as_it_was() {
    let (server, folder) = (Plan::always(closing(5)).start(), tempdir().unwrap());
    let path = folder.path().join("run.json");
    fs::write(&path, "old\n").unwrap();
    let url = server.url();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = format!("http://{closed}/");
    for (words, url, code) in [
        ("-n 0", url.as_str(), 1),
        ("-c 5", &url, 22),
        ("-e /no/such/folder/file", &url, 1),
        ("--json -w", &url, 22),
        ("-n 3", "http://name.invalid/", 50),
        ("-n 3", &closed, 111),
    ] {
        let done = save(&path, words, url);
        assert_eq!(
            (done.code(), fs::read_to_string(&path).unwrap().as_str()),
            (code, "old\n"),
            "{words} {done}"
        );
        if code == 111 {
            done.assert_hint(&["nothing was complete", "--save"]);
        }
    }
    assert_eq!(server.requests().len(), 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_place_that_cannot_be_written_is_said_before_any_request() {
    let (server, folder) = (Plan::always(closing(5)).start(), tempdir().unwrap());
    for (path, why) in [("no/such", "No such file or directory"), ("", "Is a directory")] {
        let done = save(&folder.path().join(path), "-n 5", &server.url());
        assert_eq!(done.stderr, format!("Cannot open saved run output file: {why}\n"), "{done}");
        assert_eq!((done.code(), server.requests().len()), (1, 0));
    }
    let same = folder.path().join("same");
    let done = save(&same, &format!("-e {}", name(&same)), &server.url());
    done.assert_usage_error("-e and --save name the same file");
}

#[test]
fn devices_and_pipes_take_a_saved_run() {
    let server = Plan::always(closing(5)).start();
    let folder = tempdir().unwrap();
    let script = r#"mkfifo "$2/pipe" && (cat "$2/pipe" >"$2/copy" & "$RAB" -n 3 -q --save "$2/pipe" "$1" >"$2/report"; wait) &&
        "$RAB" report "$2/copy" | cmp - "$2/report" && "$RAB" -n 3 -q --save /dev/null "$1" >/dev/null"#;
    let done = Rab::of("sh", ["-c", script, "sh", &server.url(), name(folder.path())]).run();
    assert_eq!((done.code(), done.stderr.as_str()), (0, ""), "{done}");
    saved(folder.path().join("copy"));
    let full = save(Path::new("/dev/full"), "-n 3", &server.url());
    assert_eq!((full.code(), full.report().counts().complete), (1, 3));
    assert_eq!(
        full.stderr,
        "rab: cannot write the saved run output file '/dev/full': No space left on device\n"
    );
    let out = rab(["-n", "3", "-Q", "--json", "--save", "/dev/stdout", &server.url()]);
    assert!(out.stdout.contains("\n}\n{\n  \"schema\": \"rab-run\""), "{out}");
}

#[test]
fn seconds_in_which_nothing_ends_are_there() {
    // A second and a half of silence after the first answer.
    let server = Plan::by(|number, _| match number {
        1 => vec![Step::Wait(std::time::Duration::from_millis(1500)), closing(100).remove(0), Step::Close],
        _ => closing(100),
    })
    .start();
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.json");
    save(&path, "-n 3", &server.url()).good_report();
    let file = saved(&path);
    let slots = run(&file)["series"]["slots"].as_array().unwrap().clone();
    assert!(slots.len() >= 2, "{slots:?}");
    assert!(slots[..2].iter().all(|slot| slot["connection_seconds"] == 1), "{slots:?}");
    assert_eq!(slots[0]["statuses"]["2xx"], 1);
}

#[test]
fn a_connection_for_each_request_over_tls_is_saved() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.json");
    let port = listen_tls(Pair::usual().config(), one_page);
    let done = save(&path, "-n 1", &format!("https://127.0.0.1:{port}/"));
    assert_eq!(done.code(), 0, "{done}");
    assert_eq!(run(&saved(&path))["bytes"]["document"], 5);
}
