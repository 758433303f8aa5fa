//! The files of `-e`, `-g` and `--samples`, from outside.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp;
use tempfile::tempdir;

use crate::support::needs;
use crate::support::rab::{Done, Rab, Running, rab};
use crate::support::server::{Plan, Reply, Server, Step, answer};

/// A document of so many bytes under this status, on a connection that stays open if the request asks for that.
fn document(request: &[u8], status: &str, length: usize) -> Reply {
    let keeps = request.windows(10).any(|window| window == b"Keep-Alive");
    let (field, then) =
        if keeps { ("Connection: keep-alive", Step::Keep) } else { ("Connection: close", Step::Close) };
    answer(status, &[field], &vec![b'x'; length], then)
}

/// The same good answer to all.
fn good() -> Server {
    Plan::by(|_, request| document(request, "200 OK", 100)).start()
}

fn at(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}

/// The number behind a label of the report; 0 if the report has no such line.
fn figure(report: &str, label: &str) -> u64 {
    let line = report.lines().find_map(|line| line.strip_prefix(label));
    line.map_or(0, |line| line.split_whitespace().next().unwrap().parse().unwrap())
}

/// The lines below the header, split.
fn rows(file: &str, separator: char) -> Vec<Vec<&str>> {
    file.lines().skip(1).map(|line| line.split(separator).collect()).collect()
}

fn column(rows: &[Vec<&str>], number: usize) -> Vec<u64> {
    rows.iter().map(|row| row[number].parse().unwrap()).collect()
}

fn whole_ms(time: u64) -> u64 {
    (time + 500) / 1000
}

/// The whole report is there, its tables included.
fn assert_reported(output: &Done) {
    let report = output.stdout.as_str();
    assert!(report.contains("Complete requests:") && report.contains("(longest request)\n"), "{report}");
}

#[test]
fn the_files_agree_with_the_report_and_with_each_other() {
    let server = Plan::by(|number, request| match number % 5 {
        3 => document(request, "404 Not Found", 100),
        4 => document(request, "200 OK", 90),
        _ => document(request, "200 OK", 100),
    })
    .start();
    let folder = tempdir().unwrap();
    let [csv, tsv, list] = ["a.csv", "a.tsv", "all.csv"].map(|name| at(folder.path(), name));
    let words =
        ["-n", "60", "-c", "4", "-W", "2", "-k", "-e", &csv, "-g", &tsv, "--samples", &list, &server.url()];
    let output = Rab::new(words).env("TZ", "XYZ-5:45").run();
    let (report, csv, tsv, list) = (output.stdout.as_str(), read(&csv), read(&tsv), read(&list));
    assert_eq!((output.code(), figure(report, "Complete requests:")), (0, 60));

    let samples = rows(&list, ',');
    assert_eq!(samples.len(), 60);
    let starts = column(&samples, 0);
    assert!(starts.is_sorted());
    let mut totals = column(&samples, 5);
    for ((connect, processing), total) in column(&samples, 2).iter().zip(column(&samples, 3)).zip(&totals) {
        assert_eq!(connect + processing, *total);
    }
    let having =
        |number: usize, value: &str| samples.iter().filter(|row| row[number] == value).count() as u64;
    assert_eq!(having(6, "404"), figure(report, "Non-2xx responses:"));
    assert_eq!(having(7, "length"), figure(report, "Failed requests:"));
    assert_eq!(having(7, "good") + having(7, "length"), 60);
    assert_eq!(having(9, "true"), figure(report, "Keep-Alive requests:"));
    assert_eq!(column(&samples, 8).iter().sum::<u64>(), figure(report, "HTML transferred:"));

    totals.sort_unstable();
    let plotted = rows(&tsv, '\t');
    let in_ms: Vec<u64> = totals.iter().copied().map(whole_ms).collect();
    assert_eq!(column(&plotted, 4), in_ms);
    for row in &plotted {
        let seconds: i64 = row[1].parse().unwrap();
        let local = Timestamp::from_second(seconds + (5 * 60 + 45) * 60).unwrap();
        assert_eq!(row[0], local.strftime("%a %b %e %H:%M:%S %Y").to_string());
    }

    let percentages = rows(&csv, ',');
    assert_eq!(column(&percentages, 0), (0..=100).collect::<Vec<_>>());
    let curve: Vec<u64> = percentages.iter().map(|row| row[1].replace('.', "").parse().unwrap()).collect();
    assert!(curve.is_sorted());
    assert_eq!((curve[0], curve[100]), (totals[0], totals[59]));
    assert_eq!(whole_ms(curve[100]), figure(report, " 100%"));
}

#[test]
fn a_single_request_fills_the_csv() {
    let (server, folder) = (good(), tempdir().unwrap());
    let csv = at(folder.path(), "a.csv");
    let output = rab(["-e", &csv, &server.url()]);
    assert_eq!(output.code(), 0);
    let file = read(&csv);
    assert!(file.starts_with("Percentage served,Time in ms\n0,") && file.lines().count() == 102);
}

#[test]
fn standard_output_takes_a_file_after_the_report() {
    let (server, folder) = (good(), tempdir().unwrap());
    let words = ["-n", "5", "-e", "/dev/stdout", "-g", "/dev/null", &server.url()];
    let piped = rab(words);
    // The same where standard output is a file, under any of its names.
    let path = at(folder.path(), "out");
    for name in ["/dev/stdout", "/proc/self/fd/1", &path] {
        let out = fs::File::create(&path).unwrap();
        let words = ["-n", "5", "-e", name, "-g", "/dev/null", &server.url()];
        assert_eq!(Rab::new(words).output_to(out).run().code(), 0);
        for found in [piped.stdout.as_str(), &read(&path)] {
            let (report, csv) = found.split_once("Percentage served,Time in ms\n").unwrap();
            assert!(report.starts_with("This is rab") && report.ends_with(" (longest request)\n"), "{found}");
            assert_eq!(csv.lines().count(), 101);
        }
    }
}

#[test]
fn pipes_and_open_descriptors_are_written_in_place() {
    let (server, folder) = (good(), tempdir().unwrap());
    let (pipe, log) = (at(folder.path(), "pipe"), at(folder.path(), "log"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let running = Rab::new(["-n", "7", "-g", &pipe, &server.url()]).start();
    let mut found = String::new();
    fs::File::open(&pipe).unwrap().read_to_string(&mut found).unwrap();
    assert_eq!((running.wait().code(), found.lines().count()), (0, 8));

    fs::write(&log, "before\n").unwrap();
    let script = r#"exec 3>>"$2"; "$RAB" -n 2 --samples /dev/fd/3 "$1"; echo after >&3"#;
    Rab::of("sh", ["-c", script, "sh", &server.url(), &log]).run();
    let log = read(&log);
    assert!(log.starts_with("before\nstart_us,") && log.ends_with("\nafter\n"), "{log}");
    assert_eq!(log.lines().count(), 5);
}

#[test]
fn what_cannot_be_written_is_said_before_any_request() {
    let (server, folder) = (good(), tempdir().unwrap());
    fs::write(folder.path().join("file"), "").unwrap();
    let [missing, below, directory] = ["no/such", "file/x", ""].map(|name| at(folder.path(), name));
    for (option, path, message) in [
        ("-e", missing.as_str(), "Cannot open CSV output file: No such file or directory\n"),
        ("-g", &missing, "Cannot open gnuplot output file: No such file or directory\n"),
        ("--samples", &below, "Cannot open samples output file: Not a directory\n"),
        ("-g", &directory, "Cannot open gnuplot output file: Is a directory\n"),
        ("-e", "/proc/no-such", "Cannot open CSV output file: No such file or directory\n"),
    ] {
        let output = rab(["-n", "5", option, path, &server.url()]);
        assert_eq!((output.code(), output.stderr.as_str()), (1, message), "{path}");
        assert_eq!((output.stdout.len(), server.requests().len()), (0, 0), "{path}");
    }
    let file = at(folder.path(), "file");
    let output = rab(["-e", &file, "-g", &file, &server.url()]);
    assert_eq!((output.code(), server.requests().len()), (22, 0));
    assert!(output.stderr.as_str().starts_with("rab: -e and -g name the same file"));
}

#[test]
fn a_full_disk_costs_the_file_and_not_the_report() {
    let server = good();
    let output = rab(["-n", "5", "-e", "/dev/full", &server.url()]);
    assert_eq!(output.code(), 1);
    assert_reported(&output);
    let message = "rab: cannot write the CSV output file '/dev/full': No space left on device\n";
    assert_eq!(output.stderr.as_str(), message);
}

/// Runs a script with `$1` the URL and `$2` an empty folder, where it may mount what it likes. `None` where the system
/// does not allow that.
fn with_mounts(script: &str, url: &str) -> Option<Done> {
    if !needs::programs(&["unshare", "mount"]) {
        return None;
    }
    let folder = tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let probed = Rab::of("unshare", ["-rm", "mount", "-t", "tmpfs", "none", path]).run();
    if !probed.status.success() {
        needs::left_out("nothing can be mounted here");
        return None;
    }
    Some(Rab::of("unshare", ["-rm", "sh", "-c", script, "sh", url, path]).run())
}

#[test]
fn a_full_disk_leaves_the_old_file_and_no_other() {
    let server = good();
    let script = r#"mount -t tmpfs -o size=16k none "$2" && cd "$2" && echo old >list &&
        "$RAB" -n 1000 -k -q --samples list -g list.tsv "$1" >/dev/null; echo "$?"; ls -A; cat list"#;
    let Some(output) = with_mounts(script, &server.url()) else { return };
    assert_eq!(output.stdout.as_str(), "1\nlist\nold\n", "{}", output.stderr.as_str());
    let text = output.stderr.as_str();
    for message in ["gnuplot output file 'list.tsv'", "samples output file 'list'"] {
        assert!(
            text.contains(&format!("rab: cannot write the {message}: No space left on device\n")),
            "{text}"
        );
    }
}

#[test]
fn a_file_that_is_a_mount_point_takes_the_content() {
    let server = good();
    let script = r#"mount -t tmpfs none "$2" && cd "$2" && echo old >a && echo b >b && mount --bind a b &&
        "$RAB" -n 5 -e b "$1" >/dev/null; echo "$?"; ls -A; head -1 a; wc -l <a"#;
    let Some(output) = with_mounts(script, &server.url()) else { return };
    let expected = "0\na\nb\nPercentage served,Time in ms\n102\n";
    assert_eq!(output.stdout.as_str(), expected, "{}", output.stderr.as_str());
}

#[test]
fn an_interrupted_run_and_one_that_is_out_of_time_write_whole_files() {
    for (signal, code) in
        [(Some(Running::interrupt as fn(&Running)), 1), (Some(Running::terminate), 143), (None, 0)]
    {
        let server = Plan::by(|number, request| match number {
            0..20 => document(request, "200 OK", 100),
            _ => vec![Step::Hang],
        })
        .start();
        let folder = tempdir().unwrap();
        let [csv, tsv, list] = ["e", "g", "s"].map(|name| at(folder.path(), name));
        let limit = if signal.is_some() { "60" } else { "2" };
        let words = ["-t", limit, "-n", "50", "-e", &csv, "-g", &tsv, "--samples", &list, &server.url()];
        let running = Rab::new(words).start();
        server.wait_for_requests(21);
        if let Some(signal) = signal {
            signal(&running);
        }
        let output = running.wait();
        assert_eq!(output.code(), code);
        assert_eq!(figure(output.stdout.as_str(), "Complete requests:"), 20);
        assert_eq!([&csv, &tsv, &list].map(|path| read(path).lines().count()), [102, 21, 21]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}

#[test]
fn a_run_that_an_error_ended_writes_only_what_partial_asks_for() {
    let server = Plan::by(|number, request| match number % 10 {
        9 => vec![Step::Reset],
        _ => document(request, "200 OK", 100),
    })
    .start();
    let folder = tempdir().unwrap();
    let list = at(folder.path(), "list");
    fs::write(&list, "old\n").unwrap();
    let words = ["-n", "50", "--samples", &list, &server.url()];
    assert_eq!(rab(words).code(), 104);
    assert_eq!(read(&list), "old\n");
    let output = rab([&["--partial"], &words[..]].concat());
    assert_eq!((output.code(), read(&list).lines().count()), (104, 10));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn nothing_complete_leaves_the_files_as_they_were() {
    let (server, folder) = (Plan::always(vec![Step::Hang]).start(), tempdir().unwrap());
    let (csv, tsv) = (at(folder.path(), "e"), at(folder.path(), "g"));
    fs::write(&csv, "old\n").unwrap();
    let running = Rab::new(["-e", &csv, "-g", &tsv, &server.url()]).start();
    server.wait_for_requests(1);
    running.interrupt();
    assert_eq!(running.wait().code(), 1);
    assert_eq!((read(&csv).as_str(), fs::exists(&tsv).unwrap()), ("old\n", false));
}

#[test]
fn a_link_stays_and_the_file_behind_it_is_written() {
    let (server, folder) = (good(), tempdir().unwrap());
    let (file, link) = (at(folder.path(), "file"), at(folder.path(), "link"));
    fs::write(&file, "old\n").unwrap();
    symlink("file", &link).unwrap();
    assert_eq!(rab(["-n", "3", "-g", &link, &server.url()]).code(), 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&file).lines().count(), 4);
}

#[test]
fn beside_html_only_samples_are_written() {
    let (server, folder) = (good(), tempdir().unwrap());
    let [csv, tsv, list] = ["e", "g", "s"].map(|name| at(folder.path(), name));
    let words = ["-w", "-n", "3", "-e", &csv, "-g", &tsv, "--samples", &list, &server.url()];
    let output = rab(words);
    assert_eq!(output.code(), 0);
    assert!(output.stdout.as_str().contains("\n..done\n\n\n<table >\n"), "{}", output.stdout.as_str());
    assert!(output.stderr.as_str().starts_with("hint: -e and -g write no file beside an HTML report"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(read(&list).lines().count(), 4);
}
