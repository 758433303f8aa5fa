//! The sum of many samples.

use super::{
    Cause, Causes, Detail, Distribution, Failure, Failures, Lengths, Outcome, Phase, Phases, Sample, Share,
    Statuses, Tape, Urls,
};

/// All that is kept of a run, or of one worker's part of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// Requests that ended, well or not.
    pub complete: u64,
    /// Those of them that failed.
    pub failures: Failures,
    /// The same by cause.
    pub causes: Causes,
    /// Those that failed since they could not be sent.
    pub write_errors: u64,
    /// Good and Length-failed responses that left their connection open for the next request.
    pub kept_alive: u64,
    /// Status codes of all responses whose head was read.
    pub statuses: Statuses,
    /// Document lengths of the responses that are whole but not as long as the first.
    pub odd_lengths: Lengths,
    /// Requests that were sent once more, since the server had closed the reused connection.
    pub resent: u64,
    /// Responses that ended before the length that their head announces.
    pub cut_short: u64,
    /// Bytes that these lack.
    pub missing: u64,
    /// Requests that went out later than planned, since every connection was busy.
    pub late: u64,
    /// From the planned start of each request that had one to its end.
    pub since_planned: Distribution,
    /// Bytes received, heads and broken answers included.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes of documents received, those of broken answers included.
    pub document: u64,
    /// Requests that had begun and not ended when the run did.
    pub unfinished: u64,
    /// What fell to each of the addresses that connections go to in turn, in the order of the route; empty where one
    /// address serves the whole run.
    pub shares: Vec<Share>,
    /// What a saved run and JSON need besides, if that is asked for.
    pub detail: Option<Detail>,
    /// The requests one by one, if that is asked for.
    pub tape: Option<Tape>,
    /// The requests by URL, if there are many.
    pub urls: Urls,
    phases: Phases,
}

impl Recording {
    /// Nothing yet, but places for what is asked for, and room for each URL.
    pub fn new(detail: Option<Detail>, tape: Option<Tape>, urls: Urls) -> Self {
        Self { detail, tape, urls, ..Self::default() }
    }

    /// Counts one complete request. Whoever knows the cause of a failure other than by length counts it in `causes`.
    pub fn record(&mut self, sample: &Sample) {
        self.complete += 1;
        if let Outcome::Failed(failure) = sample.outcome {
            self.failures.count(failure);
            if failure == Failure::Length {
                self.odd_lengths.count(sample.document, 1);
                self.causes.count(Cause::Length, 1);
            }
        }
        self.write_errors += u64::from(sample.write_error);
        self.cut_short += u64::from(sample.missing > 0);
        // A head can announce anything.
        self.missing = self.missing.saturating_add(sample.missing);
        self.kept_alive += u64::from(sample.keeps_connection());
        if let Some(status) = sample.status {
            self.statuses.count(status);
        }
        self.phases.record(&sample.stamps);
        if let Some(planned) = sample.planned {
            self.late += u64::from(planned.late);
            self.since_planned.record(sample.stamps.done.saturating_sub(planned.at));
        }
        self.urls.record(sample);
        if let Some(detail) = &mut self.detail {
            detail.record(sample);
        }
        if let Some(tape) = &mut self.tape {
            tape.record(sample);
        }
    }

    /// Adds another worker's part, or another saved part of the same run. Its tape is moved, so that no request is held
    /// twice.
    pub fn merge(&mut self, other: Self) {
        self.complete += other.complete;
        self.failures += other.failures;
        self.causes.merge(&other.causes);
        self.write_errors += other.write_errors;
        self.kept_alive += other.kept_alive;
        self.statuses.merge(&other.statuses);
        self.odd_lengths.merge(&other.odd_lengths);
        self.resent += other.resent;
        self.cut_short += other.cut_short;
        self.missing = self.missing.saturating_add(other.missing);
        self.late += other.late;
        self.since_planned.merge(&other.since_planned);
        self.received += other.received;
        self.sent += other.sent;
        self.document += other.document;
        self.unfinished += other.unfinished;
        self.shares.resize(self.shares.len().max(other.shares.len()), Share::default());
        for (mine, theirs) in self.shares.iter_mut().zip(other.shares) {
            *mine += theirs;
        }
        self.phases.merge(&other.phases);
        self.urls.merge(other.urls);
        match (&mut self.detail, other.detail) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine, theirs) => *mine = mine.take().or(theirs),
        }
        match (&mut self.tape, other.tape) {
            (Some(mine), Some(theirs)) => mine.append(theirs),
            (mine, theirs) => *mine = mine.take().or(theirs),
        }
    }

    /// Puts phases in their place that were taken apart, in the order of [`Phase::ALL`].
    #[must_use]
    pub fn with_phases(self, phases: [Distribution; 4]) -> Self {
        Self { phases: Phases::new(phases), ..self }
    }

    /// The durations of one phase over all complete requests.
    pub fn phase(&self, phase: Phase) -> Distribution {
        self.phases.of(phase)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stamps;
    use super::*;
    use proptest::prelude::*;

    fn sample(outcome: Outcome) -> Sample {
        let stamps = Stamps { start: 10, connected: 15, written: 16, first_byte: 20, done: 30 };
        Sample {
            url: 0,
            stamps,
            outcome,
            status: Some(200),
            document: 100,
            missing: 0,
            kept_alive: true,
            write_error: false,
            planned: None,
        }
    }

    #[test]
    fn a_length_failure_keeps_its_connection_and_others_do_not_count_as_kept() {
        let mut recording = Recording::default();
        recording.record(&sample(Outcome::Good));
        recording.record(&sample(Outcome::Failed(Failure::Length)));
        recording.record(&sample(Outcome::Failed(Failure::Receive)));
        assert_eq!((recording.complete, recording.kept_alive, recording.failures.total()), (3, 2, 2));
    }

    #[test]
    fn more_missing_bytes_than_can_be_counted_are_the_most_that_can() {
        let mut recording = Recording::default();
        let endless = Sample { missing: u64::MAX - 3, ..sample(Outcome::Failed(Failure::Receive)) };
        recording.record(&endless);
        recording.record(&endless);
        recording.merge(recording.clone());
        assert_eq!((recording.cut_short, recording.missing), (4, u64::MAX));
    }

    #[test]
    fn every_complete_request_is_in_every_phase() {
        let mut recording = Recording::default();
        recording.record(&sample(Outcome::Good));
        recording.record(&sample(Outcome::Failed(Failure::Receive)));
        let sums = Phase::ALL.map(|phase| recording.phase(phase).sum());
        assert_eq!(sums, [10, 30, 8, 40]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn requests_without_a_connect_time_are_in_every_phase(
            all in prop::collection::vec((0..3_u64, 0..50_u64, 0..5_000_u64), 1..30), cut in 0..30_usize
        ) {
            let (mut one, mut two) = (Recording::default(), Recording::default());
            let mut plain: [Distribution; 4] = Default::default();
            for (index, &(connect, wait, rest)) in all.iter().enumerate() {
                let [start, connected] = [7, 7 + connect];
                let stamps = Stamps {
                    start, connected, written: connected, first_byte: connected + wait, done: connected + wait + rest
                };
                if index < cut { &mut one } else { &mut two }.record(&Sample { stamps, ..sample(Outcome::Good) });
                for phase in Phase::ALL {
                    plain[phase as usize].record(stamps.duration(phase));
                }
            }
            one.merge(two);
            let figures = |d: &Distribution| {
                let indices = d.at_indices(0..all.len() as u64);
                (d.count(), d.min(), d.max(), d.sum(), d.sum_of_squares(), indices)
            };
            for phase in Phase::ALL {
                prop_assert_eq!(figures(&one.phase(phase)), figures(&plain[phase as usize]), "{:?}", phase);
            }
        }
    }

    #[test]
    fn a_tape_is_kept_only_where_it_is_asked_for_and_survives_a_merge() {
        let lengths = |recording: &Recording| recording.tape.as_ref().map(Tape::len);
        let with_tape = || Recording::new(None, Some(Tape::default()), Urls::default());
        let (mut without, mut one, mut two) = (Recording::default(), with_tape(), with_tape());
        without.record(&sample(Outcome::Good));
        assert_eq!(lengths(&without), None);
        one.record(&sample(Outcome::Good));
        two.record(&sample(Outcome::Failed(Failure::Receive)));
        let mut all = Recording::default();
        all.merge(one);
        all.merge(two);
        all.merge(with_tape());
        assert_eq!((lengths(&all), all.complete, all.failures.total()), (Some(2), 2, 1));
        without.merge(Recording::default());
        assert_eq!((lengths(&without), without.complete), (None, 1));
    }

    #[test]
    fn shares_add_up_address_by_address() {
        let part = |counts: &[(u64, u64)]| Recording {
            shares: counts
                .iter()
                .map(|&(connections, failed)| Share { connections, failed, ..Share::default() })
                .collect(),
            ..Recording::default()
        };
        let mut all = Recording::default();
        for each in [part(&[(1, 0), (2, 1)]), part(&[]), part(&[(10, 0), (20, 2)])] {
            all.merge(each);
        }
        assert_eq!(all.shares, part(&[(11, 0), (22, 3)]).shares);
    }
}
