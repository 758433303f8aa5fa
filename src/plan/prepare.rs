//! Makes the request: ab's lines, in ab's order and spelling.
//!
//! In come the arguments, the server, and a method, body and credentials. Out go the header lines and what is made of
//! them: the parts of a [`Common`](super::common::Common). A line of `-H` goes out as typed and at its own place; it may
//! take the place of a line that is otherwise made here, never change one. Over hyper it must be a header field, and may
//! not be about framing, which is hyper's own business.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyper::header::{HeaderName, HeaderValue};

use super::{Field, Target, Version, tunnel};
use crate::args::{Args, Credentials, Refusal, shown_bytes};

/// ab's name first, for servers that tell clients apart by it; then our own.
const USER_AGENT: &str = concat!("ApacheBench/2.3 rab/", env!("CARGO_PKG_VERSION"));

/// The lines of `-H` that go out.
pub(super) fn typed_fields(args: &Args, has_body: bool, remarks: &mut Vec<String>) -> Vec<Field> {
    let mut typed: Vec<Field> = Vec::new();
    // Requests with a body and those without may give the same reason.
    let mut remark = |text: String| {
        if !remarks.contains(&text) {
            remarks.push(text);
        }
    };
    for field in args.headers.iter().map(|line| Field { line: line.clone() }) {
        if field.line.is_empty() {
            // It would end the head, and make a body of the lines after it.
            remark("An empty -H was left out.".to_owned());
        } else if field.is("Content-Type") && args.content_type.is_some() && has_body {
            remark("-T sets the content type, so the one of -H was left out.".to_owned());
        } else {
            if field.parts().is_none() {
                let line = shown_bytes(&field.line);
                remark(format!("-H '{line}' has no colon, so it is no header field; it went out as typed."));
            } else if has_body && is_framing(&field) {
                remark("-H frames the body a second time, and servers differ in which they take.".to_owned());
            }
            typed.push(field);
        }
    }
    typed
}

/// Whether a field says where a message ends (RFC 9112, section 6).
fn is_framing(field: &Field) -> bool {
    field.is("Content-Length") || field.is("Transfer-Encoding")
}

/// All header lines, in ab's order.
pub(super) fn fields(
    args: &Args,
    version: Version,
    (origin, credentials): (&Target, Option<&[u8]>),
    body: Option<&[u8]>,
    typed: Vec<Field>,
) -> Vec<Field> {
    let has = |name| typed.iter().any(|field| field.is(name));
    let mut lines: Vec<Vec<u8>> = Vec::new();
    match version {
        Version::Http10 if args.keep_alive => lines.push(b"Connection: Keep-Alive".to_vec()),
        Version::Http11 if !args.keep_alive && !has("Connection") => {
            lines.push(b"Connection: close".to_vec());
        }
        // 1.0 closes and 1.1 goes on by itself; HTTP/2 does not say.
        _ => {}
    }
    if !args.cookies.is_empty() {
        lines.push([b"Cookie: ".as_slice(), &args.cookies.join(b"; ".as_slice())].concat());
    }
    let is_tunnelled = tunnel::is_needed(args, origin);
    let is_for_here = |given: &&Credentials| !is_tunnelled || matches!(given, Credentials::Server(_));
    lines.extend(args.credentials.iter().filter(is_for_here).map(authorization));
    let is_given = args.credentials.iter().any(|given| matches!(given, Credentials::Server(_)));
    if let Some(credentials) = credentials.filter(|_| !is_given && !has("Authorization")) {
        lines.push(authorization(&Credentials::Server(credentials.to_vec())));
    }
    if let Some(body) = body {
        lines.push(format!("Content-length: {}", body.len()).into_bytes());
        match &args.content_type {
            Some(content_type) => lines.push([b"Content-type: ".as_slice(), content_type].concat()),
            None if has("Content-Type") => {}
            None => lines.push(b"Content-type: text/plain".to_vec()),
        }
    }
    let own = [("Host", origin.authority()), ("User-Agent", USER_AGENT.into()), ("Accept", "*/*".into())];
    let own = own.into_iter().filter(|(name, _)| !has(name));
    let own: Vec<Vec<u8>> = own.map(|(name, value)| format!("{name}: {value}").into_bytes()).collect();
    let typed = typed.into_iter().map(|field| field.line);
    lines.into_iter().chain(typed).chain(own).map(|line| Field { line }).collect()
}

/// The line of `-A` or `-P`.
pub(super) fn authorization(credentials: &Credentials) -> Vec<u8> {
    let (name, credentials) = match credentials {
        Credentials::Server(credentials) => ("Authorization", credentials),
        Credentials::Proxy(credentials) => ("Proxy-Authorization", credentials),
    };
    format!("{name}: Basic {}", BASE64.encode(credentials)).into_bytes()
}

/// The head after the target: version, header lines, empty line.
pub(super) fn rest_of_head(version: Version, fields: &[Field]) -> Vec<u8> {
    let mut head = format!(" {}\r\n", version.as_str()).into_bytes();
    for field in fields {
        head.extend_from_slice(&field.line);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// Whether a body waits to be asked for.
pub(super) fn expects_continue(version: Version, fields: &[Field], body: Option<&[u8]>) -> bool {
    let asks = |field: &Field| {
        field.is("Expect")
            && field.parts().is_some_and(|(_, value)| value.eq_ignore_ascii_case(b"100-continue"))
    };
    version != Version::Http10 && body.is_some_and(|body| !body.is_empty()) && fields.iter().any(asks)
}

/// The same in hyper's types, with the method in front.
pub(super) fn for_hyper(
    method: &str,
    version: Version,
    fields: &[Field],
) -> Result<hyper::Request<()>, Refusal> {
    let mut request = hyper::Request::builder().method(method).version(match version {
        Version::Http10 => hyper::Version::HTTP_10,
        Version::Http11 => hyper::Version::HTTP_11,
        Version::Http2 => hyper::Version::HTTP_2,
    });
    for (name, value) in fields.iter().filter_map(Field::parts) {
        // In HTTP/2 the host is in the URL, and said but once.
        if version != Version::Http2 || !name.eq_ignore_ascii_case(b"Host") {
            request = request.header(name, value);
        }
    }
    request
        .body(())
        .map_err(|error| Refusal::usage(format!("the hyper engine does not take this request: {error}")))
}

/// Refuses what hyper would not send, by the option that brought it.
pub(super) fn check_for_hyper(args: &Args, typed: &[Field]) -> Result<(), Refusal> {
    let refuse = |what: String| Err(refused_by_hyper(what));
    let values = [("-C", args.cookies.iter()), ("-T", args.content_type.as_slice().iter())];
    for (option, mut values) in values {
        if values.any(|value| HeaderValue::from_bytes(value).is_err()) {
            return refuse(format!("the hyper engine takes no control characters in {option}"));
        }
    }
    for field in typed {
        let is_field =
            |(name, value)| HeaderName::from_bytes(name).is_ok() && HeaderValue::from_bytes(value).is_ok();
        let line = shown_bytes(&field.line);
        if !field.parts().is_some_and(is_field) {
            return refuse(format!("the hyper engine takes no -H '{line}', which is no header field"));
        }
        if is_framing(field) {
            return refuse(format!("the hyper engine takes no -H '{line}', since it frames requests itself"));
        }
    }
    Ok(())
}

pub(super) fn refused_by_hyper(what: impl Into<String>) -> Refusal {
    Refusal::usage(what).hint("--engine wire sends it as typed")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::plan::testing::{plan, quoted, refused};

    /// The head that must go out: the lines in front of Host, then the three that always are there.
    fn head_with(request_line: &str, lines: &[&str]) -> String {
        let mut head = format!("{request_line}\r\n");
        for line in lines {
            write!(head, "{line}\r\n").unwrap();
        }
        write!(head, "Host: 127.0.0.1:81\r\nUser-Agent: {USER_AGENT}\r\nAccept: */*\r\n\r\n").unwrap();
        head
    }

    fn sent(line: &str) -> String {
        String::from_utf8(plan(line).unwrap().requests.first().head.to_vec()).unwrap()
    }

    const URL: &str = "http://127.0.0.1:81/doc";

    #[test]
    fn lines_are_ab_s_in_ab_s_order() {
        let body = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(body.path(), "{\"n\": 1}").unwrap();
        let file = quoted(body.path());
        let post: &[&str] = &["Content-length: 8", "Content-type: text/plain"];
        let cases: [(String, &str, &[&str]); 16] = [
            (String::new(), "GET", &[]),
            ("-k".into(), "GET", &["Connection: Keep-Alive"]),
            (format!("-p {file}"), "POST", post),
            (format!("-u {file} -T a/b"), "PUT", &["Content-length: 8", "Content-type: a/b"]),
            (
                format!("-k -p {file} -C a=1 -H 'X-One: 1'"),
                "POST",
                &["Connection: Keep-Alive", "Cookie: a=1", post[0], post[1], "X-One: 1"],
            ),
            ("-p /dev/null".into(), "POST", &["Content-length: 0", post[1]]),
            (format!("-p {file} -m PATCH"), "PATCH", post),
            ("-i -T a/b".into(), "HEAD", &[]),
            ("-m OPTIONS".into(), "OPTIONS", &[]),
            ("-C 'Apache=1234; b=2'".into(), "GET", &["Cookie: Apache=1234; b=2"]),
            ("-C a=1 -C b=2".into(), "GET", &["Cookie: a=1; b=2"]),
            ("-H 'X-Second: 2' -H X-First:1".into(), "GET", &["X-Second: 2", "X-First:1"]),
            ("-A '  user:pass word'".into(), "GET", &["Authorization: Basic dXNlcjpwYXNzIHdvcmQ="]),
            (
                "-P proxy:pw -A user:pw -C c=1 -H 'X-H: 1'".into(),
                "GET",
                &[
                    "Cookie: c=1",
                    "Proxy-Authorization: Basic cHJveHk6cHc=",
                    "Authorization: Basic dXNlcjpwdw==",
                    "X-H: 1",
                ],
            ),
            ("-H nocolon -H 'Host : x'".into(), "GET", &["nocolon", "Host : x"]),
            ("-k -H 'Connection: x'".into(), "GET", &["Connection: Keep-Alive", "Connection: x"]),
        ];
        for (options, method, lines) in cases {
            assert_eq!(
                sent(&format!("{options} {URL}")),
                head_with(&format!("{method} /doc HTTP/1.0"), lines)
            );
        }
    }

    #[test]
    fn host_agent_and_accept_of_the_user_stay_at_their_place() {
        let head = sent(&format!("-H 'X-A: 1' -H 'hOST: example.test' -H 'X-B: 2' {URL}"));
        let rest = format!("User-Agent: {USER_AGENT}\r\nAccept: */*\r\n\r\n");
        assert_eq!(head, format!("GET /doc HTTP/1.0\r\nX-A: 1\r\nhOST: example.test\r\nX-B: 2\r\n{rest}"));
        let head = sent(&format!("-H 'user-agent: mine' -H 'ACCEPT: text/html' {URL}"));
        assert!(head.ends_with("\r\nuser-agent: mine\r\nACCEPT: text/html\r\nHost: 127.0.0.1:81\r\n\r\n"));
    }

    #[test]
    fn a_content_type_of_the_user_replaces_the_default_and_yields_to_t() {
        let lines: &[&str] = &["Content-length: 0", "content-TYPE: a/b"];
        let line = format!("-p /dev/null -H 'content-TYPE: a/b' {URL}");
        assert_eq!(sent(&line), head_with("POST /doc HTTP/1.0", lines));
        let line = format!("-T c/d {line}");
        assert_eq!(sent(&line), head_with("POST /doc HTTP/1.0", &["Content-length: 0", "Content-type: c/d"]));
        assert_eq!(plan(&line).unwrap().remarks.len(), 1);
        // Without a body, -T means nothing.
        let line = format!("-T c/d -H 'Content-Type: a/b' {URL}");
        assert_eq!(sent(&line), head_with("GET /doc HTTP/1.0", &["Content-Type: a/b"]));
    }

    #[test]
    fn credentials_of_the_url_yield_to_all_others() {
        let url = "http://user:p%77@127.0.0.1:81/doc";
        let given: &[&str] = &["Authorization: Basic dXNlcjpwdw=="];
        assert_eq!(sent(url), head_with("GET /doc HTTP/1.0", given));
        assert_eq!(
            sent(&format!("-A user:pw {}", url.replace("user", "x"))),
            head_with("GET /doc HTTP/1.0", given)
        );
        let head = sent(&format!("-H 'authorization: Bearer t' {url}"));
        assert_eq!(head, head_with("GET /doc HTTP/1.0", &["authorization: Bearer t"]));
    }

    #[test]
    fn a_proxy_gets_the_absolute_url() {
        let head = sent("-X 127.0.0.1:80 -P user:secret 'http://target.test:81/p?q=1#f'");
        let lines = "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\nHost: target.test:81\r\n";
        assert!(head.starts_with(&format!("GET http://target.test:81/p?q=1 HTTP/1.0\r\n{lines}")), "{head}");
    }

    #[test]
    fn http_1_1_says_close_where_it_would_go_on() {
        let line = "GET /doc HTTP/1.1";
        assert_eq!(sent(&format!("--http1.1 {URL}")), head_with(line, &["Connection: close"]));
        assert_eq!(sent(&format!("--http1.1 -k {URL}")), head_with(line, &[]));
        let own = sent(&format!("--http1.1 -H 'Connection: TE' {URL}"));
        assert_eq!(own, head_with(line, &["Connection: TE"]));
    }

    #[test]
    fn odd_header_lines_go_out_on_wire_with_a_remark() {
        for options in ["-H nocolon", "-H ''", "-p /dev/null -H 'content-length: 5'"] {
            assert_eq!(plan(&format!("{options} {URL}")).unwrap().remarks.len(), 1, "{options}");
        }
        assert_eq!(sent(&format!("-H '' {URL}")), head_with("GET /doc HTTP/1.0", &[]));
    }

    #[test]
    fn hyper_refuses_what_it_cannot_send_by_the_option() {
        for line in
            ["nocolon", "a b: c", ": x", "X: \u{1}", "Content-Length: 5", "transfer-encoding: chunked"]
        {
            let refusal = refused(&format!("--engine hyper -H '{line}' {URL}"));
            assert!(refusal.message.contains("-H") && refusal.status == 22, "{line}");
        }
        assert!(refused(&format!("--http1.1 -C '\u{1}' {URL}")).message.contains("-C"));
        assert!(refused("--http1.1 'http://h/<x>'").message.contains("URL"));
        assert!(plan(&format!("--http1.1 -H 'X: \u{e9}' -H 'Y:' {URL}")).is_ok());
        assert!(plan("--http1.1 -X p:80 'http://h/x?y=http://z'").is_ok());
    }

    #[test]
    fn the_request_says_how_it_is_to_be_exchanged() {
        let request = |line: &str| plan(&format!("{line} {URL}")).unwrap().requests.first().clone();
        assert!(request("-i").is_head() && request("-m HEAD").is_head() && !request("").is_head());
        assert!(request("-m DELETE").is_idempotent() && !request("-p /dev/null").is_idempotent());
        assert!(!request("-m get").is_idempotent());
        let body = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(body.path(), "x").unwrap();
        let post = format!("-H 'expect: 100-Continue' -p {}", quoted(body.path()));
        assert!(request(&format!("--http1.1 {post}")).expects_continue);
        assert!(!request(&post).expects_continue);
        assert!(!request("--http1.1 -H 'Expect: 100-continue'").expects_continue);
    }
}
