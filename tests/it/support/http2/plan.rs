//! What the server does with what comes.

use std::sync::Arc;

use rustls::ServerConfig;

use super::Server;
use super::link::Link;

/// A request that has come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    /// The stream it came on.
    pub(crate) stream: u32,
    /// Its number, counted from 0 over the whole server.
    pub(crate) number: usize,
    /// Its number, counted from 0 on its connection.
    pub(crate) place: usize,
    /// Bytes of its body.
    pub(crate) body: usize,
    /// It has come to its end. Always so, unless the plan looks at heads.
    pub(crate) is_whole: bool,
}

/// What becomes of a connection after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It goes on.
    Keep,
    /// Orderly close: FIN, then read until the peer has closed too.
    Close,
    /// Close with a RST.
    Reset,
}

type OnRequest = dyn Fn(&mut Link, &Request) -> Then + Send + Sync;
type OnOpen = dyn Fn(&mut Link) -> Then + Send + Sync;

/// What the server does.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(super) on_open: Arc<OnOpen>,
    pub(super) on_request: Arc<OnRequest>,
    pub(super) at_head: bool,
    pub(super) grants: bool,
}

impl Plan {
    /// Does this with every request that is whole.
    pub(crate) fn by(on_request: impl Fn(&mut Link, &Request) -> Then + Send + Sync + 'static) -> Self {
        let on_open = Arc::new(|link: &mut Link| {
            link.settings(&[]);
            Then::Keep
        });
        Self { on_open, on_request: Arc::new(on_request), at_head: false, grants: true }
    }

    /// Answers every request with 200 and these bytes.
    pub(crate) fn always(body: &'static [u8]) -> Self {
        Self::by(move |link, request| {
            link.answer(request.stream, 200, body);
            Then::Keep
        })
    }

    /// Says these settings at the beginning; without it, that it has none to say.
    pub(crate) fn settings(self, settings: &'static [(u16, u32)]) -> Self {
        self.on_open(|link| {
            link.settings(settings);
            Then::Keep
        })
    }

    /// Does this when the client's settings are there, instead of saying its own.
    pub(crate) fn on_open(self, on_open: impl Fn(&mut Link) -> Then + Send + Sync + 'static) -> Self {
        Self { on_open: Arc::new(on_open), ..self }
    }

    /// Looks at a request when its head is there already, and once more when it is whole, if it has a body.
    pub(crate) fn at_head(self) -> Self {
        Self { at_head: true, ..self }
    }

    /// Gives back no room for bodies but what the script grants.
    pub(crate) fn without_grants(self) -> Self {
        Self { grants: false, ..self }
    }

    /// Starts the server on a free port.
    pub(crate) fn start(self) -> Server {
        Server::start(self, None)
    }

    /// The same over TLS.
    pub(crate) fn start_tls(self, config: ServerConfig) -> Server {
        Server::start(self, Some(Arc::new(config)))
    }
}
