//! The tickets of a run: one a request, no more than were planned, whoever takes them.

use std::sync::atomic::{AtomicU64, Ordering};

/// A worker claims no more tickets at a time than this.
const LARGEST_BATCH: u64 = 64;

/// All tickets that nobody has claimed yet.
#[derive(Debug)]
pub(super) struct Budget {
    left: AtomicU64,
    batch: u64,
}

impl Budget {
    /// A budget of so many requests for so many slots.
    ///
    /// Tickets are claimed in batches, to keep workers out of each other's way; the batches are small against a
    /// slot's share, so that the workers come to an end together.
    pub(super) fn new(requests: u64, slots: usize) -> Self {
        let batch = (requests / (slots as u64 * 16)).clamp(1, LARGEST_BATCH);
        Self { left: AtomicU64::new(requests), batch }
    }

    /// Claims tickets: how many, 0 if none are left.
    pub(super) fn claim(&self) -> u64 {
        let before = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(self.batch)));
        before.unwrap_or_else(|left| left).min(self.batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn claims_add_up_to_the_requests(requests in 1_u64..10_000, slots in 1_usize..300) {
            let budget = Budget::new(requests, slots);
            let claims: Vec<u64> = std::iter::repeat_with(|| budget.claim()).take_while(|count| *count > 0).collect();
            prop_assert_eq!(claims.iter().sum::<u64>(), requests);
            prop_assert!(claims.iter().all(|count| *count <= LARGEST_BATCH));
        }
    }

    #[test]
    fn few_requests_are_claimed_one_by_one() {
        let budget = Budget::new(4, 4);
        assert_eq!(
            [budget.claim(), budget.claim(), budget.claim(), budget.claim(), budget.claim()],
            [1, 1, 1, 1, 0]
        );
    }
}
