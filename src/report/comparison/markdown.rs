//! A comparison for a pull request, in GitHub's Markdown.

use super::notes::notes;
use super::rows::{HEADS, legend, rows};
use super::runs;
use super::sentence::sentence;
use crate::summary::{Compared, Pairing};

/// How the columns are aligned: words to the left, numbers to the right.
const RULE: &str = "| --- | ---: | ---: | ---: | --- | --- |";

/// The text.
pub(super) fn markdown(compared: &Compared) -> String {
    let (before, after) = compared.comparison.runs;
    let [one, other] = compared.names.each_ref().map(|name| plain(name));
    let turns = if compared.comparison.pairing == Pairing::Interleaved { ", in turns" } else { "" };
    let mut paragraphs = vec![
        format!("**{}**", plain(&sentence(compared))),
        format!("Before: {one}, {}. After: {other}, {}{turns}.", runs(before), runs(after)),
    ];
    let rows = rows(compared);
    if !rows.is_empty() {
        let heads = [row(&HEADS.map(str::to_owned)), RULE.to_owned()];
        paragraphs.push(heads.into_iter().chain(rows.iter().map(row)).collect::<Vec<_>>().join("\n"));
    }
    let legend = legend(compared);
    if !legend.is_empty() {
        paragraphs.push(plain(&legend.join(" ")));
    }
    let notes: Vec<String> = notes(compared).iter().map(|note| format!("- {}", plain(note))).collect();
    if !notes.is_empty() {
        paragraphs.push(notes.join("\n"));
    }
    paragraphs.join("\n\n") + "\n"
}

fn row(cells: &[String; 6]) -> String {
    format!("| {} |", cells.each_ref().map(|cell| plain(cell)).join(" | "))
}

/// Text in which nothing is markup.
fn plain(text: &str) -> String {
    text.chars().fold(String::new(), |mut plain, each| {
        if matches!(each, '\\' | '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '#' | '~' | '&') {
            plain.push('\\');
        }
        plain.push(each);
        plain
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn texts_are_as_expected() {
        let shown = |name| markdown(&fixture::case(name));
        fixture::same("slower.md", &shown("slower"), include_str!("expected/slower.md"));
        fixture::same("refused.md", &shown("refused"), include_str!("expected/refused.md"));
    }

    #[test]
    fn nothing_that_is_named_is_markup() {
        assert_eq!(plain("a|b <x> *"), r"a\|b \<x\> \*");
    }
}
