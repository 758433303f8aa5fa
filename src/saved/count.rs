//! Whole numbers of a file, bounded.

use serde::{Deserialize, Deserializer, Serialize};

/// The greatest whole number that every reader of JSON takes for what it is: 2^53 - 1 (RFC 8259, section 6). It is far
/// above what a run can count, and far enough from the end of 64 bits for sums.
const GREATEST: u64 = (1 << 53) - 1;

/// A number of requests, bytes or microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(super) struct Count(pub(super) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bounded(deserializer).map(Self)
    }
}

/// Reads a number within the bound.
pub(super) fn bounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(deserializer)?;
    if number <= GREATEST {
        Ok(number)
    } else {
        Err(serde::de::Error::custom(format!(
            "{number} is above {GREATEST}, the greatest number of a saved run"
        )))
    }
}

/// The same for one that may be missing.
pub(super) fn bounded_option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Option::<Count>::deserialize(deserializer).map(|count| count.map(|count| count.0))
}
