//! Names become addresses, once, before the run.

use std::io;
use std::net::{IpAddr, SocketAddr};

use dns_lookup::{AddrFamily, AddrInfoHints, SockType, getaddrinfo};

/// The resolver's number for an address whose family is not the wanted one (`EAI_ADDRFAMILY`).
const WRONG_FAMILY: i32 = 9;

/// A name has no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {text}")]
pub struct LookupError {
    /// The name that was looked up.
    pub name: String,
    /// The number of the resolver's `EAI_` error, positive.
    pub code: i32,
    /// The resolver's text.
    pub text: String,
}

/// All addresses of a name, in the resolver's order; of one family only if `like` names an address of it.
pub(super) fn resolve(name: &str, port: u16, like: Option<IpAddr>) -> Result<Vec<SocketAddr>, LookupError> {
    if let Ok(address) = name.parse::<IpAddr>() {
        return match like {
            Some(like) if like.is_ipv4() != address.is_ipv4() => Err(LookupError {
                name: name.to_owned(),
                code: WRONG_FAMILY,
                text: "Address family for hostname not supported".to_owned(),
            }),
            _ => Ok(vec![SocketAddr::new(address, port)]),
        };
    }
    let family = match like {
        None => 0,
        Some(IpAddr::V4(_)) => AddrFamily::Inet.into(),
        Some(IpAddr::V6(_)) => AddrFamily::Inet6.into(),
    };
    let hints =
        AddrInfoHints { socktype: SockType::Stream.into(), address: family, ..AddrInfoHints::default() };
    let found = getaddrinfo(Some(name), None, Some(hints)).map_err(|error| lookup_error(name, error))?;
    let mut addresses: Vec<SocketAddr> = Vec::new();
    for entry in found.flatten() {
        let address = SocketAddr::new(entry.sockaddr.ip(), port);
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    Ok(addresses)
}

fn lookup_error(name: &str, error: dns_lookup::LookupError) -> LookupError {
    let code = error.error_num().abs();
    let text = io::Error::from(error).to_string();
    let text = text.strip_prefix("failed to lookup address information: ").unwrap_or(&text).to_owned();
    LookupError { name: name.to_owned(), code, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_need_no_resolver() {
        let found = resolve("::1", 80, None);
        assert_eq!(found, Ok(vec!["[::1]:80".parse().unwrap()]));
    }

    #[test]
    fn an_address_of_the_other_family_is_refused_with_the_resolvers_code() {
        let refused = resolve("127.0.0.1", 80, Some("::1".parse().unwrap())).unwrap_err();
        assert_eq!((refused.code, refused.text.as_str()), (9, "Address family for hostname not supported"));
    }

    #[test]
    fn a_name_that_cannot_exist_has_no_address() {
        let missing = resolve("no-such-host.invalid", 80, None).unwrap_err();
        assert_ne!(missing.code, 0);
        assert!(!missing.text.contains("failed to lookup"), "{}", missing.text);
    }
}
