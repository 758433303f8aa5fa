//! Why a handshake failed, in words for people.

use std::io;

use rustls::{CertificateError, Error, PeerIncompatible, PeerMisbehaved};

use crate::net::text::harmless;

/// OpenSSL's number for what is wrong with the TLS that was spoken (`SSL_ERROR_SSL`).
const PROTOCOL: u8 = 1;

/// OpenSSL's number for what the system reports of the connection (`SSL_ERROR_SYSCALL`).
const CONNECTION: u8 = 5;

/// The alert of a server that speaks none of the protocols asked for.
const NO_APPLICATION_PROTOCOL: u8 = 120;

/// The content type of an alert (RFC 8446, section 5.1).
const ALERT: u8 = 21;

/// A handshake failed. `Display` is one line: ab's words with OpenSSL's number, and why. Two failures of the same kind
/// are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("SSL handshake failed ({code}). {why}")]
pub struct HandshakeError {
    code: u8,
    why: String,
    /// The server takes none of the protocols that it was asked for.
    lacks_protocol: bool,
}

/// The server refused the handshake by this alert after the client had taken it for done.
#[derive(Debug, thiserror::Error)]
#[error("TLS alert {0}")]
pub(super) struct Refused(pub(super) u8);

/// The alert by which the server refused a handshake after all, if a read failed for that reason.
pub fn refusal(error: &io::Error) -> Option<u8> {
    error.get_ref()?.downcast_ref::<Refused>().map(|refused| refused.0)
}

impl HandshakeError {
    /// The server takes none of the protocols that it was asked for (ALPN, RFC 7301, section 3.2).
    pub fn is_for_want_of_a_protocol(&self) -> bool {
        self.lacks_protocol
    }

    /// The server sent this alert after its own part of the handshake.
    pub fn late_alert(number: u8) -> Self {
        Self { code: PROTOCOL, why: alert(number, true), lacks_protocol: number == NO_APPLICATION_PROTOCOL }
    }

    /// From an error of the TCP connection.
    pub(in crate::net) fn broken(error: &io::Error) -> Self {
        Self { code: CONNECTION, why: broken(error), lacks_protocol: false }
    }

    /// From what the TLS library reports, and the first bytes that the server sent.
    pub(super) fn new(error: &io::Error, beginning: &[u8]) -> Self {
        let source = error.get_ref().and_then(|source| source.downcast_ref::<Error>());
        let (code, why) = match source {
            _ if !is_tls(beginning) => (PROTOCOL, not_tls(beginning)),
            Some(Error::AlertReceived(number)) => {
                (PROTOCOL, alert(u8::from(*number), beginning.first() != Some(&ALERT)))
            }
            Some(Error::InvalidCertificate(error)) => {
                (PROTOCOL, format!("the certificate of the server is refused: {}", certificate(error)))
            }
            Some(Error::PeerIncompatible(lack)) => (PROTOCOL, incompatible(lack)),
            Some(Error::PeerMisbehaved(PeerMisbehaved::SelectedUnofferedCipherSuite)) => {
                (PROTOCOL, "the server chose a cipher suite that was not offered".to_owned())
            }
            Some(Error::PeerMisbehaved(PeerMisbehaved::SelectedUnofferedApplicationProtocol)) => {
                (PROTOCOL, "the server chose a version of HTTP that it was not asked for".to_owned())
            }
            Some(other) => (PROTOCOL, other.to_string()),
            None => return Self::broken(error),
        };
        let lacks_protocol = match source {
            Some(Error::AlertReceived(alert)) => u8::from(*alert) == NO_APPLICATION_PROTOCOL,
            // Apache, for one, chooses HTTP/1.1 whatever it is asked for.
            Some(Error::PeerMisbehaved(fault)) => {
                *fault == PeerMisbehaved::SelectedUnofferedApplicationProtocol
            }
            _ => false,
        };
        Self { code, why: harmless(&why), lacks_protocol }
    }
}

/// Whether these bytes may be the beginning of a TLS record; nothing may be, too.
fn is_tls(beginning: &[u8]) -> bool {
    beginning.first().is_none_or(|kind| (20..=24).contains(kind))
        && beginning.get(1).is_none_or(|version| *version == 3)
}

fn not_tls(beginning: &[u8]) -> String {
    if beginning.starts_with(b"HTTP/") {
        "a plain HTTP server answered; the URL of this port starts with http://".to_owned()
    } else {
        "the server answered with something that is not TLS".to_owned()
    }
}

fn broken(error: &io::Error) -> String {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    match error.kind() {
        UnexpectedEof => "the server closed the connection during the handshake".to_owned(),
        ConnectionReset | ConnectionAborted | BrokenPipe => {
            "the server reset the connection during the handshake".to_owned()
        }
        _ => error.to_string(),
    }
}

/// The server's alert (RFC 8446, section 6.2, and RFC 5246, section 7.2), and what it usually means. `late` says that
/// it was no answer to the very first message, so that versions and ciphers had been agreed on.
fn alert(number: u8, late: bool) -> String {
    const DEMANDED: &str = "it demands a client certificate, or does not take the one it got (-E)";
    let (name, meaning) = match number {
        40 if late => ("handshake_failure", DEMANDED),
        40 => ("handshake_failure", "it has no cipher suite, group or signature in common with rab (-Z, -f)"),
        42 => ("bad_certificate", DEMANDED),
        43 => ("unsupported_certificate", DEMANDED),
        44 => ("certificate_revoked", DEMANDED),
        45 => ("certificate_expired", DEMANDED),
        46 => ("certificate_unknown", DEMANDED),
        48 => ("unknown_ca", "it does not know who issued the client certificate (-E)"),
        49 => ("access_denied", "it does not let this client in"),
        51 => {
            ("decrypt_error", "it could not verify the client certificate or the signature made with it (-E)")
        }
        70 => ("protocol_version", "it speaks none of the versions offered, TLS 1.2 and 1.3 or that of -f"),
        71 => ("insufficient_security", "it wants stronger cipher suites than those offered (-Z)"),
        80 => ("internal_error", "something is wrong within the server"),
        112 => ("unrecognized_name", "it does not serve the name in the URL or in -H Host"),
        116 => ("certificate_required", "it demands a client certificate (-E)"),
        NO_APPLICATION_PROTOCOL => {
            ("no_application_protocol", "it does not speak this version of HTTP on this port")
        }
        _ => return format!("the server refused it with alert {number}"),
    };
    format!("the server refused it with alert {number} ({name}): {meaning}")
}

fn incompatible(lack: &PeerIncompatible) -> String {
    use PeerIncompatible as Lack;
    match lack {
        Lack::ServerDoesNotSupportTls12Or13
        | Lack::ServerTlsVersionIsDisabledByOurConfig
        | Lack::Tls12NotOffered
        | Lack::Tls12NotOfferedOrEnabled => {
            "the server chose a version of TLS that was not offered, which is TLS 1.2 and 1.3 or that of -f"
                .to_owned()
        }
        Lack::NoCipherSuitesInCommon => "the server has no cipher suite in common with rab (-Z)".to_owned(),
        Lack::NoKxGroupsInCommon => {
            "the server has none of the groups X25519, P-256 and P-384 in common with rab".to_owned()
        }
        Lack::NoCertificateRequestSignatureSchemesInCommon => {
            "the server does not take the kind of key of the client certificate".to_owned()
        }
        other => Error::PeerIncompatible(other.clone()).to_string(),
    }
}

/// Without the times in it, so that the same reason is the same text.
fn certificate(error: &CertificateError) -> String {
    use CertificateError as Fault;
    match error {
        Fault::Expired | Fault::ExpiredContext { .. } => "it has expired".to_owned(),
        Fault::NotValidYet | Fault::NotValidYetContext { .. } => "it is not valid yet".to_owned(),
        Fault::UnknownIssuer => {
            "nobody who is believed has issued it (--cacert FILE names others)".to_owned()
        }
        Fault::BadSignature => "the signature on it was not made with the key of its issuer".to_owned(),
        Fault::NotValidForName => "it is for another name".to_owned(),
        Fault::NotValidForNameContext { expected, presented } => {
            format!("it is not for {}, but for {}", expected.to_str(), names(presented))
        }
        Fault::Other(other) if is_ca_as_server(error) => format!(
            "it is marked as that of an issuer of certificates, as `openssl req -x509` makes them, and not of a server; \
             --cacert with this very certificate takes it ({other})"
        ),
        other => other.to_string(),
    }
}

/// The names a certificate is for, as text.
fn names(presented: &[String]) -> String {
    // The verifier shows them as code: DnsName("localhost"), IpAddress(127.0.0.1).
    let bare = |name: &String| {
        let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        inner.unwrap_or(name).trim_matches('"').to_owned()
    };
    let names: Vec<String> = presented.iter().map(bare).collect();
    if names.is_empty() { "no name at all".to_owned() } else { names.join(", ") }
}

/// Whether a certificate was refused since it is an issuer's. The verifier's own error type is not at hand, only its
/// text.
pub(super) fn is_ca_as_server(error: &CertificateError) -> bool {
    matches!(error, CertificateError::Other(other) if other.0.to_string() == "CaUsedAsEndEntity")
}

#[cfg(test)]
mod tests {
    use rustls::AlertDescription;

    use super::*;

    fn line(error: Error, beginning: &[u8]) -> String {
        HandshakeError::new(&io::Error::new(io::ErrorKind::InvalidData, error), beginning).to_string()
    }

    #[test]
    fn kinds_are_told_apart() {
        let refused = Error::AlertReceived(AlertDescription::HandshakeFailure);
        assert!(line(refused.clone(), &[21, 3, 3, 0, 2]).contains("no cipher suite"));
        assert!(line(refused, &[22, 3, 3, 0, 99]).contains("client certificate"));
        let plain = Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType);
        let text = line(plain.clone(), b"HTTP/");
        assert!(text.starts_with("SSL handshake failed (1). a plain HTTP server"), "{text}");
        assert!(line(plain, b"220 f").contains("not TLS"));
        let version = Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13);
        assert!(line(version, &[22, 3, 1, 0, 9]).contains("version"));
    }

    #[test]
    fn closed_and_reset_have_the_number_of_the_system() {
        let line = |kind: io::ErrorKind| HandshakeError::new(&kind.into(), &[]).to_string();
        assert!(
            line(io::ErrorKind::UnexpectedEof).starts_with("SSL handshake failed (5). the server closed")
        );
        assert!(
            line(io::ErrorKind::ConnectionReset).starts_with("SSL handshake failed (5). the server reset")
        );
    }

    #[test]
    fn names_stand_bare() {
        let presented = ["DnsName(\"localhost\")".to_owned(), "IpAddress(127.0.0.1)".to_owned()];
        assert_eq!(names(&presented), "localhost, 127.0.0.1");
        assert_eq!(names(&[]), "no name at all");
    }

    #[test]
    fn the_names_in_a_certificate_do_no_harm() {
        let names = vec!["a\x1b[1m\n".to_owned(), "b".repeat(1000)];
        let expected = rustls::pki_types::ServerName::try_from("host.test").unwrap();
        let fault = CertificateError::NotValidForNameContext { expected, presented: names };
        let text = line(Error::InvalidCertificate(fault), &[22, 3, 3, 0, 2]);
        assert!(text.contains("not for host.test, but for a?[1m?, bbb") && text.len() < 500, "{text}");
    }

    #[test]
    fn a_late_alert_is_read_out_of_a_failed_read() {
        let error = io::Error::new(io::ErrorKind::ConnectionRefused, Refused(116));
        assert_eq!(refusal(&error), Some(116));
        assert_eq!(refusal(&io::ErrorKind::ConnectionReset.into()), None);
        let text = HandshakeError::late_alert(116).to_string();
        assert!(
            text.ends_with("alert 116 (certificate_required): it demands a client certificate (-E)"),
            "{text}"
        );
    }
}
