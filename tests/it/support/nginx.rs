//! A real nginx of a test's own.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::needs;

/// Length of `/page`.
pub(crate) const PAGE: usize = 612;

/// Length of `/big`.
pub(crate) const BIG: usize = 10_000_000;

/// One line of the access log: what nginx has to say about one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    /// Number of the connection.
    pub(crate) connection: u64,
    /// How many requests had come over it, this one included.
    pub(crate) request: u64,
    pub(crate) method: String,
    pub(crate) status: u16,
    /// Bytes of the body that was sent.
    pub(crate) body_bytes_sent: u64,
    /// Bytes sent in all.
    pub(crate) bytes_sent: u64,
    /// Bytes received: request line, head and body.
    pub(crate) request_length: u64,
}

/// A running nginx; dropping it stops it.
pub(crate) struct Nginx {
    child: Child,
    folder: TempDir,
    port: u16,
}

impl Nginx {
    /// Starts nginx with these directives in its `server` block; `None`, and a word about it, if it is not installed.
    /// `/page` has [`PAGE`] bytes, `/big` has [`BIG`].
    pub(crate) fn start(directives: &str) -> Option<Self> {
        if !needs::programs(&["nginx"]) {
            return None;
        }
        // nginx does not tell which port it was given, so one is picked for it; somebody else may be faster.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let folder = tempfile::tempdir().unwrap();
            write_files(folder.path(), port, directives);
            let mut nginx = Self { child: launch(folder.path()), folder, port };
            if nginx.is_up() {
                return Some(nginx);
            }
        }
        panic!("nginx does not start");
    }

    /// The URL of a path that begins with `/`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The access log, once so many requests are in it: nginx writes the line after the response.
    pub(crate) fn log(&self, requests: usize) -> Vec<Logged> {
        let since = Instant::now();
        loop {
            let text = std::fs::read_to_string(self.folder.path().join("access.log")).unwrap_or_default();
            if text.matches('\n').count() >= requests {
                return text.lines().map(parse).collect();
            }
            assert!(
                since.elapsed() < Duration::from_secs(20),
                "{requests} requests are not in the log:\n{text}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until it accepts; false if it has ended instead.
    fn is_up(&mut self) -> bool {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(10) {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            // Whoever has the port, it is nginx only if nginx wrote its number down.
            let running = self.folder.path().join("pid").exists();
            if running && TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // One process does it all, so there are no workers to be left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let mut text = String::new();
            if let Ok(mut log) = std::fs::File::open(self.folder.path().join("error.log")) {
                let _ = log.read_to_string(&mut text);
            }
            eprintln!("nginx's error log:\n{text}");
        }
    }
}

fn launch(folder: &Path) -> Child {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    Command::new("nginx")
        .args(["-e", "error.log", "-c", "nginx.conf", "-p"])
        .arg(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nginx starts")
}

fn write_files(folder: &Path, port: u16, directives: &str) {
    let here = folder.display();
    let config = format!(
        "daemon off; master_process off; pid pid; error_log error.log;
        events {{ worker_connections 1024; }}
        http {{
            log_format counted '$connection $connection_requests $request_method $status '
                               '$body_bytes_sent $bytes_sent $request_length';
            access_log access.log counted;
            client_body_temp_path {here}/body; proxy_temp_path {here}/proxy; fastcgi_temp_path {here}/fastcgi;
            uwsgi_temp_path {here}/uwsgi; scgi_temp_path {here}/scgi;
            default_type text/plain; sendfile on;
            server {{ listen 127.0.0.1:{port}; root {here}/www; {directives} }}
        }}"
    );
    std::fs::create_dir(folder.join("www")).unwrap();
    std::fs::write(folder.join("nginx.conf"), config).unwrap();
    std::fs::write(folder.join("www/page"), vec![b'p'; PAGE]).unwrap();
    std::fs::write(folder.join("www/big"), vec![b'b'; BIG]).unwrap();
}

fn parse(line: &str) -> Logged {
    let words: Vec<&str> = line.split(' ').collect();
    let [connection, request, method, status, body, sent, length] = words[..] else {
        panic!("not a line of the log: {line}");
    };
    let number = |word: &str| word.parse::<u64>().unwrap();
    Logged {
        connection: number(connection),
        request: number(request),
        method: method.to_owned(),
        status: status.parse().unwrap(),
        body_bytes_sent: number(body),
        bytes_sent: number(sent),
        request_length: number(length),
    }
}
