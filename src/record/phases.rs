//! The durations of all phases.

use super::{Distribution, Phase, Stamps};

/// A distribution for each phase.
///
/// On a reused connection Connect is 0, and Total is the same as Processing. Such requests, mostly all, are recorded
/// once, and counted in the other two when these are asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Phases {
    /// In the order of [`Phase::ALL`], but without Connect, Processing and Total of the requests in `unconnected`.
    each: [Distribution; 4],
    /// Processing of the requests whose Connect is 0.
    unconnected: Distribution,
}

impl Phases {
    /// With these distributions, in the order of [`Phase::ALL`].
    pub(super) fn new(each: [Distribution; 4]) -> Self {
        Self { each, unconnected: Distribution::default() }
    }

    /// Adds one request.
    pub(super) fn record(&mut self, stamps: &Stamps) {
        self.each[Phase::Waiting as usize].record(stamps.duration(Phase::Waiting));
        if stamps.duration(Phase::Connect) == 0 {
            self.unconnected.record(stamps.duration(Phase::Processing));
        } else {
            for phase in [Phase::Connect, Phase::Processing, Phase::Total] {
                self.each[phase as usize].record(stamps.duration(phase));
            }
        }
    }

    /// Adds all of others.
    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.each.iter_mut().zip(&other.each) {
            mine.merge(theirs);
        }
        self.unconnected.merge(&other.unconnected);
    }

    /// The durations of one phase.
    pub(super) fn of(&self, phase: Phase) -> Distribution {
        let mut all = self.each[phase as usize].clone();
        match phase {
            Phase::Connect => all.record_zeros(self.unconnected.count()),
            Phase::Processing | Phase::Total => all.merge(&self.unconnected),
            Phase::Waiting => {}
        }
        all
    }
}

/// The same durations, however they were recorded.
impl PartialEq for Phases {
    fn eq(&self, other: &Self) -> bool {
        Phase::ALL.iter().all(|&phase| self.of(phase) == other.of(phase))
    }
}
