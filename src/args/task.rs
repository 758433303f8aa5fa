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
    /// The options that it takes, by letter or long name.
    options: &'static [&'static str],
}

/// Prints reports of saved runs again.
pub(super) const REPORT: Task = Task {
    name: "report",
    usage: "rab report [options] file...",
    words: "file...",
    help: "Print the report of runs that --save has saved",
    options: &["w", "x", "y", "z", "d", "S", "q", "Q", "json", "percentiles", "h", "help"],
};

/// Compares the saved runs of two files.
pub(super) const COMPARE: Task = Task {
    name: "compare",
    usage: "rab compare [options] before after",
    words: "before after",
    help: "Say whether saved runs are better than others, worse, or the same",
    options: &["margin", "anyway", "strict", "json", "markdown", "h", "help"],
};

/// Holds rules against saved runs.
pub(super) const CHECK: Task = Task {
    name: "check",
    usage: "rab check --fail-if rule file...",
    words: "file...",
    help: "Exit with 3 if a saved run breaks a rule of --fail-if",
    options: &["fail-if", "h", "help"],
};

/// All tasks.
pub(super) const TASKS: [&Task; 3] = [&REPORT, &COMPARE, &CHECK];

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

    /// The command: its options under their headings, and any number of words.
    pub(super) fn command(&self) -> Command {
        with_rows(|name| self.options.contains(&name)).about(self.help).override_usage(self.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_tasks_are_options() {
        for task in TASKS {
            task.command().debug_assert();
            let known = with_rows(|_| true);
            for option in task.options {
                assert!(known.get_arguments().any(|arg| arg.get_id() == option), "{option}");
            }
        }
    }
}
