//! A real Apache httpd of a test's own.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
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

/// Where Debian keeps Apache's modules.
pub(crate) const MODULES: &str = "/usr/lib/apache2/modules";

/// A CGI script that says one word, and the length of what it says.
const WORD: &str = "#!/bin/sh\nprintf 'Content-Type: text/plain\\n\\nhello\\n'\n";
pub(crate) const WORD_LENGTH: usize = 6;

/// A CGI script that says how many bytes it was sent.
const SIZE: &str = "#!/bin/sh\nprintf 'Content-Type: text/plain\\n\\n'\nexec wc -c\n";

/// How Apache divides its work: into processes, or into threads that wait for events together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mpm {
    Prefork,
    Event,
}

impl Mpm {
    pub(crate) const ALL: [Self; 2] = [Self::Prefork, Self::Event];

    /// Its name, the module that runs CGI scripts for it, and how many processes and threads it starts.
    fn settings(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Prefork => ("prefork", "cgi", "StartServers 8\nMinSpareServers 2\nMaxSpareServers 32"),
            Self::Event => ("event", "cgid", "StartServers 1\nThreadsPerChild 25\nScriptSock cgid.sock"),
        }
    }
}

/// A running Apache; dropping it stops it.
pub(crate) struct Apache {
    daemon: Daemon,
    scheme: &'static str,
    seen: Cell<usize>,
}

impl Apache {
    /// Starts Apache with these further directives; `None`, and a word about it, if it is not installed. `/page` has
    /// [`PAGE`] bytes, `/big` has [`BIG`]; `/cgi-bin/word` is a script that says one word, `/cgi-bin/size` one that
    /// says the size of what it was sent. With a certificate, which is `own.pem` to the directives, it speaks TLS.
    pub(crate) fn start(mpm: Mpm, directives: &str, certificate: Option<&Pem>) -> Option<Self> {
        if !needs::programs(&["apache2", "setpriv"])
            || !(Path::new(MODULES).join("mod_ssl.so").is_file()
                || needs::left_out(&format!("no modules of Apache in {MODULES}")))
        {
            return None;
        }
        let prepare = |folder: &Path, port| {
            write_files(folder, &configuration(folder, port, mpm, directives, certificate.is_some()));
            if let Some(pem) = certificate {
                fs::write(folder.join("own.pem"), &pem.certificate).unwrap();
                fs::write(folder.join("own.key"), &pem.key).unwrap();
            }
            let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
            // Asked to end, Apache ends its whole process group, so it gets one of its own. An interrupt from the
            // keyboard does not reach that; the end of the test does, however the test ends.
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "TERM", "apache2", "-D", "FOREGROUND", "-f"]);
            command.arg(folder.join("apache.conf")).env("PATH", path).process_group(0);
            command
        };
        let scheme = if certificate.is_some() { "https" } else { "http" };
        Some(Self { daemon: Daemon::start(prepare, pid_file), scheme, seen: Cell::new(0) })
    }

    /// The URL of a path that begins with `/`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://127.0.0.1:{}{path}", self.scheme, self.daemon.port())
    }

    /// What has come into the access log since the last look, once it is so many requests.
    pub(crate) fn log(&self, requests: usize) -> Vec<Logged> {
        let mut log = access_log::read(&self.daemon.path("access.log"), self.seen.get(), requests);
        // Apache counts the requests of a connection from 0.
        for line in &mut log {
            line.request += 1;
        }
        self.seen.set(self.seen.get() + log.len());
        log
    }
}

fn configuration(folder: &Path, port: u16, mpm: Mpm, directives: &str, tls: bool) -> String {
    let here = folder.display();
    let (name, cgi, sizes) = mpm.settings();
    let mut text = String::new();
    for module in [&format!("mpm_{name}"), cgi, "authz_core", "alias", "ssl", "http2"] {
        writeln!(text, "LoadModule {module}_module {MODULES}/mod_{module}.so").unwrap();
    }
    // The port of the client tells the connections apart. The account, nobody's, counts only if root starts Apache.
    write!(
        text,
        "ServerRoot {here}\nServerName 127.0.0.1\nListen 127.0.0.1:{port}\nPidFile pid\nDefaultRuntimeDir .\n\
         Mutex posixsem\nErrorLog error.log\nUser #65534\nGroup #65534\n{sizes}\n\
         LogFormat \"%{{remote}}p %k %m %>s %B %O %I %{{SSL_PROTOCOL}}x %{{SSL_CIPHER}}x\" counted\n\
         CustomLog access.log counted\nDocumentRoot www\nScriptAlias /cgi-bin/ {here}/cgi/\nKeepAliveTimeout 60\n"
    )
    .unwrap();
    if tls {
        text += "SSLEngine on\nSSLCertificateFile own.pem\nSSLCertificateKeyFile own.key\n";
    }
    text + directives + "\n"
}

fn write_files(folder: &Path, configuration: &str) {
    for name in ["www", "cgi"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::write(folder.join("apache.conf"), configuration).unwrap();
    fs::write(folder.join("www/page"), vec![b'p'; PAGE]).unwrap();
    fs::write(folder.join("www/big"), vec![b'b'; BIG]).unwrap();
    for (name, script) in [("word", WORD), ("size", SIZE)] {
        let path = folder.join("cgi").join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    }
    // Apache's children run under another account than root.
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
}
