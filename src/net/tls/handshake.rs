//! What a handshake has agreed on, under OpenSSL's names.

use rustls::{ClientConnection, NamedGroup, ProtocolVersion};

use super::certificate::Certificate;
use crate::plan::Suite;

/// What was agreed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// The version, as OpenSSL writes it: `TLSv1.3`.
    pub version: &'static str,
    /// The cipher suite.
    pub suite: &'static Suite,
    /// Kind and bits of the ephemeral key, as ab shows them: `X25519 253 bits`.
    pub temp_key: Option<&'static str>,
    /// The server's certificate, as far as it can be read.
    pub certificate: Option<Certificate>,
}

impl Handshake {
    /// Of a connection whose handshake is done; `None` otherwise.
    pub(super) fn of(session: &ClientConnection) -> Option<Self> {
        let version = match session.protocol_version()? {
            ProtocolVersion::TLSv1_3 => "TLSv1.3",
            _ => "TLSv1.2",
        };
        let suite = Suite::by_code(session.negotiated_cipher_suite()?.suite().into())?;
        let temp_key = session.negotiated_key_exchange_group().and_then(|group| temp_key(group.name()));
        let chain = session.peer_certificates().unwrap_or_default();
        let certificate = chain.first().and_then(|own| Certificate::read(own));
        Some(Self { version, suite, temp_key, certificate })
    }
}

/// The names and bits are OpenSSL's, to which an X25519 key has 253.
fn temp_key(group: NamedGroup) -> Option<&'static str> {
    match group {
        NamedGroup::X25519 => Some("X25519 253 bits"),
        NamedGroup::secp256r1 => Some("ECDH prime256v1 256 bits"),
        NamedGroup::secp384r1 => Some("ECDH secp384r1 384 bits"),
        _ => None,
    }
}
