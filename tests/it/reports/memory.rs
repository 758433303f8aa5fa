//! Memory that does not grow with the requests (section F of the list).

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

use crate::support::rab::{Rab, Running};
use crate::support::server::{Gate, Plan, Step, answer, head, send};
use crate::support::tls::{PAGE, PATIENCE, Pair, Tls, listen_tls, read_request};

/// The requests at which memory is looked at: one when all is warm, and one much later.
const LOOKS: [usize; 2] = [100, 600];

/// What memory may grow by in between, in KiB; whoever keeps something of each request keeps several times that.
const MAY_GROW: u64 = 4096;

/// What each answer or certificate holds, in bytes, so that keeping it shows.
const BULK: usize = 16_000;

/// Starts the program, with its standard output thrown away.
fn start(options: &str, url: &str) -> Running {
    let nowhere = OpenOptions::new().write(true).open("/dev/null").unwrap();
    let requests = (LOOKS[1] + 1).to_string();
    let arguments = options.split_whitespace().chain(["-q", "-n", &requests, url]);
    Rab::new(arguments).output_to(nowhere).start()
}

fn assert_flat(options: &str, peaks: [u64; 2]) {
    assert!(peaks[1] < peaks[0] + MAY_GROW, "{options}: {peaks:?} KiB at requests {LOOKS:?}");
}

/// A TLS server with a large certificate. At each look it says so, and goes on when it is told to.
fn server_with_looks() -> (u16, Receiver<()>, std::sync::mpsc::Sender<()>) {
    let pair = Pair::new(&rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        let name = |number: usize| format!("a-name-of-some-length-{number:04}.test");
        let names = (0..BULK / name(0).len()).map(|number| name(number).try_into().unwrap());
        params.subject_alt_names = names.map(rcgen::SanType::DnsName).collect();
    });
    let (arrives, looks) = channel();
    let (goes_on, go_on) = channel();
    let shared = Mutex::new((0, arrives, go_on));
    let serve = move |tls: &mut Tls| {
        while read_request(tls)? {
            let mut shared = shared.lock().unwrap();
            if LOOKS.contains(&shared.0) {
                shared.1.send(()).map_err(io::Error::other)?;
                shared.2.recv_timeout(PATIENCE).map_err(io::Error::other)?;
            }
            shared.0 += 1;
            drop(shared);
            tls.write_all(PAGE)?;
        }
        Ok(())
    };
    (listen_tls(pair.config(), serve), looks, goes_on)
}

#[test]
fn r71_memory_is_flat_over_tls_at_each_verbosity() {
    for options in ["", "-v 2", "-v 2 --engine hyper", "-v 4", "-v 4 -k"] {
        let (port, arrived, go_on) = server_with_looks();
        let running = start(options, &format!("https://localhost:{port}/"));
        let peaks = LOOKS.map(|_| {
            arrived.recv_timeout(PATIENCE).unwrap();
            let peak = running.peak_memory();
            go_on.send(()).unwrap();
            peak
        });
        assert_eq!(running.wait().code(), 0);
        assert_flat(options, peaks);
    }
}

#[test]
fn r71_memory_is_flat_over_plain_http_at_each_verbosity() {
    for options in ["", "-v 2", "-v 3 -k", "-v 4", "-v 4 -k --engine hyper", "-r -l -c 4"] {
        let gates = [Gate::default(), Gate::default()];
        let held = gates.clone();
        let long = format!("X-Long: {}", "x".repeat(BULK));
        let whole = answer("200 OK", &[&long, "Connection: keep-alive"], &vec![b'x'; BULK], Step::Keep);
        let cut = vec![send(head("200 OK", &[&long, "Content-Length: 9"])), send("1234"), Step::Close];
        let server = Plan::by(move |number, _| {
            let reply = if number % 3 == 2 { cut.clone() } else { whole.clone() };
            match LOOKS.iter().position(|look| *look == number) {
                Some(look) => [vec![Step::Gate(held[look].clone())], reply].concat(),
                None => reply,
            }
        })
        .start();
        let running = start(options, &server.url());
        let mut peaks = [0; 2];
        for ((peak, gate), look) in peaks.iter_mut().zip(gates).zip(LOOKS) {
            server.wait_for_requests(look + 1);
            *peak = running.peak_memory();
            gate.open();
        }
        assert_eq!(running.wait().code(), 0);
        assert_flat(options, peaks);
    }
}
