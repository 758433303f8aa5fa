//! Words in the first place that ask for something other than a benchmark: `rab report FILE`.
//!
//! No URL is mistaken for one, since a URL has a slash. Each task takes some of the options, which mean there what they
//! mean in a benchmark, and other words than a URL.

use clap::Command;

use super::command::with_rows;

/// What can be done besides a benchmark.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// The word.
    pub(super) name: &'static str,
    /// How it is called.
    pub(super) usage: &'static str,
    /// Its words, as the list of tasks has them.
    words: &'static str,
    /// What it is for, in a line.
    pub(super) help: &'static str,
    /// The options that it takes, by letter or long name, in groups.
    options: &'static [&'static [&'static str]],
}

/// Prints reports of saved runs again.
pub(super) const REPORT: Task = Task {
    name: "report",
    usage: "rab report [options] file...",
    words: "file...",
    help: "Print the report of runs that --save has saved",
    options: &[&["w", "x", "y", "z", "d", "S", "q", "Q", "by-url", "json", "percentiles", "h", "help"]],
};

/// Compares two servers by runs in turns.
pub(super) const VERSUS: Task = Task {
    name: "versus",
    usage: "rab versus [options] URL_A URL_B",
    words: "URL_A URL_B",
    help: "Say whether one server is better than another, by runs in turns",
    options: &[LETTERS, NAMES, TERMS, &["seed"]],
};

/// Says how small a change can be told.
pub(super) const CALIBRATE: Task = Task {
    name: "calibrate",
    usage: "rab calibrate [options] URL",
    words: "URL",
    help: "Say how small a change this machine can tell",
    options: &[LETTERS, NAMES],
};

/// The letters that a run takes, but for the form of its report.
const LETTERS: &[&str] = &[
    "n", "c", "t", "s", "b", "B", "p", "u", "T", "i", "C", "H", "A", "P", "X", "k", "l", "r", "m", "I", "Z",
    "f", "E", "W", "R", "q", "h",
];

/// The same of its other options.
const NAMES: &[&str] = &[
    "http1.0",
    "http1.1",
    "http2",
    "streams",
    "engine",
    "rate",
    "ramp-up",
    "duration",
    "connect-to",
    "unix-socket",
    "all-addresses",
    "cert",
    "key",
    "verify",
    "cacert",
    "repeat",
    "cool-down",
    "warm-up",
    "save",
    "help",
];

/// The terms of a comparison.
const TERMS: &[&str] = &["margin", "anyway", "strict", "json", "markdown"];

/// Compares the saved runs of two files.
pub(super) const COMPARE: Task = Task {
    name: "compare",
    usage: "rab compare [options] before after",
    words: "before after",
    help: "Say whether saved runs are better than others, worse, or the same",
    options: &[TERMS, &["h", "help"]],
};

/// Holds rules against saved runs.
pub(super) const CHECK: Task = Task {
    name: "check",
    usage: "rab check --fail-if rule file...",
    words: "file...",
    help: "Exit with 3 if a saved run breaks a rule of --fail-if",
    options: &[&["fail-if", "h", "help"]],
};

/// All tasks.
pub(super) const TASKS: [&Task; 5] = [&REPORT, &COMPARE, &CHECK, &VERSUS, &CALIBRATE];

/// A line a task, under a heading; with a line end.
pub(super) fn list() -> String {
    TASKS.into_iter().fold("Instead of a benchmark:\n".to_owned(), |list, task| {
        list + &format!("    {:<20} {}\n", format!("{} {}", task.name, task.words), task.help)
    })
}

impl Task {
    /// The task of this name.
    pub(super) fn named(word: &std::ffi::OsStr) -> Option<&'static Self> {
        TASKS.into_iter().find(|task| word == task.name)
    }

    fn takes(&self, option: &str) -> bool {
        self.options.iter().any(|group| group.contains(&option))
    }

    /// The command: its options under their headings, and any number of words.
    pub(super) fn command(&self) -> Command {
        with_rows(|name| self.takes(name)).about(self.help).override_usage(self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    #[test]
    fn what_a_run_takes_its_series_take() {
        // What is about the form of one report, about one run alone, or about a list, which stands for many documents.
        const NOT: [&str; 23] = [
            "urls",
            "shuffle",
            "by-url",
            "v",
            "w",
            "x",
            "y",
            "z",
            "V",
            "d",
            "S",
            "g",
            "e",
            "Q",
            "samples",
            "json",
            "percentiles",
            "fail-if",
            "sweep",
            "until",
            "partial",
            "demo",
            "generate",
        ];
        for arg in command().get_arguments().map(|arg| arg.get_id().as_str()).filter(|name| *name != "url") {
            assert_eq!(CALIBRATE.takes(arg), !NOT.contains(&arg), "{arg}");
            assert_eq!(VERSUS.takes(arg), CALIBRATE.takes(arg) || arg == "json", "{arg}");
        }
    }

    #[test]
    fn options_of_tasks_are_options() {
        for task in TASKS {
            task.command().debug_assert();
            let known = with_rows(|_| true);
            for option in task.options.concat() {
                assert!(known.get_arguments().any(|arg| arg.get_id() == option), "{option}");
            }
        }
    }
}
