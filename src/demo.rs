//! The embedded server of `--demo`: something to benchmark where there is no server at hand.
//!
//! It listens on a free loopback port, speaks HTTP/1 and HTTP/2, answers every request with one page of a few kilobytes,
//! keeps connections open for whoever asks, and runs on a thread of its own, so that it takes no time from the workers' runtimes.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue, SERVER};
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::runtime::{Builder, LocalOptions};
use tokio::task::spawn_local;
use tokio::time::sleep;

/// The path of the page.
pub const PATH: &str = "/";

const SOFTWARE: &str = concat!("rab-demo/", env!("CARGO_PKG_VERSION"));

const PAGE: &str = include_str!("demo.html");

/// How long the server waits when it could not take a connection.
const BREATH: Duration = Duration::from_millis(10);

/// Starts the server, and returns its address. It serves until the process ends.
pub fn start() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    // A server that could not go on serving shows as refused connections in the report.
    thread::Builder::new().name("demo-server".to_owned()).spawn(move || serve(listener))?;
    Ok(address)
}

/// Runs the streams of HTTP/2 on the server's own thread.
#[derive(Clone)]
struct Local;

impl<F: Future<Output: 'static> + 'static> Executor<F> for Local {
    fn execute(&self, stream: F) {
        spawn_local(stream);
    }
}

fn serve(listener: TcpListener) -> io::Result<Infallible> {
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // No descriptor is left, or the client is gone again: both pass.
                sleep(BREATH).await;
                continue;
            };
            // Without it an answer may be a little later, and is there all the same.
            let _ = stream.set_nodelay(true);
            // How a client leaves is its own affair.
            spawn_local(async {
                let server = auto::Builder::new(Local);
                drop(server.serve_connection(TokioIo::new(stream), service_fn(answer)).await);
            });
        }
    })
}

/// Answers any request, after reading it to its end, so that the connection can be used again.
async fn answer(request: Request<Incoming>) -> hyper::Result<Response<Full<Bytes>>> {
    let mut body = request.into_body();
    while let Some(piece) = body.frame().await {
        piece?;
    }
    let mut response = Response::new(Full::new(Bytes::from_static(PAGE.as_bytes())));
    response.headers_mut().insert(SERVER, HeaderValue::from_static(SOFTWARE));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Ok(response)
}
