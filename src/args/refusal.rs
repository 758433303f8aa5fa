//! How a command line is refused: the text for standard error, and the exit code.

use std::ffi::OsStr;
use std::fmt;

use super::usage::usage;

/// The exit code of a usage error: ab leaves with `EINVAL`.
const USAGE_STATUS: u8 = 22;

/// Why nothing is benchmarked. `Display` is the whole text for standard error, with its line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The message, one line without its end.
    pub message: String,
    /// The exit code: 22 for a usage error, 1 otherwise, as ab.
    pub status: u8,
    /// Whether `rab: ` stands in front. Where it does not, a blank line follows, as in ab.
    pub named: bool,
    /// Whether the usage text follows.
    pub usage: bool,
    /// What to do instead, each a line without `hint: ` and line end; printed between message and usage.
    pub hints: Vec<String>,
}

impl Refusal {
    /// A usage error: named, with the usage text, 22.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), status: USAGE_STATUS, named: true, usage: true, hints: Vec::new() }
    }

    /// Something that is not there or not possible: named, without the usage text, 1.
    pub fn error(message: impl Into<String>) -> Self {
        Self { message: message.into(), status: 1, named: true, usage: false, hints: Vec::new() }
    }

    /// One of the errors that ab prints without its name and with a blank line after them; 1.
    pub fn bare(message: impl Into<String>) -> Self {
        Self { message: message.into(), status: 1, named: false, usage: false, hints: Vec::new() }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.named {
            writeln!(f, "rab: {}", self.message)?;
        } else {
            writeln!(f, "{}\n", self.message)?;
        }
        for hint in &self.hints {
            writeln!(f, "hint: {hint}")?;
        }
        if self.usage { f.write_str(&usage()) } else { Ok(()) }
    }
}

impl std::error::Error for Refusal {}

/// A word of the command line as a message shows it: on one line, and with nothing a terminal would obey.
pub(crate) fn shown(word: &OsStr) -> String {
    shown_bytes(word.as_encoded_bytes())
}

/// Like [`shown`], for a part of a word.
pub(crate) fn shown_bytes(word: &[u8]) -> String {
    let mut text = String::new();
    for character in String::from_utf8_lossy(word).chars() {
        if character.is_control() {
            text.extend(character.escape_default());
        } else {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_error_is_named_and_followed_by_hints_and_usage() {
        let text = Refusal::usage("invalid URL").hint("write more").to_string();
        assert!(text.starts_with("rab: invalid URL\nhint: write more\nUsage: rab [options] "), "{text}");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    }

    #[test]
    fn ab_s_bare_errors_end_with_a_blank_line() {
        assert_eq!(Refusal::bare("Invalid number of requests").to_string(), "Invalid number of requests\n\n");
        assert_eq!(Refusal::error("no").to_string(), "rab: no\n");
    }

    #[test]
    fn control_characters_are_not_passed_on_to_the_terminal() {
        assert_eq!(shown(OsStr::new("a\x1b[1m\nb")), "a\\u{1b}[1m\\nb");
    }
}
