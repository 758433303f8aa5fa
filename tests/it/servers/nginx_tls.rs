//! A real nginx over TLS.

use super::{SPOKEN, assert_agrees};
use crate::support::access_log::connections;
use crate::support::certificate::Pem;
use crate::support::nginx::{BIG, Nginx, PAGE, Site};
use crate::support::rab::{Done, rab};
use crate::support::report::Counts;

/// Runs with words that are separated by blanks, and more words.
fn ask<'a>(options: &'a str, more: &[&'a str], nginx: &Nginx, path: &str) -> Done {
    rab(options.split_whitespace().chain(more.iter().copied()).chain([nginx.url(path).as_str()]))
}

/// A site that speaks one version of TLS.
fn site<'a>(certificate: &'a Pem, server: &'a str) -> Site<'a> {
    Site { server, certificate: Some(certificate), ..Site::default() }
}

#[test]
fn the_line_about_tls_is_what_the_server_has_logged() {
    let kinds = [(Pem::usual(), "256"), (Pem::new(&rcgen::PKCS_RSA_SHA256), "2048")];
    for ((pem, bits), version) in kinds.iter().flat_map(|kind| ["TLSv1.2", "TLSv1.3"].map(|v| (kind, v))) {
        for spoken in SPOKEN {
            let speaks_one = format!("ssl_protocols {version};");
            let Some(nginx) = Nginx::serve(&site(pem, &speaks_one)) else { return };
            let done = ask("-n 12 -c 3", &spoken, &nginx, "/page");
            let log = nginx.log(12);
            assert_agrees(&done, &log, "GET");
            assert_eq!(done.report().count("HTML transferred"), Some(12 * PAGE as u64));
            assert_eq!(connections(&log), 12);
            let agreed = done.report().text_of("SSL/TLS Protocol").unwrap().to_owned();
            for line in &log {
                assert_eq!(line.tls[0], version);
                // The bits of the server's key come behind, and those of the cipher.
                assert!(
                    agreed.starts_with(&format!("{version},{},{bits},", line.tls[1])),
                    "{done}\n{line:?}"
                );
            }
        }
    }
}

#[test]
fn connections_are_kept_over_tls() {
    let pem = Pem::usual();
    for (version, spoken) in ["TLS1.2", "TLS1.3"].into_iter().flat_map(|v| SPOKEN.map(|spoken| (v, spoken))) {
        let Some(nginx) = Nginx::serve(&site(&pem, "keepalive_requests 10;")) else { return };
        let done = ask(&format!("-n 95 -k -f {version}"), &spoken, &nginx, "/page");
        let log = nginx.log(95);
        assert_agrees(&done, &log, "GET");
        assert_eq!(connections(&log), 10, "{version} {spoken:?}");
        assert_eq!(done.report().count("Keep-Alive requests"), Some(86), "{done}");
    }
}

#[test]
fn a_large_file_and_a_post_over_tls() {
    let pem = Pem::usual();
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; 200_000]).unwrap();
    let post = format!("-n 6 -c 2 -T a/b -p {}", body.path().display());
    for spoken in SPOKEN {
        let Some(nginx) = Nginx::serve(&site(&pem, "location /post { return 200 'taken'; }")) else { return };
        let done = ask("-n 4 -c 2", &spoken, &nginx, "/big");
        assert_agrees(&done, &nginx.log(4), "GET");
        assert_eq!(done.report().count("HTML transferred"), Some(4 * BIG as u64));

        let done = ask(&post, &spoken, &nginx, "/post");
        let log = nginx.log(10);
        assert_agrees(&done, &log[4..], "POST");
        // nginx throws the bodies away here, and leaves them out of the length.
        let heads: u64 = log[4..].iter().map(|line| line.request_length).sum();
        assert_eq!(done.report().count("Total body sent"), Some(heads + 6 * 200_000), "{log:?}");
    }
}

/// nginx lets strangers in and then tells them off with a status.
#[test]
fn a_demanded_client_certificate() {
    let (pem, client, stranger) = (Pem::usual(), Pem::usual(), Pem::new(&rcgen::PKCS_ED25519));
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, pem: &Pem| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("{}{}", pem.certificate, pem.key)).unwrap();
        path.display().to_string()
    };
    let (known, unknown) = (file("known", &client), file("unknown", &stranger));
    let files = [("clients.pem", client.certificate.as_str())];
    for (version, spoken) in ["TLS1.2", "TLS1.3"].into_iter().flat_map(|v| SPOKEN.map(|spoken| (v, spoken))) {
        let demand = "ssl_verify_client on; ssl_client_certificate clients.pem;";
        let site = Site { files: &files, ..site(&pem, demand) };
        let Some(nginx) = Nginx::serve(&site) else { return };
        let done = ask(&format!("-n 5 -f {version} -E {known}"), &spoken, &nginx, "/page");
        assert_eq!(done.good_report().counts(), Counts::good(5), "{done}");
        for options in ["", &format!("-E {unknown}")] {
            let done = ask(&format!("-n 5 -f {version} {options}"), &spoken, &nginx, "/page");
            let refused = Counts { non_2xx: 5, ..Counts::good(5) };
            assert_eq!(done.good_report().counts(), refused, "{done}");
            done.assert_hint(&["400"]);
        }
        let statuses: Vec<u16> = nginx.log(15).iter().map(|line| line.status).collect();
        assert_eq!(statuses, [[200; 5], [400; 5], [400; 5]].concat());
    }
}

/// A service behind TLS that wants to see a token: without a good one, small and fast answers that are complete.
#[test]
fn a_token_and_a_query() {
    const PATH: &str = "/api/some-list/?month=11&year=2025";
    let pem = Pem::usual();
    let check = "location = /api/some-list/ {
        if ($http_authorization != 'Bearer good') { return 401; }
        return 200 'month $arg_month of $arg_year';
    }";
    for spoken in SPOKEN {
        let Some(nginx) = Nginx::serve(&site(&pem, check)) else { return };
        let run = |token: &str| {
            let header = format!("Authorization: Bearer {token}");
            ask("-n 20 -c 10 -H", &[&[header.as_str()][..], &spoken].concat(), &nginx, PATH)
        };
        let done = run("good");
        assert_eq!(done.good_report().counts(), Counts::good(20), "{done}");
        assert_eq!(done.report().text_of("Document Path"), Some(PATH));
        assert_eq!(done.report().count("Document Length"), Some("month 11 of 2025".len() as u64));
        let done = run("expired");
        assert_eq!(done.good_report().counts(), Counts { non_2xx: 20, ..Counts::good(20) }, "{done}");
        done.assert_hint(&["401"]);
        assert_eq!(nginx.log(40).iter().filter(|line| line.status == 401).count(), 20);
    }
}
