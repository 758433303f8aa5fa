//! What ends a series early, and what is left of it then.

use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::tempdir;

use super::numbers;
use crate::support::rab::{Rab, Running};
use crate::support::saved::saved;
use crate::support::server::{Plan, Server, Step, closing};

/// Answers so many requests, and none after that.
fn good_then_silent(count: usize) -> Server {
    Plan::by(move |number, _| if number < count { closing(100) } else { vec![Step::Hang] }).start()
}

/// A series of five runs of four requests, which hangs in its third.
fn hanging(server: &Server, path: &Path) -> Running {
    let words = ["-n", "4", "--repeat", "5", "--save", path.to_str().unwrap(), &server.url()];
    let running = Rab::new(words).start();
    server.wait_for_requests(11);
    running
}

fn runs(path: &Path) -> Vec<u64> {
    let file = saved(path);
    file["runs"].as_array().unwrap().iter().map(|run| run["counts"]["complete"].as_u64().unwrap()).collect()
}

#[test]
fn a_killed_series_leaves_a_whole_file_with_the_runs_so_far() {
    let (server, folder) = (good_then_silent(10), tempdir().unwrap());
    let path = folder.path().join("runs.json");
    let running = hanging(&server, &path);
    running.kill_now();
    assert_eq!(runs(&path), [4, 4]);
    // Nothing else is left beside it.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_signal_ends_the_series_with_what_there_is() {
    for (terminates, code) in [(false, 1), (true, 143)] {
        let (server, folder) = (good_then_silent(10), tempdir().unwrap());
        let path = folder.path().join("runs.json");
        let running = hanging(&server, &path);
        if terminates {
            running.terminate();
        } else {
            running.interrupt();
        }
        let done = running.wait();
        assert_eq!(done.code(), code, "{done}");
        assert_eq!(done.report().count("Complete requests"), Some(4), "{done}");
        assert_eq!(numbers(&done), [1, 2, 3]);
        assert!(done.stdout.contains("A signal cut run 3 short"), "{done}");
        // What was measured of the third run is kept as well.
        assert_eq!(runs(&path), [4, 4, 2]);
    }
}

#[test]
fn a_signal_between_two_runs_is_enough() {
    let (server, folder) = (Plan::always(closing(100)).start(), tempdir().unwrap());
    let path = folder.path().join("runs.json");
    let words =
        ["-n", "4", "--repeat", "3", "--cool-down", "1h", "--save", path.to_str().unwrap(), &server.url()];
    let running = Rab::new(words).start();
    // The first run is over when it is saved; the pause follows.
    let since = Instant::now();
    while !path.exists() {
        assert!(since.elapsed() < Duration::from_secs(25), "the first run was not saved");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.interrupt();
    let done = running.wait();
    assert_eq!((done.code(), done.report().count("Complete requests")), (1, Some(4)), "{done}");
    assert_eq!((numbers(&done), server.requests().len()), (vec![1], 4), "{done}");
}

#[test]
fn a_run_without_any_answer_is_not_repeated() {
    let server = Plan::always(vec![Step::Reset]).start();
    let done = Rab::new(["-n", "4", "--repeat", "5", &server.url()]).run();
    assert_eq!((done.code(), server.requests().len()), (104, 1), "{done}");
    assert!(!done.stdout.contains("Server Software"), "{done}");
}

#[test]
fn a_file_that_cannot_be_written_is_known_before_anything_is_sent() {
    let server = Plan::always(closing(5)).start();
    let done = Rab::new(["-n", "4", "--repeat", "5", "--save", "/no/such/file", &server.url()]).run();
    assert_eq!((done.code(), server.requests().len()), (1, 0), "{done}");
}

#[test]
fn standard_output_gets_the_saved_runs_once_at_the_end() {
    let server = Plan::always(closing(5)).start();
    let done = Rab::new(["-n", "2", "--repeat", "3", "--save", "/dev/stdout", &server.url()]).run();
    assert_eq!(done.stdout.matches("\"schema\": \"rab-run\"").count(), 1, "{done}");
    assert!(done.stdout.ends_with("]\n}\n"), "{done}");
}
