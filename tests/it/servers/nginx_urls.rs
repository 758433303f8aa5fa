//! A real nginx, asked for many URLs: its log counts each as often as the table does.

use std::collections::BTreeMap;

use super::SPOKEN;
use crate::support::certificate::Pem;
use crate::support::nginx::{Nginx, PAGE, Site};
use crate::support::rab::{Done, Rab};
use crate::support::report::Counts;

/// What the list asks for. `/none` is not there.
const LIST: &str = "/page\n/none\nHEAD /page\nPOST /post @body\n/page?x=1\n/page\n";

/// Requests and answers other than 2xx, by method and target.
type ByUrl = BTreeMap<String, (u64, u64)>;

/// What the table of the URLs says.
fn table(done: &Done) -> ByUrl {
    let (_, table) = done.stdout.split_once("\nRequests by URL").unwrap();
    let lines = table.lines().skip(2).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let number = |word: &str| word.parse().unwrap();
    lines.map(|words| (words[7..9].join(" "), (number(words[0]), number(words[2])))).collect()
}

/// What nginx has logged: method, target and status of each request.
fn logged(lines: &[String]) -> ByUrl {
    let mut all = ByUrl::new();
    for line in lines {
        let (url, status) = line.rsplit_once(' ').unwrap();
        let (requests, others) = all.entry(url.to_owned()).or_default();
        *requests += 1;
        *others += u64::from(!status.starts_with('2'));
    }
    all
}

/// Asks for the list in many ways, over TLS if there is a certificate.
fn assert_table_is_the_log(certificate: Option<&Pem>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("list"), LIST).unwrap();
    std::fs::write(folder.path().join("body"), vec![b'd'; 5000]).unwrap();
    let loads = ["-n 60", "-n 60 -k", "-n 600 -c 10 -W 2 -k -q", "-n 250 -c 7 --shuffle 3 -k -q"];
    for (load, spoken) in loads.iter().flat_map(|load| SPOKEN.map(|spoken| (load, spoken))) {
        let site = Site {
            http: "log_format urls '$request_method $request_uri $status';",
            server: "access_log urls.log urls; location /post { return 200 'taken'; }",
            certificate,
            ..Site::default()
        };
        let Some(nginx) = Nginx::serve(&site) else { return };
        let url = nginx.url("/");
        let words = load.split(' ').chain(spoken).chain(["--urls", "list", "--by-url", &url]);
        let done = Rab::new(words).folder(folder.path()).run();
        let report = done.good_report();
        let complete = report.count("Complete requests").unwrap();
        let log = logged(&nginx.lines("urls.log", usize::try_from(complete).unwrap()));
        assert_eq!(table(&done), log, "{done}");
        assert_eq!(log.values().map(|(requests, _)| requests).sum::<u64>(), complete, "{done}");
        let non_2xx = log["GET /none"].0;
        assert_eq!(report.counts(), Counts { complete, non_2xx, ..Counts::default() }, "{done}");
        let pages = (log["GET /page"].0 + log["GET /page?x=1"].0) * PAGE as u64;
        let taken = log["POST /post"].0 * 5;
        assert!(report.count("HTML transferred").is_some_and(|html| html > pages + taken), "{done}");
    }
}

#[test]
fn the_table_is_what_nginx_has_logged() {
    assert_table_is_the_log(None);
}

#[test]
fn the_table_is_what_nginx_has_logged_over_tls() {
    assert_table_is_the_log(Some(&Pem::usual()));
}
