//! What the workers of a run have in common.

use std::collections::HashSet;
use std::fmt::Display;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::SetOnce;

use super::budget::Budget;
use super::pacer::Schedule;
use super::{Ending, Fatal, Handshake, HandshakeError, Observer, TunnelError};
use crate::net::Route;
use crate::plan::{Plan, Version};
use crate::proto::Clock;

/// Stands for a document length that is not known yet.
const UNKNOWN: u64 = u64::MAX;

/// The failure with this number ends a run in which nothing has succeeded: as in ab, one more than "after 10
/// failures" says and means.
const FATAL_EARLY_FAILURE: u64 = 12;

/// So many ways for a tunnel or a handshake to fail are told apart; a server could make up more.
const KINDS: usize = 16;

/// Apart from everything else in memory. What workers write often must not share a cache line (two on some processors,
/// which fetch them in pairs) with what they all read for every request.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Apart<T>(T);

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The parts of a run that all workers see.
pub(super) struct Shared {
    pub(super) plan: Arc<Plan>,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) clock: Clock,
    pub(super) route: Route,
    pub(super) budget: Apart<Budget>,
    /// When requests are due, if they are (`--rate`).
    pub(super) schedule: Option<Schedule>,
    /// Why the run ends, as soon as that is known.
    pub(super) ending: SetOnce<Ending>,
    /// The first response head has come, which lets the connections after the first one start.
    pub(super) first_head: SetOnce<()>,
    /// There are no tickets left, so that nobody needs to wait for his turn any more.
    pub(super) exhausted: SetOnce<()>,
    /// The version of the first response head.
    pub(super) version: OnceLock<Version>,
    /// The least that the server takes at a time on a connection.
    stream_limit: AtomicUsize,
    /// The server software of the first response head.
    pub(super) server_software: OnceLock<Vec<u8>>,
    /// The server has kept a connection open after a response.
    pub(super) server_keeps: AtomicBool,
    /// Where the first redirect leads.
    pub(super) location: OnceLock<Vec<u8>>,
    /// What the first TLS handshake agreed on.
    pub(super) handshake: OnceLock<Handshake>,
    /// An answer over plain TCP was TLS.
    pub(super) speaks_tls: AtomicBool,
    /// The status by which the proxy first refused a tunnel.
    pub(super) tunnel_refusal: OnceLock<u16>,
    /// In which ways tunnels and handshakes have failed.
    failed: Mutex<HashSet<String>>,
    /// The length of each URL's first document that came whole.
    document_lengths: Box<[AtomicU64]>,
    /// One of them is known.
    has_document: AtomicBool,
    early_failures: AtomicU64,
    complete: Apart<AtomicU64>,
}

impl Shared {
    pub(super) fn new(plan: Arc<Plan>, observer: Arc<dyn Observer>, route: Route, clock: Clock) -> Self {
        let document_lengths = plan.requests.iter().map(|_| AtomicU64::new(UNKNOWN)).collect();
        Self {
            budget: Apart(Budget::new(plan.load.requests, plan.load.in_flight(), plan.load.rate.is_some())),
            schedule: plan.load.rate.map(Schedule::new),
            plan,
            observer,
            clock,
            route,
            ending: SetOnce::new(),
            first_head: SetOnce::new(),
            exhausted: SetOnce::new(),
            version: OnceLock::new(),
            stream_limit: AtomicUsize::new(usize::MAX),
            server_software: OnceLock::new(),
            server_keeps: AtomicBool::new(false),
            location: OnceLock::new(),
            handshake: OnceLock::new(),
            speaks_tls: AtomicBool::new(false),
            tunnel_refusal: OnceLock::new(),
            failed: Mutex::default(),
            document_lengths,
            has_document: AtomicBool::new(false),
            early_failures: AtomicU64::new(0),
            complete: Apart(AtomicU64::new(0)),
        }
    }

    /// Ends the run, unless it has an ending already.
    pub(super) fn end(&self, ending: Ending) {
        // The first reason is the one that counts.
        let _ = self.ending.set(ending);
    }

    /// The length of the first document of this URL that came whole, which is this one if none came before.
    pub(super) fn settle_document_length(&self, url: u32, length: u64) -> u64 {
        let settled = &self.document_lengths[url as usize];
        let known = settled.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return known;
        }
        self.has_document.store(true, Ordering::Relaxed);
        let outcome = settled.compare_exchange(UNKNOWN, length, Ordering::Relaxed, Ordering::Relaxed);
        outcome.map_or_else(|earlier| earlier, |_| length)
    }

    /// The length of the first document of the first URL that came whole.
    pub(super) fn document_length(&self) -> Option<u64> {
        let first = self.document_lengths.first()?.load(Ordering::Relaxed);
        Some(first).filter(|length| *length != UNKNOWN)
    }

    /// Notes how many requests the server takes at a time on a connection.
    pub(super) fn limit_streams(&self, limit: usize) {
        self.stream_limit.fetch_min(limit, Ordering::Relaxed);
    }

    /// How many it takes, if that is fewer than were to be in flight.
    pub(super) fn stream_limit(&self) -> Option<usize> {
        Some(self.stream_limit.load(Ordering::Relaxed)).filter(|limit| *limit < self.plan.load.streams)
    }

    /// Notes a failure that ends the run if there are too many of its kind before anything has succeeded.
    pub(super) fn early_failure(&self) -> Result<(), Fatal> {
        if self.has_document.load(Ordering::Relaxed) {
            return Ok(());
        }
        let number = self.early_failures.fetch_add(1, Ordering::Relaxed) + 1;
        if number < FATAL_EARLY_FAILURE { Ok(()) } else { Err(Fatal::TooManyFailures) }
    }

    /// Tells of a failed handshake, unless one has failed in the same way before.
    pub(super) fn handshake_failed(&self, error: &HandshakeError) {
        if self.is_new(error) {
            self.observer.handshake_failed(error);
        }
    }

    /// Tells of a tunnel that the proxy did not make, unless one has failed in the same way before.
    pub(super) fn tunnel_failed(&self, error: &TunnelError) {
        if let TunnelError::Refused { status, .. } = error {
            self.tunnel_refusal.get_or_init(|| *status);
        }
        if self.is_new(error) {
            self.observer.tunnel_failed(error);
        }
    }

    /// Whether this has not been told of before, and may be.
    fn is_new(&self, error: &impl Display) -> bool {
        // A set is whole even if its last user panicked.
        let mut known = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        known.len() < KINDS && known.insert(error.to_string())
    }

    /// Adds complete requests to the progress that the observer sees.
    pub(super) fn add_complete(&self, count: u64, every: u64) {
        let before = self.complete.fetch_add(count, Ordering::Relaxed);
        for step in before / every + 1..=(before + count) / every {
            self.observer.progress(step * every);
        }
    }
}
