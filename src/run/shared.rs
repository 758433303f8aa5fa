//! What the workers of a run have in common.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::SetOnce;

use super::budget::Budget;
use super::{Ending, Fatal, Handshake, HandshakeError, Observer};
use crate::net::Route;
use crate::plan::Plan;
use crate::proto::Clock;

/// Stands for a document length that is not known yet.
const UNKNOWN: u64 = u64::MAX;

/// The failure with this number ends a run in which nothing has succeeded: as in ab, one more than "after 10
/// failures" says and means.
const FATAL_EARLY_FAILURE: u64 = 12;

/// So many ways for a handshake to fail are told apart; a server could make up more.
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
    /// Why the run ends, as soon as that is known.
    pub(super) ending: SetOnce<Ending>,
    /// The first response head has come, which lets the connections after the first one start.
    pub(super) first_head: SetOnce<()>,
    /// There are no tickets left, so that nobody needs to wait for his turn any more.
    pub(super) exhausted: SetOnce<()>,
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
    /// In which ways handshakes have failed.
    failed_handshakes: Mutex<HashSet<HandshakeError>>,
    document_length: AtomicU64,
    early_failures: AtomicU64,
    complete: Apart<AtomicU64>,
}

impl Shared {
    pub(super) fn new(plan: Arc<Plan>, observer: Arc<dyn Observer>, route: Route, clock: Clock) -> Self {
        Self {
            budget: Apart(Budget::new(plan.load.requests, plan.load.concurrency)),
            plan,
            observer,
            clock,
            route,
            ending: SetOnce::new(),
            first_head: SetOnce::new(),
            exhausted: SetOnce::new(),
            server_software: OnceLock::new(),
            server_keeps: AtomicBool::new(false),
            location: OnceLock::new(),
            handshake: OnceLock::new(),
            speaks_tls: AtomicBool::new(false),
            failed_handshakes: Mutex::default(),
            document_length: AtomicU64::new(UNKNOWN),
            early_failures: AtomicU64::new(0),
            complete: Apart(AtomicU64::new(0)),
        }
    }

    /// Ends the run, unless it has an ending already.
    pub(super) fn end(&self, ending: Ending) {
        // The first reason is the one that counts.
        let _ = self.ending.set(ending);
    }

    /// The length of the first document that came whole, which is this one if none came before.
    pub(super) fn settle_document_length(&self, length: u64) -> u64 {
        let known = self.document_length.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return known;
        }
        let settled =
            self.document_length.compare_exchange(UNKNOWN, length, Ordering::Relaxed, Ordering::Relaxed);
        settled.map_or_else(|earlier| earlier, |_| length)
    }

    /// The length of the first document that came whole.
    pub(super) fn document_length(&self) -> Option<u64> {
        Some(self.document_length.load(Ordering::Relaxed)).filter(|length| *length != UNKNOWN)
    }

    /// Notes a failure that ends the run if there are too many of its kind before anything has succeeded.
    pub(super) fn early_failure(&self) -> Result<(), Fatal> {
        if self.document_length().is_some() {
            return Ok(());
        }
        let number = self.early_failures.fetch_add(1, Ordering::Relaxed) + 1;
        if number < FATAL_EARLY_FAILURE { Ok(()) } else { Err(Fatal::TooManyFailures) }
    }

    /// Tells of a failed handshake, unless one has failed in the same way before.
    pub(super) fn handshake_failed(&self, error: &HandshakeError) {
        // A set is whole even if its last user panicked.
        let mut known = self.failed_handshakes.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < KINDS && !known.contains(error) {
            known.insert(error.clone());
            self.observer.handshake_failed(error);
        }
    }

    /// Adds complete requests to the progress that the observer sees.
    pub(super) fn add_complete(&self, count: u64, every: u64) {
        let before = self.complete.fetch_add(count, Ordering::Relaxed);
        for step in before / every + 1..=(before + count) / every {
            self.observer.progress(step * every);
        }
    }
}
