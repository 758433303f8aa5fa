//! Any bytes as a response, in any pieces: nothing panics, and where the cuts are makes no difference.
//!
//! Input: a byte of switches (1: to a HEAD request, 2: skip what may be skipped), the number of pieces, a byte for each,
//! and the response.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rab::proto::fuzzing::outcome;

fuzz_target!(|input: &[u8]| {
    let [switches, count, rest @ ..] = input else { return };
    let (pieces, response) = rest.split_at(usize::from(*count).min(rest.len()));
    // Small pieces cut lines, large ones reach the limits.
    let length = |byte: u8| usize::from(byte % 64 + 1) << (byte / 64 * 4);
    let pieces: Vec<usize> = pieces.iter().map(|byte| length(*byte)).collect();
    let (to_head_request, skips) = (switches & 1 != 0, switches & 2 != 0);
    let whole = outcome(response, &[], to_head_request, false);
    assert_eq!(outcome(response, &pieces, to_head_request, skips), whole);
    assert!(whole.document <= response.len() as u64);
});
