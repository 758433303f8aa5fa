//! What the clients do.

/// One kind of work.
pub(crate) struct Scenario {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its name in the tables.
    pub(crate) title: &'static str,
    /// Requests.
    pub(crate) requests: u64,
    /// For clients that run for a time: about as long as the others take.
    pub(crate) seconds: u64,
    /// Connections at a time.
    pub(crate) connections: u32,
    /// Each connection carries many requests, or one.
    pub(crate) reuse: bool,
    /// How HTTP is spoken.
    pub(crate) dialect: Dialect,
    /// Over TLS, with a certificate that nobody verifies.
    pub(crate) tls: bool,
    /// What is asked for.
    pub(crate) page: Page,
}

/// How HTTP is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// What a client speaks when it is not told: HTTP/1.0 for ab and rab, HTTP/1.1 for the others.
    Usual,
    /// HTTP/1.1, which rab leaves to hyper.
    Http11,
    /// HTTP/2, with ten requests at a time on each connection.
    Http2,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    /// A few bytes.
    Small,
    /// Ten megabytes.
    Large,
}

/// Requests at a time on an HTTP/2 connection.
pub(crate) const STREAMS: u32 = 10;

impl Scenario {
    /// The same with a fifth of the work.
    pub(crate) fn shortened(self) -> Self {
        Self { requests: self.requests / 5, seconds: 1, ..self }
    }
}

/// All of them.
pub(crate) fn all() -> Vec<Scenario> {
    use Dialect::{Http2, Http11, Usual};
    use Page::{Large, Small};
    let scenario = |name, title, requests, connections, (reuse, tls), dialect, page| Scenario {
        name,
        title,
        requests,
        seconds: 2,
        connections,
        reuse,
        dialect,
        tls,
        page,
    };
    vec![
        scenario("keep-alive", "keep-alive", 200_000, 50, (true, false), Usual, Small),
        scenario("connect", "new connections", 30_000, 50, (false, false), Usual, Small),
        scenario("tls-keep-alive", "TLS, keep-alive", 100_000, 50, (true, true), Usual, Small),
        scenario("tls-connect", "TLS, new connections", 1_500, 10, (false, true), Usual, Small),
        scenario("large", "10 MB, new connections", 400, 10, (false, false), Usual, Large),
        scenario("large-keep-alive", "10 MB, keep-alive", 400, 10, (true, false), Usual, Large),
        scenario("http1.1", "HTTP/1.1 by hyper, keep-alive", 200_000, 50, (true, false), Http11, Small),
        scenario("http2", "HTTP/2 over TLS", 200_000, 10, (true, true), Http2, Small),
        scenario("h2c", "HTTP/2 without TLS", 200_000, 10, (true, false), Http2, Small),
    ]
}

/// The names of all.
pub(crate) fn names() -> Vec<&'static str> {
    all().iter().map(|scenario| scenario.name).collect()
}
