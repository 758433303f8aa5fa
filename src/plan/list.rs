//! The lines of a list of URLs (`--urls`).
//!
//! In comes the name of the file, out come its bytes; in go these, out come its lines in parts: `[METHOD] URL [@BODYFILE]`, with blanks or tabs between
//! them. Blank lines and lines that begin with `#` do not count, a line may end with CRLF, and a byte order mark in
//! front is none of the first. What the parts mean is judged elsewhere.
//!
//! The notation is what users of other tools nearly have: a path or URL a line is a list of h2load, siege and oha; the
//! method in front and the `@` are vegeta's. What these write otherwise is refused with a word on how it is written here.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;

use crate::args::{Refusal, is_token, shown, shown_bytes};
use crate::strerror::strerror;

/// The greatest list in bytes, 256 MiB: far more than a run needs, and an end for a pipe that has none.
const LIMIT: u64 = 256 << 20;

/// A line that asks for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its place in the file, counted from 1.
    pub(super) number: usize,
    /// A token (RFC 9110, section 5.6.2).
    pub(super) method: Option<&'a str>,
    /// What stands where a URL or a path should.
    pub(super) url: &'a [u8],
    /// The file after `@`. It may have blanks within its name.
    pub(super) body: Option<&'a OsStr>,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    /// The place of the line, counted from 1.
    pub(super) number: usize,
    /// In words.
    pub(super) what: String,
}

/// What messages call a list.
pub(super) fn name(file: &OsStr) -> String {
    if file == "-" { "standard input".to_owned() } else { shown(file) }
}

/// Reads a list; `-` is standard input.
pub(super) fn read(file: &OsStr) -> Result<Vec<u8>, Refusal> {
    let collect = |source: &mut dyn Read| {
        let mut text = Vec::new();
        // One byte more than allowed tells that there is more.
        source.take(LIMIT + 1).read_to_end(&mut text).map(|_| text)
    };
    let text = if file == "-" {
        collect(&mut io::stdin().lock())
    } else {
        File::open(file).and_then(|mut file| collect(&mut file))
    };
    let text =
        text.map_err(|error| Refusal::error(format!("--urls {}: {}", name(file), strerror(&error))))?;
    if text.len() as u64 > LIMIT {
        let mib = LIMIT >> 20;
        return Err(Refusal::error(format!("--urls {}: a list has {mib} MiB at most", name(file))));
    }
    Ok(text)
}

/// The byte order mark that some editors put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// All lines that ask for something, in order.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Result<Line<'_>, Mistake>> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let numbered = (1..).zip(text.split(|byte| *byte == b'\n'));
    let trimmed = numbered.map(|(number, line)| (number, line.trim_ascii()));
    let counted = trimmed.filter(|(_, line)| !line.is_empty() && !line.starts_with(b"#"));
    counted.map(|(number, line)| parse(number, line).map_err(|what| Mistake { number, what }))
}

/// Takes a line apart. A method has no slash, and whatever has a path has one.
fn parse(number: usize, line: &[u8]) -> Result<Line<'_>, String> {
    let (first, rest) = first_word(line);
    if first.starts_with(b"@") {
        return Err("a body file stands behind its URL, on the same line".to_owned());
    }
    let (method, url, rest) = if first.contains(&b'/') {
        (None, first, rest)
    } else {
        let method = std::str::from_utf8(first).ok().filter(|_| is_token(first));
        let method = method
            .ok_or_else(|| format!("'{}' is neither a method nor a URL with a path", shown_bytes(first)))?;
        let (url, rest) = first_word(rest);
        (Some(method), url, rest)
    };
    if url.is_empty() || url.starts_with(b"@") {
        return Err(format!("there is no URL after '{}'; a path begins with /", shown_bytes(first)));
    }
    let body = match rest.strip_prefix(b"@") {
        Some(b"") => return Err("there is no name of a file after @".to_owned()),
        Some(file) => Some(OsStr::from_bytes(file)),
        None if rest.is_empty() => None,
        None => {
            let odd = shown_bytes(first_word(rest).0);
            return Err(format!(
                "only @BODYFILE may follow the URL, not '{odd}'; the method stands in front, and a blank is written %20"
            ));
        }
    };
    Ok(Line { number, method, url, body })
}

/// The bytes up to the first blank or tab, and what follows those.
fn first_word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line<'a>(number: usize, method: Option<&'a str>, url: &'a str, body: Option<&'a str>) -> Line<'a> {
        Line { number, method, url: url.as_bytes(), body: body.map(OsStr::new) }
    }

    fn mistake(text: &str) -> String {
        lines(text.as_bytes()).next().unwrap().unwrap_err().what
    }

    #[test]
    fn a_line_has_up_to_three_parts() {
        let text = "\u{feff}/a\r\n\n  # no\n#no\n\tGET  /b?x=@y#z \t\n/c @my file.json \nDELETE http://h/d\nPUT h/e\t@f\n@g/";
        let mut found = lines(text.as_bytes());
        let expected = [
            line(1, None, "/a", None),
            line(5, Some("GET"), "/b?x=@y#z", None),
            line(6, None, "/c", Some("my file.json")),
            line(7, Some("DELETE"), "http://h/d", None),
            line(8, Some("PUT"), "h/e", Some("f")),
        ];
        for line in expected {
            assert_eq!(found.next(), Some(Ok(line)));
        }
        let what = "a body file stands behind its URL, on the same line".to_owned();
        assert_eq!(found.next(), Some(Err(Mistake { number: 9, what })));
        assert_eq!(found.next(), None);
    }

    #[test]
    fn what_other_tools_write_is_refused_with_a_word_on_how_it_is_written_here() {
        assert!(mistake("http://h/a POST name=x").contains("only @BODYFILE may follow the URL, not 'POST'"));
        assert!(
            mistake("Content-Type: text/plain").starts_with("'Content-Type:' is neither a method nor a URL")
        );
        assert!(mistake("@body.json").starts_with("a body file stands behind its URL"));
        assert!(mistake("example.com").starts_with("there is no URL after 'example.com'"));
        assert!(mistake("POST @x").starts_with("there is no URL after 'POST'"));
        assert!(mistake("/a @").starts_with("there is no name of a file"));
        assert!(mistake("/a b").contains("%20"));
        assert!(mistake("G\u{1b}T /a").starts_with("'G\\u{1b}T' is neither"));
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(
            all in prop::collection::vec(("[A-Z-]{0,6}", "/[!-~]{0,8}", "([!-~]( [!-~])?){0,3}", "[ \t]{1,2}", "\r?"), 0..20)
        ) {
            let mut text = String::new();
            for (method, url, body, gap, end) in &all {
                let body = if body.is_empty() { String::new() } else { format!("{gap}@{body}") };
                let method = if method.is_empty() { String::new() } else { format!("{method}{gap}") };
                text.extend([method.as_str(), url, &body, end, "\n# -\n"]);
            }
            let given = |text: &'_ String| Some(text.clone()).filter(|text| !text.is_empty());
            let found: Vec<_> = lines(text.as_bytes()).collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(found.len(), all.len());
            for (place, (found, (method, url, body, ..))) in found.iter().zip(&all).enumerate() {
                prop_assert_eq!(found.number, 2 * place + 1);
                prop_assert_eq!(found.method.map(str::to_owned), given(method));
                prop_assert_eq!(found.url, url.as_bytes());
                prop_assert_eq!(found.body.map(|body| body.to_str().unwrap().to_owned()), given(body));
            }
        }

        #[test]
        fn any_bytes_are_lines_or_mistakes_in_ascending_order(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let numbers: Vec<usize> =
                lines(&text).map(|line| line.map_or_else(|mistake| mistake.number, |line| line.number)).collect();
            prop_assert!(numbers.is_sorted_by(|one, next| one < next));
            for mistake in lines(&text).filter_map(Result::err) {
                prop_assert!(!mistake.what.contains(char::is_control));
            }
        }
    }
}
