//! The nginx that all clients ask: one process in a temporary folder, on free ports.

use std::cell::Cell;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use rcgen::{CertificateParams, KeyPair};

use crate::daemon::{Daemon, pid_file};
use crate::scenario::{Dialect, Page, Scenario};

/// Length of the large page.
const LARGE: usize = 10 << 20;

/// The ports besides the one that serves plain HTTP/1.
#[derive(Clone, Copy, Default)]
struct Ports {
    tls: u16,
    http2: u16,
    h2c: u16,
}

/// A running nginx; dropping it ends it.
pub(crate) struct Server {
    daemon: Daemon,
    ports: Ports,
}

impl Server {
    pub(crate) fn start(nginx: &Path) -> Self {
        let ports = Cell::new(Ports::default());
        let prepare = |folder: &Path, plain| {
            // Held together, so that they are different ones.
            let free = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
            let [tls, http2, h2c] =
                free.each_ref().map(|listener| listener.local_addr().expect("a port").port());
            ports.set(Ports { tls, http2, h2c });
            write_files(folder, plain, ports.get());
            let mut command = Command::new(nginx);
            command.args(["-e", "error.log", "-c", "nginx.conf", "-p"]).arg(folder);
            command
        };
        let daemon = Daemon::start(prepare, pid_file);
        Self { daemon, ports: ports.get() }
    }

    /// Where a scenario's page is.
    pub(crate) fn url(&self, scenario: &Scenario) -> String {
        let scheme = if scenario.tls { "https" } else { "http" };
        let port = match (scenario.dialect, scenario.tls) {
            (Dialect::Http2, true) => self.ports.http2,
            (Dialect::Http2, false) => self.ports.h2c,
            (_, true) => self.ports.tls,
            (_, false) => self.daemon.port(),
        };
        let page = match scenario.page {
            Page::Small => "small",
            Page::Large => "large",
        };
        format!("{scheme}://127.0.0.1:{port}/{page}")
    }
}

fn write_files(folder: &Path, plain: u16, Ports { tls, http2, h2c }: Ports) {
    let here = folder.display();
    let site = format!("root {here}/www; location = /small {{ return 200 \"Hello\\n\"; }}");
    let secret = "ssl_certificate own.pem; ssl_certificate_key own.key; ssl_session_tickets off;";
    let config = format!(
        "daemon off; master_process off; pid pid; error_log error.log;
        events {{ worker_connections 4096; }}
        http {{
            access_log off; keepalive_requests 1000000000; keepalive_timeout 300; sendfile on; tcp_nopush on;
            client_body_temp_path {here}/body; proxy_temp_path {here}/proxy; fastcgi_temp_path {here}/fastcgi;
            uwsgi_temp_path {here}/uwsgi; scgi_temp_path {here}/scgi;
            default_type text/plain; ssl_protocols TLSv1.2 TLSv1.3;
            server {{ listen 127.0.0.1:{plain} backlog=4096; {site} }}
            server {{ listen 127.0.0.1:{tls} ssl backlog=4096; {secret} {site} }}
            server {{ listen 127.0.0.1:{http2} ssl http2; {secret} {site} }}
            server {{ listen 127.0.0.1:{h2c} http2; {site} }}
        }}"
    );
    // What most sites have: an RSA key of 2048 bits.
    let key = KeyPair::generate_for(&rcgen::PKCS_RSA_SHA256).expect("a key");
    let params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
    let certificate = params.self_signed(&key).expect("a certificate").pem();
    let key = key.serialize_pem();
    std::fs::create_dir(folder.join("www")).expect("a folder");
    let files: [(&str, &[u8]); 4] = [
        ("nginx.conf", config.as_bytes()),
        ("own.pem", certificate.as_bytes()),
        ("own.key", key.as_bytes()),
        ("www/large", &vec![b'x'; LARGE]),
    ];
    for (name, content) in files {
        std::fs::write(folder.join(name), content).expect("room for a file");
    }
}
