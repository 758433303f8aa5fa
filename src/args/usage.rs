//! The short usage text, made from the same table as everything else about the options.

use std::fmt::Write as _;

use super::command::{HEADINGS, USAGE, command};
use super::task;

/// The usage text: a line that starts with `Usage:`, then a line an option. Ends with a line end.
pub fn usage() -> String {
    let mut text = format!("Usage: {USAGE}\n");
    let command = command();
    for heading in HEADINGS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{heading}:");
        for arg in command.get_arguments().filter(|arg| arg.get_help_heading() == Some(heading)) {
            let mut option = match (arg.get_short(), arg.get_long()) {
                (Some(letter), _) => format!("-{letter}"),
                (None, long) => format!("--{}", long.unwrap_or_default()),
            };
            for value in arg.get_value_names().into_iter().flatten() {
                option.push(' ');
                option.push_str(value);
            }
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "    {option:<20} {help}");
        }
    }
    text + &task::list()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_of_ab_has_a_line() {
        let text = usage();
        for letter in "nctsbBpuTvwixyzCHAPXVkdSqlgermhIZfEWRQ".chars() {
            assert!(text.contains(&format!("\n    -{letter} ")), "{letter}");
        }
        assert!(text.starts_with("Usage: rab [options] [http[s]://]hostname[:port]/path\n"));
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    }
}
