//! The request that makes a tunnel of a proxy (RFC 9110, section 9.3.6).
//!
//! In come the arguments, the target and the request that is to go through the tunnel, out go the bytes of the CONNECT.
//! What is meant for the proxy is in them and nowhere else: the server must not see the proxy's credentials.

use bytes::Bytes;

use super::prepare::authorization;
use super::{Field, Request, Scheme, Target};
use crate::args::{Args, Credentials};

/// Whether the target can only be reached through a tunnel: TLS is spoken with the server, and not with a proxy (`-X`).
pub(super) fn is_needed(args: &Args, target: &Target) -> bool {
    args.proxy.is_some() && target.scheme == Scheme::Https
}

/// Whether a line of `-H` is for the proxy and not for the server (RFC 9110, section 11.7.2).
pub(super) fn is_for_proxy(field: &Field) -> bool {
    field.is("Proxy-Authorization")
}

/// The CONNECT: always in HTTP/1.1, with the port of the target also where that is the scheme's own, and with the
/// `User-Agent` of the request.
pub(super) fn request(args: &Args, target: &Target, request: &Request) -> Bytes {
    let authority = target.host_and_port();
    let mut lines =
        vec![format!("CONNECT {authority} HTTP/1.1").into_bytes(), format!("Host: {authority}").into_bytes()];
    let given = args.credentials.iter().filter(|given| matches!(given, Credentials::Proxy(_)));
    lines.extend(given.map(authorization));
    let typed = args.headers.iter().map(|line| Field { line: line.clone() });
    let agent = request.fields.iter().filter(|field| field.is("User-Agent")).cloned();
    lines.extend(typed.filter(is_for_proxy).chain(agent).map(|field| field.line));
    lines.push(Vec::new());
    lines.push(Vec::new());
    lines.join(b"\r\n".as_slice()).into()
}

#[cfg(test)]
mod tests {
    use crate::plan::Destination;
    use crate::plan::testing::plan;

    /// The CONNECT of a command line, and the head of the request that goes through the tunnel.
    fn sent(line: &str) -> (String, String) {
        let plan = plan(line).unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let Destination::Proxy { tunnel: Some(tunnel), .. } = plan.network.destination else {
            panic!("{line}")
        };
        (text(&tunnel), text(&plan.requests.first().head))
    }

    const AGENT: &str = concat!("User-Agent: ApacheBench/2.3 rab/", env!("CARGO_PKG_VERSION"), "\r\n");

    #[test]
    fn the_connect_names_the_target_with_its_port() {
        for (url, authority) in [
            ("https://h/doc", "h:443"),
            ("https://h:8443/doc", "h:8443"),
            ("https://[::1]/doc", "[::1]:443"),
            ("https://user:pw@h/doc#part", "h:443"),
        ] {
            let expected = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{AGENT}\r\n");
            assert_eq!(sent(&format!("-X p:1 {url}")).0, expected);
        }
    }

    #[test]
    fn requests_in_the_tunnel_are_those_without_a_proxy() {
        for engine in ["wire", "hyper"] {
            let plan = |proxy: &str| {
                let requests =
                    plan(&format!("{proxy} --engine {engine} -A u:p https://h/doc?q")).unwrap().requests;
                requests.first().clone()
            };
            let (with, without) = (plan("-X p:1 -P u:p"), plan(""));
            assert_eq!(with.head, without.head);
            assert_eq!(
                with.for_hyper.map(|head| head.message().uri().clone()),
                without.for_hyper.map(|head| head.message().uri().clone())
            );
        }
    }

    #[test]
    fn what_is_for_the_proxy_is_for_nobody_else() {
        let (connect, head) = sent("-X p:1 -P proxy:pw -A user:pw -C c=1 -H 'X-A: 1' https://h/");
        let credentials = "Proxy-Authorization: Basic cHJveHk6cHc=\r\n";
        assert_eq!(connect, format!("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n{credentials}{AGENT}\r\n"));
        assert!(head.contains("\r\nAuthorization: ") && !head.contains("Proxy-"), "{head}");

        let (connect, head) =
            sent("-X p:1 -H 'proxy-authorization: Bearer t' -H 'User-Agent: mine' -H 'Host: x' https://h/");
        let lines = "proxy-authorization: Bearer t\r\nUser-Agent: mine\r\n";
        assert_eq!(connect, format!("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n{lines}\r\n"));
        assert!(head.contains("\r\nHost: x\r\n") && !head.contains("Bearer"), "{head}");
        // Without a tunnel the proxy reads the request itself.
        let direct = plan("-X p:1 -P proxy:pw http://h/").unwrap().requests.first().head.clone();
        assert!(String::from_utf8_lossy(&direct).contains(credentials));
    }
}
