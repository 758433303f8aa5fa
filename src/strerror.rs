//! The system's words for its errors, as C's `strerror` gives them and ab prints them.

use std::io;

/// The words alone: the standard library adds the number, which ab's messages have in a place of their own, and some
/// crates a path behind it.
pub(crate) fn strerror(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_without_the_number() {
        assert_eq!(strerror(&io::Error::from_raw_os_error(2)), "No such file or directory");
        assert_eq!(strerror(&io::Error::other("of another kind")), "of another kind");
    }
}
