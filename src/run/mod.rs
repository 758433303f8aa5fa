//! The run: opens the connections, keeps requests in flight, and says why it ended.
//!
//! In comes a [`Plan`], out goes a [`RunResult`]; in between an [`Observer`] may look on. One loop serves every load: a
//! slot takes a ticket, makes its request, and has it recorded. How many tickets there are, until when, and over how
//! many threads are values in it.

mod budget;
mod ending;
mod fault;
mod interrupts;
mod lane;
mod link;
mod observer;
mod pacer;
mod pulse;
mod shared;
mod signals;
mod slot;
mod thread;
mod timer;
mod worker;

use std::future::pending;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle, available_parallelism};
use std::time::SystemTime;

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::mpsc;
use tokio::time::sleep_until;

pub use crate::net::{Address, Certificate, Handshake, HandshakeError, TunnelError};
pub use ending::{Ending, Fatal, Signal, SocketCall};
pub use interrupts::Interrupts;
pub use observer::Observer;

use crate::net::{self, Route};
use crate::plan::{Load, Plan, Version};
use crate::proto::Clock;
use crate::record::{Micros, Recording, Streak};
use shared::Shared;
use signals::Signals;
use worker::Part;

/// Files that a worker holds open besides its connections: its runtime polls twice, can be woken, and hears of signals.
pub const FILES_OF_A_WORKER: usize = 4;

/// What a run leaves behind.
#[derive(Debug, Clone)]
pub struct RunResult {
    /// The numbers of all complete requests.
    pub recording: Recording,
    /// From just before the first connection to the last event.
    pub elapsed: Micros,
    /// Why the run ended.
    pub ending: Ending,
    /// The version in which the server first answered.
    pub version: Option<Version>,
    /// How many requests the server takes at a time on one connection, if that is fewer than were to be in flight.
    pub stream_limit: Option<usize>,
    /// The `Server` field of the first response: its text up to the first blank; empty if it has none.
    pub server_software: Vec<u8>,
    /// Length in bytes of the first document that was received well; of those of the first URL, if there are many.
    pub document_length: Option<u64>,
    /// The addresses that connections went to: the one that works, or all that were tried; with `--all-addresses` all, in
    /// the order of the recording's shares.
    pub addresses: Vec<Address>,
    /// The status by which the proxy first refused to make a tunnel.
    pub tunnel_refusal: Option<u16>,
    /// The `Location` field of the first 3xx response that had one.
    pub location: Option<Vec<u8>>,
    /// What the first TLS handshake agreed on.
    pub handshake: Option<Handshake>,
    /// An answer over plain TCP was TLS.
    pub speaks_tls: bool,
    /// The server has kept a connection open after a response, or would have.
    pub server_keeps: bool,
    /// When the run began, on the wall clock: after the name was looked up, where the stamps of all requests count
    /// from.
    pub began: SystemTime,
    /// Worker threads that the load was spread over.
    pub workers: usize,
    /// Processor time that the process took during the run, user's and system's, over all threads.
    pub cpu: Micros,
    /// Processor time of the worker thread that took most of it.
    pub busiest: Micros,
    /// The last statuses, as far as they are alike.
    pub last_statuses: Streak,
}

/// Carries out a plan, to its end or to the error that ends it.
///
/// From here on the first SIGINT or SIGTERM ends the run instead of the process, and the next one ends the process, also
/// when the run is over.
pub fn run(plan: Arc<Plan>, observer: Arc<dyn Observer>) -> RunResult {
    run_in_series(plan, observer, &Interrupts::default())
}

/// Like [`run`], as one of several. From the moment on in which a signal ends this run instead of the process, `interrupts`
/// notes each that comes, also those after its end.
pub fn run_in_series(plan: Arc<Plan>, observer: Arc<dyn Observer>, interrupts: &Interrupts) -> RunResult {
    net::raise_open_files(plan.load.concurrency + worker_count(&plan.load) * FILES_OF_A_WORKER);
    let route = match Route::resolve(&plan) {
        Ok(route) => route,
        Err(error) => return RunResult::unstarted(Fatal::from(error), SystemTime::now()),
    };
    // The two clocks start together, since the stamps of one are told as times of the other.
    let (clock, began) = (Clock::start(), SystemTime::now());
    let cpu_before = cpu_time(ClockId::ProcessCPUTime);
    let shared = Arc::new(Shared::new(plan, observer, route, clock));
    let parts = control(&shared, interrupts).unwrap_or_else(|error| {
        shared.end(Ending::Failed(Fatal::from(error)));
        Vec::new()
    });
    let stopped = shared.clock.now();
    let ending = shared.ending.get().cloned().unwrap_or(Ending::Complete);
    let last_done = parts.iter().map(|part| part.last_done).max().unwrap_or(stopped);
    let busiest = parts.iter().map(|part| part.cpu).max().unwrap_or(0);
    let (mut recording, mut last_statuses) = (Recording::default(), Streak::None);
    for part in parts {
        recording.merge(part.recording);
        last_statuses.merge(part.last_statuses);
    }
    RunResult {
        recording,
        // A run that is complete ended with its last response, and not with the close that follows it.
        elapsed: if ending == Ending::Complete { last_done } else { stopped },
        ending,
        version: shared.version.get().copied(),
        stream_limit: shared.stream_limit(),
        server_software: shared.server_software.get().cloned().unwrap_or_default(),
        document_length: shared.document_length(),
        addresses: shared.route.addresses().to_vec(),
        tunnel_refusal: shared.tunnel_refusal.get().copied(),
        location: shared.location.get().cloned(),
        handshake: shared.handshake.get().cloned(),
        speaks_tls: shared.speaks_tls.load(Ordering::Relaxed),
        server_keeps: shared.server_keeps.load(Ordering::Relaxed),
        began,
        workers: worker_count(&shared.plan.load),
        cpu: cpu_time(ClockId::ProcessCPUTime).saturating_sub(cpu_before),
        busiest,
        last_statuses,
    }
}

impl RunResult {
    fn unstarted(fatal: Fatal, began: SystemTime) -> Self {
        Self {
            recording: Recording::default(),
            elapsed: 0,
            ending: Ending::Failed(fatal),
            version: None,
            stream_limit: None,
            server_software: Vec::new(),
            document_length: None,
            addresses: Vec::new(),
            tunnel_refusal: None,
            location: None,
            handshake: None,
            speaks_tls: false,
            server_keeps: false,
            began,
            workers: 0,
            cpu: 0,
            busiest: 0,
            last_statuses: Streak::None,
        }
    }
}

/// Starts the workers and waits for them, for the time limit, and for signals.
fn control(shared: &Arc<Shared>, interrupts: &Interrupts) -> io::Result<Vec<Part>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (alive, mut all_done) = mpsc::channel::<()>(1);
    let workers = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        interrupts.listen()?;
        let workers = start_workers(shared, &alive);
        drop(alive);
        let time_limit = async {
            match shared.plan.load.time_limit {
                Some(limit) => sleep_until((shared.clock.origin() + limit).into()).await,
                None => pending().await,
            }
        };
        tokio::select! {
            // Nothing is ever sent: the channel ends with the last worker.
            _ = all_done.recv() => {}
            () = time_limit => shared.end(Ending::TimeLimit),
            signal = signals.next() => shared.end(Ending::Interrupted(signal)),
        }
        Ok::<_, io::Error>(workers)
    })?;
    // A worker that panics takes the process with it, so that joining cannot fail in a release build.
    Ok(workers.into_iter().filter_map(|worker| worker.join().ok()).collect())
}

/// Starts the worker threads, each with every so-many-th connection, so that the shares differ by at most one.
fn start_workers(shared: &Arc<Shared>, alive: &mpsc::Sender<()>) -> Vec<JoinHandle<Part>> {
    let connections = shared.plan.load.concurrency;
    let count = worker_count(&shared.plan.load);
    let mut workers = Vec::with_capacity(count);
    for number in 0..count {
        let (mine, alive) = (Arc::clone(shared), alive.clone());
        let work = move || {
            let part = thread::run(&mine, (number..connections).step_by(count));
            drop(alive);
            part.unwrap_or_else(|error| {
                mine.end(Ending::Failed(Fatal::from(error)));
                Part::default()
            })
        };
        match Builder::new().name(format!("worker-{number}")).spawn(work) {
            Ok(worker) => workers.push(worker),
            Err(error) => shared.end(Ending::Failed(Fatal::from(error))),
        }
    }
    workers
}

/// So many worker threads a load is spread over.
fn worker_count(load: &Load) -> usize {
    let count = if load.workers == 0 { cores() } else { load.workers };
    count.min(load.concurrency)
}

/// Cores that this process may use.
fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Processor time so far by this clock of the process or of the thread, user's and system's.
fn cpu_time(clock: ClockId) -> Micros {
    let time = clock_gettime(clock);
    // Nobody has run for less than nothing, or for 64 bits of microseconds.
    Micros::try_from(time.tv_sec * 1_000_000 + time.tv_nsec / 1000).unwrap_or_default()
}
