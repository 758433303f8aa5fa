//! The client certificate (`-E`, or `--cert` and `--key`), from PEM files.
//!
//! In come the names of files, out goes an [`Identity`]: the certificate chain with the client's own certificate in
//! front, and its key. A file may hold its parts in any order. What is missing or does not fit is said in ab's words,
//! with the reason as a hint.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P521_SHA512_ASN1_SIGNING,
    EcdsaKeyPair, Ed25519KeyPair, KeyPair, RsaKeyPair,
};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::pem;
use crate::args::{Args, Refusal, shown};
use crate::strerror::strerror;

/// More than this is no PEM file, in bytes: systems' lists of root certificates stay far below.
const LARGEST_FILE: u64 = 16 << 20;

/// What the client shows of itself in a handshake.
#[derive(Debug)]
pub struct Identity {
    /// The client's certificate, then the certificates of those who issued it.
    pub chain: Vec<CertificateDer<'static>>,
    /// The key of the first certificate.
    pub key: PrivateKeyDer<'static>,
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self { chain: self.chain.clone(), key: self.key.clone_key() }
    }
}

/// The client certificate that was asked for, if one was.
pub(super) fn read(args: &Args) -> Result<Option<Identity>, Refusal> {
    let file = match (&args.certificate, &args.client_certificate) {
        (Some(_), Some(_)) => {
            return Err(Refusal::usage("-E and --cert name two client certificates, where there can be one"));
        }
        (Some(file), None) | (None, Some(file)) => file,
        (None, None) if args.client_key.is_some() => {
            return Err(Refusal::usage(
                "--key names the key of a client certificate, but there is no --cert",
            ));
        }
        (None, None) => return Ok(None),
    };
    let pem = slurp(file).map_err(|error| no_certificate(file, &error))?;
    let chain = certificates(&pem).map_err(|reason| no_certificate(file, &reason))?;
    let key_file = args.client_key.as_ref().unwrap_or(file);
    let key_pem =
        if key_file == file { pem } else { slurp(key_file).map_err(|error| no_key(key_file, &error))? };
    identity(chain, &key_pem, key_file).map(Some)
}

/// Puts chain and key together. Of several keys the one counts that belongs to a certificate, which then comes first.
fn identity(
    mut chain: Vec<CertificateDer<'static>>,
    key_pem: &[u8],
    key_file: &OsStr,
) -> Result<Identity, Refusal> {
    let key_pem = pem::sections(key_pem, "PRIVATE KEY");
    if pem::is_encrypted(&key_pem) {
        return Err(no_key(key_file, "the key is encrypted; `openssl pkey` writes it without a passphrase"));
    }
    let keys: Result<Vec<PrivateKeyDer<'static>>, _> = PrivateKeyDer::pem_slice_iter(&key_pem).collect();
    let keys = keys.map_err(|error| no_key(key_file, pem::reason(&error)))?;
    if keys.is_empty() {
        return Err(no_key(key_file, "it holds no private key in PEM; --key names another file"));
    }
    let owners: Vec<Option<Vec<u8>>> = chain.iter().map(|certificate| subject_key(certificate)).collect();
    let mut is_known = false;
    for key in keys {
        let Some(public) = public_key(&key) else { continue };
        is_known = true;
        if let Some(own) = owners.iter().position(|owner| owner.as_ref() == Some(&public)) {
            let own = chain.remove(own);
            chain.insert(0, own);
            return Ok(Identity { chain, key });
        }
    }
    if !is_known {
        return Err(no_key(key_file, "the key is neither RSA nor ECDSA (P-256, P-384, P-521) nor Ed25519"));
    }
    let file = shown(key_file);
    Err(Refusal::bare(format!("private key does not match the certificate public key in {file}")))
}

/// The certificates in a PEM file; why there are none, otherwise.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = pem::sections(pem, "CERTIFICATE");
    let certificates: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(&pem).collect();
    let certificates = certificates.map_err(|error| pem::reason(&error).to_owned())?;
    if certificates.is_empty() {
        return Err("it holds no certificate in PEM".to_owned());
    }
    if certificates.iter().any(|certificate| X509Certificate::from_der(certificate).is_err()) {
        return Err("it holds something that calls itself a certificate and is none".to_owned());
    }
    Ok(certificates)
}

/// Reads a PEM file; why it cannot be read, otherwise.
pub(super) fn slurp(file: &OsStr) -> Result<Vec<u8>, String> {
    let read = || {
        let mut pem = Vec::new();
        // One byte more than allowed tells that there is more.
        File::open(file)?.take(LARGEST_FILE + 1).read_to_end(&mut pem)?;
        Ok(pem)
    };
    let pem = read().map_err(|error: io::Error| strerror(&error))?;
    if pem.len() as u64 > LARGEST_FILE { Err("it is too large".to_owned()) } else { Ok(pem) }
}

fn no_certificate(file: &OsStr, reason: &str) -> Refusal {
    Refusal::bare(format!("unable to get certificate from '{}'", shown(file))).hint(reason)
}

fn no_key(file: &OsStr, reason: &str) -> Refusal {
    Refusal::bare(format!("unable to get private key from '{}'", shown(file))).hint(reason)
}

/// The public key that a certificate is about.
fn subject_key(certificate: &[u8]) -> Option<Vec<u8>> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    Some(certificate.public_key().subject_public_key.data.to_vec())
}

/// The public half of a private key, as certificates hold it; `None` if it is of a kind that cannot be used.
fn public_key(key: &PrivateKeyDer<'_>) -> Option<Vec<u8>> {
    let der = key.secret_der();
    if let Ok(pair) = RsaKeyPair::from_pkcs8(der).or_else(|_| RsaKeyPair::from_der(der)) {
        return Some(pair.public_key().as_ref().to_vec());
    }
    if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
        return Some(pair.public_key().as_ref().to_vec());
    }
    let curves =
        [&ECDSA_P256_SHA256_ASN1_SIGNING, &ECDSA_P384_SHA384_ASN1_SIGNING, &ECDSA_P521_SHA512_ASN1_SIGNING];
    let mut pairs =
        curves.into_iter().filter_map(|curve| EcdsaKeyPair::from_private_key_der(curve, der).ok());
    pairs.next().map(|pair| pair.public_key().as_ref().to_vec())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    /// A certificate and its key, as PEM.
    fn pair(algorithm: &'static rcgen::SignatureAlgorithm) -> (String, String) {
        let key = rcgen::KeyPair::generate_for(algorithm).unwrap();
        let params = rcgen::CertificateParams::new(vec!["client.test".to_owned()]).unwrap();
        (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
    }

    /// What becomes of files with these contents, `None` for one that is not named.
    fn outcome(certificate: &str, key: Option<&str>) -> Result<Identity, String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| -> OsString {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            path.into()
        };
        let args = Args {
            certificate: Some(write("c.pem", certificate)),
            client_key: key.map(|key| write("k.pem", key)),
            ..Args::default()
        };
        let refused = |refusal: Refusal| {
            assert_eq!((refusal.status, refusal.named), (1, false));
            refusal.message.replace(&format!("{}/", folder.path().display()), "")
        };
        read(&args).map(Option::unwrap).map_err(refused)
    }

    #[test]
    fn one_file_holds_chain_and_key_in_any_order() {
        let (own, key) = pair(&rcgen::PKCS_ECDSA_P256_SHA256);
        let (other, other_key) = pair(&rcgen::PKCS_ED25519);
        let wanted = CertificateDer::from_pem_slice(own.as_bytes()).unwrap();
        for file in [
            format!("{own}{key}"),
            format!("{key}{own}{other}"),
            format!("words\n{other}{key}{own}"),
            format!("{other_key}{own}{key}"),
        ] {
            assert_eq!(outcome(&file, None).unwrap().chain[0], wanted);
        }
        assert_eq!(outcome(&format!("{own}{other}"), Some(&key)).unwrap().chain.len(), 2);
    }

    #[test]
    fn all_kinds_of_keys_match_their_certificates() {
        let kinds = [
            &rcgen::PKCS_ECDSA_P256_SHA256,
            &rcgen::PKCS_ECDSA_P384_SHA384,
            &rcgen::PKCS_ECDSA_P521_SHA512,
            &rcgen::PKCS_ED25519,
            &rcgen::PKCS_RSA_SHA256,
        ];
        for kind in kinds {
            let (certificate, key) = pair(kind);
            assert!(outcome(&format!("{certificate}{key}"), None).is_ok(), "{kind:?}");
        }
    }

    #[test]
    fn what_is_missing_or_does_not_fit_is_named() {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["a.test".to_owned()]).unwrap();
        let (own, key) = (cert.pem(), signing_key.serialize_pem());
        let (_, wrong) = pair(&rcgen::PKCS_ED25519);
        let message = |file: &str, key| outcome(file, key).unwrap_err();
        assert_eq!(message(&key, None), "unable to get certificate from 'c.pem'");
        assert_eq!(message("hello\n", None), "unable to get certificate from 'c.pem'");
        assert_eq!(message(&own, None), "unable to get private key from 'c.pem'");
        assert_eq!(message(&own, Some("")), "unable to get private key from 'k.pem'");
        let mismatch = "private key does not match the certificate public key in";
        assert_eq!(message(&format!("{own}{wrong}"), None), format!("{mismatch} c.pem"));
        assert_eq!(message(&own, Some(&wrong)), format!("{mismatch} k.pem"));
        let locked = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n\
                      -----END RSA PRIVATE KEY-----\n";
        assert_eq!(message(&format!("{locked}{own}"), None), "unable to get private key from 'c.pem'");
        let junk = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert_eq!(message(junk, None), "unable to get certificate from 'c.pem'");
    }

    #[test]
    fn a_key_needs_a_certificate_and_there_is_one_certificate() {
        let key = Args { client_key: Some("k".into()), ..Args::default() };
        assert!(read(&key).unwrap_err().message.starts_with("--key "));
        let two =
            Args { certificate: Some("c".into()), client_certificate: Some("d".into()), ..Args::default() };
        assert_eq!(read(&two).unwrap_err().status, 22);
        assert!(read(&Args::default()).unwrap().is_none());
    }
}
