//! A real nginx of a test's own.

use std::cell::Cell;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use super::access_log::{self, Logged};
use super::certificate::Pem;
use super::daemon::{Daemon, pid_file};
use super::needs;

/// Length of `/page`.
pub(crate) const PAGE: usize = 612;

/// Length of `/big`.
pub(crate) const BIG: usize = 10_000_000;

/// A server on a unix socket that tells how many requests all of them have had.
pub(crate) const COUNTER: &str =
    "server { listen unix:{folder}/status; access_log off; location / { stub_status; } }";

/// What is to be served, and how.
#[derive(Default)]
pub(crate) struct Site<'a> {
    /// Directives of the `http` block. `{folder}` stands for the folder.
    pub(crate) http: &'a str,
    /// Directives of the `server` block. Its files are those of the folder: `own.pem`, `own.key`.
    pub(crate) server: &'a str,
    /// What stands behind the address of the `listen` directive, such as `http2`.
    pub(crate) listen: &'a str,
    /// For TLS: the server's certificate.
    pub(crate) certificate: Option<&'a Pem>,
    /// Other files of the folder, by name.
    pub(crate) files: &'a [(&'a str, &'a str)],
}

/// A running nginx; dropping it stops it.
pub(crate) struct Nginx {
    daemon: Daemon,
    scheme: &'static str,
    /// How often it was asked for its count.
    questions: Cell<u64>,
}

impl Nginx {
    /// Starts nginx with these directives in its `server` block; `None`, and a word about it, if it is not installed.
    /// `/page` has [`PAGE`] bytes, `/big` has [`BIG`].
    pub(crate) fn start(directives: &str) -> Option<Self> {
        Self::serve(&Site { server: directives, ..Site::default() })
    }

    /// The same for a whole site.
    pub(crate) fn serve(site: &Site) -> Option<Self> {
        if !needs::programs(&["nginx"]) {
            return None;
        }
        let prepare = |folder: &Path, port| {
            write_files(folder, port, site);
            let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
            let mut command = Command::new("nginx");
            command.args(["-e", "error.log", "-c", "nginx.conf", "-p"]).arg(folder).env("PATH", path);
            command
        };
        let scheme = if site.certificate.is_some() { "https" } else { "http" };
        Some(Self { daemon: Daemon::start(prepare, pid_file), scheme, questions: Cell::default() })
    }

    /// The URL of a path that begins with `/`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://127.0.0.1:{}{path}", self.scheme, self.daemon.port())
    }

    /// How many requests it has had, by its own count, without such questions. Only where `http` has
    /// [`COUNTER`].
    pub(crate) fn requests(&self) -> u64 {
        let mut connection = UnixStream::connect(self.daemon.path("status")).unwrap();
        connection.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let answer = std::io::read_to_string(connection).unwrap();
        // Below a line that names them stand the numbers: accepted, handled, requests.
        let numbers = answer.lines().skip_while(|line| !line.starts_with("server accepts")).nth(1);
        let number = numbers.and_then(|line| line.split_whitespace().nth(2)?.parse().ok());
        let number: u64 = number.unwrap_or_else(|| panic!("no count in {answer}"));
        self.questions.set(self.questions.get() + 1);
        number - self.questions.get()
    }

    /// The access log, once so many requests are in it.
    pub(crate) fn log(&self, requests: usize) -> Vec<Logged> {
        access_log::read(&self.daemon.path("access.log"), 0, requests)
    }
}

fn write_files(folder: &Path, port: u16, site: &Site) {
    let here = folder.display();
    let (ssl, certificate) = match site.certificate {
        Some(_) => (" ssl", "ssl_certificate own.pem; ssl_certificate_key own.key;"),
        None => ("", ""),
    };
    let Site { server, listen, .. } = site;
    let http = site.http.replace("{folder}", &here.to_string());
    // One process does it all, so there are no workers to be left behind.
    let config = format!(
        "daemon off; master_process off; pid pid; error_log error.log;
        events {{ worker_connections 12000; }}
        http {{
            log_format counted '$connection $connection_requests $request_method $status $body_bytes_sent '
                               '$bytes_sent $request_length $ssl_protocol $ssl_cipher';
            access_log access.log counted;
            client_body_temp_path {here}/body; proxy_temp_path {here}/proxy; fastcgi_temp_path {here}/fastcgi;
            uwsgi_temp_path {here}/uwsgi; scgi_temp_path {here}/scgi;
            default_type text/plain; sendfile on;
            ssl_protocols TLSv1.2 TLSv1.3; {http}
            server {{ listen 127.0.0.1:{port}{ssl} {listen}; {certificate} root {here}/www; {server} }}
        }}"
    );
    std::fs::create_dir(folder.join("www")).unwrap();
    std::fs::write(folder.join("nginx.conf"), config).unwrap();
    std::fs::write(folder.join("www/page"), vec![b'p'; PAGE]).unwrap();
    std::fs::write(folder.join("www/big"), vec![b'b'; BIG]).unwrap();
    if let Some(pem) = site.certificate {
        std::fs::write(folder.join("own.pem"), &pem.certificate).unwrap();
        std::fs::write(folder.join("own.key"), &pem.key).unwrap();
    }
    for (name, content) in site.files {
        std::fs::write(folder.join(name), content).unwrap();
    }
}
