//! Where connections went.

use std::fmt::Write as _;

use rustix::io::Errno;

use super::counted;
use super::ending::refused;
use crate::summary::{Address, Share, SocketCall, Summary};

/// So many addresses are told of one by one.
const SHOWN: usize = 8;

/// Where it was tried says more than that it failed: a name may lead to an address on which nobody listens.
pub(super) fn no_connection(summary: &Summary) -> Option<String> {
    let (call, errno) = refused(summary)?;
    if call != SocketCall::Receive || errno == Errno::CONNRESET {
        return None;
    }
    let circumstances = &summary.circumstances;
    // Where they are used in turn, one may fail and the others be good.
    let is_good = |at| circumstances.shares.get(at).is_some_and(|share: &Share| share.unconnected == 0);
    let tried = circumstances.addresses.iter().enumerate().filter(|(at, _)| !is_good(*at));
    let tried: Vec<&Address> = tried.map(|(_, address)| address).collect();
    let names: Vec<String> = tried.iter().map(ToString::to_string).collect();
    let advice = match (tried.as_slice(), errno) {
        ([Address::Unix(_)], Errno::ACCESS) => "check who may write to that socket",
        ([Address::Unix(_)], Errno::PROTOTYPE) => "it is a socket of another type than a stream",
        _ => "check that the server listens there",
    };
    Some(format!("no connection to {} could be made; {advice}", names.join(" or ")))
}

/// The line about the failure says what the proxy said; here is what to do about it.
pub(super) fn no_tunnel(summary: &Summary) -> Option<String> {
    match summary.circumstances.tunnel_refusal? {
        407 => {
            Some("the proxy makes tunnels only for those it knows; -P gives it user and password".to_owned())
        }
        status @ (403 | 405 | 501) => Some(format!(
            "the proxy answered CONNECT with {status}; many proxies make tunnels to port 443 alone, or to some hosts, \
             or none"
        )),
        _ => None,
    }
}

/// With `--all-addresses`, what each of them did: the report only knows the sum.
pub(super) fn shares(summary: &Summary) -> Option<String> {
    let circumstances = &summary.circumstances;
    let mut each = circumstances.addresses.iter().zip(&circumstances.shares);
    let mut parts: Vec<String> = each
        .by_ref()
        .take(SHOWN)
        .map(|(address, share)| format!("{}: {}", host(address), told(share)))
        .collect();
    let more = each.len() as u64;
    if more > 0 {
        let mut rest = Share::default();
        each.for_each(|(_, share)| rest += *share);
        let noun = if more == 1 { "address" } else { "addresses" };
        parts.push(format!("{more} more {noun}: {}", told(&rest)));
    }
    (summary.complete > 0 && !parts.is_empty()).then(|| parts.join("; "))
}

/// An address without its port, which is the same for all.
fn host(address: &Address) -> String {
    match address {
        Address::Ip(address) if address.is_ipv6() => format!("[{}]", address.ip()),
        Address::Ip(address) => address.ip().to_string(),
        Address::Unix(_) => address.to_string(),
    }
}

fn told(share: &Share) -> String {
    let (requests, connections) =
        (counted(share.complete, "request"), counted(share.connections, "connection"));
    let mut text = format!("{requests} on {connections}");
    if share.failed > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, ", {} failed", share.failed);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Ending, Fatal, fixture};

    fn ip(address: &str) -> Address {
        Address::Ip(address.parse().unwrap())
    }

    fn ended_by(errno: Errno, addresses: &[Address]) -> Summary {
        let mut summary = fixture::staging();
        let fatal = Fatal::Socket { call: SocketCall::Receive, errno: errno.raw_os_error() };
        summary.circumstances.ending = Ending::Failed(fatal);
        summary.circumstances.addresses = addresses.to_vec();
        summary
    }

    #[test]
    fn the_addresses_that_were_tried_are_named() {
        let both = [ip("[::1]:80"), ip("127.0.0.1:80")];
        let mut summary = ended_by(Errno::CONNREFUSED, &both);
        assert!(no_connection(&summary).unwrap().contains("to [::1]:80 or 127.0.0.1:80 could"));
        assert_eq!(no_connection(&ended_by(Errno::CONNRESET, &both)), None);
        summary.circumstances.shares = vec![Share { unconnected: 1, ..Share::default() }, Share::default()];
        assert!(no_connection(&summary).unwrap().contains("to [::1]:80 could"));
        summary.circumstances.ending = Ending::Failed(Fatal::Socket {
            call: SocketCall::Connect,
            errno: Errno::ADDRNOTAVAIL.raw_os_error(),
        });
        assert_eq!(no_connection(&summary), None);
    }

    #[test]
    fn a_unix_socket_is_named_and_what_is_wrong_with_it() {
        for (errno, words) in [
            (Errno::NOENT, "could be made; check that the server listens there"),
            (Errno::ACCESS, "who may write to"),
            (Errno::PROTOTYPE, "another type"),
        ] {
            let hint = no_connection(&ended_by(errno, &[Address::Unix("/run/s".into())])).unwrap();
            assert!(
                hint.starts_with("no connection to /run/s could be made; ") && hint.contains(words),
                "{hint}"
            );
        }
    }

    #[test]
    fn a_tunnel_that_wants_credentials_names_p() {
        let mut summary = fixture::staging();
        assert_eq!(no_tunnel(&summary), None);
        for (status, words) in [(407, Some("-P gives")), (403, Some("port 443")), (502, None)] {
            summary.circumstances.tunnel_refusal = Some(status);
            let hint = no_tunnel(&summary);
            assert_eq!(hint.is_some(), words.is_some());
            assert!(hint.unwrap_or_default().contains(words.unwrap_or_default()));
        }
    }

    /// A run over so many addresses, of which each had a request more than the one before, on two connections.
    fn spread_over(count: u8) -> Summary {
        let mut summary = fixture::staging();
        for number in 1..=count {
            summary.circumstances.addresses.push(ip(&format!("127.0.0.{number}:80")));
            summary.circumstances.shares.push(Share {
                connections: 2,
                complete: number.into(),
                ..Share::default()
            });
        }
        summary
    }

    #[test]
    fn each_address_has_its_part() {
        assert_eq!(shares(&fixture::staging()), None);
        let mut summary = spread_over(2);
        let expected = "127.0.0.1: 1 request on 2 connections; 127.0.0.2: 2 requests on 2 connections";
        assert_eq!(shares(&summary).as_deref(), Some(expected));
        summary.circumstances.addresses[0] = ip("[::1]:80");
        summary.circumstances.shares[0] =
            Share { complete: 3, failed: 3, unconnected: 3, ..Share::default() };
        assert!(shares(&summary).unwrap().starts_with("[::1]: 3 requests on 0 connections, 3 failed; 127"));
        summary.complete = 0;
        assert_eq!(shares(&summary), None);
    }

    #[test]
    fn many_addresses_are_summed_up() {
        assert!(!shares(&spread_over(8)).unwrap().contains("more"));
        assert!(shares(&spread_over(9)).unwrap().ends_with("; 1 more address: 9 requests on 2 connections"));
        let hint = shares(&spread_over(200)).unwrap();
        let rest: u32 = (9..=200).sum();
        assert!(
            hint.ends_with(&format!("; 192 more addresses: {rest} requests on 384 connections")),
            "{hint}"
        );
        assert!(hint.len() < 600);
    }
}
