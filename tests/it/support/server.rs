//! A server that does what a script says, byte for byte, and remembers what it was sent.
//!
//! A [`Plan`] says what follows each request, counted over the whole server: a [`Reply`], which is a list of
//! [`Step`]s. It stands on threads and blocking sockets, and shares no code with the program.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use socket2::{Domain, SockAddr, Socket, Type};

/// Nothing in this module waits longer than this.
const BOUND: Duration = Duration::from_secs(25);

/// How long a connection is drained after the server has closed its side.
const DRAIN: Duration = Duration::from_secs(2);

/// One thing the server does on a connection.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Write these bytes.
    Send(Arc<[u8]>),
    /// Let time pass; only where time itself is tested, or where the result must not depend on it.
    Wait(Duration),
    /// Wait until the test opens the gate.
    Gate(Gate),
    /// Await the next request on this connection.
    Keep,
    /// Orderly close: FIN, then read until the peer has closed too.
    Close,
    /// Write these bytes and close, the FIN in the same segment.
    SendAndClose(Arc<[u8]>),
    /// Close with a RST.
    Reset,
    /// Silence until the peer leaves.
    Hang,
    /// Send FIN, and go on reading requests.
    HalfClose,
    /// Read the head of a request, and leave its body where it is; for the beginning of a connection.
    Head,
    /// Connect to this port of 127.0.0.1, and pass on what comes, both ways, until both sides are done.
    Relay(u16),
    /// Close at once. If something is unread, the system makes a RST of that.
    Abandon,
}

/// What follows one request. Without one of the steps that end it (`Keep`, `Close`, ...) it ends with `Close`.
pub(crate) type Reply = Vec<Step>;

/// A step that writes bytes.
pub(crate) fn send(bytes: impl AsRef<[u8]>) -> Step {
    Step::Send(bytes.as_ref().into())
}

/// A short pause, so that what stands around it arrives in two reads. Nothing may depend on its length.
pub(crate) fn pause() -> Step {
    Step::Wait(Duration::from_millis(20))
}

/// A step that lets so many milliseconds pass.
pub(crate) fn wait(milliseconds: u64) -> Step {
    Step::Wait(Duration::from_millis(milliseconds))
}

/// A response head with its empty line: HTTP/1.1, a `Server` field, and these fields.
pub(crate) fn head(status: &str, fields: &[&str]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status}\r\nServer: Script/1.0\r\n");
    for field in fields {
        text += field;
        text += "\r\n";
    }
    text += "\r\n";
    text.into_bytes()
}

/// A response with a Content-Length and these further fields, in one write; `then` follows.
pub(crate) fn answer(status: &str, fields: &[&str], body: &[u8], then: Step) -> Reply {
    let length = format!("Content-Length: {}", body.len());
    let mut all = fields.to_vec();
    all.push(&length);
    vec![send([head(status, &all).as_slice(), body].concat()), then]
}

/// A whole response of so many bytes, with its length in the head.
pub(crate) fn answer_bytes(length: usize) -> Vec<u8> {
    [head("200 OK", &[&format!("Content-Length: {length}")]), vec![b'x'; length]].concat()
}

/// 200, a body of this many bytes, then an orderly close.
pub(crate) fn closing(length: usize) -> Reply {
    answer("200 OK", &[], &vec![b'x'; length], Step::Close)
}

/// 200, a body of this many bytes, keep-alive announced, and the connection stays open.
pub(crate) fn keeping(length: usize) -> Reply {
    answer("200 OK", &["Connection: keep-alive"], &vec![b'x'; length], Step::Keep)
}

/// These pieces in HTTP's chunked coding, the last chunk included.
pub(crate) fn chunks(pieces: &[&[u8]]) -> Vec<u8> {
    let mut coded = Vec::new();
    for piece in pieces {
        coded.extend(format!("{:x}\r\n", piece.len()).bytes());
        coded.extend_from_slice(piece);
        coded.extend(b"\r\n");
    }
    coded.extend(b"0\r\n\r\n");
    coded
}

/// Something that server threads wait for until a test opens it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// Lets everybody through, from now on.
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    /// Waits until the gate is open or the server stops.
    pub(crate) fn pass(&self, stopping: impl Fn() -> bool) {
        let since = Instant::now();
        let mut open = self.0.0.lock().unwrap();
        while !*open && !stopping() {
            assert!(since.elapsed() < BOUND, "a gate was never opened");
            open = self.0.1.wait_timeout(open, Duration::from_millis(50)).unwrap().0;
        }
    }
}

/// The reply to a request, by its number and its bytes.
type ReplyFor = dyn Fn(usize, &[u8]) -> Reply + Send + Sync;

/// What the server does: a reply for each request, and perhaps something before any.
#[derive(Clone)]
pub(crate) struct Plan {
    reply: Arc<ReplyFor>,
    on_accept: Vec<Step>,
    hosts: Vec<IpAddr>,
    path: Option<PathBuf>,
    slow: bool,
}

impl Plan {
    /// The reply is made from the request's number, counted from 0, and its bytes.
    pub(crate) fn by(reply: impl Fn(usize, &[u8]) -> Reply + Send + Sync + 'static) -> Self {
        let hosts = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
        Self { reply: Arc::new(reply), on_accept: Vec::new(), hosts, path: None, slow: false }
    }

    /// The same reply every time.
    pub(crate) fn always(reply: Reply) -> Self {
        Self::by(move |_, _| reply.clone())
    }

    /// One reply after the other; the last one again and again.
    pub(crate) fn sequence(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<Reply> = replies.into_iter().collect();
        Self::by(move |number, _| replies[number.min(replies.len() - 1)].clone())
    }

    /// One reply after the other, then from the start.
    pub(crate) fn cycle(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<Reply> = replies.into_iter().collect();
        Self::by(move |number, _| replies[number % replies.len()].clone())
    }

    /// Steps taken on every connection before anything is read from it; `Keep` at their end goes on to the requests.
    pub(crate) fn on_accept(mut self, steps: Reply) -> Self {
        self.on_accept = steps;
        self
    }

    /// Where to listen, all at one port; 127.0.0.1 unless said otherwise.
    pub(crate) fn hosts(mut self, hosts: &[&str]) -> Self {
        self.hosts = hosts.iter().map(|host| host.parse().unwrap()).collect();
        self
    }

    /// Listen on a unix socket instead; one with a NUL in front has a name and no path.
    pub(crate) fn at(mut self, path: impl AsRef<Path>) -> Self {
        self.path = Some(path.as_ref().to_owned());
        self
    }

    /// Read requests in small pieces from small buffers.
    pub(crate) fn slow_reader(mut self) -> Self {
        self.slow = true;
        self
    }

    /// Starts the server, on a free port unless it has a path.
    pub(crate) fn start(self) -> Server {
        let listeners = match &self.path {
            Some(path) => vec![listen_at(path)],
            None => listen(&self.hosts, self.slow),
        };
        let port = listeners[0].local_addr().unwrap().as_socket().map_or(0, |address| address.port());
        let shared = Arc::new(Shared { plan: self, state: Mutex::default(), changed: Condvar::new() });
        let listeners: Vec<Arc<Socket>> = listeners.into_iter().map(Arc::new).collect();
        let threads = listeners
            .iter()
            .map(|listener| {
                let (listener, shared) = (Arc::clone(listener), Arc::clone(&shared));
                std::thread::spawn(move || accept_all(&listener, &shared))
            })
            .collect();
        Server { port, shared, listeners, threads }
    }
}

/// How a connection came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The server ended it, as planned.
    Server,
    /// The peer closed it while the server was reading.
    Peer,
    /// The peer reset it.
    PeerReset,
}

/// What the server knows of one connection.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    /// Where it came from, and where it came to; all 0 on a unix socket.
    pub(crate) peer: SocketAddr,
    pub(crate) local: SocketAddr,
    /// The requests that arrived whole, byte for byte.
    pub(crate) requests: Vec<Vec<u8>>,
    /// How it ended, if it has.
    pub(crate) end: Option<End>,
}

/// A running server. Dropping it stops it; a panic in one of its threads then fails the test.
pub(crate) struct Server {
    port: u16,
    shared: Arc<Shared>,
    listeners: Vec<Arc<Socket>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    plan: Plan,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    connections: Vec<Connection>,
    /// The sockets of the connections that have not ended, by the connection's number.
    open: Vec<(usize, Arc<Socket>)>,
    threads: Vec<JoinHandle<()>>,
    served: usize,
    busy: usize,
    most_busy: usize,
    stopping: bool,
}

impl Server {
    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a document on it.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/doc", self.port)
    }

    /// What is known of all connections by now.
    pub(crate) fn connections(&self) -> Vec<Connection> {
        self.shared.lock().connections.clone()
    }

    /// All requests that arrived whole, connection by connection, as text.
    pub(crate) fn requests(&self) -> Vec<String> {
        let connections = self.connections();
        connections
            .iter()
            .flat_map(|c| &c.requests)
            .map(|r| String::from_utf8_lossy(r).into_owned())
            .collect()
    }

    /// How many requests came over each connection.
    pub(crate) fn requests_per_connection(&self) -> Vec<usize> {
        self.connections().iter().map(|connection| connection.requests.len()).collect()
    }

    /// The most requests that were unanswered at one time.
    pub(crate) fn most_in_flight(&self) -> usize {
        self.shared.lock().most_busy
    }

    /// Waits until so many requests have arrived.
    pub(crate) fn wait_for_requests(&self, count: usize) {
        self.wait_until("the requests did not arrive", |state| state.served >= count);
    }

    /// Waits until all connections have ended, then tells of them.
    pub(crate) fn ended_connections(&self) -> Vec<Connection> {
        self.wait_until("a connection did not end", |state| state.open.is_empty());
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
        self.shared.lock().stopping = true;
        // First, so that whoever loses his connection below is refused the next one.
        for listener in &self.listeners {
            // On Linux this wakes the thread that sits in accept().
            let _ = listener.shutdown(Shutdown::Both);
        }
        for (_, socket) in &self.shared.lock().open {
            let _ = socket.shutdown(Shutdown::Both);
        }
        let mut panicked = false;
        for thread in self.threads.drain(..) {
            panicked |= thread.join().is_err();
        }
        let threads = std::mem::take(&mut self.shared.lock().threads);
        for thread in threads {
            panicked |= thread.join().is_err();
        }
        assert!(!panicked || std::thread::panicking(), "a thread of the scripted server panicked");
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn stopping(&self) -> bool {
        self.lock().stopping
    }
}

/// Listens at one free port of all these addresses.
fn listen(hosts: &[IpAddr], small_buffers: bool) -> Vec<Socket> {
    let bind = |address: SocketAddr| -> io::Result<Socket> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        if small_buffers {
            // Not below the largest segment on loopback: that would stall the sender for long.
            socket.set_recv_buffer_size(1 << 17)?;
        }
        socket.bind(&address.into())?;
        socket.listen(1024)?;
        Ok(socket)
    };
    for _ in 0..20 {
        let first = bind(SocketAddr::new(hosts[0], 0)).expect("a free port on a loopback address");
        let port = first.local_addr().unwrap().as_socket().unwrap().port();
        let others: io::Result<Vec<_>> =
            hosts[1..].iter().map(|&host| bind(SocketAddr::new(host, port))).collect();
        if let Ok(others) = others {
            return std::iter::once(first).chain(others).collect();
        }
    }
    panic!("no port is free on all of {hosts:?}");
}

/// Listens on a unix socket.
fn listen_at(path: &Path) -> Socket {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
    socket.bind(&SockAddr::unix(path).unwrap()).unwrap();
    socket.listen(1024).unwrap();
    socket
}

fn accept_all(listener: &Socket, shared: &Arc<Shared>) {
    while let Ok((socket, peer)) = listener.accept() {
        let socket = Arc::new(socket);
        let mut state = shared.lock();
        if state.stopping {
            return;
        }
        let number = state.connections.len();
        let ip = |address: SockAddr| address.as_socket().unwrap_or((Ipv4Addr::UNSPECIFIED, 0).into());
        let (peer, local, requests) = (ip(peer), ip(socket.local_addr().unwrap()), Vec::new());
        state.connections.push(Connection { peer, local, requests, end: None });
        state.open.push((number, Arc::clone(&socket)));
        let shared = Arc::clone(shared);
        state.threads.push(std::thread::spawn(move || converse(number, socket, &shared)));
    }
}

/// The life of one connection.
fn converse(number: usize, socket: Arc<Socket>, shared: &Shared) {
    let end = match talk(number, &socket, shared) {
        Ok(end) => end,
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => End::PeerReset,
        Err(_) => End::Peer,
    };
    let mut state = shared.lock();
    state.open.retain(|(open, _)| *open != number);
    // The last reference: this closes the socket, before anybody hears that the connection has ended.
    drop(socket);
    state.connections[number].end = Some(end);
    shared.changed.notify_all();
}

fn talk(number: usize, socket: &Socket, shared: &Shared) -> io::Result<End> {
    socket.set_read_timeout(Some(BOUND))?;
    socket.set_write_timeout(Some(BOUND))?;
    if shared.plan.path.is_none() {
        socket.set_tcp_nodelay(true)?;
    }
    let mut busy = false;
    if !shared.plan.on_accept.is_empty() && !play(&shared.plan.on_accept, socket, shared, &mut busy)? {
        return Ok(End::Server);
    }
    let mut pending = Vec::new();
    while let Some(request) = read_request(socket, &mut pending, shared.plan.slow)? {
        let count = {
            let mut state = shared.lock();
            state.served += 1;
            state.busy += 1;
            state.most_busy = state.most_busy.max(state.busy);
            state.connections[number].requests.push(request.clone());
            shared.changed.notify_all();
            state.served - 1
        };
        busy = true;
        let steps = (shared.plan.reply)(count, &request);
        let goes_on = play(&steps, socket, shared, &mut busy);
        answered(shared, &mut busy);
        if !goes_on? {
            return Ok(End::Server);
        }
    }
    Ok(End::Peer)
}

/// Takes a request out of the count of those in flight, once.
fn answered(shared: &Shared, busy: &mut bool) {
    if std::mem::take(busy) {
        shared.lock().busy -= 1;
    }
}

/// Runs steps; true means that the next request is awaited.
fn play(steps: &[Step], mut socket: &Socket, shared: &Shared, busy: &mut bool) -> io::Result<bool> {
    for step in steps {
        if !matches!(step, Step::Wait(_) | Step::Gate(_) | Step::Hang) {
            answered(shared, busy);
        }
        match step {
            Step::Send(bytes) => socket.write_all(bytes)?,
            Step::Wait(time) => std::thread::sleep(*time),
            Step::Gate(gate) => gate.pass(|| shared.stopping()),
            Step::Keep => return Ok(true),
            Step::HalfClose => {
                socket.shutdown(Shutdown::Write)?;
                return Ok(true);
            }
            Step::Reset => {
                socket.set_linger(Some(Duration::ZERO))?;
                return Ok(false);
            }
            Step::Hang => {
                drain(socket)?;
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Step::SendAndClose(bytes) => {
                rustix::net::sockopt::set_tcp_nodelay(socket, false)?;
                rustix::net::sockopt::set_tcp_cork(socket, true)?;
                socket.write_all(bytes)?;
                break;
            }
            Step::Head => read_head(socket)?,
            Step::Relay(port) => {
                relay(socket, *port)?;
                return Ok(false);
            }
            Step::Abandon => return Ok(false),
            Step::Close => break,
        }
    }
    // FIN first, then drain, so that unread input does not turn it into a RST.
    socket.shutdown(Shutdown::Write)?;
    socket.set_read_timeout(Some(DRAIN))?;
    drain(socket)?;
    Ok(false)
}

fn relay(socket: &Socket, port: u16) -> io::Result<()> {
    let server = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    server.connect(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into())?;
    server.set_read_timeout(Some(BOUND))?;
    server.set_tcp_nodelay(true)?;
    std::thread::scope(|scope| {
        scope.spawn(|| pass_on(socket, &server));
        pass_on(&server, socket);
    });
    Ok(())
}

/// Passes on what comes until it ends, in whichever way, and the end as well.
fn pass_on(mut from: &Socket, mut to: &Socket) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}

fn drain(mut socket: &Socket) -> io::Result<()> {
    let mut scratch = vec![0; 1 << 16];
    while socket.read(&mut scratch)? > 0 {}
    Ok(())
}

/// Reads up to the empty line, and not a byte more.
fn read_head(mut socket: &Socket) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        socket.read_exact(&mut byte)?;
        head.extend(byte);
    }
    Ok(())
}

/// Reads one request, head and Content-Length body; `pending` holds what came after it. `None` if the peer is gone.
fn read_request(mut socket: &Socket, pending: &mut Vec<u8>, slow: bool) -> io::Result<Option<Vec<u8>>> {
    let mut piece = vec![0; if slow { 1 << 14 } else { 1 << 18 }];
    let mut whole = None;
    let mut searched = 0;
    loop {
        if whole.is_none() {
            let from = searched;
            searched = pending.len().saturating_sub(3);
            if let Some(at) = pending[from..].windows(4).position(|four| four == b"\r\n\r\n") {
                let head = from + at + 4;
                whole = Some(head + content_length(&pending[..head]));
            }
        }
        if let Some(end) = whole.filter(|&end| pending.len() >= end) {
            let rest = pending.split_off(end);
            return Ok(Some(std::mem::replace(pending, rest)));
        }
        let count = socket.read(&mut piece)?;
        if count == 0 {
            return Ok(None);
        }
        pending.extend_from_slice(&piece[..count]);
    }
}

fn content_length(head: &[u8]) -> usize {
    let text = String::from_utf8_lossy(head);
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0)
}
