//! What the report and `-v 2` show of a certificate.

use std::fmt::Write as _;

use x509_parser::der_parser::parse_der;
use x509_parser::objects::{oid_registry, oid2abbrev};
use x509_parser::prelude::{FromDer, X509Certificate, X509Name};
use x509_parser::public_key::PublicKey;

/// Curves whose keys are not as long as their points: object identifier and bits.
const CURVES: [(&str, u32); 5] = [
    ("1.2.840.10045.3.1.7", 256),
    ("1.3.132.0.34", 384),
    ("1.3.132.0.35", 521),
    ("1.3.132.0.33", 224),
    ("1.3.132.0.10", 256),
];

/// Object identifiers of the Edwards curves (RFC 8410), and the bits of their keys as OpenSSL counts them.
const EDWARDS: [(&str, u32); 2] = [("1.3.101.112", 256), ("1.3.101.113", 456)];

/// The object identifier of RSA keys that are only for PSS (RFC 4055).
const RSA_PSS: &str = "1.2.840.113549.1.1.10";

/// What is shown of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The version, counted from 1.
    pub version: u32,
    /// Seconds since 1970 from which on it is valid.
    pub valid_from: i64,
    /// Seconds since 1970 until which it is valid.
    pub valid_to: i64,
    /// Bits of the public key; 0 if its kind is not known.
    pub key_bits: u32,
    /// Who issued it, on one line as OpenSSL writes it: `/C=AU/CN=example`.
    pub issuer: String,
    /// Who it is for, in the same form.
    pub subject: String,
    /// How many extensions it has.
    pub extensions: usize,
}

impl Certificate {
    /// Reads a certificate; `None` if it is none.
    pub(super) fn read(der: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        Some(Self {
            version: certificate.version().0 + 1,
            valid_from: certificate.validity().not_before.timestamp(),
            valid_to: certificate.validity().not_after.timestamp(),
            key_bits: key_bits(&certificate),
            issuer: one_line(certificate.issuer()),
            subject: one_line(certificate.subject()),
            extensions: certificate.extensions().len(),
        })
    }
}

fn key_bits(certificate: &X509Certificate<'_>) -> u32 {
    let key = certificate.public_key();
    let algorithm = key.algorithm.algorithm.to_id_string();
    if let Some((_, bits)) = EDWARDS.iter().find(|(id, _)| *id == algorithm) {
        return *bits;
    }
    if algorithm == RSA_PSS {
        // The same as an RSA key, under another name that the parser does not follow.
        let key = parse_der(&key.subject_public_key.data).ok();
        let modulus = key.as_ref().and_then(|(_, key)| key.as_sequence().ok()?.first()?.as_slice().ok());
        return modulus.map_or(0, number_bits);
    }
    match key.parsed() {
        Ok(PublicKey::RSA(rsa)) => number_bits(rsa.modulus),
        Ok(PublicKey::EC(point)) => {
            let curve = key.algorithm.parameters.as_ref().and_then(|parameters| parameters.as_oid().ok());
            let curve = curve.map(|id| id.to_id_string()).unwrap_or_default();
            let known = CURVES.iter().find(|(id, _)| *id == curve).map(|(_, bits)| *bits);
            known.unwrap_or_else(|| u32::try_from(point.key_size()).unwrap_or_default())
        }
        _ => 0,
    }
}

/// Bits of a number, without the zeros in front.
fn number_bits(number: &[u8]) -> u32 {
    let significant = number.iter().position(|byte| *byte != 0).map_or(&[][..], |at| &number[at..]);
    let unused = significant.first().map_or(0, |byte| byte.leading_zeros());
    u32::try_from(significant.len() * 8).unwrap_or_default().saturating_sub(unused)
}

/// A name as `X509_NAME_oneline` writes it: all that is not printable ASCII in hexadecimal.
fn one_line(name: &X509Name<'_>) -> String {
    let mut line = String::new();
    for attribute in name.iter_attributes() {
        let id = attribute.attr_type();
        // OpenSSL has a short name of its own for this one.
        let label = match id.to_id_string().as_str() {
            "1.2.840.113549.1.9.1" => "emailAddress".to_owned(),
            other => oid2abbrev(id, oid_registry()).map_or_else(|_| other.to_owned(), ToOwned::to_owned),
        };
        // Writing to a String cannot fail.
        let _ = write!(line, "/{label}=");
        for &byte in attribute.as_slice() {
            let _ = match byte {
                b' '..=b'~' => write!(line, "{}", char::from(byte)),
                _ => write!(line, "\\x{byte:02X}"),
            };
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;

    fn certificate(algorithm: &'static rcgen::SignatureAlgorithm) -> Certificate {
        let mut params = CertificateParams::new(vec!["a.test".to_owned()]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CountryName, "DE");
        params.distinguished_name.push(DnType::OrganizationName, "R\u{f6}hre");
        params.distinguished_name.push(DnType::CommonName, "a.test");
        params.not_before = rcgen::date_time_ymd(2020, 1, 2);
        let key = KeyPair::generate_for(algorithm).unwrap();
        Certificate::read(params.self_signed(&key).unwrap().der()).unwrap()
    }

    #[test]
    fn bits_of_keys_are_counted_as_openssl_does() {
        for (algorithm, bits) in [
            (&rcgen::PKCS_RSA_SHA256, 2048),
            (&rcgen::PKCS_ECDSA_P256_SHA256, 256),
            (&rcgen::PKCS_ECDSA_P384_SHA384, 384),
            (&rcgen::PKCS_ECDSA_P521_SHA512, 521),
            (&rcgen::PKCS_ED25519, 256),
        ] {
            assert_eq!(certificate(algorithm).key_bits, bits);
        }
    }

    #[test]
    fn names_are_on_one_line() {
        let shown = certificate(&rcgen::PKCS_ED25519);
        assert_eq!(shown.subject, "/C=DE/O=R\\xC3\\xB6hre/CN=a.test");
        assert_eq!((shown.issuer, shown.version), (shown.subject, 3));
        assert_eq!(shown.valid_from, 1_577_923_200);
    }

    #[test]
    fn what_is_no_certificate_is_not_read() {
        assert_eq!(Certificate::read(b"\x30\x03abc"), None);
    }
}
