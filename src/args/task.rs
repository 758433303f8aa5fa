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
    /// What follows its name, as the usage text puts it.
    pub(super) words: &'static str,
    /// How it is called.
    pub(super) usage: &'static str,
    /// What it is for, in a line.
    pub(super) help: &'static str,
    /// The options that it takes, by letter or long name.
    options: &'static [&'static str],
}

/// Prints reports of saved runs again.
pub(super) const REPORT: Task = Task {
    name: "report",
    words: "file...",
    usage: "rab report [options] file...",
    help: "Print the report of runs that --save has saved",
    options: &["w", "x", "y", "z", "d", "S", "q", "Q", "json", "percentiles", "h", "help"],
};

/// Compares two servers by runs in turns.
pub(super) const VERSUS: Task = Task {
    name: "versus",
    words: "URL_A URL_B",
    usage: "rab versus [options] URL_A URL_B",
    help: "Compare two servers by runs in turns",
    options: &[
        "n",
        "c",
        "t",
        "s",
        "b",
        "B",
        "p",
        "u",
        "T",
        "i",
        "C",
        "H",
        "A",
        "P",
        "X",
        "k",
        "l",
        "r",
        "m",
        "I",
        "Z",
        "f",
        "E",
        "W",
        "R",
        "q",
        "http1.0",
        "http1.1",
        "engine",
        "cert",
        "key",
        "verify",
        "cacert",
        "repeat",
        "cool-down",
        "warm-up",
        "seed",
        "save",
        "h",
        "help",
    ],
};

/// Says how small a change can be told.
pub(super) const CALIBRATE: Task = Task {
    name: "calibrate",
    words: "URL",
    usage: "rab calibrate [options] URL",
    help: "Say how small a change this machine can tell",
    options: &[
        "n",
        "c",
        "t",
        "s",
        "b",
        "B",
        "p",
        "u",
        "T",
        "i",
        "C",
        "H",
        "A",
        "P",
        "X",
        "k",
        "l",
        "r",
        "m",
        "I",
        "Z",
        "f",
        "E",
        "W",
        "R",
        "q",
        "http1.0",
        "http1.1",
        "engine",
        "cert",
        "key",
        "verify",
        "cacert",
        "repeat",
        "cool-down",
        "warm-up",
        "save",
        "h",
        "help",
    ],
};

/// All tasks.
pub(super) const TASKS: [&Task; 3] = [&REPORT, &VERSUS, &CALIBRATE];

impl Task {
    /// The task of this name.
    pub(super) fn named(word: &std::ffi::OsStr) -> Option<&'static Self> {
        TASKS.into_iter().find(|task| word == task.name)
    }

    /// The command: its options under their headings, and any number of words.
    pub(super) fn command(&self) -> Command {
        with_rows(|name| self.options.contains(&name)).about(self.help).override_usage(self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::command;

    #[test]
    fn what_a_run_takes_its_series_take() {
        // What is about the form of one report, or about one run alone.
        const NOT: [&str; 19] = [
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
            "sweep",
            "until",
            "partial",
            "demo",
            "generate",
        ];
        for arg in command().get_arguments().map(|arg| arg.get_id().as_str()).filter(|name| *name != "url") {
            for task in [&VERSUS, &CALIBRATE] {
                let takes = task.options.contains(&arg);
                let has_no_chance = arg == "seed" && task.name == "calibrate";
                assert_eq!(takes, !NOT.contains(&arg) && !has_no_chance, "{} {arg}", task.name);
            }
        }
    }

    #[test]
    fn options_of_tasks_are_options() {
        for task in TASKS {
            task.command().debug_assert();
            let known = command();
            for option in task.options {
                assert!(known.get_arguments().any(|arg| arg.get_id() == option), "{option}");
            }
        }
    }
}
