//! A server of HTTP/2 that does what a script says, frame by frame, and remembers what it was sent.
//!
//! A [`Plan`] is a function that is called with every request and writes what it likes to the [`Link`] of its connection.
//! It stands on threads and blocking sockets of the standard library, and shares no code with the program; what a client
//! may not do it does not let pass.

pub(crate) mod frame;
mod link;
mod plan;
pub(crate) mod polite;

use std::io::{self, Read};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use socket2::SockRef;

use link::Wire;
pub(crate) use link::{Link, data, head};
pub(crate) use plan::{Plan, Request, Then};

/// Nothing in this module waits longer than this.
const BOUND: Duration = Duration::from_secs(25);

/// How long a connection is drained after the server has closed its side.
const DRAIN: Duration = Duration::from_secs(2);

/// What the client has done on a connection, besides making requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// It has acknowledged settings.
    SettingsTaken,
    /// It has answered a ping.
    Pong(Vec<u8>),
    /// It has reset a stream, with this code.
    Reset(u32, u32),
    /// It has said goodbye, with this code.
    GoAway(u32),
}

/// How a connection came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The server ended it, as planned.
    Server,
    /// The peer closed it.
    Peer,
    /// The peer reset it.
    PeerReset,
}

/// What the server knows of one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Requests that have come on it.
    pub(crate) requests: usize,
    /// The most streams that were open at one time.
    pub(crate) most_open: usize,
    /// What else the client has done.
    pub(crate) events: Vec<Event>,
    /// How it ended, if it has.
    pub(crate) end: Option<End>,
}

/// A running server. Dropping it stops it; a client that broke a rule then fails the test.
pub(crate) struct Server {
    port: u16,
    scheme: &'static str,
    shared: Arc<Shared>,
    listener: Arc<TcpListener>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    plan: Plan,
    tls: Option<Arc<ServerConfig>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    connections: Vec<Seen>,
    requests: usize,
    /// The sockets of the connections that have not ended, by the connection's number.
    sockets: Vec<(usize, TcpStream)>,
    threads: Vec<JoinHandle<()>>,
    stopping: bool,
}

impl Server {
    fn start(plan: Plan, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = Arc::new(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let port = listener.local_addr().unwrap().port();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let shared = Arc::new(Shared { plan, tls, state: Mutex::default(), changed: Condvar::new() });
        let thread = {
            let (listener, shared) = (Arc::clone(&listener), Arc::clone(&shared));
            std::thread::spawn(move || accept_all(&listener, &shared))
        };
        Self { port, scheme, shared, listener, thread: Some(thread) }
    }

    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a document on it.
    pub(crate) fn url(&self) -> String {
        format!("{}://127.0.0.1:{}/doc", self.scheme, self.port)
    }

    /// What is known of all connections by now.
    pub(crate) fn connections(&self) -> Vec<Seen> {
        self.shared.lock().connections.clone()
    }

    /// How many requests have come.
    pub(crate) fn requests(&self) -> usize {
        self.shared.lock().requests
    }

    /// How many requests came over each connection.
    pub(crate) fn requests_per_connection(&self) -> Vec<usize> {
        self.connections().iter().map(|connection| connection.requests).collect()
    }

    /// The most streams that were open at one time on a connection.
    pub(crate) fn most_open(&self) -> usize {
        self.connections().iter().map(|connection| connection.most_open).max().unwrap_or(0)
    }

    /// Waits until so many requests have come.
    pub(crate) fn wait_for_requests(&self, count: usize) {
        self.wait_until("the requests did not come", |state| state.requests >= count);
    }

    /// Waits until all connections have ended, then tells of them.
    pub(crate) fn ended_connections(&self) -> Vec<Seen> {
        self.wait_until("a connection did not end", |state| state.sockets.is_empty());
        self.connections()
    }

    fn wait_until(&self, complaint: &str, done: impl Fn(&State) -> bool) {
        let state = self.shared.lock();
        let (state, waited) =
            self.shared.changed.wait_timeout_while(state, BOUND, |state| !done(state)).unwrap();
        // Not a panic with the lock held: the server's threads still need it.
        drop(state);
        assert!(!waited.timed_out(), "{complaint}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.stopping = true;
            for (_, socket) in &state.sockets {
                let _ = socket.shutdown(Shutdown::Both);
            }
        }
        // On Linux this wakes the thread that sits in accept().
        let _ = SockRef::from(&*self.listener).shutdown(Shutdown::Both);
        let mut panicked = self.thread.take().is_some_and(|thread| thread.join().is_err());
        let threads = std::mem::take(&mut self.shared.lock().threads);
        for thread in threads {
            panicked |= thread.join().is_err();
        }
        assert!(
            !panicked || std::thread::panicking(),
            "the client broke a rule of HTTP/2, or the script failed"
        );
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn note(&self, connection: usize, change: impl FnOnce(&mut Seen)) {
        change(&mut self.lock().connections[connection]);
        self.changed.notify_all();
    }

    fn tell(&self, connection: usize, event: Event) {
        self.note(connection, |seen| seen.events.push(event));
    }

    /// Counts a request, with which so many streams are open; its number on the server and on its connection.
    fn count_request(&self, connection: usize, open: usize) -> (usize, usize) {
        let mut state = self.lock();
        state.requests += 1;
        let number = state.requests - 1;
        let seen = &mut state.connections[connection];
        seen.requests += 1;
        seen.most_open = seen.most_open.max(open);
        let place = seen.requests - 1;
        drop(state);
        self.changed.notify_all();
        (number, place)
    }
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    while let Ok((socket, _)) = listener.accept() {
        let mut state = shared.lock();
        if state.stopping {
            return;
        }
        let number = state.connections.len();
        state.connections.push(Seen::default());
        state.sockets.push((number, socket.try_clone().unwrap()));
        let shared = Arc::clone(shared);
        state.threads.push(std::thread::spawn(move || converse(number, socket, &shared)));
    }
}

/// The life of one connection. Its end is told even if a rule was broken on it.
fn converse(number: usize, socket: TcpStream, shared: &Shared) {
    struct Farewell<'a>(&'a Shared, usize);
    impl Drop for Farewell<'_> {
        fn drop(&mut self) {
            let mut state = self.0.lock();
            state.sockets.retain(|(open, _)| *open != self.1);
            drop(state);
            self.0.changed.notify_all();
        }
    }
    let farewell = Farewell(shared, number);
    let end = match serve(number, socket, shared) {
        Ok(end) => end,
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => End::PeerReset,
        Err(_) => End::Peer,
    };
    shared.note(number, |seen| seen.end = Some(end));
    drop(farewell);
}

fn serve(number: usize, mut socket: TcpStream, shared: &Shared) -> io::Result<End> {
    socket.set_read_timeout(Some(BOUND))?;
    socket.set_write_timeout(Some(BOUND))?;
    socket.set_nodelay(true)?;
    let Some(config) = &shared.tls else { return talk(number, &mut socket, shared) };
    let session = ServerConnection::new(Arc::clone(config)).unwrap();
    talk(number, &mut StreamOwned::new(session, socket), shared)
}

fn talk(number: usize, wire: &mut dyn Wire, shared: &Shared) -> io::Result<End> {
    let mut then = {
        let mut link = Link::open(&mut *wire, shared, number)?;
        let mut then = (shared.plan.on_open)(&mut link);
        while then == Then::Keep {
            if let Some(request) = link.ready.pop_front() {
                then = (shared.plan.on_request)(&mut link, &request);
            } else if link.next()?.is_none() {
                return Ok(End::Peer);
            }
        }
        then
    };
    if then == Then::Reset {
        SockRef::from(wire.tcp()).set_linger(Some(Duration::ZERO))?;
        then = Then::Keep;
    }
    if then == Then::Close {
        // FIN first, then drain, so that unread input does not turn it into a RST.
        wire.flush()?;
        wire.tcp().shutdown(Shutdown::Write)?;
        wire.tcp().set_read_timeout(Some(DRAIN))?;
        let mut scratch = vec![0; 1 << 16];
        while wire.tcp().read(&mut scratch)? > 0 {}
    }
    Ok(End::Server)
}
