//! From the verdicts on metrics and errors to one conclusion, by the rule of [the module](super).

use super::{ErrorComparison, ErrorKind, Finding, MetricComparison, Reason, Settings};

/// What a metric, or a kind of error, says of the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// An improvement beyond the margin.
    Better,
    /// A deterioration beyond the margin.
    Worse,
    /// No change beyond the margin.
    Same,
    /// Neither is shown.
    CannotTell,
}

impl Verdict {
    /// As JSON calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::CannotTell => "cannot-tell",
        }
    }

    /// What it would be with the sides swapped.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Better => Self::Worse,
            Self::Worse => Self::Better,
            same => same,
        }
    }
}

/// What the comparison says in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conclusion {
    /// The verdict.
    Told(Verdict),
    /// The sides did not do the same work.
    NotComparable,
}

impl Conclusion {
    /// As JSON calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Told(verdict) => verdict.name(),
            Self::NotComparable => "not-comparable",
        }
    }
}

/// What a conclusion rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// The deciding metrics; where they cannot tell, noise.
    Metrics,
    /// More requests of this kind, or fewer.
    Errors(ErrorKind),
    /// A finding that stops, see [`Finding::stops`].
    OtherWork,
    /// Fewer requests went wrong, and a metric is worse: errors are often quick.
    FewerErrorsButSlower,
    /// rab was the limit, and no difference was seen.
    ClientBound,
    /// Fewer than three runs a side, or pairs.
    FewRuns,
    /// No metric that decides could be judged.
    NothingDecides,
}

impl Because {
    /// As JSON calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Metrics => "metrics",
            Self::Errors(kind) => kind.name(),
            Self::OtherWork => "other-work",
            Self::FewerErrorsButSlower => "fewer-errors-but-slower",
            Self::ClientBound => "client-bound",
            Self::FewRuns => "few-runs",
            Self::NothingDecides => "nothing-decides",
        }
    }
}

/// What the deciding metrics say together.
pub(super) fn speed(deciding: &[&MetricComparison]) -> Verdict {
    let any = |verdict| deciding.iter().any(|done| done.verdict == verdict);
    if any(Verdict::Worse) {
        Verdict::Worse
    } else if any(Verdict::Better) {
        Verdict::Better
    } else if any(Verdict::Same) && !any(Verdict::CannotTell) {
        Verdict::Same
    } else {
        Verdict::CannotTell
    }
}

/// The first part of the rule that holds.
pub(super) fn conclude(
    deciding: &[&MetricComparison],
    errors: &[ErrorComparison],
    findings: &[Finding],
    settings: &Settings,
) -> (Conclusion, Because) {
    let speed = speed(deciding);
    let told = |verdict| errors.iter().find(|errors| errors.verdict == verdict).map(|errors| errors.kind);
    if let Some(kind) = told(Verdict::Worse) {
        return (Conclusion::Told(Verdict::Worse), Because::Errors(kind));
    }
    if !settings.judge_anyway && findings.iter().any(Finding::stops) {
        return (Conclusion::NotComparable, Because::OtherWork);
    }
    match told(Verdict::Better) {
        Some(_) if speed == Verdict::Worse => {
            return (Conclusion::NotComparable, Because::FewerErrorsButSlower);
        }
        Some(kind) => return (Conclusion::Told(Verdict::Better), Because::Errors(kind)),
        None => {}
    }
    let client_bound = findings.iter().any(|finding| matches!(finding, Finding::ClientBound { .. }));
    if speed == Verdict::Same && client_bound {
        return (Conclusion::Told(Verdict::CannotTell), Because::ClientBound);
    }
    let because = if deciding.is_empty() {
        Because::NothingDecides
    } else if deciding.iter().all(|done| done.reason == Some(Reason::FewRuns)) {
        Because::FewRuns
    } else {
        Because::Metrics
    };
    (Conclusion::Told(speed), because)
}
