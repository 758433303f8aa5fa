//! TLS (section E of the list), and what other sections say about it.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::{ServerConnection, StreamOwned, version};

use crate::support::rab::{Done, ask, rab};
use crate::support::report::Counts;
use crate::support::tls::{
    DIALECTS, PAGE, Pair, Tls, files, listen, listen_tls, one_page, pages, read_request, request,
};

/// The URL of a document of a server there.
fn url(host: &str, port: u16) -> String {
    format!("https://{host}:{port}/doc")
}

/// Reads the first message of a handshake whole, so that a close after it is no reset.
fn hello(tcp: &mut TcpStream) {
    let mut record = [0; 5];
    tcp.read_exact(&mut record).unwrap();
    let length = usize::from(u16::from_be_bytes([record[3], record[4]]));
    tcp.read_exact(&mut vec![0; length]).unwrap();
}

fn reset(tcp: &TcpStream) {
    socket2::SockRef::from(tcp).set_linger(Some(Duration::ZERO)).unwrap();
}

/// A server that gives each connection to `fault`, by its number, and serves a page where that returns it.
fn faulty(fault: impl Fn(usize, TcpStream) -> Option<TcpStream> + Send + Sync + 'static) -> u16 {
    let config = Arc::new(Pair::usual().config());
    let accepted = AtomicUsize::new(0);
    listen(move |tcp| {
        let number = accepted.fetch_add(1, Ordering::Relaxed);
        if let Some(tcp) = fault(number, tcp) {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let _ = one_page(&mut StreamOwned::new(session, tcp));
        }
    })
}

#[test]
fn r43_over_tls_the_host_header_names_the_server_too() {
    for engine in ["wire", "hyper"] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let seen_by_server = Arc::clone(&seen);
        let port = listen_tls(Pair::usual().config(), move |tls| {
            let text = request(tls)?;
            let host = text.lines().find(|line| line.starts_with("Host: ")).map(ToOwned::to_owned);
            seen_by_server.lock().unwrap().push((tls.conn.server_name().map(ToOwned::to_owned), host));
            tls.write_all(PAGE)
        });
        let done = rab(["-n", "2", "--engine", engine, "-H", "Host: name.test", &url("127.0.0.1", port)]);
        assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
        let both = (Some("name.test".to_owned()), Some("Host: name.test".to_owned()));
        assert_eq!(*seen.lock().unwrap(), [both.clone(), both]);
    }
}

#[test]
fn r52_a_server_that_closes_within_the_handshake_is_told_and_the_run_goes_on() {
    for engine in ["wire", "hyper"] {
        for first in [0, 4] {
            let port = faulty(move |number, mut tcp| {
                if number % 5 == first {
                    hello(&mut tcp);
                    return None;
                }
                Some(tcp)
            });
            let options = format!("-s 50 -n 25 -c 1 -A user:pass --engine {engine}");
            let done = ask(&options, &url("127.0.0.1", port));
            let counts = Counts { complete: 25, connect: 5, ..Counts::default() };
            assert_eq!(done.good_report().counts(), counts, "{done}");
            let line = "SSL handshake failed (5). the server closed the connection during the handshake";
            assert_eq!(done.messages(), [line], "{done}");
        }
    }
}

#[test]
fn r53_each_kind_of_failure_is_told_once() {
    for engine in ["wire", "hyper"] {
        let config = Arc::new(Pair::usual().config());
        let port = faulty(move |number, mut tcp| {
            match number % 5 {
                0 => return Some(tcp),
                1 => hello(&mut tcp),
                2 => {
                    hello(&mut tcp);
                    reset(&tcp);
                }
                3 => {
                    hello(&mut tcp);
                    tcp.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
                }
                _ => {
                    let session = ServerConnection::new(Arc::clone(&config)).unwrap();
                    let mut tls = StreamOwned::new(session, tcp);
                    let _ = read_request(&mut tls).and_then(|_| tls.write_all(&PAGE[..PAGE.len() - 2]));
                }
            }
            None
        });
        // Without -k each request has a connection of its own, so the kinds are known to the last one.
        let done = ask(&format!("-q -r -c 20 -W 2 -n 200 --engine {engine}"), &url("127.0.0.1", port));
        let counts = Counts { complete: 200, connect: 120, receive: 40, ..Counts::default() };
        assert_eq!(done.good_report().counts(), counts, "{done}");
        let mut messages = done.messages();
        messages.sort_unstable();
        assert_eq!(messages.len(), 3, "{done}");
        for (message, start) in
            messages.iter().zip(["(1). a plain", "(5). the server closed", "(5). the server reset"])
        {
            assert!(message.starts_with(&format!("SSL handshake failed {start}")), "{done}");
        }
    }
}

/// A certificate with this name, of an issuer or issued by one.
fn issued(
    name: &str,
    is_issuer: bool,
    by: Option<(&CertificateParams, &KeyPair)>,
) -> (CertificateParams, Pair) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    if is_issuer {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    }
    let certificate = match by {
        Some((issuer, issuer_key)) => params.signed_by(&key, &Issuer::from_params(issuer, issuer_key)),
        None => params.self_signed(&key),
    };
    (params, Pair { certificate: certificate.unwrap(), key })
}

#[test]
fn r54_one_file_holds_chain_and_key_in_any_order() {
    let (root_params, root) = issued("root", true, None);
    let (between_params, between) = issued("between", true, Some((&root_params, &root.key)));
    let (_, leaf) = issued("client", false, Some((&between_params, &between.key)));
    let parts = [leaf.certificate.pem(), between.certificate.pem(), leaf.key.serialize_pem()];
    for version in [&version::TLS13, &version::TLS12] {
        let port = listen_tls(Pair::usual().demanding(version, &root.certificate), one_page);
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (_folder, path) = files(&[("both", order.map(|part| parts[part].as_str()).concat())]);
            let done = rab(["-n", "2", "-E", &path("both"), &url("127.0.0.1", port)]);
            assert_eq!(done.good_report().counts(), Counts::good(2), "{order:?}: {done}");
        }
        let (_folder, path) = files(&[("chain", parts[..2].concat()), ("key", parts[2].clone())]);
        let arguments = ["-n", "2", "--cert", &path("chain"), "--key", &path("key"), &url("127.0.0.1", port)];
        assert_eq!(rab(arguments).good_report().counts(), Counts::good(2));
    }
}

#[test]
fn r54_what_is_missing_in_the_file_is_named() {
    let (own, other) = (Pair::usual(), Pair::usual());
    let (_folder, path) = files(&[
        ("certificate", own.certificate.pem()),
        ("key", own.key.serialize_pem()),
        ("unlike", own.certificate.pem() + &other.key.serialize_pem()),
        ("empty", String::new()),
    ]);
    // Nobody listens there, and nobody is asked: the file is looked at first.
    let run = |name: &str, message: &str, hint: &[&str]| {
        let done = rab(["-E", &path(name), "https://127.0.0.1:9/"]);
        assert_eq!((done.code(), done.stdout.as_str()), (1, ""), "{done}");
        assert_eq!(done.messages(), [message.replace("FILE", &path(name))], "{done}");
        if !hint.is_empty() {
            done.assert_hint(hint);
        }
    };
    run("certificate", "unable to get private key from 'FILE'", &["no private key", "--key"]);
    run("key", "unable to get certificate from 'FILE'", &["no certificate"]);
    run("empty", "unable to get certificate from 'FILE'", &["no certificate"]);
    run("unlike", "private key does not match the certificate public key in FILE", &[]);
    run("absent", "unable to get certificate from 'FILE'", &["No such file"]);
}

/// A response of 64 KB, which is several records, handed to the system in one piece.
fn in_one_piece(tls: &mut Tls) -> io::Result<()> {
    let body = vec![b'x'; 64_000];
    tls.conn.set_buffer_limit(None);
    while read_request(tls)? {
        let head =
            format!("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n", body.len());
        tls.conn.writer().write_all(&[head.as_bytes(), &body].concat())?;
        let mut records = Vec::new();
        while tls.conn.wants_write() {
            tls.conn.write_tls(&mut records)?;
        }
        tls.sock.write_all(&records)?;
        // Not a byte more, and no close, until the client asks again or leaves.
    }
    Ok(())
}

#[test]
fn r56_what_is_decrypted_already_is_not_waited_for() {
    for versions in [&[&version::TLS12], &[&version::TLS13]] {
        let config = Pair::usual().config_with(versions, aws_lc_rs::kx_group::X25519);
        let port = listen_tls(config, in_one_piece);
        for dialect in DIALECTS {
            for keep in ["", "-k"] {
                let done = ask(&format!("-n 4 -s 20 {keep} {dialect}"), &url("127.0.0.1", port));
                let report = done.good_report();
                assert_eq!(report.counts(), Counts::good(4), "{dialect} {keep}: {done}");
                assert_eq!(report.count("Document Length"), Some(64_000));
            }
        }
    }
}

/// Writes a few bytes at a time, each in a segment of its own.
struct Dribble(TcpStream);

impl Read for Dribble {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Dribble {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&bytes[..bytes.len().min(7)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn r57_key_updates_and_tickets_may_come_at_any_point_and_in_pieces() {
    for versions in [&[&version::TLS12], &[&version::TLS13]] {
        let is_new = *versions[0] == version::TLS13;
        let mut config = Pair::usual().config_with(versions, aws_lc_rs::kx_group::X25519);
        config.send_tls13_tickets = 4;
        let config = Arc::new(config);
        let port = listen(move |tcp| {
            tcp.set_nodelay(true).unwrap();
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut tls = StreamOwned::new(session, Dribble(tcp));
            // In TLS 1.3 the tickets go out when the request may be here already.
            while read_request(&mut tls).is_ok_and(|more| more) {
                for part in PAGE.chunks(PAGE.len() / 3) {
                    // It asks for new keys of the client too, who has to write in order to read.
                    assert!(!is_new || tls.conn.refresh_traffic_keys().is_ok());
                    if tls.write_all(part).is_err() {
                        return;
                    }
                }
            }
        });
        for dialect in DIALECTS {
            for keep in ["", "-k"] {
                let done = ask(&format!("-n 6 -c 2 -s 20 {keep} {dialect}"), &url("127.0.0.1", port));
                let report = done.good_report();
                assert_eq!(report.counts(), Counts::good(6), "{dialect} {keep}: {done}");
                assert_eq!(report.count("Total transferred"), Some(6 * PAGE.len() as u64), "{done}");
                assert!(keep.is_empty() || report.count("Keep-Alive requests") == Some(6), "{done}");
            }
        }
    }
}

#[test]
fn r58_the_server_hears_the_name_that_the_report_shows() {
    for (arguments, host, name) in [
        (&[][..], "localhost", Some("localhost")),
        (&["-H", "Host: foo.test"], "127.0.0.1", Some("foo.test")),
        (&["-H", "host: foo.test:8443"], "localhost", Some("foo.test")),
        (&[], "127.0.0.1", None),
        (&["-H", "Host: 192.0.2.1"], "localhost", None),
        (&["-I"], "localhost", None),
        (&["-I", "-H", "Host: foo.test"], "127.0.0.1", None),
    ] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let seen_by_server = Arc::clone(&seen);
        let port = listen_tls(Pair::usual().config(), move |tls| {
            read_request(tls)?;
            seen_by_server.lock().unwrap().push(tls.conn.server_name().map(ToOwned::to_owned));
            tls.write_all(PAGE)
        });
        let url = url(host, port);
        let done = rab(arguments.iter().copied().chain(["-n", "2", &url]));
        assert_eq!(done.good_report().counts(), Counts::good(2), "{done}");
        let wanted = name.map(ToOwned::to_owned);
        assert_eq!(*seen.lock().unwrap(), [wanted.clone(), wanted], "{done}");
        let line = name.map(|name| format!("TLS Server Name:        {name}"));
        let shown = done.stdout.lines().find(|line| line.starts_with("TLS Server Name"));
        assert_eq!(shown, line.as_deref(), "{done}");
    }
}

#[test]
fn r59_any_certificate_is_good_unless_verification_is_asked_for() {
    let algorithm = &rcgen::PKCS_ECDSA_P256_SHA256;
    let self_signed = Pair::usual();
    let expired = Pair::new(algorithm, |params| {
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    });
    let misnamed = Pair::new(algorithm, |params| {
        params.subject_alt_names = vec![rcgen::SanType::DnsName("other.test".try_into().unwrap())];
    });
    let issuer = Pair::new(algorithm, |params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    for pair in [self_signed, expired, misnamed, issuer] {
        let port = listen_tls(pair.config(), pages);
        let run = |options: &str| -> Done { ask(options, &url("localhost", port)) };
        let done = run("-n 3");
        assert_eq!(done.good_report().counts(), Counts::good(3), "{done}");
        assert_eq!(done.messages(), [""; 0], "{done}");
        let done = run("-n 3 --verify");
        assert_eq!(done.good_report().counts(), Counts::connect(3), "{done}");
        let messages = done.messages();
        let start = "SSL handshake failed (1). the certificate of the server is refused: ";
        assert!(messages.len() == 1 && messages[0].starts_with(start), "{done}");
    }
}
