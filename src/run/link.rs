//! One connection at a time, and the lanes that share it.
//!
//! An HTTP/1 connection has one lane. On an HTTP/2 connection there are as many as `--streams` says, but no more are at
//! work than the server takes at a time: until it has said how many that is, one. When the connection is gone, the lane
//! that notices first makes the next one, and the others wait for that.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::spawn_local;

use super::fault::Fault;
use super::shared::Shared;
use crate::net::Meter;
use crate::proto::{Invitation, Session};

/// A server has to answer something before it has refused so many requests for each lane. Else it refuses them all.
const MOST_REFUSALS: usize = 10;

/// What the lanes of one connection have in common.
pub(super) struct Link {
    /// The bytes of its connections, one after the other.
    pub(super) meter: Rc<Meter>,
    /// Lanes that there are.
    lanes: usize,
    /// Lanes that may be at work.
    width: Cell<usize>,
    widened: Notify,
    /// The way to the connection, for lanes that have none.
    invitation: RefCell<Option<Invitation>>,
    /// The number of the address that it goes to, or that the last one was to go to.
    address: Cell<usize>,
    /// A lane is making a connection.
    dialling: Cell<bool>,
    dialled: Notify,
    /// How often one was made, or was to be.
    dials: Cell<u64>,
    /// What went wrong the last time that it was in vain, and which time that was.
    failed: RefCell<Option<(u64, Fault)>>,
    /// Requests that the server has not processed since it last answered one.
    refusals: Cell<usize>,
}

/// What a lane without a connection gets.
pub(super) enum Joined<'a> {
    /// A handle to the connection that stands.
    Session {
        /// The handle.
        session: Session,
        /// The number of the address that it goes to.
        address: usize,
        /// It did not stand yet when it was asked for.
        has_waited: bool,
    },
    /// Nothing, but the right to make a connection.
    Dialling(Dialling<'a>),
    /// Nothing: the connection that it has waited for did not come to be.
    Failed {
        /// What went wrong.
        fault: Fault,
        /// The number of the address that it was to go to.
        address: usize,
    },
}

/// The right to make a connection, which no other lane has as long as this one keeps it.
pub(super) struct Dialling<'a>(&'a Link);

impl Dialling<'_> {
    /// Nothing came of it, for this lane and for those that wait.
    pub(super) fn fail(self, fault: &Fault, address: usize) {
        self.0.address.set(address);
        self.0.failed.replace(Some((self.0.dials.get(), fault.clone())));
    }
}

impl Drop for Dialling<'_> {
    fn drop(&mut self) {
        self.0.dialling.set(false);
        self.0.dialled.notify_waiters();
    }
}

impl Link {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            meter: Rc::default(),
            lanes,
            width: Cell::new(1),
            widened: Notify::new(),
            invitation: RefCell::default(),
            address: Cell::new(0),
            dialling: Cell::new(false),
            dialled: Notify::new(),
            dials: Cell::new(0),
            failed: RefCell::default(),
            refusals: Cell::new(0),
        }
    }

    /// Lanes that may be at work.
    pub(super) fn width(&self) -> usize {
        self.width.get()
    }

    /// Waits until the lane of this place, counted from 0, may be at work.
    pub(super) async fn room(&self, place: usize) {
        while self.width.get() <= place {
            self.widened.notified().await;
        }
    }

    /// Takes part in the connection that stands, or is just being made; if there is none, in making one. All that wait for
    /// one wait together: with each trying for itself, one after the other, a silent server would cost a silence a request.
    pub(super) async fn join(&self) -> Joined<'_> {
        let (has_waited, dial) = (self.dialling.get(), self.dials.get());
        while self.dialling.get() {
            self.dialled.notified().await;
            match &*self.failed.borrow() {
                Some((failed, fault)) if *failed >= dial => {
                    return Joined::Failed { fault: fault.clone(), address: self.address.get() };
                }
                _ => {}
            }
        }
        let standing = self.invitation.borrow().as_ref().and_then(Invitation::accept);
        if let Some(session) = standing {
            let (session, address) = (session.into(), self.address.get());
            return Joined::Session { session, address, has_waited };
        }
        self.dialling.set(true);
        self.dials.set(self.dials.get() + 1);
        Joined::Dialling(Dialling(self))
    }

    /// Takes note of a response.
    pub(super) fn count_answer(&self) {
        self.refusals.set(0);
    }

    /// Takes note of a request that the server has not processed; whether it may be sent again.
    pub(super) fn bears_refusal(&self) -> bool {
        self.refusals.set(self.refusals.get().saturating_add(1));
        self.refusals.get() <= self.lanes * MOST_REFUSALS
    }

    /// Makes a new connection known to all lanes, and lets as many of them work as it takes.
    pub(super) fn publish(self: &Rc<Self>, session: &Session, address: usize, shared: &Arc<Shared>) {
        let (Some(invitation), Some(asked)) = (session.invitation(), session.invitation()) else { return };
        self.invitation.replace(Some(invitation));
        self.address.set(address);
        let (link, shared) = (Rc::clone(self), Arc::clone(shared));
        spawn_local(async move {
            if let Some(limit) = asked.stream_limit().await {
                shared.limit_streams(limit);
                link.width.set(limit.clamp(1, link.lanes));
                link.widened.notify_waiters();
            }
        });
    }
}
