//! A small server with a script, and rab run against it. All waits are bounded.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Longer than anything here takes, however busy the machine is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What is done with the request of this number, counted from 0 over all connections.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// A document of so many bytes under this status.
    Document(u16, usize),
    /// Nothing, and the connection stays open.
    Silence,
    /// A reset.
    Reset,
}

/// A server on a free loopback port.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<AtomicUsize>,
    silent: Mutex<Receiver<()>>,
}

impl Server {
    pub(crate) fn start(script: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/doc", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let (tell, silent) = channel();
        let (script, counter) = (Arc::new(script), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (script, counter, tell) = (Arc::clone(&script), Arc::clone(&counter), tell.clone());
                thread::spawn(move || serve(&stream.unwrap(), &*script, &counter, &tell));
            }
        });
        Self { url, requests, silent: Mutex::new(silent) }
    }

    /// One that gives the same good answer to all.
    pub(crate) fn good() -> Self {
        Self::start(|_| Answer::Document(200, 100))
    }

    /// How many requests have come.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Waits until a request has been met with silence.
    pub(crate) fn wait_for_silence(&self) {
        self.silent.lock().unwrap().recv_timeout(PATIENCE).unwrap();
    }
}

fn serve(mut stream: &TcpStream, script: &dyn Fn(usize) -> Answer, counter: &AtomicUsize, tell: &Sender<()>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(keep) = read_head(&mut reader) {
        match script(counter.fetch_add(1, Ordering::SeqCst)) {
            Answer::Document(status, length) => {
                let connection = if keep { "Connection: keep-alive\r\n" } else { "" };
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{connection}\r\n");
                let body = "x".repeat(length);
                if stream.write_all((head + &body).as_bytes()).is_err() || !keep {
                    break;
                }
            }
            Answer::Silence => {
                let _ = tell.send(());
                // Until the client goes.
                let _ = reader.read_until(0, &mut Vec::new());
                break;
            }
            Answer::Reset => {
                socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO)).unwrap();
                return;
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Write);
}

/// Whether the request asks to keep the connection; `None` if there is no request.
fn read_head(reader: &mut impl BufRead) -> Option<bool> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    Some(head.contains("Keep-Alive"))
}

/// rab with these words, its output taken.
pub(crate) fn rab(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rab"));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end.
pub(crate) fn finish(command: &mut Command) -> Output {
    wait(command.spawn().unwrap())
}

/// Waits for the end, but not for ever.
pub(crate) fn wait(child: Child) -> Output {
    let id = rustix::process::Pid::from_child(&child);
    let (send, receive) = channel();
    thread::spawn(move || send.send(child.wait_with_output()));
    let Ok(output) = receive.recv_timeout(PATIENCE) else {
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        panic!("no end in sight");
    };
    output.unwrap()
}
