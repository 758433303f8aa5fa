//! The tickets of a run: one a request, no more than were planned, whoever takes them.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A worker claims no more tickets at a time than this.
const LARGEST_BATCH: u64 = 64;

/// All tickets that nobody has claimed yet.
#[derive(Debug)]
pub(super) struct Budget {
    requests: u64,
    left: AtomicU64,
    batch: u64,
}

impl Budget {
    /// A budget of so many requests for so many slots.
    ///
    /// Tickets are claimed in batches, to keep workers out of each other's way; the batches are small against a
    /// slot's share, so that the workers come to an end together. On a schedule they are claimed one by one, since whoever
    /// held several would send them late.
    pub(super) fn new(requests: u64, slots: usize, on_schedule: bool) -> Self {
        let most = if on_schedule { 1 } else { LARGEST_BATCH };
        let batch = (requests / (slots as u64 * 16)).clamp(1, most);
        Self { requests, left: AtomicU64::new(requests), batch }
    }

    /// Claims tickets by their numbers, which go up from 0; none if none are left.
    pub(super) fn claim(&self) -> Range<u64> {
        let before = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(self.batch)));
        let left = before.unwrap_or_else(|left| left);
        let first = self.requests - left;
        first..first + left.min(self.batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_ticket_is_claimed_once_and_in_order(requests in 1_u64..10_000, slots in 1_usize..300) {
            let budget = Budget::new(requests, slots, false);
            let claims = std::iter::repeat_with(|| budget.claim()).take_while(|claim| !claim.is_empty());
            let claims: Vec<Range<u64>> = claims.collect();
            prop_assert!(claims.iter().all(|claim| claim.end - claim.start <= LARGEST_BATCH));
            prop_assert!(claims.into_iter().flatten().eq(0..requests));
        }
    }

    #[test]
    fn few_requests_are_claimed_one_by_one() {
        let budget = Budget::new(4, 4, false);
        assert_eq!([(); 5].map(|()| budget.claim()), [0..1, 1..2, 2..3, 3..4, 4..4]);
    }
}
