//! PEM files as people have them: sections of several kinds, in any order, with other text around them.

use rustls_pki_types::pem::Error;

/// What some editors put in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The sections whose label ends like this, and nothing else: what is wrong with a section of another kind is no matter
/// here.
pub(super) fn sections(pem: &[u8], kind: &str) -> Vec<u8> {
    let pem = pem.strip_prefix(BYTE_ORDER_MARK).unwrap_or(pem);
    let end = format!("{kind}-----");
    let (mut found, mut within) = (Vec::new(), false);
    for line in pem.split_inclusive(|byte| *byte == b'\n') {
        let mark = line.trim_ascii();
        within |= mark.starts_with(b"-----BEGIN ") && mark.ends_with(end.as_bytes());
        if within {
            found.extend_from_slice(line);
        }
        within &= !mark.starts_with(b"-----END ");
    }
    found
}

/// Whether a passphrase is needed: by the label of PKCS #8 (RFC 7468, section 11), or the field of the older form (RFC
/// 1421, section 4.6.1.1).
pub(super) fn is_encrypted(keys: &[u8]) -> bool {
    keys.windows(9).any(|part| part == b"ENCRYPTED")
}

/// Why a section cannot be read.
pub(super) fn reason(error: &Error) -> &'static str {
    match error {
        Error::MissingSectionEnd { .. } => "it ends in the middle of a section",
        Error::Base64Decode(_) => "a section in it is damaged: it is not base64",
        _ => "a section in it is damaged",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_chosen_by_their_kind() {
        let file = b"\xef\xbb\xbf-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\r\n\
            Bag Attributes\r\n-----BEGIN CERTIFICATE-----\r\nBBBB\r\n-----END CERTIFICATE-----\r\n";
        let certificates = sections(file, "CERTIFICATE");
        assert_eq!(certificates, b"-----BEGIN CERTIFICATE-----\r\nBBBB\r\n-----END CERTIFICATE-----\r\n");
        let keys = sections(file, "PRIVATE KEY");
        assert!(
            keys.starts_with(b"-----BEGIN RSA") && keys.ends_with(b"KEY-----\r\n") && is_encrypted(&keys)
        );
        assert!(!is_encrypted(&certificates));
    }
}
