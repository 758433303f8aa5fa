//! A comparison for a terminal.

use std::fmt::Write as _;

use super::notes::notes;
use super::rows::{HEADS, legend, rows};
use super::runs;
use super::sentence::sentence;
use crate::summary::{Compared, Pairing};

/// So wide are lines of running text at most.
const WIDTH: usize = 100;

/// The text.
pub(super) fn text(compared: &Compared) -> String {
    let mut text = wrapped(&sentence(compared), "");
    let (before, after) = compared.comparison.runs;
    let [one, other] = &compared.names;
    let turns = if compared.comparison.pairing == Pairing::Interleaved { ", in turns" } else { "" };
    // Writing to a String cannot fail.
    let _ = write!(text, "\nBefore: {one}, {}\nAfter:  {other}, {}{turns}\n", runs(before), runs(after));
    let rows = rows(compared);
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&rows));
    }
    let legend = legend(compared);
    if !legend.is_empty() {
        text.push('\n');
        text.extend(legend.iter().map(|line| wrapped(line, "")));
    }
    let notes = notes(compared);
    if !notes.is_empty() {
        text.push('\n');
        text.extend(notes.iter().map(|note| wrapped(note, "- ")));
    }
    text
}

/// The rows in columns, words to the left and numbers to the right.
fn table(rows: &[[String; 6]]) -> String {
    let heads = HEADS.map(str::to_owned);
    let all = || std::iter::once(&heads).chain(rows);
    let mut widths = [0; 6];
    for row in all() {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in all() {
        let cells = row.iter().zip(widths).enumerate().map(|(at, (cell, width))| match at {
            1..=3 => format!("{cell:>width$}"),
            _ => format!("{cell:<width$}"),
        });
        let line: Vec<String> = cells.collect();
        text.push_str(line.join("   ").trim_end());
        text.push('\n');
    }
    text
}

/// A paragraph in lines of a limited width, the first of which starts with a mark.
fn wrapped(paragraph: &str, mark: &str) -> String {
    let (mut text, mut line) = (String::new(), mark.to_owned());
    let indent = " ".repeat(mark.len());
    let mut is_begun = false;
    // A number and its percent sign stay together.
    for word in paragraph.replace(" %", "\u{a0}%").split(' ') {
        if is_begun && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line.clone_from(&indent);
            is_begun = false;
        }
        if is_begun {
            line.push(' ');
        }
        line.push_str(word);
        is_begun = true;
    }
    (text + &line + "\n").replace('\u{a0}', " ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn texts_are_as_expected() {
        for ((name, expected), compared) in fixture::cases() {
            fixture::same(&format!("{name}.txt"), &text(&compared), expected);
        }
    }

    #[test]
    fn lines_are_broken_between_words() {
        let words = ["wordword"; 30].join(" ");
        let text = wrapped(&words, "- ");
        assert!(text.lines().all(|line| line.len() <= WIDTH && !line.ends_with(' ')), "{text}");
        assert_eq!(text.split_whitespace().filter(|word| *word == "wordword").count(), 30);
        assert!(text.starts_with("- wordword") && text.lines().skip(1).all(|line| line.starts_with("  w")));
        let long = "x".repeat(150);
        assert_eq!(wrapped(&long, ""), format!("{long}\n"));
    }
}
