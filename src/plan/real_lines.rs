//! Command lines that scripts really use, with the run that ab would make of them.

use super::testing::{args, plan, quoted};
use super::{Plan, Scheme};
use crate::args::{Args, Credentials};

/// Line, requests, concurrency, seconds of `-t` (0 for none), method. `FILE` stands for a file that is there, `CERT`
/// for a client certificate with its key.
type Line = (&'static str, u64, usize, u64, &'static str);

const LINES: [Line; 39] = [
    ("-n 1000000 -c 100 http://localhost:8088/test.html", 1_000_000, 100, 0, "GET"),
    ("-q -k -c 5 -n 2500 http://h/", 2500, 5, 0, "GET"),
    ("-k -n 2000 -c 500 http://h/", 2000, 500, 0, "GET"),
    ("-n 2000 -c 100 -q http://h/", 2000, 100, 0, "GET"),
    ("-n 10000 -c 150 http://h/", 10_000, 150, 0, "GET"),
    ("-kc 10 -n 100000 http://h/", 100_000, 10, 0, "GET"),
    ("-n100000 -c600 -H 'Host: name' http://10.0.0.1:81/path", 100_000, 600, 0, "GET"),
    ("-n10 -c1 https://localhost/", 10, 1, 0, "GET"),
    ("-t 5 -c 4 http://h/", 50_000, 4, 5, "GET"),
    ("-c 10 -t 3 http://h/", 50_000, 10, 3, "GET"),
    ("-c 200 -t 10 -n 5000000 -k http://h/", 5_000_000, 200, 10, "GET"),
    ("-k -t 30 -c 20 http://h/", 50_000, 20, 30, "GET"),
    ("-n 100 -c 8 -k -t 9 http://h/", 50_000, 8, 9, "GET"),
    ("-n 400 -c 16 -m GET -s 30 -k -t 60 -e FILE.csv -g FILE.tsv http://10.0.0.1:80/", 50_000, 16, 60, "GET"),
    ("-r -n 200000 -c 1024 http://h/", 200_000, 1024, 0, "GET"),
    ("-n 500000 -c 20000 -r http://h/", 500_000, 20_000, 0, "GET"),
    ("-n 512 -r -c 512 http://h/test.dat", 512, 512, 0, "GET"),
    ("-t 7 -r -s 5 http://h/", 50_000, 1, 7, "GET"),
    ("-c 1000 -n 1000 -s 5 http://h/", 1000, 1000, 0, "GET"),
    ("-c 500 -i -t 30 -s 10 http://h/", 50_000, 500, 30, "HEAD"),
    (
        "-p FILE -T application/json -H 'Accept: application/json' -c 5 -n 10 -g FILE -v 4 http://h/",
        10,
        5,
        0,
        "POST",
    ),
    ("-p FILE -v 4 -T application/json -c 1 -n 1000 http://h/", 1000, 1, 0, "POST"),
    ("-T 'text/plain' -p FILE http://h/", 1, 1, 0, "POST"),
    (
        "-r -n 9 -c 3 -C 'sessionid=NotARealSessionID' -e FILE -H 'A: b' -H 'C: d' -k -T 'text/x; charset=UTF-8' -p \
         FILE 'http://h/'",
        9,
        3,
        0,
        "POST",
    ),
    ("-r -n 9 -c 3 -C 'sessionid=NotARealSessionID' -e FILE 'http://h/'", 9, 3, 0, "GET"),
    ("-l -n 100000 -c 10 http://h/", 100_000, 10, 0, "GET"),
    ("-n 9 -c 3 -l -C cookie http://h/", 9, 3, 0, "GET"),
    ("-H 'Authorization: Bearer TOKEN' -T application/json -g /dev/null http://h/", 1, 1, 0, "GET"),
    ("-s 50 -n 25 -c 1 -A user:pass https://h/", 25, 1, 0, "GET"),
    ("-n 4 -c 2 -E CERT https://h/", 4, 2, 0, "GET"),
    ("-n 4 -c 2 -f TLS1.2 -Z ECDHE-RSA-AES256-GCM-SHA384 https://h:8443/", 4, 2, 0, "GET"),
    ("-X 127.0.0.1:8081 -n 9 -c 3 http://127.0.0.1:8088/", 9, 3, 0, "GET"),
    ("-n 100 -c 1 -k -X localhost:8080 http://localhost/", 100, 1, 0, "GET"),
    ("-n 10000 -c 5 localhost:8080/index.html", 10_000, 5, 0, "GET"),
    ("-n 500 'http://localhost:3000/?file=x'", 500, 1, 0, "GET"),
    ("-n 1 -m PING http://h/", 1, 1, 0, "PING"),
    ("-v 6 -n 3 -c 1 -k http://h/", 3, 1, 0, "GET"),
    ("-n 20 -e /dev/stdout http://h/", 20, 1, 0, "GET"),
    ("-w -n 50 -c 5 http://h/", 50, 5, 0, "GET"),
];

#[test]
fn real_command_lines_mean_what_they_mean_to_ab() {
    let folder = tempfile::tempdir().unwrap();
    let (file, certificate) = (folder.path().join("file"), folder.path().join("client.pem"));
    std::fs::write(&file, "body").unwrap();
    let made = rcgen::generate_simple_self_signed(["client.test".to_owned()]).unwrap();
    std::fs::write(&certificate, made.cert.pem() + &made.signing_key.serialize_pem()).unwrap();
    for (line, count, concurrency, seconds, method) in LINES {
        let line = line.replace("FILE", &quoted(&file)).replace("CERT", &quoted(&certificate));
        let Plan { load, requests, target, .. } = plan(&line).expect(&line);
        let limit = load.time_limit.map_or(0, |limit| limit.as_secs());
        assert_eq!((load.requests, load.concurrency, limit), (count, concurrency, seconds), "{line}");
        assert_eq!(&*requests.first().method, method, "{line}");
        assert_eq!(target.scheme == Scheme::Https, line.contains("https://"), "{line}");
    }
}

/// What else the lines say that have more than numbers in them.
#[test]
fn real_command_lines_keep_their_values() {
    let said = |part: &str| -> Args {
        let (line, ..) = LINES.iter().find(|(line, ..)| line.contains(part)).expect(part);
        args(&line.replace("FILE", "f")).expect(line)
    };
    let swarm = said("charset=UTF-8");
    assert_eq!((swarm.csv, swarm.body), (Some("f".into()), Some("f".into())));
    assert_eq!(swarm.content_type, Some(b"text/x; charset=UTF-8".to_vec()));
    assert_eq!((swarm.headers.len(), swarm.cookies), (2, vec![b"sessionid=NotARealSessionID".to_vec()]));
    assert!(swarm.tolerate && swarm.keep_alive);
    let cloud = said("-m GET");
    assert_eq!((cloud.csv, cloud.gnuplot), (Some("f.csv".into()), Some("f.tsv".into())));
    assert_eq!(cloud.silence.map(|silence| silence.as_secs()), Some(30));
    assert_eq!(said("/dev/null").gnuplot, Some("/dev/null".into()));
    assert_eq!(said("/dev/stdout").csv, Some("/dev/stdout".into()));
    assert_eq!(said("-A user").credentials, [Credentials::Server(b"user:pass".to_vec())]);
    assert_eq!(said("-E CERT").certificate, Some("CERT".into()));
    let tls = said("-Z ");
    assert_eq!(tls.protocol.as_deref(), Some("TLS1.2"));
    assert_eq!(tls.ciphers, Some("ECDHE-RSA-AES256-GCM-SHA384".into()));
    assert_eq!(said("-X localhost").proxy, Some(("localhost".into(), 8080)));
    assert_eq!((said("-v 6").verbosity, said("-v 4").verbosity, said("-w ").html), (6, 4, true));
    assert_eq!(said("?file=x").url, Some("http://localhost:3000/?file=x".into()));
}
