//! How runs are judged: `rab compare`, `rab check`, and `--fail-if` of a benchmark.
//!
//! Files of several runs are made of one that was measured: its numbers are the same in all, but for the time that the
//! run took, so that a test knows what must be said and no machine is too slow for it.

mod check;
mod compare;
mod gates;
mod refused;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::support::rab::{Rab, ask};
use crate::support::saved::saved;
use crate::support::server::{Plan, closing};

/// A folder with saved runs, all made of one with two hundred requests.
pub(crate) struct Shelf {
    folder: TempDir,
    file: Value,
}

/// The times that the runs of a series took, as parts of the first.
const STEADY: [f64; 5] = [1.0, 1.004, 0.998, 1.001, 0.997];

impl Shelf {
    fn new() -> Self {
        Self::of("-n 200 -c 2 -k")
    }

    fn of(words: &str) -> Self {
        let (server, folder) = (Plan::always(closing(100)).start(), tempdir().unwrap());
        let path = folder.path().join("one");
        let words = format!("{words} --save {}", path.display());
        assert_eq!(ask(&words, &server.url()).code(), 0);
        Self { file: saved(&path), folder }
    }

    /// Writes a series of runs under this name that took so many seconds, beginning ten seconds apart; each is changed.
    fn put(&self, name: &str, begin: u64, seconds: &[f64], change: impl Fn(&mut Value)) -> PathBuf {
        let run = |(number, seconds): (u64, &f64)| {
            let mut run = self.file["runs"][0].clone();
            run["started_unix_us"] = json!((begin + 10 * number) * 1_000_000);
            let elapsed = Duration::from_secs_f64(*seconds).as_micros();
            run["elapsed_us"] = json!(u64::try_from(elapsed).unwrap());
            run["client"]["cpu_us"] = json!(0);
            change(&mut run);
            run
        };
        let mut file = self.file.clone();
        file["runs"] = (0..).zip(seconds).map(run).collect();
        let path = self.folder.path().join(name);
        std::fs::write(&path, serde_json::to_vec(&file).unwrap()).unwrap();
        path
    }

    /// A steady series of runs that are so many times as long as others.
    fn steady(&self, name: &str, begin: u64, length: f64) -> PathBuf {
        self.put(name, begin, &STEADY.map(|part| part * length), |_| ())
    }
}

/// Runs the program in this task, with these options and files.
fn task(words: &str, files: &[&Path]) -> crate::support::rab::Done {
    let files = files.iter().map(|file| file.as_os_str().to_owned());
    Rab::new(words.split_whitespace().map(Into::into).chain(files)).run()
}

/// Leaves out of a run what would contradict other counts.
fn without_detail(run: &mut Value) {
    run["times"].as_object_mut().unwrap().remove("total_2xx");
    run.as_object_mut().unwrap().remove("series");
}
