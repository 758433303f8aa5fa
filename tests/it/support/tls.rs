//! TLS servers on free loopback ports, each with a certificate made for it.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair, SignatureAlgorithm};
use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use rustls::{SupportedProtocolVersion, version};

/// Nothing here takes longer, unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A connection, as the server sees it.
pub(crate) type Tls = StreamOwned<ServerConnection, TcpStream>;

/// Both engines and both versions of HTTP.
pub(crate) const DIALECTS: [&str; 4] =
    ["--engine wire", "--engine hyper", "--http1.1 --engine wire", "--http1.1 --engine hyper"];

/// Serves every connection of a free port on a thread of its own, until the test ends; returns the port.
pub(crate) fn listen(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        while let Ok((tcp, _)) = listener.accept() {
            tcp.set_read_timeout(Some(PATIENCE)).unwrap();
            // As servers do: else a response waits for the client to confirm the tickets before it.
            tcp.set_nodelay(true).unwrap();
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(tcp));
        }
    });
    port
}

/// The same over TLS.
pub(crate) fn listen_tls(
    config: ServerConfig,
    serve: impl Fn(&mut Tls) -> io::Result<()> + Send + Sync + 'static,
) -> u16 {
    let config = Arc::new(config);
    listen(move |tcp| {
        let session = ServerConnection::new(Arc::clone(&config)).unwrap();
        // How a client leaves is looked at where that matters.
        let _ = serve(&mut StreamOwned::new(session, tcp));
    })
}

/// Reads a request without a body; `false` at the end.
pub(crate) fn read_request(tls: &mut impl Read) -> io::Result<bool> {
    Ok(!request(tls)?.is_empty())
}

/// Reads a request without a body; empty at the end.
pub(crate) fn request(tls: &mut impl Read) -> io::Result<String> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        if tls.read(&mut byte)? == 0 {
            return Ok(String::new());
        }
        request.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&request).into_owned())
}

/// A response that leaves its connection open.
pub(crate) const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello";

/// Answers every request of a connection with a short page.
pub(crate) fn pages(tls: &mut Tls) -> io::Result<()> {
    while read_request(tls)? {
        tls.write_all(PAGE)?;
    }
    Ok(())
}

/// Answers one request and closes, with `close_notify`.
pub(crate) fn one_page(tls: &mut Tls) -> io::Result<()> {
    read_request(tls)?;
    tls.write_all(PAGE)?;
    tls.conn.send_close_notify();
    tls.flush()
}

/// A certificate and its key.
pub(crate) struct Pair {
    pub(crate) certificate: rcgen::Certificate,
    pub(crate) key: KeyPair,
}

impl Pair {
    /// Signed by itself, and changed before.
    pub(crate) fn new(
        algorithm: &'static SignatureAlgorithm,
        change: impl FnOnce(&mut CertificateParams),
    ) -> Self {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let mut params =
            CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        change(&mut params);
        Self { certificate: params.self_signed(&key).unwrap(), key }
    }

    pub(crate) fn usual() -> Self {
        Self::new(&rcgen::PKCS_ECDSA_P256_SHA256, |_| {})
    }

    pub(crate) fn chain(&self) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        (vec![self.certificate.der().clone()], key)
    }

    pub(crate) fn config(&self) -> ServerConfig {
        self.config_with(&[&version::TLS13, &version::TLS12], aws_lc_rs::kx_group::X25519)
    }

    pub(crate) fn config_with(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        group: &'static dyn SupportedKxGroup,
    ) -> ServerConfig {
        let provider = CryptoProvider { kx_groups: vec![group], ..aws_lc_rs::default_provider() };
        let (chain, key) = self.chain();
        let builder =
            ServerConfig::builder_with_provider(Arc::new(provider)).with_protocol_versions(versions);
        builder.unwrap().with_no_client_auth().with_single_cert(chain, key).unwrap()
    }

    /// Demands a client certificate that this one has issued.
    pub(crate) fn demanding(
        &self,
        version: &'static SupportedProtocolVersion,
        issuer: &rcgen::Certificate,
    ) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        roots.add(issuer.der().clone()).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build();
        let (chain, key) = self.chain();
        let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(&[version]);
        let builder = builder.unwrap().with_client_cert_verifier(verifier.unwrap());
        builder.with_single_cert(chain, key).unwrap()
    }
}

/// A folder with these files, and a function from their names to their paths.
pub(crate) fn files(contents: &[(&str, String)]) -> (tempfile::TempDir, impl Fn(&str) -> String + use<>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in contents {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let path: PathBuf = folder.path().to_owned();
    (folder, move |name| path.join(name).display().to_string())
}
