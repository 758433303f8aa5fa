//! How TLS is spoken: versions, suites, names and certificates, all checked before anything is sent.
//!
//! In come the arguments and the request, out goes a [`Tls`] for an https URL. As in ab, `-Z` and `-E` are checked for
//! an http URL as well. No type of the TLS library is used here, so that what can be refused early is refused in ab's
//! words; certificates and keys are carried as they stand in their files.

use std::net::IpAddr;

use rustls_pki_types::{CertificateDer, DnsName};

use super::ciphers::{self, Selection};
use super::identity::{self, Identity};
use super::suites::SUITES;
use super::{Request, Scheme, Suite, Target, Version};
use crate::args::{Args, Refusal, shown};

/// How TLS is spoken.
#[derive(Debug, Clone)]
pub struct Tls {
    /// The suites to offer, most wanted first; they say which versions are offered, too. Never empty.
    pub suites: Vec<Suite>,
    /// The server's name or address, in the `Host` field or else in the URL: what its certificate should be for.
    pub peer: String,
    /// The name that is sent in the handshake (SNI, RFC 6066, section 3); `None` with `-I`, and for addresses.
    pub server_name: Option<String>,
    /// The protocol that the server is asked for in the handshake (ALPN, RFC 7301): `h2` for HTTP/2. For HTTP/1 nothing
    /// is said, as in ab.
    pub application_protocol: Option<&'static [u8]>,
    /// The client certificate.
    pub identity: Option<Identity>,
    /// Who is believed to be the server.
    pub trust: Trust,
}

/// Whose certificates are taken.
#[derive(Debug, Clone)]
pub enum Trust {
    /// Anyone's, as in ab: neither the certificate nor the signature made with it is looked at.
    Anyone,
    /// Those that these certificates vouch for, or that are among them, if they are for the right name and in time
    /// (`--verify`, `--cacert`). Never empty.
    Roots(Vec<CertificateDer<'static>>),
}

impl Tls {
    /// How TLS is to be spoken with a target; `None` for http, whose options are checked all the same. Adds a remark
    /// about what was asked for and left out.
    pub(super) fn new(
        args: &Args,
        target: &Target,
        request: &Request,
        remarks: &mut Vec<String>,
    ) -> Result<Option<Self>, Refusal> {
        let suites = suites(args, remarks)?;
        let identity = identity::read(args)?;
        let trust = trust(args)?;
        if target.scheme == Scheme::Http {
            return Ok(None);
        }
        let peer = peer(request, target);
        let is_name = peer.parse::<IpAddr>().is_err() && DnsName::try_from(peer.as_str()).is_ok();
        if matches!(trust, Trust::Roots(_)) && !is_name && peer.parse::<IpAddr>().is_err() {
            let peer = shown(peer.as_ref());
            return Err(Refusal::error(format!("no certificate can be verified for the name '{peer}'")));
        }
        let server_name = (is_name && !args.no_server_name).then(|| peer.clone());
        let application_protocol = (request.version == Version::Http2).then_some(b"h2".as_slice());
        Ok(Some(Self { suites, peer, server_name, application_protocol, identity, trust }))
    }
}

/// The host in the last `Host` field, which is the one that ab goes by; where there is none, that of the URL.
fn peer(request: &Request, target: &Target) -> String {
    let typed = request.fields.iter().rev().find(|field| field.is("Host"));
    let Some((_, value)) = typed.and_then(super::Field::parts) else {
        return target.host.clone();
    };
    let value = String::from_utf8_lossy(value);
    if let Some((address, _)) = value.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address.to_owned();
    }
    match value.rsplit_once(':') {
        // More than one colon is an address without its brackets.
        Some((host, port)) if !host.contains(':') && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            host.to_owned()
        }
        _ => value.into_owned(),
    }
}

/// The suites that `-f` and `-Z` leave.
fn suites(args: &Args, remarks: &mut Vec<String>) -> Result<Vec<Suite>, Refusal> {
    let (with_tls12, with_tls13) = match args.protocol.as_deref().map(str::to_ascii_uppercase).as_deref() {
        None | Some("ALL") => (true, true),
        Some("TLS1.2") => (true, false),
        Some("TLS1.3") => (false, true),
        Some(old) => {
            return Err(Refusal::error(format!("-f {old} is too old: rab speaks TLS1.2 and TLS1.3"))
                .hint("versions before TLS 1.2 are broken and deprecated (RFC 7568, RFC 8996)"));
        }
    };
    let mut wanted: Vec<Suite> = SUITES.to_vec();
    if let Some(string) = &args.ciphers {
        let unknown = || {
            let string = shown(string);
            Refusal::bare(format!("error setting ciphersuite list [{string}]"))
                .hint("`openssl ciphers` shows what a list of cipher suites means")
        };
        let selection = ciphers::select(string.to_str().ok_or_else(unknown)?);
        if with_tls12 && !selection.lacking_by_name.is_empty() && !selection.tls12.is_empty() {
            let names = selection.lacking_by_name.join(", ");
            remarks
                .push(format!("-Z asks for suites that rab does not have, and that were left out: {names}."));
        }
        wanted = chosen(&selection, with_tls12, with_tls13).ok_or_else(|| {
            let lacking = if with_tls12 { selection.lacking.as_slice() } else { &[] };
            match lacking {
                [] => unknown(),
                [first, rest @ ..] => lacks(first, rest.len()),
            }
        })?;
    }
    wanted.retain(|suite| if suite.is_tls13 { with_tls13 } else { with_tls12 });
    Ok(wanted)
}

/// What a cipher string leaves; `None` if that is nothing for a version that was asked for.
///
/// As in OpenSSL, a list without TLS 1.3 names leaves that version as it is. One of nothing but TLS 1.3 names, which
/// OpenSSL does not take, leaves TLS 1.2 out.
fn chosen(selection: &Selection, with_tls12: bool, with_tls13: bool) -> Option<Vec<Suite>> {
    let Selection { tls12, tls13, lacking, .. } = selection;
    let only_tls13 = tls12.is_empty() && lacking.is_empty() && !tls13.is_empty();
    let is_enough = match (with_tls12, with_tls13) {
        (false, _) => !tls13.is_empty(),
        (true, false) => !tls12.is_empty(),
        (true, true) => !tls12.is_empty() || only_tls13,
    };
    let tls13: Vec<Suite> = if tls13.is_empty() {
        SUITES.iter().filter(|suite| suite.is_tls13).copied().collect()
    } else {
        tls13.clone()
    };
    is_enough.then(|| tls13.into_iter().chain(tls12.iter().copied()).collect())
}

/// OpenSSL has these suites, and rustls has not.
fn lacks(first: &str, more: usize) -> Refusal {
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Refusal::error(format!(
        "-Z leaves no suite that rab has: {first}{more} would need CBC, CCM, DHE, static RSA or a pre-shared key"
    ))
    .hint("of TLS 1.2, rab has ECDHE with AES-GCM and ChaCha20-Poly1305")
}

/// Whose certificates are taken.
fn trust(args: &Args) -> Result<Trust, Refusal> {
    if let Some(file) = &args.trusted {
        let refusal = |reason: String| {
            let file = shown(file);
            Refusal::error(format!("unable to get certificates from '{file}' for --cacert: {reason}"))
        };
        let pem = identity::slurp(file).map_err(refusal)?;
        return identity::certificates(&pem).map(Trust::Roots).map_err(refusal);
    }
    if !args.verify {
        return Ok(Trust::Anyone);
    }
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        return Err(Refusal::error("--verify found no root certificates on this system")
            .hint("--cacert FILE names those to be believed"));
    }
    Ok(Trust::Roots(found.certs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::plan::testing::{plan, refused};

    fn tls(line: &str) -> Tls {
        plan(line).unwrap().tls.unwrap()
    }

    fn names(line: &str) -> Vec<&'static str> {
        tls(&format!("{line} https://h/")).suites.iter().map(|suite| suite.name).collect()
    }

    #[test]
    fn the_name_is_that_of_the_host_field_or_of_the_url_and_never_an_address() {
        let name = |line: &str| tls(line).server_name;
        assert_eq!(name("https://web.test/").as_deref(), Some("web.test"));
        assert_eq!(name("https://web.test:8443/").as_deref(), Some("web.test"));
        assert_eq!(name("-H 'Host: foo.test' https://127.0.0.1/").as_deref(), Some("foo.test"));
        assert_eq!(name("-H 'host:foo.test:81' https://web.test/").as_deref(), Some("foo.test"));
        assert_eq!(name("-H 'Host: a.test' -H 'Host: b.test' https://web.test/").as_deref(), Some("b.test"));
        for line in [
            "-I https://web.test/",
            "https://127.0.0.1/",
            "https://[::1]:8443/",
            "-H 'Host: 10.0.0.1:81' https://web.test/",
            "-H 'Host: [::1]:81' https://web.test/",
            "-H 'Host: ::1' https://web.test/",
            "-H 'Host:' https://web.test/",
            "-H 'Host: no name' https://web.test/",
        ] {
            assert_eq!(name(line), None, "{line}");
        }
        assert_eq!(tls("-I https://web.test/").peer, "web.test");
        assert_eq!(tls("https://[::1]:8443/").peer, "::1");
    }

    #[test]
    fn versions_are_chosen_in_any_case_and_old_ones_are_refused_before_anything_else() {
        let count = |line: &str| names(line).len();
        assert_eq!([count(""), count("-f ALL"), count("-f all")], [9; 3]);
        assert_eq!([count("-f tls1.2"), count("-f TLS1.3")], [6, 3]);
        for old in ["SSL2", "ssl3", "TLS1", "TLS1.1"] {
            let refusal = refused(&format!("-f {old} -Z NOPE -E none https://h/"));
            assert_eq!((refusal.status, refusal.usage), (1, false));
            let name = old.to_ascii_uppercase();
            assert_eq!(refusal.message, format!("-f {name} is too old: rab speaks TLS1.2 and TLS1.3"));
        }
    }

    #[test]
    fn a_list_without_tls_1_3_names_leaves_that_version_as_it_is() {
        assert_eq!(names("-Z ECDHE-RSA-AES128-GCM-SHA256")[3..], ["ECDHE-RSA-AES128-GCM-SHA256"]);
        assert_eq!(names("-f TLS1.2 -Z AES128+aRSA"), ["ECDHE-RSA-AES128-GCM-SHA256"]);
        assert_eq!(names("-f TLS1.3 -Z TLS_CHACHA20_POLY1305_SHA256"), ["TLS_CHACHA20_POLY1305_SHA256"]);
        assert_eq!(names("-Z TLS_AES_128_GCM_SHA256"), ["TLS_AES_128_GCM_SHA256"]);
        assert_eq!(names("-Z TLS_AES_128_GCM_SHA256:HIGH").len(), 7);
    }

    #[test]
    fn what_nobody_knows_is_refused_in_ab_s_words_for_http_as_well() {
        for line in [
            "-Z NO-SUCH-CIPHER h/",
            "-Z NO-SUCH-CIPHER https://h/",
            "-Z NO-SUCH-CIPHER -E none.pem https://h/",
            "-f TLS1.3 -Z NO-SUCH-CIPHER https://h/",
        ] {
            let refusal = refused(line);
            assert_eq!(refusal.message, "error setting ciphersuite list [NO-SUCH-CIPHER]", "{line}");
            assert_eq!((refusal.status, refusal.named), (1, false));
        }
        for line in ["-f TLS1.3 -Z HIGH", "-f TLS1.2 -Z TLS_AES_128_GCM_SHA256", "-Z HIGH:!HIGH", "-Z ''"] {
            assert!(refused(&format!("{line} https://h/")).message.starts_with("error setting"), "{line}");
        }
        assert!(refused("-c 2 -Z NOPE h/").message.starts_with("Cannot use concurrency"));
    }

    #[test]
    fn what_rustls_lacks_is_named() {
        let refusal = refused("-Z AES128-SHA:kDHE https://h/");
        assert!(refusal.message.starts_with("-Z leaves no suite that rab has: "), "{}", refusal.message);
        assert!(refusal.message.contains(" more would need CBC"), "{}", refusal.message);
        assert!(refused("-Z AES128-SHA h/").message.contains("AES128-SHA would need"));
        let Plan { remarks, .. } = plan("-Z AES128-SHA:HIGH https://h/").unwrap();
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].ends_with("left out: AES128-SHA."), "{}", remarks[0]);
        assert!(plan("-Z HIGH https://h/").unwrap().remarks.is_empty());
    }

    #[test]
    fn a_certificate_file_is_read_for_http_as_well() {
        let refusal = refused("-E none.pem h/");
        assert!(refusal.to_string().starts_with("unable to get certificate from 'none.pem'\n"));
        assert!(refused("--cacert none.pem h/").message.contains("'none.pem' for --cacert: No such file"));
    }

    #[test]
    fn nothing_is_verified_unless_that_is_asked_for() {
        assert!(matches!(tls("https://h/").trust, Trust::Anyone));
        assert!(plan("http://h/").unwrap().tls.is_none());
    }
}
