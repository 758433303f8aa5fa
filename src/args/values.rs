//! Single values: what an option takes, and the message for what it does not. Every message names its option.

use std::ffi::OsStr;
use std::num::IntErrorKind;
use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::SignedDuration;

use super::Refusal;
use super::refusal::shown;

/// A whole number, read strictly (ab reads `10k` as 10). Beyond 64 bits it is the nearest number within, which
/// leaves the refusal to whoever knows the range.
pub(super) fn integer(option: &str, value: &OsStr) -> Result<i64, Refusal> {
    let refusal =
        || Refusal::usage(format!("{} takes a whole number, not '{}'", dashed(option), shown(value)));
    match value.to_str().ok_or_else(refusal)?.parse::<i64>() {
        Ok(number) => Ok(number),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Ok(i64::MAX),
            IntErrorKind::NegOverflow => Ok(i64::MIN),
            _ => Err(refusal()),
        },
    }
}

/// A whole number within a range.
pub(super) fn within<T: TryFrom<i64>>(
    option: &str,
    value: &OsStr,
    range: RangeInclusive<i64>,
) -> Result<T, Refusal> {
    let number = Some(integer(option, value)?).filter(|number| range.contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
        let (least, greatest) = range.into_inner();
        let (option, value) = (dashed(option), shown(value));
        Refusal::usage(format!("{option} takes a whole number from {least} to {greatest}, not '{value}'"))
    })
}

/// The longest time that means anything here: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// An option as it is typed: a letter has one hyphen, a name has two.
fn dashed(option: &str) -> String {
    if option.len() == 1 { format!("-{option}") } else { format!("--{option}") }
}

/// A length of time: seconds, or a number with a unit (`500ms`, `90s`, `2m`, `1h 30m`).
pub(super) fn duration(option: &str, value: &OsStr) -> Result<Duration, Refusal> {
    let text = value.to_str().unwrap_or_default();
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let spelled = || text.parse::<SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok());
    seconds.or_else(spelled).filter(|time| *time <= LONGEST).ok_or_else(|| {
        let (option, value) = (dashed(option), shown(value));
        Refusal::usage(format!(
            "{option} takes a time in seconds or with a unit, as in 90s, 2m or 500ms, not '{value}'"
        ))
    })
}

/// The same, but for none at all.
pub(super) fn some_time(option: &str, value: &OsStr) -> Result<Duration, Refusal> {
    let time = duration(option, value)?;
    if time.is_zero() {
        return Err(Refusal::usage(format!("{} takes a time above 0", dashed(option))));
    }
    Ok(time)
}

/// Text that becomes part of a header line: any bytes but those that would end the line or the string in a server
/// (RFC 9110, section 5.5).
pub(super) fn line(option: &str, value: &OsStr) -> Result<Vec<u8>, Refusal> {
    let bytes = value.as_encoded_bytes();
    if bytes.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return Err(Refusal::usage(format!(
            "-{option} takes no line break and no NUL, as in '{}'",
            shown(value)
        )));
    }
    Ok(bytes.to_vec())
}

/// Credentials: like [`line`], without leading blanks, as ab.
pub(super) fn credentials(option: &str, value: &OsStr) -> Result<Vec<u8>, Refusal> {
    line(option, value).map(|line| line.trim_ascii_start().to_vec())
}

/// A method: a token (RFC 9110, section 5.6.2).
pub(super) fn method(value: &OsStr) -> Result<String, Refusal> {
    let is_token = |text: &&str| {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        !text.is_empty() && text.bytes().all(good)
    };
    match value.to_str().filter(is_token) {
        Some(method) => Ok(method.to_owned()),
        None => Err(Refusal::usage(format!("-m takes the name of a method, not '{}'", shown(value)))),
    }
}

/// `host:port` of a proxy; an IPv6 address is in brackets. The port is required.
pub(super) fn proxy(value: &OsStr) -> Result<(String, u16), Refusal> {
    let parts = || {
        let (host, port) = value.to_str()?.rsplit_once(':')?;
        let port = Some(port).filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
        let host = match host.strip_prefix('[') {
            Some(host) => host.strip_suffix(']').filter(|host| host.parse::<std::net::Ipv6Addr>().is_ok())?,
            None => host,
        };
        let bracketed = value.as_encoded_bytes().starts_with(b"[");
        let is_foreign = |byte: u8| byte <= b' ' || byte == 0x7f || b"/@?#[]".contains(&byte);
        let wrong = host.is_empty() || host.bytes().any(is_foreign) || (!bracketed && host.contains(':'));
        (!wrong && port != 0).then(|| (host.to_owned(), port))
    };
    parts().ok_or_else(|| {
        Refusal::usage(format!("-X takes host:port, not '{}'", shown(value)))
            .hint("a port is from 1 to 65535, and an IPv6 address stands in brackets")
    })
}

/// Local addresses, one or a list with commas; names are allowed, as in ab.
pub(super) fn addresses(value: &OsStr) -> Result<Vec<String>, Refusal> {
    let text = value.to_str().unwrap_or_default();
    let addresses: Vec<String> = text.split(',').map(|address| address.trim().to_owned()).collect();
    if addresses.iter().any(|address| address.is_empty() || address.contains(char::is_control)) {
        return Err(Refusal::usage(format!("-B takes addresses, not '{}'", shown(value))));
    }
    Ok(addresses)
}

/// A name of a TLS version, kept as typed. ab ignores what it does not know; that hides typing mistakes.
pub(super) fn protocol(value: &OsStr) -> Result<String, Refusal> {
    const KNOWN: [&str; 7] = ["TLS1", "TLS1.1", "TLS1.2", "TLS1.3", "ALL", "SSL2", "SSL3"];
    match value.to_str().filter(|text| KNOWN.iter().any(|name| name.eq_ignore_ascii_case(text))) {
        Some(text) => Ok(text.to_owned()),
        None => Err(Refusal::usage(format!("-f takes one of {}, not '{}'", KNOWN.join(", "), shown(value)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_within_their_range() {
        let number =
            |text: &str| within::<u64>("s", OsStr::new(text), 1..=10).map_err(|refusal| refusal.message);
        assert_eq!(number("10"), Ok(10));
        for text in ["10k", "abc", "", "1.5", " 1", "0x1", "--1"] {
            assert_eq!(number(text), Err(format!("-s takes a whole number, not '{text}'")));
        }
        for text in ["0", "-5", "11", "99999999999999999999", "-99999999999999999999"] {
            assert_eq!(number(text), Err(format!("-s takes a whole number from 1 to 10, not '{text}'")));
        }
    }

    #[test]
    fn header_text_may_be_any_bytes_on_one_line() {
        assert_eq!(line("H", OsStr::new("X: \u{e9}\t")), Ok("X: \u{e9}\t".as_bytes().to_vec()));
        for text in ["a\rb", "a\nb", "a\0b"] {
            let refusal = line("C", OsStr::new(text)).unwrap_err();
            assert!(refusal.message.starts_with("-C ") && refusal.status == 22);
        }
    }

    #[test]
    fn a_proxy_has_a_port() {
        assert_eq!(proxy(OsStr::new("localhost:8080")), Ok(("localhost".into(), 8080)));
        assert_eq!(proxy(OsStr::new("[::1]:1")), Ok(("::1".into(), 1)));
        let bad = [
            "x",
            "x:",
            "x:0",
            "x:65536",
            ":1",
            "::1:80",
            "[::1]",
            "[x]:1",
            "http://x:1",
            "u@x:1",
            "x:+1",
            "a b:1",
        ];
        for text in bad {
            assert!(proxy(OsStr::new(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn a_method_is_a_token() {
        assert_eq!(method(OsStr::new("M-SEARCH")), Ok("M-SEARCH".into()));
        for text in ["", "GET /", "G\u{e9}T", "A:B"] {
            assert!(method(OsStr::new(text)).is_err(), "{text}");
        }
    }
}
