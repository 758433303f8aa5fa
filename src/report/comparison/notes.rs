//! What else is to be known before a comparison is believed, a sentence each.

use super::{capital, listed, name, numbers, runs, side};
use crate::summary::{Compared, Conclusion, Difference, ErrorKind, Finding, Flaw, Side, Verdict};

/// The notes, those that weigh most first. The flaws of a comparison that is refused are in its first sentence.
pub(super) fn notes(compared: &Compared) -> Vec<String> {
    let warnings = compared.flaws.iter().filter(|_| !compared.is_refused());
    let warnings = warnings.map(|each| format!("Compared all the same: {}.", flaw(each)));
    let findings = compared.comparison.findings.iter().filter(|each| is_news(compared, each));
    let findings = findings.map(|each| format!("{}.", capital(&finding(each))));
    let cut = compared.interrupted.iter();
    let cut = cut.map(|(at, run)| format!("A signal ended run {} {}.", run + 1, side(*at)));
    let remarks = compared.remarks.iter().map(|each| format!("{}.", capital(&difference(each))));
    warnings.chain(findings).chain(cut).chain(remarks).collect()
}

/// Whether a finding says more than the first sentence does.
fn is_news(compared: &Compared, finding: &Finding) -> bool {
    match finding {
        _ if compared.is_refused() => false,
        Finding::Beside { verdict, .. } => compared.conclusion() != Conclusion::Told(*verdict),
        other => compared.shows_metrics() || !other.stops(),
    }
}

/// What keeps the sides from being compared, as a clause.
pub(super) fn flaw(flaw: &Flaw) -> String {
    match flaw {
        Flaw::Sides(found) => difference(found),
        Flaw::Within { side: at, run, difference } => format!(
            "the runs {} are not alike ({} is {} in run 1 and {} in run {})",
            side(*at),
            difference.what,
            difference.before,
            difference.after,
            run + 1
        ),
        Flaw::Broken { side: at, run, error } => {
            format!("an error ended run {} {} ({error})", run + 1, side(*at))
        }
    }
}

fn difference(found: &Difference) -> String {
    format!("{} is {} before and {} after", found.what, found.before, found.after)
}

/// A finding as a clause.
pub(super) fn finding(finding: &Finding) -> String {
    match finding {
        Finding::StatusMix { before, after } => format!(
            "answers other than 2xx are {} before and {} after; quick refusals look like speed",
            numbers::share(1.0 - before),
            numbers::share(1.0 - after)
        ),
        Finding::DocumentLength { before, after } => {
            format!("the document has {before} bytes before and {after} after")
        }
        Finding::ClientBound { side, runs } => format!(
            "in {} rab itself was the limit: what it measured there may be its own speed (-W gives it more threads)",
            which(*side, runs)
        ),
        Finding::RateMissed { side, runs } => {
            format!("the rate that was asked for was not reached in {}", which(*side, runs))
        }
        Finding::RateSet => {
            "the rate that was asked for was reached, so that requests a second do not decide".to_owned()
        }
        Finding::FewRequests { metric, least } => {
            format!("the {} is not judged, as that takes {least} requests a run", name(*metric))
        }
        Finding::NoFigure { metric, side, runs } => {
            format!("{} is not judged, as it is 0 or unknown in {}", name(*metric), which(*side, runs))
        }
        Finding::Unpaired { side: at, runs: count } => {
            format!("of those {}, {} at the end without a partner left out", side(*at), left_out(*count))
        }
        Finding::RecordedApart { gap } => {
            let gap = gap.map(|gap| format!(", {} apart", numbers::stretch(gap))).unwrap_or_default();
            format!(
                "the sides were recorded one after the other{gap}: whatever else changed meanwhile is in the difference"
            )
        }
        Finding::Trend { metric, side: at, rises, p } => format!(
            "{} {} from run to run {} (p = {p:.3}), so that it depends on when it is measured",
            name(*metric),
            if *rises { "rises" } else { "falls" },
            side(*at)
        ),
        Finding::ErrorsMoved { kind } => {
            let kind = match kind {
                ErrorKind::Failed => "failed requests",
                ErrorKind::ServerError => "answers with 5xx",
            };
            format!(
                "the share of {kind} moved by more than chance explains, but they may have come in one burst"
            )
        }
        Finding::Beside { metric, verdict } => {
            let verdict = if *verdict == Verdict::Better { "better" } else { "worse" };
            format!("the {}, which does not decide, is {verdict}", name(*metric))
        }
    }
}

fn left_out(count: usize) -> String {
    format!("{} {}", runs(count), if count == 1 { "is" } else { "are" })
}

/// `run 1 before`, `runs 2 and 5 after`, `all 3 runs`.
fn which(at: Side, runs: &[usize]) -> String {
    let numbers: Vec<String> = runs.iter().map(|run| (run + 1).to_string()).collect();
    let word = if runs.len() == 1 { "run" } else { "runs" };
    format!("{word} {} {}", listed(&numbers), side(at))
}
