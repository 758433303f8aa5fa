//! Sends on schedule, whether or not answers came (`--rate`).
//!
//! A closed loop waits for an answer before it asks again, so that a server that stalls is asked less in just that time.
//! Here the ticket of a request says when it is due, whoever holds it: a lane that is free takes the next ticket and waits
//! for its time. A request whose time has passed before any lane was free goes out late, and is counted as such.
//!
//! Each worker has one timer for all its lanes, since theirs are due one after the other.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::OnceLock;

use tokio::sync::Notify;

use super::timer::Timer;
use crate::proto::Clock;
use crate::record::{Micros, Planned};

/// When requests are due; shared by all workers.
#[derive(Debug)]
pub(super) struct Schedule {
    /// Requests a second.
    rate: f64,
    /// When the second request would have been due if it were the first: the first one goes alone, as always, and the
    /// schedule begins with its answer.
    began: OnceLock<Micros>,
}

impl Schedule {
    pub(super) fn new(rate: f64) -> Self {
        Self { rate, began: OnceLock::new() }
    }

    /// Begins now, unless it has.
    pub(super) fn begin(&self, now: Micros) {
        self.began.get_or_init(|| now);
    }

    /// When the request with this ticket is due; `None` for the first, which goes at once.
    fn due(&self, ticket: u64) -> Option<Micros> {
        let began = *self.began.get()?;
        (ticket > 0).then(|| began.saturating_add(after(self.rate, ticket)))
    }
}

/// How long after the beginning a ticket is due at this rate, in whole microseconds. Each is counted from the beginning,
/// so that roundings do not add up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the time is positive, and a cast saturates"
)]
fn after(rate: f64, ticket: u64) -> Micros {
    (ticket as f64 * 1e6 / rate) as Micros
}

/// Holds back the lanes of one worker until their requests are due.
pub(super) struct Pacer {
    clock: Clock,
    /// The lanes that wait, in the order in which they are due.
    waiting: RefCell<VecDeque<(Micros, Rc<Notify>)>>,
    /// A lane has come.
    come: Notify,
    timer: Timer,
    /// The one whose time is being waited for.
    next: Cell<Micros>,
}

impl Pacer {
    pub(super) fn new(clock: Clock) -> io::Result<Self> {
        let (waiting, next) = (RefCell::default(), Cell::new(Micros::MAX));
        Ok(Self { clock, waiting, come: Notify::new(), timer: Timer::new()?, next })
    }

    /// Waits until the request with this ticket is due, and says when that is, and whether it had passed already.
    /// `turn` is the lane's own.
    pub(super) async fn wait(&self, schedule: &Schedule, ticket: u64, turn: &Rc<Notify>) -> Option<Planned> {
        let due = schedule.due(ticket)?;
        if self.clock.now() >= due {
            return Some(Planned { at: due, late: true });
        }
        self.waiting.borrow_mut().push_back((due, Rc::clone(turn)));
        if due < self.next.get() {
            self.come.notify_one();
        }
        turn.notified().await;
        Some(Planned { at: due, late: false })
    }

    /// Lets lanes go when they are due; ends only if the system fails the timer.
    pub(super) async fn run(&self) -> io::Error {
        loop {
            let next = self.waiting.borrow().front().map_or(Micros::MAX, |(due, _)| *due);
            self.next.set(next);
            let now = self.clock.now();
            if next == Micros::MAX {
                self.come.notified().await;
            } else if next > now
                && let Err(error) = self.timer.sleep(next - now).await
            {
                return error;
            }
            let now = self.clock.now();
            let mut waiting = self.waiting.borrow_mut();
            while waiting.front().is_some_and(|(due, _)| *due <= now) {
                if let Some((_, turn)) = waiting.pop_front() {
                    turn.notify_one();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_request_waits_for_nothing_and_starts_the_schedule() {
        let schedule = Schedule::new(1000.0);
        assert_eq!(schedule.due(1), None);
        schedule.begin(500);
        schedule.begin(900);
        assert_eq!([schedule.due(0), schedule.due(1), schedule.due(2)], [None, Some(1500), Some(2500)]);
    }

    proptest! {
        #[test]
        fn requests_are_due_evenly_and_without_drift(rate in 0.01_f64..1e6, ticket in 1_u64..1_000_000_000) {
            let (this, next) = (after(rate, ticket), after(rate, ticket + 1));
            prop_assert!(this <= next);
            let exact = ticket as f64 * 1e6 / rate;
            prop_assert!((this as f64 - exact).abs() <= 1.0 + exact * 1e-12);
        }
    }
}
