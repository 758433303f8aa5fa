//! When a bearer token expires.
//!
//! In come the header lines of the request, out goes the `exp` time of the JSON Web Token among them. An expired token
//! turns every answer into a small, fast 401, which looks like a very good run. The token is decoded, never verified,
//! and stays here: a summary is printed and stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use crate::plan::Field;

/// The one claim that matters here.
#[derive(Deserialize)]
struct Claims {
    /// Seconds since 1970, a fraction allowed (RFC 7519, sections 2 and 4.1.4).
    exp: f64,
}

/// When the first bearer token of these lines expires; `None` if there is none, if it is not a JSON Web Token, or if it
/// does not expire.
pub(super) fn bearer_expiry(fields: &[Field]) -> Option<Timestamp> {
    fields.iter().find_map(|field| bearer_token(&field.line)).and_then(expiry)
}

/// The token of an `Authorization: Bearer TOKEN` line. Field name and scheme match without case (RFC 9110, sections 5.1
/// and 11.1).
fn bearer_token(line: &[u8]) -> Option<&[u8]> {
    let (name, value) = split_at(line, |byte| byte == b':')?;
    let (scheme, token) = split_at(value.trim_ascii(), |byte| byte.is_ascii_whitespace())?;
    let named = |word: &[u8], name: &[u8]| word.trim_ascii().eq_ignore_ascii_case(name);
    (named(name, b"authorization") && named(scheme, b"bearer")).then(|| token.trim_ascii())
}

/// The `exp` time of a signed token, `header.claims.signature` in unpadded base64url (RFC 7515, section 3.1).
fn expiry(token: &[u8]) -> Option<Timestamp> {
    let mut parts = token.split(|&byte| byte == b'.');
    let (Some(_), Some(claims), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let claims = URL_SAFE_NO_PAD.decode(claims).ok()?;
    let Claims { exp } = serde_json::from_slice(&claims).ok()?;
    Timestamp::from_duration(SignedDuration::try_from_secs_f64(exp).ok()?).ok()
}

/// What stands before and after the first byte of that kind.
fn split_at(text: &[u8], is_end: impl Fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&byte| is_end(byte))?;
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(claims: &str) -> String {
        format!("eyJhbGciOiJIUzI1NiJ9.{}.c2lnbmF0dXJl", URL_SAFE_NO_PAD.encode(claims))
    }

    fn expiry_of(line: &str) -> Option<i64> {
        bearer_expiry(&[Field { line: b"Accept: */*".to_vec() }, Field { line: line.as_bytes().to_vec() }])
            .map(Timestamp::as_second)
    }

    #[test]
    fn expiry_is_read_from_the_claims() {
        let token = token(r#"{"sub":"me","exp":1700000000,"iat":1}"#);
        for line in ["Authorization: Bearer ", "authorization:bearer  ", "AUTHORIZATION : BEARER\t"] {
            assert_eq!(expiry_of(&format!("{line}{token}")), Some(1_700_000_000), "{line}");
        }
    }

    #[test]
    fn expiry_may_have_a_fraction() {
        assert_eq!(
            expiry_of(&format!("Authorization: Bearer {}", token(r#"{"exp":1.75e9}"#))),
            Some(1_750_000_000)
        );
        assert_eq!(expiry_of(&format!("Authorization: Bearer {}", token(r#"{"exp":12.5}"#))), Some(12));
    }

    #[test]
    fn what_is_no_token_with_an_expiry_is_none() {
        let odd = [
            String::new(),
            "Authorization".into(),
            "Authorization: Bearer".into(),
            "Authorization: Bearer opaque".into(),
            "Authorization: Bearer a.b.c".into(),
            format!("Authorization: Basic {}", token(r#"{"exp":1}"#)),
            format!("X-Other: Bearer {}", token(r#"{"exp":1}"#)),
            format!("Authorization: Bearer {}", token(r#"{"sub":"me"}"#)),
            format!("Authorization: Bearer {}", token(r#"{"exp":"soon"}"#)),
            // Beyond the calendar, as milliseconds taken for seconds are.
            format!("Authorization: Bearer {}", token(r#"{"exp":1700000000000}"#)),
            format!("Authorization: Bearer {}", token(r#"{"exp":1e300}"#)),
            format!("Authorization: Bearer {}.more.parts", token(r#"{"exp":1}"#)),
        ];
        for line in odd {
            assert_eq!(expiry_of(&line), None, "{line}");
        }
    }
}
