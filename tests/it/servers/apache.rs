//! A real Apache httpd, with processes and with threads.

use std::collections::BTreeMap;

use super::{SPOKEN, Spoken, assert_agrees, assert_counts_agree};
use crate::support::access_log::{Logged, connections};
use crate::support::apache::{Apache, BIG, Mpm, PAGE, WORD_LENGTH};
use crate::support::certificate::Pem;
use crate::support::rab::{Done, rab};

/// Runs with these options, separated by blanks, and a way of speaking; gives what Apache has logged of it.
fn ask(apache: &Apache, path: &str, options: &str, spoken: Spoken, count: usize) -> (Done, Vec<Logged>) {
    let count_option = count.to_string();
    let options = ["-n", count_option.as_str()].into_iter().chain(options.split_whitespace());
    let done = rab(options.chain(spoken).chain([apache.url(path).as_str()]));
    let log = apache.log(count);
    assert_eq!(log.len(), count, "{done}\n{log:#?}");
    (done, log)
}

/// How many requests came over each connection.
fn requests_per_connection(log: &[Logged]) -> Vec<usize> {
    let mut numbers = BTreeMap::<u64, usize>::new();
    for line in log {
        *numbers.entry(line.connection).or_default() += 1;
    }
    numbers.into_values().collect()
}

#[test]
fn a_static_page() {
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "", None) else { return };
        for spoken in SPOKEN {
            let (done, log) = ask(&apache, "/page", "-c 4", spoken, 40);
            assert_agrees(&done, &log, "GET");
            let report = done.report();
            assert_eq!(report.count("Document Length"), Some(PAGE as u64));
            assert_eq!(report.count("HTML transferred"), Some(40 * PAGE as u64));
            assert_eq!(connections(&log), 40, "{mpm:?} {spoken:?}");
            assert_eq!(report.count("Keep-Alive requests"), None);
            assert!(report.text_of("Server Software").is_some_and(|name| name.starts_with("Apache/2.4")));
        }
    }
}

#[test]
fn a_page_that_is_not_there_and_a_head() {
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "", None) else { return };
        for spoken in SPOKEN {
            let (done, log) = ask(&apache, "/none", "-c 2 -k", spoken, 20);
            assert_agrees(&done, &log, "GET");
            assert_eq!(done.report().counts().non_2xx, 20);
            assert!(log.iter().all(|line| line.status == 404));

            let (done, log) = ask(&apache, "/page", "-i -k", spoken, 20);
            assert_agrees(&done, &log, "HEAD");
            assert_eq!(done.report().count("Document Length"), Some(0));
            assert_eq!(connections(&log), 1);
        }
    }
}

/// Apache does not know how long the answer of a script will be. It is told by its length if the script was quick, and
/// otherwise comes in chunks, or ends with the connection.
#[test]
fn one_word_of_a_script() {
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "", None) else { return };
        for spoken in SPOKEN {
            for options in ["-c 3", "-c 3 -k"] {
                let (done, log) = ask(&apache, "/cgi-bin/word", options, spoken, 30);
                assert_agrees(&done, &log, "GET");
                let report = done.report();
                assert_eq!(report.count("Document Length"), Some(WORD_LENGTH as u64));
                assert_eq!(report.count("HTML transferred"), Some(30 * WORD_LENGTH as u64));
                if options == "-c 3" {
                    assert_eq!(connections(&log), 30);
                } else if spoken[0] == "--http1.1" {
                    assert!(connections(&log) <= 3, "{log:#?}");
                    assert_eq!(report.count("Keep-Alive requests"), Some(30));
                }
            }
        }
    }
}

#[test]
fn a_post_to_a_script() {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), vec![b'd'; 54321]).unwrap();
    let options = format!("-c 2 -T a/b -p {}", body.path().display());
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "", None) else { return };
        for spoken in SPOKEN {
            let (done, log) = ask(&apache, "/cgi-bin/size", &options, spoken, 10);
            assert_agrees(&done, &log, "POST");
            // The script says 54321 and ends the line.
            assert_eq!(done.report().count("Document Length"), Some(6));
            let received: u64 = log.iter().map(|line| line.request_length).sum();
            assert_eq!(done.report().count("Total body sent"), Some(received), "{done}\n{log:#?}");
        }
    }
}

#[test]
fn a_large_file() {
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "", None) else { return };
        for spoken in SPOKEN {
            let (done, log) = ask(&apache, "/big", "-c 2", spoken, 4);
            assert_agrees(&done, &log, "GET");
            assert_eq!(done.report().count("HTML transferred"), Some(4 * BIG as u64));
        }
    }
}

/// Apache lets a connection have one request more than it says.
#[test]
fn connections_that_end_after_ten_requests_or_so() {
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "MaxKeepAliveRequests 10", None) else { return };
        for spoken in SPOKEN {
            let (done, log) = ask(&apache, "/page", "-k", spoken, 95);
            assert_agrees(&done, &log, "GET");
            let most = requests_per_connection(&log).into_iter().max().unwrap();
            assert!(most == 10 || most == 11, "{log:#?}");
            let full = log.iter().filter(|line| line.request == most as u64).count();
            assert_eq!(full, 95 / most);
            assert_eq!(connections(&log), 95_usize.div_ceil(most), "{mpm:?} {spoken:?}");
            assert_eq!(done.report().count("Keep-Alive requests"), Some((95 - full) as u64), "{done}");

            // Several connections share the requests as it comes, and each is used as often as it may be.
            for (count, several) in [(7, 3), (13, 4), (200, 5)] {
                let (done, log) = ask(&apache, "/page", &format!("-k -c {several}"), spoken, count);
                assert_agrees(&done, &log, "GET");
                let full = log.iter().filter(|line| line.request == most as u64).count();
                assert_eq!(done.report().count("Keep-Alive requests"), Some((count - full) as u64), "{done}");
                assert!(connections(&log) <= full + several, "{log:#?}");
            }
        }
    }
}

#[test]
fn many_connections_kept() {
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "MaxKeepAliveRequests 0", None) else { return };
        for spoken in SPOKEN {
            let (done, log) = ask(&apache, "/page", "-k -c 8 -q", spoken, 400);
            assert_agrees(&done, &log, "GET");
            assert_eq!(done.report().count("Keep-Alive requests"), Some(400));
            assert!(connections(&log) <= 8);
        }
    }
}

#[test]
fn a_server_that_keeps_no_connection() {
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "KeepAlive Off", None) else { return };
        for spoken in SPOKEN {
            let (done, log) = ask(&apache, "/page", "-k -c 2", spoken, 20);
            assert_agrees(&done, &log, "GET");
            assert_eq!(done.report().count("Keep-Alive requests"), Some(0));
            assert_eq!(connections(&log), 20);
        }
    }
}

#[test]
fn https() {
    let pem = Pem::usual();
    for mpm in Mpm::ALL {
        let Some(apache) = Apache::start(mpm, "", Some(&pem)) else { return };
        for (version, name) in [("TLS1.2", "TLSv1.2"), ("TLS1.3", "TLSv1.3")] {
            for spoken in SPOKEN {
                for (options, path, length) in
                    [("", "/page", PAGE), ("-k", "/page", PAGE), ("-k", "/big", BIG)]
                {
                    let count = if path == "/big" { 2 } else { 12 };
                    let (done, log) = ask(&apache, path, &format!("{options} -f {version}"), spoken, count);
                    assert_counts_agree(&done, &log, "GET");
                    let report = done.report();
                    assert_eq!(report.count("HTML transferred"), Some((count * length) as u64));
                    assert_eq!(connections(&log), if options == "-k" { 1 } else { count });
                    let agreed = report.text_of("SSL/TLS Protocol").unwrap().to_owned();
                    assert!(agreed.starts_with(&format!("{name},")), "{done}");
                    assert!(
                        log.iter().all(|line| agreed.starts_with(&format!("{},", line.tls.join(",")))),
                        "{agreed}\n{log:#?}"
                    );
                }
            }
        }
    }
}

/// Apache refuses the handshake itself to whom it does not know, so no request comes to be.
#[test]
fn a_demanded_client_certificate() {
    let (pem, stranger) = (Pem::usual(), Pem::new(&rcgen::PKCS_ED25519));
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, pem: &Pem| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("{}{}", pem.certificate, pem.key)).unwrap();
        path.display().to_string()
    };
    let (own, strange) = (file("own", &pem), file("strange", &stranger));
    for mpm in Mpm::ALL {
        let demand = "SSLVerifyClient require\nSSLCACertificateFile own.pem";
        let Some(apache) = Apache::start(mpm, demand, Some(&pem)) else { return };
        for (version, spoken) in
            ["TLS1.2", "TLS1.3"].into_iter().flat_map(|version| SPOKEN.map(|spoken| (version, spoken)))
        {
            let (done, log) = ask(&apache, "/page", &format!("-f {version} -E {own}"), spoken, 6);
            assert_counts_agree(&done, &log, "GET");

            for options in [String::new(), format!("-E {strange}")] {
                let url = apache.url("/page");
                let options = format!("-n 3 -f {version} {options}");
                let done = rab(options.split_whitespace().chain(spoken).chain([url.as_str()]));
                let counts = done.good_report().counts();
                assert_eq!((counts.complete, counts.connect), (3, 3), "{done}");
                assert!(done.stderr.contains("SSL handshake failed (1). "), "{done}");
                assert!(done.stderr.contains(" alert ") && done.stderr.contains("(-E)"), "{done}");
            }
            assert_eq!(apache.log(0), []);
        }
    }
}
