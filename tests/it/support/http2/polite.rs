//! A server of HTTP/2 that keeps to the protocol, by hyper, and tells what it was asked.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;

/// A request, as the server has understood it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) method: String,
    /// With scheme and authority.
    pub(crate) url: String,
    pub(crate) fields: Vec<(String, String)>,
    /// Bytes of the body.
    pub(crate) body: usize,
}

impl Heard {
    /// The values of the fields of that name.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        self.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str()).collect()
    }
}

/// The answer to a request, by its number and what it says.
type Answer = dyn Fn(usize, &Heard) -> Response<Full<Bytes>> + Send + Sync;

struct Shared {
    answer: Box<Answer>,
    heard: Mutex<Vec<Heard>>,
}

/// A running server; it serves until the tests end.
pub(crate) struct Polite {
    port: u16,
    scheme: &'static str,
    shared: Arc<Shared>,
}

/// 200 and this body.
pub(crate) fn page(body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    Response::new(Full::new(body.into()))
}

impl Polite {
    /// Starts it on a free port.
    pub(crate) fn start(
        answer: impl Fn(usize, &Heard) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Box::new(answer), None)
    }

    /// The same over TLS, with `h2` to be chosen in the handshake.
    pub(crate) fn start_tls(
        mut config: ServerConfig,
        answer: impl Fn(usize, &Heard) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        config.alpn_protocols = vec![b"h2".to_vec()];
        Self::listen(Box::new(answer), Some(TlsAcceptor::from(Arc::new(config))))
    }

    fn listen(answer: Box<Answer>, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let shared = Arc::new(Shared { answer, heard: Mutex::default() });
        let mine = Arc::clone(&shared);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(accept_all(listener, tls, mine));
        });
        Self { port, scheme, shared }
    }

    /// The URL of a document on it.
    pub(crate) fn url(&self) -> String {
        format!("{}://127.0.0.1:{}/doc", self.scheme, self.port)
    }

    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The requests that have come, in the order in which they were whole.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.shared.heard.lock().unwrap().clone()
    }
}

async fn accept_all(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    while let Ok((tcp, _)) = listener.accept().await {
        tcp.set_nodelay(true).unwrap();
        let (tls, shared) = (tls.clone(), Arc::clone(&shared));
        tokio::spawn(async move {
            match tls {
                None => serve(tcp, shared).await,
                // How a client fails at TLS is looked at elsewhere.
                Some(tls) => {
                    if let Ok(stream) = tls.accept(tcp).await {
                        serve(stream, shared).await;
                    }
                }
            }
        });
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, shared: Arc<Shared>) {
    let service = service_fn(|request| answer(request, Arc::clone(&shared)));
    let connection = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service);
    // How a client leaves is its own affair.
    drop(connection.await);
}

async fn answer(
    request: Request<Incoming>,
    shared: Arc<Shared>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    assert_eq!(request.version(), Version::HTTP_2);
    let (parts, mut body) = request.into_parts();
    let mut length = 0;
    while let Some(Ok(frame)) = body.frame().await {
        length += frame.data_ref().map_or(0, Bytes::len);
    }
    let field = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let heard = Heard {
        method: parts.method.to_string(),
        url: parts.uri.to_string(),
        fields: parts.headers.iter().map(|(name, value)| (name.to_string(), field(value))).collect(),
        body: length,
    };
    let number = {
        let mut all = shared.heard.lock().unwrap();
        all.push(heard.clone());
        all.len() - 1
    };
    let mut answer = (shared.answer)(number, &heard);
    if parts.method == Method::HEAD {
        // In HTTP/1 hyper leaves it out itself.
        *answer.body_mut() = Full::default();
    }
    Ok(answer)
}
