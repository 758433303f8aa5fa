//! Reads the URL as ab does: `[scheme://][user:password@]host[:port]/path[#fragment]`.
//!
//! In comes one word, or a line of a list. Out goes a [`Location`]: the target, and what else the request needs from the URL. Nothing is
//! normalised, since a benchmark asks for what was typed. Where rab departs from ab: the scheme is known in any case,
//! other schemes are refused by name, user and password become credentials (RFC 3986, section 3.2.1), the fragment
//! is kept back (RFC 9110, section 7.1), and blanks and control characters are refused.

use std::net::Ipv6Addr;

use super::{Scheme, Target};
use crate::args::{Refusal, shown_bytes};

/// What the URL says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    /// Where the document is.
    pub(super) target: Target,
    /// What stands in front of a path in the request target for a proxy: the beginning of the URL as typed, but for user
    /// and password, and with a scheme.
    pub(super) server: Vec<u8>,
    /// `user:password`, percent-decoded.
    pub(super) credentials: Option<Vec<u8>>,
}

/// Reads the URL. Errors are usage errors, with a hint: another scheme by its name, all others ab's `invalid URL`.
pub(super) fn locate(url: &[u8]) -> Result<Location, Refusal> {
    check(url)?;
    if url.is_empty() {
        return Err(invalid("the URL is empty"));
    }
    let (scheme, rest) = scheme(url)?;
    let typed_scheme = &url[..url.len() - rest.len()];
    let end = position(rest, b"/?#").unwrap_or(rest.len());
    if rest.get(end) != Some(&b'/') {
        let (start, rest) = url.split_at(typed_scheme.len() + end);
        return Err(invalid(format!("a / ends the host: {}/{}", shown_bytes(start), shown_bytes(rest))));
    }
    let (authority, path) = rest.split_at(end);
    let path = without_fragment(path);
    let (credentials, place) = match authority.iter().rposition(|byte| *byte == b'@') {
        Some(at) => (credentials(&authority[..at]), &authority[at + 1..]),
        None => (None, authority),
    };
    let (host, port) = host_and_port(place, scheme)?;
    let typed_scheme = if typed_scheme.is_empty() { b"http://" } else { typed_scheme };
    let server = [typed_scheme, place].concat();
    Ok(Location { target: Target { scheme, host, port, path: path.to_vec() }, server, credentials })
}

/// Reads a path, with its query, that stands without a server in front: it is sent as typed, but for its fragment.
pub(super) fn path(path: &[u8]) -> Result<&[u8], Refusal> {
    check(path)?;
    Ok(without_fragment(path))
}

fn check(url: &[u8]) -> Result<(), Refusal> {
    if url.iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
        return Err(invalid("a URL has no blanks and no control characters; a blank is written %20"));
    }
    Ok(())
}

fn without_fragment(path: &[u8]) -> &[u8] {
    &path[..position(path, b"#").unwrap_or(path.len())]
}

fn invalid(hint: impl Into<String>) -> Refusal {
    Refusal::usage("invalid URL").hint(hint)
}

fn position(bytes: &[u8], any_of: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| any_of.contains(byte))
}

/// The scheme, `http` if none was typed, and what follows its `://`.
fn scheme(url: &[u8]) -> Result<(Scheme, &[u8]), Refusal> {
    let colon = position(url, b":/?#").unwrap_or(url.len());
    let Some(rest) = url[colon..].strip_prefix(b"://") else {
        return Ok((Scheme::Http, url));
    };
    let name = shown_bytes(&url[..colon]).to_ascii_lowercase();
    match name.as_str() {
        "http" => Ok((Scheme::Http, rest)),
        "https" => Ok((Scheme::Https, rest)),
        _ => Err(Refusal::usage(format!("{name}:// is not supported"))
            .hint("rab speaks http:// and https://; a URL without a scheme is http")),
    }
}

/// As ab reads them: digits after the last colon are the port, anything else is part of the name, which the resolver
/// may then judge. A host of digits alone is no host.
fn host_and_port(place: &[u8], scheme: Scheme) -> Result<(String, u16), Refusal> {
    let place = std::str::from_utf8(place).map_err(|_| invalid("the host is not UTF-8"))?;
    if place.parse::<Ipv6Addr>().is_ok() {
        return Err(invalid(format!("an IPv6 address stands in brackets: [{place}]")));
    }
    let name = place.trim_end_matches(|character: char| character.is_ascii_digit());
    let digits = &place[name.len()..];
    let (host, port) = match name.strip_suffix(':').filter(|_| !digits.is_empty()) {
        Some(host) => {
            let port = digits.parse().ok().filter(|port| *port != 0);
            (host, port.ok_or_else(|| invalid("a port is from 1 to 65535"))?)
        }
        None if name.is_empty() => return Err(invalid("the host is missing")),
        None => (place, scheme.default_port()),
    };
    let host = match host.strip_prefix('[') {
        Some(inner) => inner
            .strip_suffix(']')
            .filter(|inner| inner.parse::<Ipv6Addr>().is_ok())
            .ok_or_else(|| invalid("brackets are for an IPv6 address, as in http://[::1]/"))?,
        None if host.is_empty() => return Err(invalid("the host is missing")),
        None => host,
    };
    Ok((host.to_owned(), port))
}

/// The user information as Basic authentication wants it (RFC 7617, section 2), with a colon in any case.
fn credentials(typed: &[u8]) -> Option<Vec<u8>> {
    if typed.is_empty() {
        return None;
    }
    let has_password = typed.contains(&b':');
    let mut decoded = percent_decoded(typed);
    if !has_password {
        decoded.push(b':');
    }
    Some(decoded)
}

/// Decodes `%41`; a `%` without two hexadecimal digits stays (RFC 3986, section 2.1).
fn percent_decoded(typed: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(typed.len());
    let mut rest = typed;
    while let Some((&first, after)) = rest.split_first() {
        let code = match (first, digit(after.first()), digit(after.get(1))) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        decoded.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(url: &str) -> Location {
        locate(url.as_bytes()).unwrap()
    }

    fn parts(url: &str) -> (String, u16, String) {
        let Target { host, port, path, .. } = located(url).target;
        (host, port, String::from_utf8(path).unwrap())
    }

    fn refused(url: &str) -> String {
        let refusal = locate(url.as_bytes()).unwrap_err();
        assert_eq!((refusal.status, refusal.usage), (22, true), "{url}");
        format!("{}: {}", refusal.message, refusal.hints.concat())
    }

    #[test]
    fn host_port_and_path_are_as_typed() {
        let cases = [
            ("http://127.0.0.1:8080/", ("127.0.0.1", 8080, "/")),
            ("localhost:8080/index.html", ("localhost", 8080, "/index.html")),
            ("HTTP://Host/a/../%41?q=http://x/&b", ("Host", 80, "/a/../%41?q=http://x/&b")),
            ("https://h/", ("h", 443, "/")),
            ("http://h:080//x#frag?y", ("h", 80, "//x")),
            ("http://[::1]:81/six", ("::1", 81, "/six")),
            ("[::1]/", ("::1", 80, "/")),
            ("http://h:/", ("h:", 80, "/")),
            ("http://h:80x/", ("h:80x", 80, "/")),
            ("http://h1/", ("h1", 80, "/")),
        ];
        for (url, (host, port, path)) in cases {
            assert_eq!(parts(url), (host.to_owned(), port, path.to_owned()), "{url}");
        }
    }

    #[test]
    fn the_host_field_names_the_port_unless_it_is_the_scheme_s_own() {
        let cases = [
            ("http://h:80/", "h"),
            ("https://h:443/", "h"),
            ("https://h:80/", "h:80"),
            ("[::1]:81/", "[::1]:81"),
            ("http://h:x/", "h:x"),
        ];
        for (url, authority) in cases {
            assert_eq!(located(url).target.authority(), authority);
        }
    }

    #[test]
    fn a_path_is_required_and_the_hint_shows_where() {
        assert_eq!(refused("http://127.0.0.1:80"), "invalid URL: a / ends the host: http://127.0.0.1:80/");
        assert_eq!(refused("http://h?x=/1"), "invalid URL: a / ends the host: http://h/?x=/1");
        assert_eq!(refused("h#x"), "invalid URL: a / ends the host: h/#x");
    }

    #[test]
    fn bad_hosts_ports_and_schemes_are_refused() {
        for url in [
            "/doc",
            "",
            "http:///",
            "http://8080/",
            "http://:80/",
            "http://u@/",
            "http://[::1/",
            "http://[x]/",
        ] {
            assert!(refused(url).starts_with("invalid URL: "), "{url}");
        }
        for url in ["http://h:0/", "http://h:65536/", "http://h:99999999999999999999/"] {
            assert_eq!(refused(url), "invalid URL: a port is from 1 to 65535");
        }
        assert!(refused("FTP://h/").starts_with("ftp:// is not supported: "));
        assert!(refused("http://::1/").contains("[::1]"));
    }

    #[test]
    fn blanks_and_control_characters_are_refused() {
        for url in ["http://h/a b", "http://h/a\r\nX: y", "http://h/\0", "h /", "http://h/\x7f"] {
            assert!(refused(url).contains("%20"));
        }
    }

    #[test]
    fn user_and_password_become_credentials() {
        let credentials = |url: &str| located(url).credentials.map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(credentials("http://u%40x:p%3a%zz%@h/"), Some("u@x:p:%zz%".into()));
        assert_eq!(credentials("http://u@v@h/"), Some("u@v:".into()));
        assert_eq!(credentials("http://@h/"), None);
        assert_eq!(credentials("http://h/u:p@x"), None);
    }

    #[test]
    fn a_proxy_is_given_the_absolute_url() {
        let absolute = |url: &str| {
            let Location { server, target, .. } = located(url);
            String::from_utf8([server, target.path].concat()).unwrap()
        };
        assert_eq!(absolute("http://u:p@target.test:81/p?q=1#f"), "http://target.test:81/p?q=1");
        assert_eq!(absolute("name/x"), "http://name/x");
        assert_eq!(absolute("HTTP://name:80/"), "HTTP://name:80/");
    }
}
