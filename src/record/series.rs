//! A run by the second: what was complete in it, how, and how fast.
//!
//! In come the [`Sample`]s of one worker, each into the second of its `done` stamp, and once a second what only the
//! connections know. Out go [`Slot`]s. Memory is bounded: where a run is longer than the slots reach, each two
//! neighbours become one, so that a slot is then two seconds wide, four, and so on. All figures of a slot are sums, so
//! that it makes no difference whether workers are put together first or neighbours.

use std::borrow::Cow;
use std::ops::Range;

use super::buckets::Filling;
use super::{Buckets, Corrupt, Failures, Micros, Outcome, Sample};

/// The width of the slots of a run that is not longer than [`MOST_SLOTS`] of them.
const SECOND: Micros = 1_000_000;

/// So many slots there are at most: ten minutes by the second, and at least half as many for any longer run.
const MOST_SLOTS: usize = 600;

/// What happened in one stretch of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slot {
    /// Complete requests by the first digit of the status, 1 to 5; in the first place those without a status or with
    /// another digit.
    pub statuses: [u64; 6],
    /// The requests of them that failed, by class.
    pub failures: Failures,
    /// Bytes received, by when they came.
    pub received: u64,
    /// For each second of the slot, how many of the run's connections at a time (`-c`) were open at some moment in it;
    /// added up over the seconds.
    pub connection_seconds: u64,
    /// Total times of the complete requests that [`Sample::is_2xx`] tells from the others.
    pub times_2xx: Buckets,
    /// Total times of all other complete requests.
    pub times_other: Buckets,
}

impl Slot {
    /// Requests that ended in it, well or not.
    pub fn complete(&self) -> u64 {
        self.statuses.iter().sum()
    }

    /// Adds another slot: of another worker, or of the time that follows.
    fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.statuses.iter_mut().zip(other.statuses) {
            *mine += theirs;
        }
        self.failures += other.failures;
        self.received += other.received;
        self.connection_seconds += other.connection_seconds;
        self.times_2xx.merge(&other.times_2xx);
        self.times_other.merge(&other.times_other);
    }
}

/// The slots of a run, from its beginning on.
#[derive(Debug, Clone)]
pub struct Series {
    width: Micros,
    slots: Vec<Slot>,
    open: Option<Box<Open>>,
}

/// The slot that samples go to.
#[derive(Debug, Clone)]
struct Open {
    number: usize,
    /// When it is.
    stretch: Range<Micros>,
    /// Its counts; its times are in the other fields.
    slot: Slot,
    times_2xx: Filling,
    times_other: Filling,
}

impl Default for Series {
    fn default() -> Self {
        Self { width: SECOND, slots: Vec::new(), open: None }
    }
}

impl PartialEq for Series {
    fn eq(&self, other: &Self) -> bool {
        self.width == other.width && self.slots() == other.slots()
    }
}

impl Series {
    /// Puts together again what [`width`](Self::width) and [`slots`](Self::slots) took apart.
    pub fn restore(width: Micros, slots: Vec<Slot>) -> Result<Self, Corrupt> {
        if !width.is_multiple_of(SECOND) || !(width / SECOND).is_power_of_two() {
            return Err(Corrupt("its slots are not a power of two of seconds wide"));
        }
        if slots.len() > MOST_SLOTS {
            return Err(Corrupt("it has more slots than any saved run"));
        }
        let has_times = |slot: &Slot| slot.times_2xx.count() + slot.times_other.count() == slot.complete();
        if !slots.iter().all(has_times) {
            return Err(Corrupt("a slot has not as many times as requests"));
        }
        Ok(Self { width, slots, open: None })
    }

    /// The width of a slot in microseconds: a second, or a power of two of seconds.
    pub fn width(&self) -> Micros {
        self.width
    }

    /// The slots, one after the other from the beginning of the run.
    pub fn slots(&self) -> Cow<'_, [Slot]> {
        if self.open.is_none() {
            return Cow::Borrowed(&self.slots);
        }
        let mut closed = self.clone();
        closed.close();
        Cow::Owned(closed.slots)
    }

    /// Adds one complete request.
    pub fn record(&mut self, sample: &Sample) {
        let open = self.opened(sample.stamps.done);
        let class = sample.status.map_or(0, |status| usize::from(status / 100));
        open.slot.statuses[if class < 6 { class } else { 0 }] += 1;
        if let Outcome::Failed(failure) = sample.outcome {
            open.slot.failures.count(failure);
        }
        let times = if sample.is_2xx() { &mut open.times_2xx } else { &mut open.times_other };
        times.record(sample.total());
    }

    /// Adds what is known of the connections over the second (or less) that ends at this time: the bytes that came, and
    /// how many of the connections at a time were open at some moment.
    pub fn observe(&mut self, until: Micros, received: u64, connections: u64) {
        let number = self.number(until.saturating_sub(1));
        let slot = self.slot(number);
        slot.received += received;
        slot.connection_seconds += connections;
    }

    /// Adds another worker's part.
    pub fn merge(&mut self, mut other: Self) {
        self.close();
        other.close();
        while self.width < other.width {
            self.widen();
        }
        while other.width < self.width {
            other.widen();
        }
        for (number, slot) in other.slots.iter().enumerate() {
            self.slot(number).merge(slot);
        }
    }

    /// The slot for samples of this time, opened if it is not.
    fn opened(&mut self, time: Micros) -> &mut Open {
        if !self.open.as_ref().is_some_and(|open| open.stretch.contains(&time)) {
            self.close();
            let number = self.number(time);
            self.open = Some(Box::new(Open::new(number, self.width)));
        }
        self.open.get_or_insert_with(|| Box::new(Open::new(0, SECOND)))
    }

    /// The slot of a time. Makes slots wider until they reach as far.
    fn number(&mut self, time: Micros) -> usize {
        while time / self.width >= MOST_SLOTS as u64 {
            self.widen();
        }
        usize::try_from(time / self.width).unwrap_or(MOST_SLOTS - 1)
    }

    fn slot(&mut self, number: usize) -> &mut Slot {
        if self.slots.len() <= number {
            self.slots.resize(number + 1, Slot::default());
        }
        &mut self.slots[number]
    }

    /// Makes one slot of each two neighbours.
    fn widen(&mut self) {
        self.close();
        let mut wide: Vec<Slot> = Vec::with_capacity(MOST_SLOTS);
        for (number, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            match wide.last_mut().filter(|_| number % 2 == 1) {
                Some(before) => before.merge(&slot),
                None => wide.push(slot),
            }
        }
        self.slots = wide;
        self.width = self.width.saturating_mul(2);
    }

    /// Moves what was being filled to its slot.
    fn close(&mut self) {
        if let Some(mut open) = self.open.take() {
            let slot = self.slot(open.number);
            slot.merge(&open.slot);
            open.times_2xx.pour(&mut slot.times_2xx);
            open.times_other.pour(&mut slot.times_other);
        }
    }
}

impl Open {
    fn new(number: usize, width: Micros) -> Self {
        let begin = (number as u64).saturating_mul(width);
        Self {
            number,
            stretch: begin..begin.saturating_add(width),
            slot: Slot::default(),
            times_2xx: Filling::new(),
            times_other: Filling::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Stamps};
    use super::*;
    use proptest::prelude::*;

    fn sample(start: Micros, done: Micros, status: Option<u16>, outcome: Outcome) -> Sample {
        let stamps = Stamps { start, connected: start, written: start, first_byte: done, done };
        Sample {
            url: 0,
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

    fn good(done: Micros) -> Sample {
        sample(done.saturating_sub(10), done, Some(200), Outcome::Good)
    }

    fn complete(series: &Series) -> Vec<u64> {
        series.slots().iter().map(Slot::complete).collect()
    }

    #[test]
    fn a_request_counts_where_it_was_done() {
        let mut series = Series::default();
        series.record(&sample(0, 999_999, Some(200), Outcome::Good));
        series.record(&sample(0, 1_000_000, Some(404), Outcome::Good));
        series.record(&sample(0, 3_100_000, None, Outcome::Failed(Failure::Receive)));
        // Late, after a later one.
        series.record(&sample(0, 999_998, Some(600), Outcome::Good));
        series.observe(1_000_000, 50, 2);
        series.observe(3_200_000, 7, 1);
        assert_eq!(complete(&series), [2, 1, 0, 1]);
        let slots = series.slots();
        assert_eq!(slots[0].statuses, [1, 0, 1, 0, 0, 0]);
        assert_eq!((slots[0].times_2xx.count(), slots[0].times_other.count()), (1, 1));
        assert_eq!((slots[1].statuses[4], slots[3].failures.receive), (1, 1));
        let seen = |number: usize| (slots[number].received, slots[number].connection_seconds);
        assert_eq!([seen(0), seen(1), seen(3)], [(50, 2), (0, 0), (7, 1)]);
    }

    #[test]
    fn slots_grow_wider_and_never_many() {
        let mut series = Series::default();
        for second in 0..5_000 {
            series.record(&good(second * SECOND));
            series.observe((second + 1) * SECOND, 3, 10);
        }
        assert_eq!((series.width(), series.slots().len()), (16 * SECOND, 313));
        assert_eq!(series.slots()[0].connection_seconds, 160);
        assert_eq!(complete(&series).iter().sum::<u64>(), 5_000);
        series.record(&good(u64::MAX));
        assert!(series.slots().len() <= MOST_SLOTS);
        assert_eq!(complete(&series).iter().sum::<u64>(), 5_001);
    }

    #[test]
    fn odd_widths_and_lost_times_are_refused() {
        for width in [0, 1, 3 * SECOND, SECOND + 1] {
            assert!(Series::restore(width, Vec::new()).is_err(), "{width}");
        }
        assert!(Series::restore(SECOND, vec![Slot::default(); MOST_SLOTS + 1]).is_err());
        assert!(Series::restore(SECOND, vec![Slot { statuses: [1; 6], ..Slot::default() }]).is_err());
        assert_eq!(Series::restore(2 * SECOND, Vec::new()).map(|series| series.width()), Ok(2 * SECOND));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn parts_make_the_whole(
            times in prop::collection::vec((0..3_000 * SECOND, 0..2_u8), 0..60), late in 0..20_000 * SECOND
        ) {
            let (mut whole, mut left, mut right) = (Series::default(), Series::default(), Series::default());
            let all = times.into_iter().chain([(late, 0)]);
            for (time, side) in all {
                let part = if side == 0 { &mut left } else { &mut right };
                for series in [&mut whole, part] {
                    series.record(&good(time));
                    series.observe(time, 5, 1);
                }
            }
            let restored = Series::restore(left.width(), left.slots().into_owned()).unwrap();
            prop_assert_eq!(&restored, &left);
            let mut turned = right.clone();
            turned.merge(restored);
            left.merge(right);
            prop_assert_eq!(&left, &whole);
            prop_assert_eq!(&turned, &whole);
        }
    }
}
