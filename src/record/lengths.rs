//! Which document lengths were seen, for the advice on pages whose length varies.

use std::collections::BTreeMap;

/// So many different lengths are counted one by one; further ones only move the least and the greatest.
const TRACKED: usize = 256;

/// The document lengths of complete responses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lengths {
    range: Option<(u64, u64)>,
    counts: BTreeMap<u64, u64>,
}

impl Lengths {
    /// Puts together again what [`range`](Self::range) and [`counts`](Self::counts) took apart; `None` if they do not
    /// fit.
    pub fn restore(range: Option<(u64, u64)>, counts: impl IntoIterator<Item = (u64, u64)>) -> Option<Self> {
        let counts: BTreeMap<u64, u64> = counts.into_iter().collect();
        let fits = match range {
            Some((least, greatest)) => {
                let mut all = counts.keys();
                !counts.is_empty()
                    && least <= greatest
                    && all.all(|length| (least..=greatest).contains(length))
            }
            None => counts.is_empty(),
        };
        (fits && counts.len() <= TRACKED).then_some(Self { range, counts })
    }

    /// Counts `times` documents of one length.
    pub fn count(&mut self, length: u64, times: u64) {
        let (least, greatest) = self.range.unwrap_or((length, length));
        self.range = Some((least.min(length), greatest.max(length)));
        if self.counts.len() < TRACKED || self.counts.contains_key(&length) {
            *self.counts.entry(length).or_default() += times;
        }
    }

    /// Adds those of another worker.
    pub fn merge(&mut self, other: &Self) {
        for (&length, &times) in &other.counts {
            self.count(length, times);
        }
        if let Some((least, greatest)) = other.range {
            let (low, high) = self.range.unwrap_or((least, greatest));
            self.range = Some((low.min(least), high.max(greatest)));
        }
    }

    /// The least and the greatest length in bytes.
    pub fn range(&self) -> Option<(u64, u64)> {
        self.range
    }

    /// How often each length was seen, of those that are counted one by one, in ascending order.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().map(|(&length, &times)| (length, times))
    }

    /// The length in bytes that was seen most often.
    pub fn most_common(&self) -> Option<u64> {
        self.counts.iter().max_by_key(|(_, times)| **times).map(|(length, _)| *length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_and_most_common_survive_a_merge() {
        let (mut one, mut two) = (Lengths::default(), Lengths::default());
        one.count(10, 3);
        two.count(12, 5);
        two.count(9, 1);
        one.merge(&two);
        assert_eq!((one.range(), one.most_common()), (Some((9, 12)), Some(12)));
    }

    #[test]
    fn counts_must_be_within_the_range() {
        let mut seen = Lengths::default();
        assert_eq!(Lengths::restore(seen.range(), seen.counts()), Some(seen.clone()));
        seen.count(10, 3);
        seen.count(12, 1);
        assert_eq!(Lengths::restore(seen.range(), seen.counts()), Some(seen.clone()));
        for range in [None, Some((11, 12)), Some((10, 11)), Some((12, 10))] {
            assert_eq!(Lengths::restore(range, seen.counts()), None);
        }
        assert_eq!(Lengths::restore(seen.range(), []), None);
    }

    #[test]
    fn memory_is_bounded_and_the_range_is_not() {
        let mut many = Lengths::default();
        for length in 0..10_000 {
            many.count(length, 1);
        }
        assert_eq!((many.range(), many.counts.len()), (Some((0, 9_999)), TRACKED));
    }
}
