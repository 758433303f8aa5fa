//! Plans from command lines, for the tests of this module.

use std::ffi::OsString;
use std::path::Path;

use super::Plan;
use crate::args::{Args, Invocation, Refusal, parse};

/// The words of a command line; single quotes keep blanks, as in a shell.
fn words(line: &str) -> Vec<OsString> {
    let (mut words, mut word, mut is_quoted): (Vec<OsString>, Option<String>, bool) =
        (Vec::new(), None, false);
    for character in line.chars() {
        match character {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take().map(OsString::from)),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word.map(OsString::from));
    words
}

/// A path as a word.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// What a command line says.
pub(crate) fn args(line: &str) -> Result<Args, Refusal> {
    match parse(words(line))? {
        Invocation::Run(args) => Ok(*args),
        other => panic!("{line}: {other:?}"),
    }
}

/// The plan of a command line; the server of a demo is on port 9.
pub(crate) fn plan(line: &str) -> Result<Plan, Refusal> {
    Plan::new(args(line)?, Some(([127, 0, 0, 1], 9).into()))
}

/// Why a command line is refused.
pub(crate) fn refused(line: &str) -> Refusal {
    plan(line).expect_err(line)
}
