//! TLS on a connection.
//!
//! In comes the plan's [`Tls`] once, and then connected sockets; out go connections after their
//! handshake, or a [`HandshakeError`]. Nothing else knows the TLS library.

mod certificate;
mod failure;
mod handshake;
mod raw;
mod secured;
mod verifier;

use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, SupportedProtocolVersion};
use tokio_rustls::TlsConnector;

pub use certificate::Certificate;
pub use failure::{HandshakeError, refusal};
pub use handshake::Handshake;
pub(super) use secured::Secured;

use super::meter::Meter;
use super::socket::Socket;
use crate::plan::{Tls, Trust};
use verifier::{Anyone, Rooted};

/// Makes handshakes; shared by all workers.
pub(super) struct Connector {
    connector: TlsConnector,
    peer: ServerName<'static>,
}

impl Connector {
    /// Prepares what all connections have in common.
    pub(super) fn new(tls: &Tls) -> Result<Self, String> {
        let provider = Arc::new(provider(tls));
        // The first random number takes some 20 ms, which are not to be in the time of the first connection. Whether it
        // fails will show there.
        let _ = provider.secure_random.fill(&mut [0; 32]);
        let versions: Vec<&'static SupportedProtocolVersion> = [(&TLS13, true), (&TLS12, false)]
            .into_iter()
            .filter(|(_, is_tls13)| tls.suites.iter().any(|suite| suite.is_tls13 == *is_tls13))
            .map(|(version, _)| version)
            .collect();
        let verifier: Arc<dyn ServerCertVerifier> = match &tls.trust {
            Trust::Anyone => Arc::new(Anyone),
            Trust::Roots(roots) => Arc::new(Rooted::new(roots, &provider)?),
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match &tls.identity {
            None => config.with_no_client_auth(),
            Some(identity) => config
                .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
                .map_err(|error| error.to_string())?,
        };
        // As in ab, each connection is a full handshake: what is measured is what new visitors get.
        config.resumption = Resumption::disabled();
        config.enable_sni = tls.server_name.is_some();
        config.alpn_protocols.extend(tls.application_protocol.map(<[u8]>::to_vec));
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), peer: peer(&tls.peer) })
    }

    /// Makes a handshake.
    pub(super) async fn connect(&self, socket: Socket, meter: &Rc<Meter>) -> Result<Secured, HandshakeError> {
        let raw = raw::Raw::new(socket, Rc::clone(meter));
        match self.connector.connect(self.peer.clone(), raw).into_fallible().await {
            Ok(tls) => Ok(Secured::new(tls)),
            Err((error, raw)) => Err(HandshakeError::new(&error, raw.beginning())),
        }
    }
}

/// The suites of the plan, in its order, and the groups that OpenSSL 3 offers as far as they are there. A post-quantum
/// share would make a handshake that cannot be compared with ab's.
fn provider(tls: &Tls) -> CryptoProvider {
    let all = aws_lc_rs::default_provider();
    let has = |code: u16| all.cipher_suites.iter().find(|suite| u16::from(suite.suite()) == code).copied();
    let cipher_suites = tls.suites.iter().filter_map(|suite| has(suite.code)).collect();
    let kx_groups =
        vec![aws_lc_rs::kx_group::X25519, aws_lc_rs::kx_group::SECP256R1, aws_lc_rs::kx_group::SECP384R1];
    CryptoProvider { cipher_suites, kx_groups, ..all }
}

/// A host that is no name cannot be sent as one; then an address stands in, of which nothing is sent.
fn peer(host: &str) -> ServerName<'static> {
    ServerName::try_from(host.to_owned()).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED).into())
}
