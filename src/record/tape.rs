//! Every single request, for the files that list them.
//!
//! In come the [`Sample`]s of complete requests, out go [`Entry`]s. The tape is the one thing whose memory grows with
//! the number of requests, so it is kept only when a file needs it, and an entry is as compact as that allows.

use std::iter::repeat;

use super::{Micros, Outcome, Phase, Sample};

/// One complete request: 32 bytes, as many as ab takes for one.
///
/// Durations are held up to 71 minutes (2^32 microseconds); a longer one is shown as that. The histograms, too, tell
/// times apart up to an hour only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    start: Micros,
    document: u64,
    connect: u32,
    processing: u32,
    waiting: u32,
    /// 0 stands for none: no status code is (RFC 9110, section 15).
    status: u16,
    outcome: Outcome,
    kept_alive: bool,
}

impl Entry {
    fn new(sample: &Sample) -> Self {
        let duration = |phase| u32::try_from(sample.stamps.duration(phase)).unwrap_or(u32::MAX);
        Self {
            start: sample.stamps.start,
            document: sample.document,
            connect: duration(Phase::Connect),
            processing: duration(Phase::Processing),
            waiting: duration(Phase::Waiting),
            status: sample.status.unwrap_or(0),
            outcome: sample.outcome,
            kept_alive: sample.keeps_connection(),
        }
    }

    /// When the request began, in microseconds since the start of the run.
    pub fn start(&self) -> Micros {
        self.start
    }

    /// How long a phase took. Total is Connect and Processing together.
    pub fn duration(&self, phase: Phase) -> Micros {
        match phase {
            Phase::Connect => self.connect.into(),
            Phase::Processing => self.processing.into(),
            Phase::Waiting => self.waiting.into(),
            Phase::Total => Micros::from(self.connect) + Micros::from(self.processing),
        }
    }

    /// The status code of the response, if its head was read.
    pub fn status(&self) -> Option<u16> {
        Some(self.status).filter(|status| *status != 0)
    }

    /// How the request ended.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Bytes of the document.
    pub fn document(&self) -> u64 {
        self.document
    }

    /// Whether the report counts it as a keep-alive request.
    pub fn kept_alive(&self) -> bool {
        self.kept_alive
    }
}

/// All complete requests of a run, or of one worker's part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tape {
    entries: Vec<Entry>,
    /// The URL of each entry, if there are many.
    urls: Option<Vec<u32>>,
}

impl Tape {
    /// An empty tape that also keeps the URL of each request, in four bytes more.
    pub fn with_urls() -> Self {
        Self { entries: Vec::new(), urls: Some(Vec::new()) }
    }

    /// Adds one complete request.
    pub fn record(&mut self, sample: &Sample) {
        self.entries.push(Entry::new(sample));
        if let Some(urls) = &mut self.urls {
            urls.push(sample.url);
        }
    }

    /// Adds another worker's part, which keeps the same.
    pub fn append(&mut self, mut other: Self) {
        self.entries.append(&mut other.entries);
        if let (Some(urls), Some(others)) = (&mut self.urls, &mut other.urls) {
            urls.append(others);
        }
    }

    /// How many requests there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// In the order in which they began; of those that began together, the shorter first. With each, the number of its
    /// URL, if the tape keeps that.
    pub fn by_start(&self) -> Vec<(&Entry, Option<u32>)> {
        let urls = self.urls.iter().flatten().copied().map(Some).chain(repeat(None));
        let mut sorted: Vec<_> = self.entries.iter().zip(urls).collect();
        sorted.sort_unstable_by_key(|(entry, _)| (entry.start, entry.duration(Phase::Total)));
        sorted
    }

    /// In the order of their total time, as ab; of those that took as long, in the order in which they began.
    pub fn by_total(&self) -> Vec<&Entry> {
        let mut sorted: Vec<&Entry> = self.entries.iter().collect();
        sorted.sort_unstable_by_key(|entry| (entry.duration(Phase::Total), entry.start));
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Stamps};
    use super::*;
    use proptest::prelude::*;

    fn sample(start: Micros, connect: Micros, rest: Micros) -> Sample {
        let connected = start + connect;
        let stamps =
            Stamps { start, connected, written: connected, first_byte: connected, done: connected + rest };
        Sample {
            url: 0,
            stamps,
            outcome: Outcome::Good,
            status: Some(200),
            document: 100,
            missing: 0,
            kept_alive: true,
            write_error: false,
            planned: None,
        }
    }

    #[test]
    fn an_entry_is_small_and_says_what_the_sample_said() {
        assert_eq!(size_of::<Entry>(), 32);
        let stamps = Stamps { start: 10, connected: 15, written: 16, first_byte: 20, done: 30 };
        let failed = Outcome::Failed(Failure::Receive);
        let entry = Entry::new(&Sample { stamps, outcome: failed, status: None, ..sample(0, 0, 0) });
        assert_eq!(
            Phase::ALL.map(|phase| entry.duration(phase)),
            Phase::ALL.map(|phase| stamps.duration(phase))
        );
        assert_eq!(
            (entry.start(), entry.status(), entry.outcome(), entry.document()),
            (10, None, failed, 100)
        );
        assert!(!entry.kept_alive());
        assert_eq!(Entry::new(&sample(0, 0, 0)).status(), Some(200));
    }

    #[test]
    fn a_time_beyond_the_room_is_the_longest_there_is() {
        let entry = Entry::new(&sample(u64::MAX / 2, 1, u64::from(u32::MAX) + 10));
        assert_eq!(entry.duration(Phase::Processing), u64::from(u32::MAX));
        assert_eq!(entry.duration(Phase::Total), u64::from(u32::MAX) + 1);
    }

    #[test]
    fn a_url_stays_with_its_entry() {
        let (mut tape, mut other) = (Tape::with_urls(), Tape::with_urls());
        tape.record(&Sample { url: 4, ..sample(30, 0, 1) });
        other.record(&Sample { url: 5, ..sample(20, 0, 1) });
        other.record(&Sample { url: 6, ..sample(40, 0, 1) });
        tape.append(other);
        let found: Vec<_> = tape.by_start().iter().map(|(entry, url)| (entry.start(), *url)).collect();
        assert_eq!(found, [(20, Some(5)), (30, Some(4)), (40, Some(6))]);
        let mut without = Tape::default();
        without.record(&sample(1, 2, 3));
        assert_eq!(without.by_start()[0].1, None);
    }

    proptest! {
        #[test]
        fn parts_in_any_order_make_the_same_tape(
            all in prop::collection::vec((0..50_u64, 0..10_u64, 0..10_u64), 0..40), cut in 0..40_usize
        ) {
            let (mut whole, mut left, mut right) = (Tape::default(), Tape::default(), Tape::default());
            for (index, &(start, connect, rest)) in all.iter().enumerate() {
                let sample = sample(start, connect, rest);
                whole.record(&sample);
                if index < cut { right.record(&sample) } else { left.record(&sample) }
            }
            left.append(right);
            prop_assert_eq!((left.len(), left.is_empty()), (all.len(), all.is_empty()));
            let key = |entry: &&Entry| (entry.duration(Phase::Total), entry.start());
            prop_assert_eq!(
                left.by_total().iter().map(key).collect::<Vec<_>>(),
                whole.by_total().iter().map(key).collect::<Vec<_>>()
            );
            prop_assert!(left.by_total().is_sorted_by_key(key));
            prop_assert!(left.by_start().is_sorted_by_key(|(entry, _)| entry.start()));
        }
    }
}
