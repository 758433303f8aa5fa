//! `rab compare`: whether the runs of one file are better than those of another.

use std::ffi::OsString;

use super::read::read;
use crate::args::{Args, Judging, Refusal, shown};
use crate::report::comparison::{Form, comparison};
use crate::sink::Console;
use crate::summary::{Compared, Conclusion, Settings, Terms, Verdict};

/// The exit code for "after is worse".
const WORSE: u8 = 10;

/// The exit code for "cannot tell", if that is not good enough (`--strict`).
const CANNOT_TELL: u8 = 11;

/// The exit code for what is not comparable.
const NOT_COMPARABLE: u8 = 12;

/// The 99th percentile varies more between runs of the same than anything else.
const MARGIN_OF_P99: f64 = 2.0;

/// From what was typed to the exit code. Both files are read before anything is printed.
pub(crate) fn compare(args: &Args, files: &[OsString; 2], console: &Console) -> Result<u8, Refusal> {
    let [before, after] = files;
    let (before, after) = (read(before)?, read(after)?);
    let names = files.each_ref().map(|file| shown(file));
    let compared = Compared::new(names, [&before, &after], terms(&args.judging));
    console.out(comparison(&compared, form(args)));
    Ok(exit_code(compared.conclusion(), args.judging.strict))
}

/// The form that was asked for.
pub(super) fn form(args: &Args) -> Form {
    match (args.json, args.judging.markdown) {
        (true, _) => Form::Json,
        (false, true) => Form::Markdown,
        (false, false) => Form::Text,
    }
}

/// What was typed of the terms of a comparison.
pub(super) fn terms(judging: &Judging) -> Terms {
    let mut settings = Settings::default();
    if let Some(margin) = judging.margin {
        settings.margins = [margin, margin, margin, margin * MARGIN_OF_P99];
    }
    Terms { settings, anyway: judging.anyway, other_target: false }
}

/// What a script learns of a comparison.
pub(super) fn exit_code(conclusion: Conclusion, strict: bool) -> u8 {
    match conclusion {
        Conclusion::Told(Verdict::Better | Verdict::Same) => 0,
        Conclusion::Told(Verdict::CannotTell) if !strict => 0,
        Conclusion::Told(Verdict::CannotTell) => CANNOT_TELL,
        Conclusion::Told(Verdict::Worse) => WORSE,
        Conclusion::NotComparable => NOT_COMPARABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_the_published_ones() {
        let codes = |verdict| [false, true].map(|strict| exit_code(Conclusion::Told(verdict), strict));
        assert_eq!((codes(Verdict::Better), codes(Verdict::Same)), ([0, 0], [0, 0]));
        assert_eq!((codes(Verdict::Worse), codes(Verdict::CannotTell)), ([10, 10], [0, 11]));
        assert_eq!(exit_code(Conclusion::NotComparable, false), 12);
    }

    #[test]
    fn one_margin_serves_all_metrics() {
        let margins = |margin| {
            let judging = Judging { margin, ..Judging::default() };
            terms(&judging).settings.margins.map(|margin| (margin * 100.0).to_string())
        };
        assert_eq!(margins(None), ["5", "5", "5", "10"]);
        assert_eq!(margins(Some(0.02)), ["2", "2", "2", "4"]);
    }
}
