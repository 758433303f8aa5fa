//! The answer in one sentence.

use super::notes::flaw;
use super::{listed, name, numbers, runs};
use crate::summary::{
    Because, Compared, Conclusion, ErrorComparison, ErrorKind, Finding, Metric, MetricComparison, Pairing,
    Reason, RunsNeeded, Verdict,
};

/// So many runs a side are advised where there are too few.
const ADVISED: &str = "5 runs a side would do: --repeat 5, or rab versus, which runs both in turns";

/// What the comparison says.
pub(super) fn sentence(compared: &Compared) -> String {
    if compared.is_refused() {
        let flaws: Vec<String> = compared.flaws.iter().map(flaw).collect();
        return format!("Not comparable: {}. --anyway compares them all the same.", flaws.join("; "));
    }
    let because = compared.comparison.because;
    match (compared.conclusion(), because) {
        (Conclusion::NotComparable, Because::FewerErrorsButSlower) => fewer_errors_but_slower(compared),
        (Conclusion::NotComparable, _) => other_work(compared),
        (Conclusion::Told(verdict), Because::Errors(kind)) => errors(compared, verdict, kind),
        (Conclusion::Told(Verdict::CannotTell), _) => cannot_tell(compared, because),
        (Conclusion::Told(Verdict::Same), _) => same(compared),
        (Conclusion::Told(verdict), _) => moved(compared, verdict),
    }
}

fn fewer_errors_but_slower(compared: &Compared) -> String {
    let slower = changes(compared, Verdict::Worse);
    format!(
        "Not comparable: after has fewer errors, but {}. Errors are often quick, so that this need not be a loss.",
        listed(&slower)
    )
}

fn other_work(compared: &Compared) -> String {
    let stops = compared.comparison.findings.iter().find(|finding| finding.stops());
    let what = match stops {
        Some(Finding::StatusMix { before, after }) => format!(
            "answers other than 2xx are {} before and {} after",
            numbers::share(1.0 - before),
            numbers::share(1.0 - after)
        ),
        Some(Finding::DocumentLength { before, after }) => {
            format!("the document has {before} bytes before and {after} after")
        }
        _ => "the sides did not do the same work".to_owned(),
    };
    format!("Not comparable: {what}. --anyway compares the speed all the same.")
}

fn errors(compared: &Compared, verdict: Verdict, kind: ErrorKind) -> String {
    let what = match kind {
        ErrorKind::Failed => "of the requests failed",
        ErrorKind::ServerError => "of the requests were answered with 5xx",
    };
    let shares = |errors: &ErrorComparison| (numbers::share(errors.before), numbers::share(errors.after));
    let found = compared.comparison.errors.iter().find(|errors| errors.kind == kind);
    let (before, after) = found.map(shares).unwrap_or_default();
    let quality = if verdict == Verdict::Worse { "worse" } else { "better" };
    format!("After is {quality}: {after} {what}, and {before} before.{}", aside(compared, verdict))
}

/// What the speed says beside the errors.
fn aside(compared: &Compared, verdict: Verdict) -> String {
    let speed = compared.comparison.speed;
    if !compared.shows_metrics() || !matches!(speed, Verdict::Better | Verdict::Worse) {
        return String::new();
    }
    let joint = if speed == verdict { "Also" } else { "The speed does not count against that" };
    format!(" {joint}: {}.", listed(&changes(compared, speed)))
}

fn moved(compared: &Compared, verdict: Verdict) -> String {
    let quality = if verdict == Verdict::Worse { "slower" } else { "faster" };
    let against = changes(compared, verdict.mirrored());
    let but = if against.is_empty() { String::new() } else { format!("; but {}", listed(&against)) };
    format!("After is {quality}: {}{but}.", listed(&changes(compared, verdict)))
}

fn same(compared: &Compared) -> String {
    let close: Vec<String> = deciding(compared).map(seen).collect();
    format!("After is as fast as before, within the margin: {}.", listed(&close))
}

fn cannot_tell(compared: &Compared, because: Because) -> String {
    let comparison = &compared.comparison;
    let (before, after) = comparison.runs;
    let ratios: Vec<String> = deciding(compared).map(seen).collect();
    let ratios = listed(&ratios);
    match because {
        Because::ClientBound => format!(
            "Cannot tell: no difference, but rab itself was the limit in some runs, so that both sides may show the \
             speed of rab: {ratios}."
        ),
        Because::FewRuns => format!(
            "Cannot tell: {} before and {} after give a ratio, but no spread to hold it against ({ratios}). {ADVISED}.",
            runs(before),
            runs(after)
        ),
        Because::NothingDecides => {
            "Cannot tell: nothing that decides could be judged, see the last column.".to_owned()
        }
        _ => format!("Cannot tell, as {}: {ratios}{}.", obstacle(compared), needed(compared)),
    }
}

/// Why the metrics cannot tell.
fn obstacle(compared: &Compared) -> &'static str {
    let is = |reason| deciding(compared).any(|done| done.reason == Some(reason));
    if is(Reason::Clock) {
        "the times are too short for the clock and this margin"
    } else if is(Reason::Noise) || is(Reason::OneOfSeveral) {
        "the runs of a side are too far apart from each other"
    } else {
        "the change is too near to the margin to say on which side of it it lies"
    }
}

/// How many runs would tell.
fn needed(compared: &Compared) -> String {
    let unit =
        if compared.comparison.pairing == Pairing::Interleaved { "pairs of runs" } else { "runs a side" };
    match compared.comparison.needed {
        Some(RunsNeeded::About(count)) => format!("; about {count} {unit} would do"),
        Some(RunsNeeded::MoreThan(count)) => {
            format!(
                "; not even {count} {unit} would do, so that it takes a quieter machine or a wider --margin"
            )
        }
        None => String::new(),
    }
}

fn deciding(compared: &Compared) -> impl Iterator<Item = &MetricComparison> {
    compared.comparison.metrics.iter().filter(|done| done.decides)
}

/// What the metrics that decide have in the way of this verdict.
fn changes(compared: &Compared, verdict: Verdict) -> Vec<String> {
    deciding(compared).filter(|done| done.verdict == verdict).map(changed).collect()
}

/// `12.3 % more requests a second (95 % interval +10.1 % to +14.5 %)`.
fn changed(done: &MetricComparison) -> String {
    let Some(ratio) = done.ratio else { return name(done.metric).to_owned() };
    let percent = ((ratio - 1.0) * 100.0).abs();
    let more = ratio > 1.0;
    let what = match (done.metric, numbers::is_factor(ratio)) {
        (Metric::Rps, true) => format!("{ratio:.2} times the requests a second"),
        (Metric::Rps, false) => {
            format!("{percent:.1} % {} requests a second", if more { "more" } else { "fewer" })
        }
        (time, true) => format!("a {} {ratio:.2} times as long", name(time)),
        (time, false) => {
            format!("a {} {percent:.1} % {}", name(time), if more { "longer" } else { "shorter" })
        }
    };
    match done.interval {
        Some(interval) => format!("{what} (95 % interval {})", numbers::interval(interval)),
        None => what,
    }
}

/// `requests a second +0.4 % (-1.0 % to +1.8 %)`.
fn seen(done: &MetricComparison) -> String {
    let ratio = done.ratio.map_or_else(|| "unknown".to_owned(), numbers::change);
    let interval = done.interval.map(|interval| format!(" ({})", numbers::interval(interval)));
    format!("{} {ratio}{}", name(done.metric), interval.unwrap_or_default())
}
