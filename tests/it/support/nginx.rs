//! A real nginx of a test's own.

use std::path::Path;
use std::process::Command;

use super::access_log::{self, Logged};
use super::certificate::Pem;
use super::daemon::{Daemon, pid_file, poll};
use super::needs;

/// Length of `/page`.
pub(crate) const PAGE: usize = 612;

/// Length of `/big`.
pub(crate) const BIG: usize = 10_000_000;

/// What is to be served, and how.
#[derive(Default)]
pub(crate) struct Site<'a> {
    /// Directives of the `http` block.
    pub(crate) http: &'a str,
    /// Directives of the `server` block. Its files are those of the folder: `own.pem`, `own.key`.
    pub(crate) server: &'a str,
    /// More for its `listen` directive.
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
        Some(Self { daemon: Daemon::start(prepare, pid_file), scheme })
    }

    /// The URL of a path that begins with `/`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://127.0.0.1:{}{path}", self.scheme, self.daemon.port())
    }

    /// The access log, once so many requests are in it.
    pub(crate) fn log(&self, requests: usize) -> Vec<Logged> {
        access_log::read(&self.daemon.path("access.log"), 0, requests)
    }

    /// The lines of a log that the configuration names, once there are so many.
    pub(crate) fn lines(&self, name: &str, count: usize) -> Vec<String> {
        let path = self.daemon.path(name);
        poll(&format!("{count} lines in {}", path.display()), || {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            (text.matches('\n').count() >= count).then(|| text.lines().map(ToOwned::to_owned).collect())
        })
    }
}

fn write_files(folder: &Path, port: u16, site: &Site) {
    let here = folder.display();
    let (ssl, certificate) = match site.certificate {
        Some(_) => (" ssl", "ssl_certificate own.pem; ssl_certificate_key own.key;"),
        None => ("", ""),
    };
    let Site { http, server, listen, .. } = site;
    // One process does it all, so there are no workers to be left behind.
    let config = format!(
        "daemon off; master_process off; pid pid; error_log error.log;
        events {{ worker_connections 1024; }}
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
