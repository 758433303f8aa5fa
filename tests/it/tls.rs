//! TLS from outside: the program against servers that are made here, on free loopback ports.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::{HandshakeKind, NamedGroup, ServerConnection, StreamOwned, version};

use crate::support::rab::Rab;
use crate::support::tls::{
    DIALECTS, PAGE, PATIENCE, Pair, files, listen, listen_tls, one_page, pages, read_request,
};

/// What the program said and did.
struct Outcome {
    code: i32,
    out: String,
    err: String,
}

impl Outcome {
    /// The value behind a label of the report.
    fn value(&self, label: &str) -> Option<&str> {
        self.out.lines().find_map(|line| line.strip_prefix(label)).map(str::trim)
    }

    /// So many requests complete, so many failed, in these classes.
    #[track_caller]
    fn assert_counts(&self, complete: &str, failed: &str, classes: Option<&str>) {
        let shown = format!("{:?}\n{}\n{}", self.code, self.out, self.err);
        assert_eq!(self.code, 0, "{shown}");
        assert_eq!(self.value("Complete requests:"), Some(complete), "{shown}");
        assert_eq!(self.value("Failed requests:"), Some(failed), "{shown}");
        if let Some(classes) = classes {
            assert!(self.out.contains(classes), "{shown}");
        }
    }

    /// All requests are good.
    #[track_caller]
    fn assert_good(&self, complete: &str) {
        self.assert_counts(complete, "0", None);
        assert!(!self.err.contains("SSL"), "{}", self.err);
    }

    /// All three requests fail to connect, which is told in one line.
    #[track_caller]
    fn assert_refused(&self, start: &str, why: &str) {
        self.assert_counts("3", "3", Some("(Connect: 3, Receive: 0, Length: 0, Exceptions: 0)"));
        let lines: Vec<&str> =
            self.err.lines().filter(|line| line.contains("SSL handshake failed")).collect();
        assert!(lines.len() == 1 && lines[0].starts_with(start) && lines[0].contains(why), "{lines:?}");
    }
}

/// Runs the program; words are separated by blanks.
fn rab(line: &str) -> Outcome {
    let done = Rab::new(line.split_whitespace()).run();
    Outcome { code: done.code(), out: done.stdout, err: done.stderr }
}

#[test]
fn the_lines_say_what_was_agreed_on() {
    let bits = [
        (&rcgen::PKCS_RSA_SHA256, "2048"),
        (&rcgen::PKCS_ECDSA_P384_SHA384, "384"),
        (&rcgen::PKCS_ED25519, "256"),
    ];
    let groups = [
        (aws_lc_rs::kx_group::X25519, "X25519 253 bits"),
        (aws_lc_rs::kx_group::SECP256R1, "ECDH prime256v1 256 bits"),
        (aws_lc_rs::kx_group::SECP384R1, "ECDH secp384r1 384 bits"),
    ];
    for ((algorithm, bits), (group, temp_key)) in bits.into_iter().zip(groups) {
        let pair = Pair::new(algorithm, |_| {});
        let kind = if bits == "2048" { "RSA" } else { "ECDSA" };
        for (version, expected) in [
            (&version::TLS13, format!("TLSv1.3,TLS_AES_256_GCM_SHA384,{bits},256")),
            (&version::TLS12, format!("TLSv1.2,ECDHE-{kind}-AES256-GCM-SHA384,{bits},256")),
        ] {
            let port = listen_tls(pair.config_with(&[version], group), one_page);
            let outcome = rab(&format!("-n 3 https://localhost:{port}/"));
            outcome.assert_good("3");
            assert_eq!(outcome.value("SSL/TLS Protocol:"), Some(expected.as_str()));
            assert_eq!(outcome.value("Server Temp Key:"), Some(temp_key));
            assert_eq!(outcome.value("TLS Server Name:"), Some("localhost"));
        }
    }
}

#[test]
fn each_connection_is_a_full_handshake_with_the_right_name_and_classical_groups() {
    let (seen, seen_by_server) =
        (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::<NamedGroup>::new())));
    let seen_here = Arc::clone(&seen);
    let port = listen_tls(Pair::usual().config(), move |tls| {
        one_page(tls)?;
        let name = tls.conn.server_name().map(ToOwned::to_owned);
        seen.lock().unwrap().push((name, tls.conn.handshake_kind()));
        Ok(())
    });
    let url = format!("https://localhost:{port}/");
    rab(&format!("-n 2 {url}")).assert_good("2");
    let without = rab(&format!("-I {url}"));
    without.assert_good("1");
    assert_eq!(without.value("TLS Server Name:"), None);
    rab(&format!("-H Host:foo.test:1 https://127.0.0.1:{port}/")).assert_good("1");
    rab(&format!("https://127.0.0.1:{port}/")).assert_good("1");
    let full = |name: Option<&str>| (name.map(ToOwned::to_owned), Some(HandshakeKind::Full));
    let local = full(Some("localhost"));
    let expected = [local.clone(), local, full(None), full(Some("foo.test")), full(None)];
    assert_eq!(*seen_here.lock().unwrap(), expected);

    let groups = Arc::clone(&seen_by_server);
    let port = listen(move |mut tcp| {
        let mut acceptor = rustls::server::Acceptor::default();
        let accepted = loop {
            acceptor.read_tls(&mut tcp).unwrap();
            if let Some(accepted) = acceptor.accept().unwrap() {
                break accepted;
            }
        };
        groups.lock().unwrap().extend(accepted.client_hello().named_groups().unwrap_or_default());
    });
    rab(&format!("https://127.0.0.1:{port}/"));
    let classical = [NamedGroup::X25519, NamedGroup::secp256r1, NamedGroup::secp384r1];
    assert_eq!(*seen_by_server.lock().unwrap(), classical);
}

#[test]
fn certificates_that_nobody_would_believe_are_taken() {
    let expired = Pair::new(&rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    });
    let misnamed = Pair::new(&rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.subject_alt_names = vec![rcgen::SanType::DnsName("other.test".try_into().unwrap())];
    });
    let issuer = Pair::new(&rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    });
    for pair in [expired, misnamed, issuer] {
        for versions in [&[&version::TLS12], &[&version::TLS13]] {
            let port = listen_tls(pair.config_with(versions, aws_lc_rs::kx_group::X25519), one_page);
            rab(&format!("-n 2 https://localhost:{port}/")).assert_good("2");
        }
    }
}

/// What rustls and rcgen do not make: 1024-bit keys and version 1, by the `openssl` command.
#[test]
fn weak_and_old_certificates_are_taken() {
    let (_folder, path) = files(&[]);
    let (key, request, pem) = (path("key.pem"), path("request.pem"), path("own.pem"));
    for (bits, version) in [("1024", "-tls1_3"), ("1024", "-tls1_2"), ("2048", "-tls1_3")] {
        let openssl = |line: &str| {
            let made = Command::new("openssl").args(line.split_whitespace()).stderr(Stdio::null()).status();
            made.is_ok_and(|status| status.success())
        };
        // Without extensions, a certificate is of version 1.
        let made = openssl(&format!(
            "req -new -newkey rsa:{bits} -nodes -keyout {key} -out {request} -subj /CN=old"
        )) && openssl(&format!("x509 -req -in {request} -signkey {key} -out {pem} -days 9"));
        if !made {
            eprintln!("skipped: there is no openssl command");
            return;
        }
        let line = format!("s_server -accept 127.0.0.1:0 -www {version} -cipher DEFAULT@SECLEVEL=0");
        let mut server = Command::new("openssl")
            .args(line.split_whitespace())
            .args(["-cert", &pem, "-key", &key, "-naccept", "2"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = io::BufRead::lines(io::BufReader::new(server.stdout.take().unwrap()));
        let accept =
            said.find_map(|line| line.unwrap().strip_prefix("ACCEPT ").map(ToOwned::to_owned)).unwrap();
        let port = accept.rsplit_once(':').unwrap().1.to_owned();
        let outcome = rab(&format!("-v 2 -n 2 https://127.0.0.1:{port}/"));
        server.kill().unwrap();
        server.wait().unwrap();
        outcome.assert_good("2");
        assert!(outcome.value("SSL/TLS Protocol:").unwrap().contains(&format!(",{bits},")));
        assert_eq!(outcome.out.matches("\nCertificate version: 1\n").count(), 2, "{}", outcome.out);
        assert_eq!(outcome.err.matches("\nTransport Protocol      :TLSv1.").count(), 2, "{}", outcome.err);
        assert!(!outcome.err.contains("Master-Key"));
    }
}

#[test]
fn verify_and_cacert_refuse_what_cannot_be_verified() {
    let algorithm = &rcgen::PKCS_ECDSA_P256_SHA256;
    let as_issuer = |params: &mut CertificateParams| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let own = Pair::new(algorithm, as_issuer);
    let other = Pair::new(algorithm, |params| {
        as_issuer(params);
        params.distinguished_name.push(rcgen::DnType::CommonName, "other");
    });
    let expired = Pair::new(algorithm, |params| {
        as_issuer(params);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
    });
    let (_folder, path) = files(&[
        ("own", own.certificate.pem()),
        ("other", other.certificate.pem()),
        ("expired", expired.certificate.pem()),
    ]);
    let port = listen_tls(own.config(), one_page);
    let run = |option: &str, host: &str| rab(&format!("-n 3 {option} https://{host}:{port}/"));
    let start = "SSL handshake failed (1). the certificate of the server is refused: it";
    // The server shows an issuer's certificate, which is taken only if it is the very one that is believed.
    run(&format!("--cacert {}", path("own")), "localhost").assert_good("3");
    run(&format!("--cacert {}", path("own")), "127.0.0.1").assert_good("3");
    run(&format!("--cacert {}", path("other")), "localhost")
        .assert_refused(start, "marked as that of an issuer");
    run(&format!("--cacert {} -H Host:else.test", path("own")), "localhost")
        .assert_refused(start, "not for else.test, but for");
    let port = listen_tls(expired.config(), one_page);
    rab(&format!("-n 3 --cacert {} https://localhost:{port}/", path("expired")))
        .assert_refused(start, "expired");

    // An ordinary certificate, and who issued it.
    let (key, params) =
        (KeyPair::generate().unwrap(), CertificateParams::new(["localhost".to_owned()]).unwrap());
    let mut issuer_params = CertificateParams::new(["issuer".to_owned()]).unwrap();
    as_issuer(&mut issuer_params);
    let root = issuer_params.self_signed(&own.key).unwrap();
    let certificate = params.signed_by(&key, &Issuer::from_params(&issuer_params, &own.key)).unwrap();
    std::fs::write(path("root"), root.pem()).unwrap();
    let port = listen_tls(Pair { certificate, key }.config(), one_page);
    let url = format!("https://localhost:{port}/");
    rab(&format!("-n 3 --verify --cacert {} {url}", path("root"))).assert_good("3");
    let refused = rab(&format!("-n 3 --cacert {} {url}", path("other")));
    refused
        .assert_refused("SSL handshake failed (1). the certificate", "nobody who is believed has issued it");
}

#[test]
fn a_demanded_client_certificate_is_shown_or_its_lack_is_named() {
    let (server, client, stranger) = (Pair::usual(), Pair::usual(), Pair::new(&rcgen::PKCS_ED25519, |_| {}));
    let (_folder, path) = files(&[
        ("both", client.key.serialize_pem() + &client.certificate.pem()),
        ("certificate", client.certificate.pem()),
        ("key", client.key.serialize_pem()),
        ("stranger", stranger.certificate.pem() + &stranger.key.serialize_pem()),
    ]);
    for version in [&version::TLS12, &version::TLS13] {
        let config = server.demanding(version, &client.certificate);
        let port = listen_tls(config, one_page);
        for engine in ["wire", "hyper"] {
            let run = |line: &str| rab(&format!("-n 3 --engine {engine} {line} https://127.0.0.1:{port}/"));
            run(&format!("-E {}", path("both"))).assert_good("3");
            run(&format!("--cert {} --key {}", path("certificate"), path("key"))).assert_good("3");
            run("").assert_refused("SSL handshake failed (1). ", "it demands a client certificate");
            let start = "SSL handshake failed (1). the server refused it with alert";
            run(&format!("-E {}", path("stranger"))).assert_refused(start, "(-E)");
        }
    }
}

#[test]
fn failing_handshakes_are_counted_and_told_apart() {
    let run = |option: &str, port: u16| rab(&format!("-n 3 {option} https://127.0.0.1:{port}/"));
    let hello = |tcp: &mut TcpStream| tcp.read(&mut [0; 4096]);
    let (one, five) = ("SSL handshake failed (1). ", "SSL handshake failed (5). ");
    let closed = listen(move |mut tcp| drop(hello(&mut tcp)));
    run("", closed).assert_refused(five, "closed the connection");
    let reset = listen(move |mut tcp| {
        socket2::SockRef::from(&tcp).set_linger(Some(Duration::ZERO)).unwrap();
        let _ = hello(&mut tcp);
    });
    run("", reset).assert_refused(five, "reset the connection");
    let plain = listen(move |mut tcp| {
        let _ = hello(&mut tcp).and_then(|_| tcp.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    run("", plain).assert_refused(one, "http://");
    let mail = listen(|mut tcp| {
        let _ = tcp.write_all(b"220 mail.test ESMTP\r\n");
        let _ = tcp.read(&mut [0; 4096]);
    });
    run("", mail).assert_refused(one, "not TLS");
    let new = listen_tls(Pair::usual().config_with(&[&version::TLS13], aws_lc_rs::kx_group::X25519), pages);
    run("-f TLS1.2", new).assert_refused(one, "protocol_version");
    let old = listen_tls(Pair::usual().config_with(&[&version::TLS12], aws_lc_rs::kx_group::X25519), pages);
    run("-f TLS1.3", old).assert_refused(one, "protocol_version");
    run("-Z aRSA", old).assert_refused(one, "no cipher suite");
    // Nobody waits for an answer that never came.
    run("-c 3 -W 2", mail).assert_refused(one, "not TLS");
    // As with all connections that fail, the twelfth one ends a run in which nothing succeeded.
    let many = rab(&format!("-n 20 https://127.0.0.1:{old}/ -Z aRSA"));
    assert!(many.err.contains("Test aborted after 10 failures") && many.code == 1, "{}", many.err);
    // And the other way round: plain HTTP to a TLS server.
    let alert = listen(move |mut tcp| {
        let _ = hello(&mut tcp).and_then(|_| tcp.write_all(&[21, 3, 1, 0, 2, 2, 80]));
    });
    for engine in ["wire", "hyper"] {
        let outcome = rab(&format!("-n 2 --engine {engine} http://127.0.0.1:{alert}/"));
        outcome.assert_counts("2", "2", Some("Exceptions: 2)"));
        assert!(outcome.err.contains("hint: the server speaks TLS"), "{}", outcome.err);
    }
}

#[test]
fn connections_are_used_again_through_whatever_tls_says_for_itself() {
    for versions in [&[&version::TLS12], &[&version::TLS13]] {
        let is_new = *versions[0] == version::TLS13;
        let port = listen_tls(Pair::usual().config_with(versions, aws_lc_rs::kx_group::X25519), move |tls| {
            while read_request(tls)? {
                tls.write_all(&PAGE[..PAGE.len() - 2])?;
                if is_new {
                    // New keys in the midst of a body, and again between a response and the next request.
                    tls.conn.refresh_traffic_keys().map_err(io::Error::other)?;
                }
                tls.write_all(&PAGE[PAGE.len() - 2..])?;
                if is_new {
                    tls.conn.refresh_traffic_keys().map_err(io::Error::other)?;
                    tls.flush()?;
                }
            }
            Ok(())
        });
        for dialect in DIALECTS {
            let outcome = rab(&format!("-k -n 20 -c 2 {dialect} https://localhost:{port}/"));
            outcome.assert_good("20");
            assert_eq!(outcome.value("Keep-Alive requests:"), Some("20"), "{dialect}");
            assert_eq!(
                outcome.value("Total transferred:"),
                Some(format!("{} bytes", PAGE.len() * 20).as_str())
            );
        }
    }
}

#[test]
fn large_bodies_go_both_ways() {
    const LENGTH: usize = 10_000_000;
    let (_folder, path) = files(&[("body", "b".repeat(LENGTH))]);
    let port = listen_tls(Pair::usual().config(), |tls| {
        read_request(tls)?;
        io::copy(&mut Read::take(&mut *tls, LENGTH as u64), &mut io::sink())?;
        tls.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n").as_bytes())?;
        tls.write_all(&vec![b'x'; LENGTH])?;
        tls.conn.send_close_notify();
        tls.flush()
    });
    for dialect in DIALECTS {
        let outcome = rab(&format!("-n 2 -p {} {dialect} https://localhost:{port}/", path("body")));
        outcome.assert_good("2");
        assert_eq!(outcome.value("HTML transferred:"), Some("20000000 bytes"), "{dialect}");
        let sent: usize = outcome.value("Total body sent:").unwrap().parse().unwrap();
        assert!((2 * LENGTH + 200..2 * LENGTH + 500).contains(&sent), "{dialect}: {sent}");
    }
}

#[test]
fn close_notify_is_answered_and_need_not_come() {
    const UNBOUNDED: &[u8] = b"HTTP/1.0 200 OK\r\n\r\nuntil the end";
    for (dialect, page) in DIALECTS.into_iter().flat_map(|dialect| [(dialect, PAGE), (dialect, UNBOUNDED)]) {
        let (leaves, left) = mpsc::channel();
        let leaves = Mutex::new(leaves);
        let polite = listen_tls(Pair::usual().config(), move |tls| {
            read_request(tls)?;
            tls.write_all(page)?;
            tls.conn.send_close_notify();
            tls.flush()?;
            tls.sock.shutdown(Shutdown::Write)?;
            // Nothing is an answer in kind; a close without it is an error.
            let answer = tls.read(&mut [0]);
            leaves.lock().unwrap().send(answer.ok()).map_err(io::Error::other)
        });
        rab(&format!("-n 2 {dialect} https://localhost:{polite}/")).assert_good("2");
        for _ in 0..2 {
            assert_eq!(left.recv_timeout(PATIENCE), Ok(Some(0)), "{dialect}");
        }
        let abrupt = listen_tls(Pair::usual().config(), move |tls| {
            read_request(tls)?;
            tls.write_all(page)
        });
        rab(&format!("-n 2 {dialect} https://localhost:{abrupt}/")).assert_good("2");
    }
}

#[test]
fn what_breaks_within_an_answer_is_no_handshake_failure() {
    let beginning = &PAGE[..PAGE.len() - 2];
    let port = listen_tls(Pair::usual().config(), move |tls| {
        read_request(tls)?;
        tls.write_all(beginning)
    });
    for dialect in DIALECTS {
        let outcome = rab(&format!("-n 2 {dialect} https://localhost:{port}/"));
        outcome.assert_counts("2", "2", Some("(Connect: 0, Receive: 2, Length: 0, Exceptions: 0)"));
    }
    let port = listen_tls(Pair::usual().config(), move |tls| {
        read_request(tls)?;
        tls.write_all(beginning)?;
        socket2::SockRef::from(&tls.sock).set_linger(Some(Duration::ZERO))
    });
    for dialect in DIALECTS {
        let outcome = rab(&format!("-n 2 {dialect} https://localhost:{port}/"));
        assert!(outcome.err.contains("apr_socket_recv: Connection reset by peer (104)"), "{}", outcome.err);
        assert_eq!(outcome.code, 104, "{dialect}");
    }
}

#[test]
fn a_server_that_says_nothing_is_silent() {
    let port = listen(|mut tcp| drop(io::copy(&mut tcp, &mut io::sink())));
    let outcome = rab(&format!("-s 1 https://localhost:{port}/"));
    assert_eq!(outcome.code, 119, "{}", outcome.err);
    assert!(outcome.err.contains("no TLS handshake came to its end"), "{}", outcome.err);
}

/// An idle connection is left with a goodbye, also at the end of a run.
#[test]
fn the_last_connection_is_not_just_dropped() {
    for dialect in DIALECTS {
        let (leaves, left) = mpsc::channel();
        let leaves = Mutex::new(leaves);
        let port = listen_tls(Pair::usual().config(), move |tls| {
            let end = pages(tls);
            leaves.lock().unwrap().send(end.is_ok()).map_err(io::Error::other)
        });
        rab(&format!("-k -n 3 {dialect} https://localhost:{port}/")).assert_good("3");
        assert_eq!(left.recv_timeout(PATIENCE), Ok(true), "{dialect}");
    }
}

/// A server that takes its time in the handshake is slow, but not silent.
#[test]
fn a_slow_handshake_is_no_silence() {
    let config = Arc::new(Pair::usual().config());
    let port = listen(move |mut tcp| {
        let mut session = ServerConnection::new(Arc::clone(&config)).unwrap();
        while !session.wants_write() {
            session.read_tls(&mut tcp).unwrap();
            session.process_new_packets().unwrap();
        }
        let mut flight = Vec::new();
        while session.wants_write() {
            session.write_tls(&mut flight).unwrap();
        }
        for piece in flight.chunks(flight.len() / 4) {
            thread::sleep(Duration::from_millis(400));
            tcp.write_all(piece).unwrap();
        }
        let _ = one_page(&mut StreamOwned::new(session, tcp));
    });
    rab(&format!("-s 1 https://localhost:{port}/")).assert_good("1");
}
