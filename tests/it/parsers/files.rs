//! The readers of the files of `-e` and `-g`, and of reports on https.
//!
//! The numbering is that of `parsers`. What a file must hold is known from the report of the same run.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::patterns::strictly;
use crate::support::needs;
use crate::support::rab::{Rab, ask, rab};
use crate::support::report::Report;
use crate::support::server::{Plan, Server, closing, wait};

const HEADING: &str = "Percentage served,Time in ms";

/// Answers that take from 5 ms on, each longer than the last.
fn staggered() -> Server {
    let reply = |number: usize| {
        let mut reply = closing(100);
        reply.insert(0, wait(5 + number as u64 % 40));
        reply
    };
    Plan::by(move |number, _| reply(number)).start()
}

/// Runs with `-e` and `-g` in a folder; the report, and the two files.
fn run(folder: &Path, options: &str) -> (Report, String, String) {
    let server = staggered();
    let words = options.split_whitespace();
    let done = Rab::new(words.chain(["-e", "out.csv", "-g", "out.tsv", &server.url()])).folder(folder).run();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    (done.good_report(), read("out.csv"), read("out.tsv"))
}

/// The rows of a CSV file below its heading.
fn rows(csv: &str) -> Vec<(f64, f64)> {
    let pair = |line: &str| {
        let (percent, time) = line.split_once(',').unwrap_or_else(|| panic!("{line:?}"));
        (percent.parse().unwrap(), time.parse().unwrap())
    };
    csv.lines().skip(1).map(pair).collect()
}

/// Whether a time in the text report is this one, rounded to whole milliseconds.
fn is_rounded(whole: f64, exact: f64) -> bool {
    (whole - exact).abs() <= 0.501
}

#[test]
fn p02_the_percentiles_are_floats_and_ascend() {
    let folder = tempfile::tempdir().unwrap();
    let (report, csv, _) = run(folder.path(), "-n 200 -c 10 -q");
    let rows = rows(&csv);
    let percents: Vec<f64> = rows.iter().map(|(percent, _)| *percent).collect();
    assert_eq!(percents, (0..=100).map(f64::from).collect::<Vec<_>>());
    assert!(rows.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{csv}");
    assert!(is_rounded(report.row("Total").min, rows[0].1), "{csv}");
    assert!(is_rounded(report.percentile(100) as f64, rows[100].1), "{csv}");
    assert!(rows[0].1 >= 5.0, "{csv}");
}

#[test]
fn p02_the_table_of_requests_is_read_by_the_names_of_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let (report, _, tsv) = run(folder.path(), "-n 60 -c 6");
    let mut lines = tsv.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    assert_eq!(names, ["starttime", "seconds", "ctime", "dtime", "ttime", "wait"]);
    let table: Vec<BTreeMap<&str, &str>> =
        lines.map(|line| names.iter().copied().zip(line.split('\t')).collect()).collect();
    assert_eq!(table.len(), 60);
    let whole = |row: &BTreeMap<&str, &str>, name: &str| row[name].parse::<i64>().unwrap();
    let now = jiff::Timestamp::now().as_second();
    for row in &table {
        assert!((now - 120..=now).contains(&whole(row, "seconds")), "{row:?}");
        // Each of the three is rounded by itself.
        let sum = whole(row, "ctime") + whole(row, "dtime");
        assert!((sum - whole(row, "ttime")).abs() <= 1, "{row:?}");
        assert!(whole(row, "wait") <= whole(row, "dtime") + 1, "{row:?}");
    }
    let times: Vec<i64> = table.iter().map(|row| whole(row, "ttime")).collect();
    assert!(times.is_sorted(), "{tsv}");
    assert_eq!(times.last().map(|time| *time as f64), Some(report.row("Total").max));
}

#[test]
fn contract_8_the_date_is_that_of_c() {
    let folder = tempfile::tempdir().unwrap();
    let (_, _, tsv) = run(folder.path(), "-n 3");
    for line in tsv.lines().skip(1) {
        let mut cells = line.split('\t');
        let (date, seconds) = (cells.next().unwrap(), cells.next().unwrap().parse().unwrap());
        // The tests run in UTC.
        let known =
            jiff::Timestamp::from_second(seconds).unwrap().strftime("%a %b %e %H:%M:%S %Y").to_string();
        assert_eq!((date, date.len()), (known.as_str(), 24));
    }
}

#[test]
fn contract_8_the_percentiles_have_three_decimals_also_for_one_request() {
    for options in ["-n 1", "-n 2", "-n 7", "-n 120 -c 4 -q"] {
        let folder = tempfile::tempdir().unwrap();
        let (report, csv, tsv) = run(folder.path(), options);
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some(HEADING));
        for (percent, line) in lines.enumerate() {
            let (found, time) = line.split_once(',').unwrap();
            assert_eq!(found.parse(), Ok(percent));
            assert_eq!(time.split_once('.').map(|(_, decimals)| decimals.len()), Some(3), "{line}");
        }
        assert_eq!((csv.lines().count(), tsv.lines().count() as u64), (102, 1 + report.counts().complete));
        assert!(is_rounded(report.row("Total").max, rows(&csv)[100].1), "{csv}");
    }
}

#[test]
fn p04_the_swarm_finds_its_column_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (_, csv, _) = run(folder.path(), "-r -n 40 -c 4 -C sessionid=NotARealSessionID");
    let mut lines = csv.lines();
    let column = lines.next().unwrap().split(',').position(|name| name == "Time in ms").unwrap();
    let times: Vec<f64> = lines.map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect();
    // It takes rows 0 to 99 and lets the last one be.
    assert!(times.len() >= 100 && times[..100].is_sorted() && times[0] >= 5.0, "{csv}");
}

#[test]
fn p18_ten_files_are_joined_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = staggered();
    let mut joined: Vec<Vec<f64>> = vec![Vec::new(); 101];
    for run in 0..10 {
        let name = format!("{run}.csv");
        let done = Rab::new(["-n", "12", "-c", "3", "-e", &name, &server.url()]).folder(folder.path()).run();
        done.good_report();
        let csv = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        let rows = rows(&csv);
        assert_eq!(rows.len(), 101);
        for (line, (_, time)) in joined.iter_mut().zip(rows) {
            line.push(time);
        }
    }
    assert!(joined.iter().all(|line| line.len() == 10));
}

#[test]
fn the_percentiles_may_go_where_the_report_goes() {
    let server = staggered();
    let done = rab(["-q", "-n", "20", "-c", "4", "-e", "/dev/stdout", &server.url()]);
    let report = done.good_report();
    let start = done.stdout.find(HEADING).unwrap_or_else(|| panic!("{done}"));
    let rows = rows(&done.stdout[start..].lines().take(102).collect::<Vec<_>>().join("\n"));
    assert_eq!((report.counts().complete, rows.len()), (20, 101), "{done}");
}

/// OpenSSL's own server, which answers every request with a page of its state.
struct TlsServer {
    child: Child,
    port: u16,
}

impl TlsServer {
    /// Starts on a free port, with a key and a certificate made in this folder.
    fn start(folder: &Path) -> Self {
        let request = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out cert.pem";
        let made = Rab::shell(request).folder(folder).run();
        assert_eq!(made.code(), 0, "{made}");
        let mut child = Command::new("openssl")
            .args(["s_server", "-www", "-accept", "127.0.0.1:0", "-key", "key.pem", "-cert", "cert.pem"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            line.strip_prefix("ACCEPT ")?.rsplit_once(':')?.1.split(' ').next()?.parse().ok()
        });
        let port = port.unwrap_or_else(|| {
            let _ = child.kill();
            panic!("openssl s_server names no port")
        });
        Self { child, port }
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn p13_the_strict_reader_reads_https_too() {
    if !needs::programs(&["openssl"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = TlsServer::start(folder.path());
    let done = ask("-l -n 3 -c 1", &format!("https://127.0.0.1:{}/", server.port));
    let report = done.good_report();
    let found = strictly(&done.stdout).unwrap_or_else(|missing| panic!("{missing} is missing\n{done}"));
    assert_eq!((found["port"].as_str(), found["complete"].as_str()), (server.port.to_string().as_str(), "3"));
    assert_eq!(found["failed"], "0", "{done}");
    assert_eq!(found["rate"].parse().ok(), report.number("Requests per second"), "{done}");
}
