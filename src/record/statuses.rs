//! How often each status code was answered.

/// Status codes have three digits (RFC 9110, section 15).
const CODES: usize = 1000;

/// A count for each status code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statuses {
    counts: Box<[u64; CODES]>,
}

impl Default for Statuses {
    fn default() -> Self {
        Self { counts: Box::new([0; CODES]) }
    }
}

impl Statuses {
    /// Counts one response.
    pub fn count(&mut self, status: u16) {
        self.add(status, 1);
    }

    /// Counts so many responses of one status.
    pub fn add(&mut self, status: u16, times: u64) {
        if let Some(count) = self.counts.get_mut(usize::from(status)) {
            *count += times;
        }
    }

    /// Adds those of another worker.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts.iter()) {
            *mine += theirs;
        }
    }

    /// The codes that were answered, with their counts, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        (0..).zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// Responses whose status is not 2xx.
    pub fn non_2xx(&self) -> u64 {
        self.iter().filter(|(status, _)| status / 100 != 2).map(|(_, count)| count).sum()
    }

    /// The most frequent status that is not 2xx, with its count.
    pub fn most_frequent_non_2xx(&self) -> Option<(u16, u64)> {
        self.iter().filter(|(status, _)| status / 100 != 2).max_by_key(|(_, count)| *count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_told_apart() {
        let mut seen = Statuses::default();
        for status in [200, 204, 404, 404, 500] {
            seen.count(status);
        }
        assert_eq!((seen.non_2xx(), seen.most_frequent_non_2xx()), (3, Some((404, 2))));
        assert_eq!(seen.iter().collect::<Vec<_>>(), [(200, 1), (204, 1), (404, 2), (500, 1)]);
    }
}
