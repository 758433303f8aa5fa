//! What is told of the header lines: their names, and one digest that says whether two runs sent the same.
//!
//! No value is kept. Those of fields that hold credentials are no part of the digest either: it could be used to try
//! out guesses, and two runs with a fresh token each are still the same request. Nor are those of `Host` and
//! `User-Agent`: host and version have their own place, and may differ where nothing else does.

use aws_lc_rs::digest::{Context, Digest, SHA256, digest};

use crate::plan::Field;

/// Fields whose values have their own place.
const TOLD_ELSEWHERE: [&str; 2] = ["host", "user-agent"];

/// Fields whose value is a secret, and words that are part of the names of others like them.
const SECRET: [&str; 9] =
    ["auth", "cookie", "credential", "key", "password", "secret", "session", "signature", "token"];

/// The names, as they were sent, in their order. A line without a colon has none.
pub(super) fn names(fields: &[Field]) -> Vec<String> {
    let names = fields.iter().filter_map(Field::parts).map(|(name, _)| name);
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// SHA-256 over all lines in their order, in hexadecimal digits: name in lower case, colon, value, line feed.
pub(super) fn sha256(fields: &[Field]) -> String {
    let mut context = Context::new(&SHA256);
    for (name, value) in fields.iter().map(|field| field.parts().unwrap_or_default()) {
        let name = name.to_ascii_lowercase();
        context.update(&name);
        context.update(b":");
        context.update(if is_told(&name) { value } else { b"" });
        context.update(b"\n");
    }
    hexadecimal(&context.finish())
}

/// SHA-256 of a body, in hexadecimal digits.
pub(super) fn body_sha256(body: &[u8]) -> String {
    hexadecimal(&digest(&SHA256, body))
}

/// Whether the value of a field, whose name is in lower case, is part of the digest.
fn is_told(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name);
    !TOLD_ELSEWHERE.contains(&name.as_ref()) && !SECRET.iter().any(|word| name.contains(word))
}

/// A digest in hexadecimal digits.
pub(super) fn hexadecimal(digest: &Digest) -> String {
    digest.as_ref().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(lines: &[&str]) -> Vec<Field> {
        lines.iter().map(|line| Field { line: line.as_bytes().to_vec() }).collect()
    }

    #[test]
    fn the_digest_tells_requests_apart_but_not_their_secrets() {
        let of = |lines: &[&str]| sha256(&fields(lines));
        assert_ne!(of(&["Accept: */*"]), of(&["Accept: text/html"]));
        assert_ne!(of(&["X-A: 1", "X-B: 2"]), of(&["X-B: 2", "X-A: 1"]));
        assert_ne!(of(&["Cookie: a"]), of(&[]));
        for name in [
            "Authorization",
            "cookie",
            "X-Api-Key",
            "X-Auth-Token",
            "Proxy-Authorization",
            "Host",
            "User-Agent",
        ] {
            assert_eq!(of(&[&format!("{name}: one")]), of(&[&format!("{name}: two")]), "{name}");
        }
        assert_eq!(of(&["a secret without a colon"]), of(&["another"]));
    }

    #[test]
    fn names_are_as_sent_and_values_are_not_there() {
        let lines = fields(&["Host: h", "X-Key:  k", "nothing", "accept:"]);
        assert_eq!(names(&lines), ["Host", "X-Key", "accept"]);
    }

    #[test]
    fn the_digest_is_what_sha256sum_says() {
        assert_eq!(body_sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(sha256(&fields(&["Accept: */*"])), body_sha256(b"accept:*/*\n"));
    }
}
