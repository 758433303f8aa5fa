//! The table of a comparison, cell by cell: errors first, since the speed of errors is no speed.

use super::{capital, name, numbers};
use crate::summary::{
    Compared, ErrorComparison, ErrorKind, Metric, MetricComparison, Reason, Spread, Verdict,
};

/// The heads of the columns.
pub(super) const HEADS: [&str; 6] = ["", "before", "after", "change", "interval", "verdict"];

/// What stands where a figure is missing.
const NONE: &str = "-";

/// The rows; none of metrics if they mean nothing.
pub(super) fn rows(compared: &Compared) -> Vec<[String; 6]> {
    if compared.is_refused() {
        return Vec::new();
    }
    let comparison = &compared.comparison;
    let errors = comparison.errors.iter().map(error);
    let metrics = comparison.metrics.iter().filter(|_| compared.shows_metrics()).map(metric);
    errors.chain(metrics).collect()
}

fn error(errors: &ErrorComparison) -> [String; 6] {
    let label = match errors.kind {
        ErrorKind::Failed => "Failed",
        ErrorKind::ServerError => "Answered with 5xx",
    };
    [
        label.to_owned(),
        numbers::share(errors.before),
        numbers::share(errors.after),
        format!("{} points", numbers::points(errors.difference)),
        format!("{} to {} points", numbers::points(errors.low), numbers::points(errors.high)),
        verdict(errors.verdict, None),
    ]
}

fn metric(done: &MetricComparison) -> [String; 6] {
    let unit = if done.metric == Metric::Rps { "" } else { " [ms]" };
    let mark = if done.decides { "" } else { " *" };
    let none = || NONE.to_owned();
    let mean = |spread: &Option<Spread>| {
        let mean = spread.as_ref().and_then(|spread| spread.geometric_mean);
        mean.map_or_else(none, |mean| numbers::value(done.metric, mean))
    };
    [
        format!("{}{unit}{mark}", capital(name(done.metric))),
        mean(&done.before),
        mean(&done.after),
        done.ratio.map_or_else(none, numbers::change),
        done.interval.map_or_else(none, numbers::interval),
        verdict(done.verdict, done.reason),
    ]
}

fn verdict(verdict: Verdict, reason: Option<Reason>) -> String {
    let verdict = match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Same => "same",
        Verdict::CannotTell => "cannot tell",
    };
    let reason = reason.map(|reason| match reason {
        Reason::FewRuns => "few runs",
        Reason::NoFigure => "no figure",
        Reason::FewRequests => "few requests",
        Reason::Noise => "noise",
        Reason::NearMargin => "near the margin",
        Reason::OneOfSeveral => "one of several",
        Reason::Clock => "the clock's tick",
    });
    reason.map_or_else(|| verdict.to_owned(), |reason| format!("{verdict}: {reason}"))
}

/// What the table is about, below it.
pub(super) fn legend(compared: &Compared) -> Vec<String> {
    let comparison = &compared.comparison;
    let mut lines = Vec::new();
    if !compared.shows_metrics() {
        return lines;
    }
    let of = |decides| {
        let wanted = comparison.metrics.iter().filter(move |done| done.decides == decides);
        wanted.map(|done| format!("{} by {}", name(done.metric), numbers::margin(done.margin)))
    };
    let deciding: Vec<String> = of(true).collect();
    if deciding.is_empty() {
        lines.push("Nothing decides.".to_owned());
    } else {
        lines.push(format!("What decides, and by how much it must change: {}.", super::listed(&deciding)));
    }
    let beside: Vec<String> = of(false).collect();
    if !beside.is_empty() {
        lines.push(format!("* Does not decide: {}.", super::listed(&beside)));
    }
    lines.push(
        "Values are geometric means over the runs; intervals have 95 % confidence, those of errors 99 %."
            .to_owned(),
    );
    lines
}
