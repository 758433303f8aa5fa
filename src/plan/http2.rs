//! What HTTP/2 makes of a request (RFC 9113, section 8).
//!
//! In come the header lines as HTTP/1 has them. Fields about the connection have no place in HTTP/2, where many requests
//! share one, and the host is part of the URL: it goes out as `:authority`.

use hyper::Uri;
use hyper::http::uri::{Authority, Scheme as UriScheme};

use super::{Field, Scheme, Target};
use crate::args::{Refusal, shown_bytes};

/// Fields about the connection (section 8.2.2). `TE` may stay if it says no more than `trailers`.
const OF_THE_CONNECTION: [&str; 6] =
    ["Connection", "Proxy-Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade", "HTTP2-Settings"];

/// Leaves out the typed fields that HTTP/2 forbids, with a remark about each.
pub(super) fn leave_out_forbidden(typed: &mut Vec<Field>, remarks: &mut Vec<String>) {
    typed.retain(|field| {
        let forbidden = is_forbidden(field);
        if forbidden {
            let line = shown_bytes(&field.line);
            remarks.push(format!("-H '{line}' was left out: HTTP/2 has no fields about the connection."));
        }
        !forbidden
    });
}

fn is_forbidden(field: &Field) -> bool {
    let is_te = |(name, value): (&[u8], &[u8])| {
        name.eq_ignore_ascii_case(b"TE") && !value.eq_ignore_ascii_case(b"trailers")
    };
    OF_THE_CONNECTION.iter().any(|name| field.is(name)) || field.parts().is_some_and(is_te)
}

/// The part of a URL in front of its path, as HTTP/2 sends it in its pseudo-header fields (section 8.3.1).
pub(super) struct Origin {
    scheme: UriScheme,
    authority: Authority,
}

impl Origin {
    /// That of the target. A `Host` field that was typed names the authority, the last one if there are several. A usage
    /// error if that is no host.
    pub(super) fn new(target: &Target, fields: &[Field]) -> Result<Self, Refusal> {
        let host = fields.iter().rev().find(|field| field.is("Host")).and_then(Field::parts);
        let authority = match host {
            Some((_, value)) => Authority::try_from(value).map_err(|_| {
                let value = shown_bytes(value);
                Refusal::usage(format!("HTTP/2 takes no -H 'Host: {value}', which is no host"))
            })?,
            None => Authority::try_from(target.authority())
                .map_err(|_| Refusal::usage("HTTP/2 takes no such host as that of the URL"))?,
        };
        let scheme = match target.scheme {
            Scheme::Http => UriScheme::HTTP,
            Scheme::Https => UriScheme::HTTPS,
        };
        Ok(Self { scheme, authority })
    }

    /// A URL there, if there can be one with this path. Through a proxy the target is a whole URL, and HTTP/2 sends its
    /// path alone.
    pub(super) fn uri(&self, target: &[u8]) -> Option<Uri> {
        let path = Uri::try_from(target).ok()?.into_parts().path_and_query?;
        let parts = Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone());
        parts.path_and_query(path).build().ok()
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::{plan, refused};

    fn message(line: &str) -> hyper::Request<()> {
        plan(&format!("--http2 {line}")).unwrap().requests.first().for_hyper.as_ref().unwrap().message()
    }

    #[test]
    fn the_host_goes_out_as_the_authority() {
        let uri = |line: &str| message(line).uri().to_string();
        assert_eq!(uri("http://h:81/a?b=%20"), "http://h:81/a?b=%20");
        assert_eq!(uri("https://h/"), "https://h/");
        assert_eq!(uri("-H 'Host: x.test:9' -H 'Host: y.test' https://h/"), "https://y.test/");
        assert_eq!(uri("http://[::1]:81/"), "http://[::1]:81/");
        assert!(message("h/").headers().get("host").is_none());
        assert_eq!(
            refused("--http2 -H 'Host: a b' h/").message,
            "HTTP/2 takes no -H 'Host: a b', which is no host"
        );
        assert_eq!(refused("--http2 'h/<'").message, "the hyper engine takes no such URL");
    }

    #[test]
    fn fields_about_the_connection_are_left_out_with_a_remark() {
        let line = "--http2 -k -H 'connection: x' -H 'Keep-Alive: 5' -H 'TE: gzip' -H 'X-A: 1' h/";
        let plan = plan(line).unwrap();
        let names: Vec<_> = plan
            .requests
            .first()
            .for_hyper
            .as_ref()
            .unwrap()
            .message()
            .headers()
            .keys()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["x-a", "user-agent", "accept"]);
        assert_eq!(plan.remarks.len(), 3);
        assert!(plan.remarks[0].starts_with("-H 'connection: x' was left out: HTTP/2"));
        assert!(message("-H 'TE: trailers' h/").headers().contains_key("te"));
    }

    #[test]
    fn http_2_is_hypers_alone() {
        assert_eq!(refused("--http2 --engine wire h/").message, "the wire engine speaks no HTTP/2");
        assert_eq!(refused("--streams 2 h/").message, "--streams is for --http2");
        assert_eq!(refused("--http2 --http1.1 --streams 2 h/").message, "--streams is for --http2");
    }

    #[test]
    fn streams_multiply_the_concurrency() {
        let load = plan("--http2 --streams 5 -c 4 -n 20 h/").unwrap().load;
        assert_eq!((load.concurrency, load.streams, load.in_flight(), load.keep_alive), (4, 5, 20, true));
        assert!(!plan("--http2 h/").unwrap().load.keep_alive);
        let above = refused("--http2 --streams 5 -c 4 -n 19 h/");
        assert_eq!(above.message, "Cannot use concurrency level greater than total number of requests");
        assert_eq!(above.hints, ["--streams 5 makes it 20"]);
        assert_eq!(
            refused("--http2 --streams 0 h/").message,
            "--streams takes a whole number from 1 to 10000, not '0'"
        );
    }
}
