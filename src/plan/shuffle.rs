//! The random order of a list (`--shuffle`).
//!
//! In come the seed, the number of a pass over the list, and a place in that pass; out goes the place of the list whose
//! turn it is. Each pass has an order of its own in which every place of the list stands once, and the order depends on
//! nothing else: not on the workers, the connections or the machine. It is computed place by place (a Feistel network,
//! walked until it is within the list), so that no pass has to be laid out in memory or waited for.

/// Rounds of the network. With fewer, the orders of a list of five or six places are not equally frequent.
const ROUNDS: u64 = 6;

/// Each side of the network has at least so many bits, for the same reason: a short list is a small part of it.
const LEAST_BITS: u32 = 3;

/// The place of the list that stands at `place` of this pass. `length` is that of the list, and above `place`.
pub(super) fn shuffled(seed: u64, pass: u64, place: u64, length: u64) -> u64 {
    let bits = (u64::BITS - length.saturating_sub(1).leading_zeros()).div_ceil(2).max(LEAST_BITS);
    let mask = (1 << bits) - 1;
    let key = mixed(mixed(seed).wrapping_add(pass));
    let mut found = place;
    loop {
        let (mut left, mut right) = (found >> bits, found & mask);
        for round in 0..ROUNDS {
            let turned = left ^ (mixed(key.wrapping_add(round << 32).wrapping_add(right)) & mask);
            (left, right) = (right, turned);
        }
        found = left << bits | right;
        // What lies beyond the list is on a way that comes back into it, since the network is a permutation.
        if found < length {
            return found;
        }
    }
}

/// Every bit of the number depends on every bit of it afterwards: the last step of the generator `SplitMix64`.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn order(seed: u64, pass: u64, length: u64) -> Vec<u64> {
        (0..length).map(|place| shuffled(seed, pass, place, length)).collect()
    }

    #[test]
    fn the_order_of_a_seed_stays_what_it_is() {
        // A report says which seed it was made with, so that a later version must not read it otherwise.
        assert_eq!(order(42, 0, 8), [7, 1, 6, 0, 3, 2, 5, 4]);
        assert_eq!(order(42, 1, 8), [5, 0, 1, 4, 7, 3, 2, 6]);
        assert_ne!(order(42, 0, 8), order(43, 0, 8));
    }

    #[test]
    fn all_orders_of_a_short_list_are_about_as_frequent() {
        let mut seen: HashMap<Vec<u64>, u32> = HashMap::new();
        for pass in 0..24_000 {
            *seen.entry(order(7, pass, 4)).or_default() += 1;
        }
        assert_eq!(seen.len(), 24);
        assert!(seen.values().all(|times| (850..1150).contains(times)), "{seen:?}");
    }

    proptest! {
        #[test]
        fn each_pass_visits_every_place_once(seed: u64, pass: u64, length in 1_u64..3000) {
            let mut order = order(seed, pass, length);
            order.sort_unstable();
            prop_assert!(order.into_iter().eq(0..length));
        }

        #[test]
        fn long_lists_stay_within_themselves(seed: u64, pass: u64, length in 1_u64..=u64::from(u32::MAX), place: u64) {
            prop_assert!(shuffled(seed, pass, place % length, length) < length);
        }
    }
}
