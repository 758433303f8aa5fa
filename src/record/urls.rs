//! What happened to each of many URLs.
//!
//! In come the [`Sample`]s, out go a [`Tally`] a URL and, if that is asked for, the [`Distribution`] of its times. Memory
//! grows with the number of URLs, and not with that of requests: a tally has 40 bytes, a distribution some thousand.

use super::{Corrupt, Distribution, Micros, Outcome, Sample};

/// With more URLs than this, their times are not kept in distributions: a few MB a worker.
pub const MOST_DISTRIBUTIONS: usize = 1000;

/// The complete requests of one URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there are.
    pub complete: u64,
    /// Those of them that failed, in whichever class.
    pub failed: u64,
    /// Those that were answered with a status that is not 2xx.
    pub non_2xx: u64,
    /// The sum of their total times.
    pub sum: Micros,
    /// The greatest of these.
    pub max: Micros,
}

impl Tally {
    /// Counts one complete request.
    fn record(&mut self, sample: &Sample) {
        let total = sample.total();
        self.complete += 1;
        self.failed += u64::from(sample.outcome != Outcome::Good);
        self.non_2xx += u64::from(sample.status.is_some_and(|status| status / 100 != 2));
        self.sum += total;
        self.max = self.max.max(total);
    }

    /// Adds another one.
    pub fn merge(&mut self, other: &Self) {
        self.complete += other.complete;
        self.failed += other.failed;
        self.non_2xx += other.non_2xx;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }
}

/// What is known of each URL, by its number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Urls {
    tallies: Vec<Tally>,
    times: Vec<Distribution>,
}

impl Urls {
    /// Room for so many URLs: for their tallies and, with `times`, for distributions, if there are no more than
    /// [`MOST_DISTRIBUTIONS`].
    pub fn new(count: usize, times: bool) -> Self {
        let distributions = if times && count <= MOST_DISTRIBUTIONS { count } else { 0 };
        Self {
            tallies: vec![Tally::default(); count],
            times: std::iter::repeat_with(Distribution::coarse).take(distributions).collect(),
        }
    }

    /// Puts together again what [`tallies`](Self::tallies) and [`times`](Self::times) took apart, if they fit. `times` is
    /// empty where none were kept.
    pub fn restore(tallies: Vec<Tally>, times: Vec<Distribution>) -> Result<Self, Corrupt> {
        if !times.is_empty() && times.len() != tallies.len() {
            return Err(Corrupt("only some of its URLs have times"));
        }
        let is_possible = |tally: &Tally| tally.failed.max(tally.non_2xx) <= tally.complete;
        if !tallies.iter().all(is_possible) {
            return Err(Corrupt("a URL has more failures or statuses than requests"));
        }
        let fits = |(tally, times): (&Tally, &Distribution)| {
            (tally.complete, u128::from(tally.sum), tally.max) == (times.count(), times.sum(), times.max())
        };
        if !tallies.iter().zip(&times).all(fits) {
            return Err(Corrupt("the times of a URL are not those of its requests"));
        }
        Ok(Self { tallies, times })
    }

    /// Counts one complete request, if there is room for its URL.
    pub(super) fn record(&mut self, sample: &Sample) {
        let url = sample.url as usize;
        if let Some(tally) = self.tallies.get_mut(url) {
            tally.record(sample);
        }
        if let Some(times) = self.times.get_mut(url) {
            times.record(sample.total());
        }
    }

    /// Adds another worker's part.
    pub(super) fn merge(&mut self, other: Self) {
        if self.tallies.is_empty() {
            *self = other;
            return;
        }
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.times.iter_mut().zip(&other.times) {
            mine.merge(theirs);
        }
    }

    /// The tally of each URL; empty if none were to be told apart.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The total times of a URL, to one part in a hundred; `None` if they were not kept.
    pub fn times(&self, url: usize) -> Option<&Distribution> {
        self.times.get(url)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Stamps};
    use super::*;

    fn sample(url: u32, total: Micros, outcome: Outcome, status: Option<u16>) -> Sample {
        let stamps = Stamps { start: 0, connected: 0, written: 0, first_byte: total, done: total };
        Sample {
            url,
            stamps,
            outcome,
            status,
            document: 0,
            missing: 0,
            kept_alive: false,
            write_error: false,
            planned: None,
        }
    }

    #[test]
    fn requests_are_counted_by_url_over_all_workers() {
        let mut all = Urls::default();
        for part in 1..=2 {
            let mut urls = Urls::new(3, true);
            urls.record(&sample(0, part * 10, Outcome::Good, Some(200)));
            urls.record(&sample(2, part * 100, Outcome::Failed(Failure::Length), Some(404)));
            urls.record(&sample(2, 1, Outcome::Failed(Failure::Connect), None));
            urls.record(&sample(3, 1, Outcome::Good, None));
            all.merge(urls);
        }
        let first = Tally { complete: 2, failed: 0, non_2xx: 0, sum: 30, max: 20 };
        let third = Tally { complete: 4, failed: 4, non_2xx: 2, sum: 302, max: 200 };
        assert_eq!(all.tallies(), [first, Tally::default(), third]);
        assert_eq!(all.times(2).map(|times| (times.count(), times.max())), Some((4, 200)));
        all.merge(Urls::default());
        assert_eq!(all.tallies()[0], first);
    }

    #[test]
    fn what_was_taken_apart_must_fit() {
        let mut urls = Urls::new(2, true);
        urls.record(&sample(1, 30, Outcome::Good, Some(404)));
        let times: Vec<Distribution> = (0..2).filter_map(|url| urls.times(url).cloned()).collect();
        let tallies = urls.tallies().to_vec();
        assert_eq!(Urls::restore(tallies.clone(), times.clone()), Ok(urls));
        assert!(Urls::restore(tallies.clone(), Vec::new()).is_ok_and(|urls| urls.times(0).is_none()));
        assert!(Urls::restore(tallies.clone(), times[..1].to_vec()).is_err());
        for change in [
            |tally: &mut Tally| tally.sum = 29,
            |tally: &mut Tally| tally.max = 29,
            |tally: &mut Tally| tally.complete = 2,
            |tally: &mut Tally| tally.failed = 2,
            |tally: &mut Tally| tally.non_2xx = 2,
        ] {
            let mut tallies = tallies.clone();
            change(&mut tallies[1]);
            assert!(Urls::restore(tallies, times.clone()).is_err());
        }
    }

    #[test]
    fn times_are_kept_only_where_they_are_asked_for_and_few() {
        assert!(Urls::new(3, false).times(0).is_none());
        assert!(Urls::new(MOST_DISTRIBUTIONS, true).times(MOST_DISTRIBUTIONS - 1).is_some());
        let many = Urls::new(MOST_DISTRIBUTIONS + 1, true);
        assert!(many.times(0).is_none() && many.tallies().len() == MOST_DISTRIBUTIONS + 1);
    }
}
