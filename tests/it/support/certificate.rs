//! Certificates for servers that read them from files.

use rcgen::{CertificateParams, KeyPair, SignatureAlgorithm};

/// A certificate and its key, in PEM.
pub(crate) struct Pem {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Pem {
    /// Signed by itself, for the loopback.
    pub(crate) fn new(algorithm: &'static SignatureAlgorithm) -> Self {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let params = CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        Self { certificate: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() }
    }

    /// With a key on the curve P-256.
    pub(crate) fn usual() -> Self {
        Self::new(&rcgen::PKCS_ECDSA_P256_SHA256)
    }
}
