//! The banner: who speaks, on as many lines as ab's, so that scripts that count lines find the report where it was.

const WHO: &str = concat!(
    "This is rab, Version ",
    env!("CARGO_PKG_VERSION"),
    ", which reports as ApacheBench, Version 2.3, does"
);

const COPYRIGHT: &str = "Copyright 2026 the rab developers";

const LICENSE: &str =
    "Licensed under the Apache License, Version 2.0, http://www.apache.org/licenses/LICENSE-2.0";

/// As text: three lines and an empty one. As HTML: a paragraph of these lines and the beginning of another, which is
/// where ab leaves what it says until the table comes.
pub fn banner(html: bool) -> String {
    if html {
        format!("<p>\n {WHO}<br>\n {COPYRIGHT}<br>\n {LICENSE}<br>\n</p>\n<p>\n")
    } else {
        format!("{WHO}\n{COPYRIGHT}\n{LICENSE}\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_have_as_many_lines_as_ab_s() {
        assert_eq!([banner(false), banner(true)].map(|text| text.lines().count()), [4, 6]);
        assert!(
            banner(true).starts_with("<p>\n This is rab, Version ") && banner(true).ends_with("</p>\n<p>\n")
        );
    }
}
