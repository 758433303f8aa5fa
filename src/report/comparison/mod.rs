//! What `rab compare` says, in three forms.
//!
//! In comes a [`Compared`], out goes text: first one sentence that answers the question, then errors and metrics in a
//! table, then what else is to be known. `text` and `markdown` lay out the same words; `json` has names and numbers
//! for programs, which `schema/rab-comparison-1.json` describes.

mod json;
mod markdown;
mod notes;
mod numbers;
mod rows;
mod sentence;
mod text;

use crate::summary::{Compared, Metric, Side};

/// In which form a comparison is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// For a terminal.
    #[default]
    Text,
    /// For a pull request (`--markdown`).
    Markdown,
    /// For programs (`--json`).
    Json,
}

/// The comparison in this form, with its last line end.
pub fn comparison(compared: &Compared, form: Form) -> String {
    match form {
        Form::Text => text::text(compared),
        Form::Markdown => markdown::markdown(compared),
        Form::Json => json::json(compared),
    }
}

/// How a sentence names a metric.
fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::Rps => "requests a second",
        Metric::P50 => "median",
        Metric::P95 => "95th percentile",
        Metric::P99 => "99th percentile",
    }
}

/// How a sentence names a side.
fn side(side: Side) -> &'static str {
    match side {
        Side::Before => "before",
        Side::After => "after",
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// As the beginning of a sentence.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// `1 run`, `5 runs`.
fn runs(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

#[cfg(test)]
mod fixture;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_put_together_as_people_do() {
        let list = |parts: &[&str]| listed(&parts.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            (list(&[]), list(&["a"]), list(&["a", "b"])),
            (String::new(), "a".into(), "a and b".into())
        );
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!((capital("the"), capital("-c"), capital("")), ("The".into(), "-c".into(), String::new()));
        assert_eq!((runs(1), runs(0)), ("1 run".into(), "0 runs".into()));
    }
}
