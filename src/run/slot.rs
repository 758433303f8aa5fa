//! One slot of the concurrency level, and the watch over its silence.
//!
//! A time limit a request would cost a timer a request. Instead every worker looks at all its slots in turn, a few
//! times within the limit: a slot that waits and on whose connection no byte has moved since has been silent. Slots that
//! share a connection are silent together.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use crate::net::Meter;

/// A worker looks at its slots so many times within the limit, which is therefore kept to a twentieth.
pub(super) const LOOKS: u32 = 20;

/// What is known of a slot from outside its task.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// The bytes of its connections.
    meter: Rc<Meter>,
    /// It waits for the network.
    waiting: Cell<bool>,
    /// What the meter said at the last look.
    seen: Cell<u64>,
    /// Looks since something moved.
    quiet: Cell<u32>,
    /// It has been silent for too long.
    silent: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// The connection has been silent for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Silence;

impl Slot {
    /// A slot whose connections are counted here.
    pub(super) fn new(meter: Rc<Meter>) -> Self {
        Self { meter, ..Self::default() }
    }

    /// Waits for something on the network, but not through a silence.
    pub(super) async fn watched<T>(&self, work: impl Future<Output = T>) -> Result<T, Silence> {
        self.quiet.set(0);
        self.silent.set(false);
        self.waiting.set(true);
        let mut work = pin!(work);
        let outcome = poll_fn(|cx| {
            if self.silent.get() {
                return Poll::Ready(Err(Silence));
            }
            let mut waker = self.waker.borrow_mut();
            if !waker.as_ref().is_some_and(|known| known.will_wake(cx.waker())) {
                *waker = Some(cx.waker().clone());
            }
            work.as_mut().poll(cx).map(Ok)
        })
        .await;
        self.waiting.set(false);
        outcome
    }

    /// Has a look; to be called [`LOOKS`] times within the limit.
    pub(super) fn look(&self) {
        let moved = self.meter.activity();
        if !self.waiting.get() || self.seen.replace(moved) != moved {
            self.quiet.set(0);
            return;
        }
        self.quiet.set(self.quiet.get() + 1);
        // The first look came at any time after the silence began, so that one more makes the limit whole.
        if self.quiet.get() > LOOKS {
            self.silent.set(true);
            if let Some(waker) = self.waker.borrow().as_ref() {
                waker.wake_by_ref();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::task::Context;

    #[test]
    fn a_silent_slot_gives_up_after_the_limit_and_not_before() {
        let slot = Slot::default();
        let mut wait = pin!(slot.watched(pending::<()>()));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(wait.as_mut().poll(&mut cx).is_pending());
        for _ in 0..LOOKS {
            slot.look();
            assert!(wait.as_mut().poll(&mut cx).is_pending());
        }
        slot.look();
        assert_eq!(wait.as_mut().poll(&mut cx), Poll::Ready(Err(Silence)));
    }

    #[test]
    fn a_slot_that_does_not_wait_is_never_silent() {
        let slot = Slot::default();
        for _ in 0..LOOKS * 3 {
            slot.look();
        }
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(pin!(slot.watched(ready(7))).poll(&mut cx), Poll::Ready(Ok(7)));
    }
}
