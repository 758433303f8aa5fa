//! A real proxy: Apache, which makes tunnels to one port for those it knows.

use super::{Secured, line};
use crate::support::apache::{Apache, MODULES, Mpm};
use crate::support::rab::Done;
use crate::support::report::Counts;
use crate::support::tls::{DIALECTS, PAGE, Pair};

/// `user` and `secret`.
const KNOWN: &str = "user:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n";

/// A proxy that makes tunnels to this port, and the file of those it knows.
fn proxy(port: u16) -> Option<(Apache, tempfile::TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known");
    std::fs::write(&known, KNOWN).unwrap();
    // Apache's children run under another account than root.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), readable).unwrap();
    let modules = ["proxy", "proxy_connect", "auth_basic", "authn_core", "authn_file", "authz_user"];
    let load = modules.map(|name| format!("LoadModule {name}_module {MODULES}/mod_{name}.so\n")).concat();
    let directives = format!(
        "{load}ProxyRequests On\nAllowCONNECT {port}\n<Proxy \"*\">\nAuthType Basic\nAuthName tunnels\n\
         AuthUserFile {}\nRequire valid-user\n</Proxy>",
        known.display()
    );
    Some((Apache::start(Mpm::Event, &directives, None)?, folder))
}

/// Asks through a proxy.
fn ask(proxy: &Apache, options: &str, url: &str) -> Done {
    let place = proxy.url("");
    line(&format!("-X {} {options} {url}", place.trim_start_matches("http://")))
}

#[test]
fn a_real_proxy_makes_tunnels_for_those_it_knows() {
    let server = Secured::start(&Pair::usual());
    let Some((proxy, _known)) = proxy(server.port) else { return };
    let url = format!("https://127.0.0.1:{}/", server.port);
    for dialect in DIALECTS {
        for (options, connections) in [("", 6), ("-k", 2)] {
            let done = ask(&proxy, &format!("-n 6 -c 2 {options} -P user:secret {dialect}"), &url);
            let report = done.good_report();
            assert_eq!(report.counts(), Counts::good(6), "{done}");
            assert_eq!(report.count("Total transferred"), Some(6 * PAGE.len() as u64));
            assert_eq!(server.take_seen().len(), 6);
            let log = proxy.log(connections);
            assert_eq!(log.len(), connections, "{log:?}");
            assert!(
                log.iter().all(|line| (line.method.as_str(), line.status) == ("CONNECT", 200)),
                "{log:?}"
            );
        }
    }
}

#[test]
fn a_real_proxy_refuses_strangers_and_other_ports() {
    let server = Secured::start(&Pair::usual());
    let Some((proxy, _known)) = proxy(server.port) else { return };
    let url = format!("https://127.0.0.1:{}/", server.port);
    for (options, url, refusal, hint) in [
        ("", url.as_str(), 407, "-P"),
        ("-P user:wrong", &url, 407, "-P"),
        ("-P user:secret", "https://127.0.0.1:9/", 403, "443"),
    ] {
        let done = ask(&proxy, &format!("-n 3 {options}"), url);
        assert_eq!(done.good_report().counts(), Counts::connect(3), "{done}");
        let [message] = done.messages()[..] else { panic!("{done}") };
        assert!(message.starts_with(&format!("proxy refused CONNECT: HTTP/1.1 {refusal} ")), "{done}");
        done.assert_hint(&[hint]);
        assert!(proxy.log(3).iter().all(|line| line.status == refusal));
    }
    assert_eq!(server.take_seen().len(), 0);
}
