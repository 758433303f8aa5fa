//! clap's errors in ab's words.

use std::ffi::OsStr;

use clap::error::{Error, ErrorKind};

use super::{Refusal, command, letters, shown};

/// clap's errors in the words of ab's option parser; what ab has no words for is said in the same style.
pub(super) fn reworded(error: &Error) -> Refusal {
    use clap::error::{ContextKind, ContextValue};

    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    // clap writes the option as `-n <requests>`, `-j` or `--engine <wire|hyper>`.
    let option = text(ContextKind::InvalidArg).split(' ').next().unwrap_or_default();
    let option = shown(OsStr::new(option));
    let name = option.trim_start_matches('-');
    match error.kind() {
        ErrorKind::UnknownArgument if option.starts_with("--") => {
            let refusal = Refusal::usage(format!("unknown option {option}"));
            let is_letter = name.len() == 1 && command().get_arguments().any(|arg| arg.get_id() == name);
            match text(ContextKind::SuggestedArg) {
                _ if is_letter => refusal.hint(format!("did you mean -{name}?")),
                "" => refusal,
                near => refusal.hint(format!("did you mean {near}?")),
            }
        }
        ErrorKind::UnknownArgument => {
            Refusal::usage(format!("illegal option -- {}", option.strip_prefix('-').unwrap_or(&option)))
        }
        ErrorKind::TooManyValues => Refusal::usage(format!("option takes no argument -- {name}")),
        ErrorKind::InvalidValue => Refusal::usage(format!("option requires an argument -- {name}")),
        // The only switch that may not be repeated is -i.
        ErrorKind::ArgumentConflict => letters::cannot_mix("HEAD"),
        _ => Refusal::usage(format!("invalid use of option {option}")),
    }
}
