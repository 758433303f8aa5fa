//! Text of others for people: what a server or a proxy says goes to a terminal.

/// More than so many characters say nothing to people.
const LONGEST: usize = 400;

/// The text on one line, of some length, and without anything that a terminal obeys.
pub(super) fn harmless(text: &str) -> String {
    text.chars().take(LONGEST).map(|character| if character.is_control() { '?' } else { character }).collect()
}
