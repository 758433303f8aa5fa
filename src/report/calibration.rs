//! How small a change this machine can tell.
//!
//! In comes a [`Calibration`], out go lines: for each metric the spread between two runs, and the smallest change that so
//! many pairs of runs show.

use crate::summary::{Calibration, Conclusion, Finding, Metric, Settings, Verdict};

/// The text.
pub(super) fn calibration(found: &Calibration) -> String {
    let pairs = found.pairs;
    let head = format!("\nThe smallest change that this machine can tell now, by {pairs} pairs of runs\n\n");
    let Some(first) = found.metrics.first() else {
        return head + "It cannot be said: that takes three pairs of runs in which something was complete.\n";
    };
    let pairs: Vec<String> = first.smallest.iter().map(|(pairs, _)| format!("{pairs} pairs")).collect();
    let rows = found.metrics.iter().map(|each| {
        if let Some(least) = least_requests(found, each.metric) {
            return format!("{:>6} takes {least} requests a run to be judged\n", each.metric.name());
        }
        let cells: Vec<String> = each.smallest.iter().map(|(_, smallest)| percent(smallest - 1.0)).collect();
        line(each.metric.name(), &percent(each.deviation), &cells)
    });
    let rows: String = rows.collect();
    let margins = margins();
    let legend = format!(
        "\nNoise is the deviation between two runs of the same. A change of the size given is told with 95 %\n\
         confidence in four of five comparisons. By itself no comparison calls a change below its margin better\n\
         or worse: {margins}.\n"
    );
    [head, line("", "noise", &pairs), rows, legend, check(found).to_owned()].concat()
}

/// What it is about, and cells.
fn line(label: &str, noise: &str, cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!(" {cell:>9}")).collect();
    format!("{label:>6} {noise:>9}{}\n", cells.concat())
}

/// The margins of a comparison, by metric.
fn margins() -> String {
    let settings = Settings::default();
    let margin = |metric: Metric| format!("{} {:.0} %", metric.name(), settings.margin(metric) * 100.0);
    Metric::ALL.map(margin).join(", ")
}

/// So many requests a run would do for a percentile that has too few.
fn least_requests(found: &Calibration, metric: Metric) -> Option<u64> {
    found.check.findings.iter().find_map(|finding| match finding {
        Finding::FewRequests { metric: few, least } if *few == metric => Some(*least),
        _ => None,
    })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// What a comparison of the pairs says, where nothing has changed; and whether rab was the limit.
fn check(found: &Calibration) -> &'static str {
    let is_bound = |finding: &Finding| matches!(finding, Finding::ClientBound { .. });
    match found.check.conclusion {
        Conclusion::Told(Verdict::Better | Verdict::Worse) | Conclusion::NotComparable => {
            "A comparison of these runs among themselves finds a change: something else changed meanwhile, or this\n\
             is the false alarm that one series in twenty has.\n"
        }
        _ if found.check.findings.iter().any(is_bound) => {
            "rab itself was the limit in some run, so that this may be the noise of rab alone.\n"
        }
        Conclusion::Told(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::series_fixture as fixture;

    #[test]
    fn a_calibration_is_as_expected() {
        let found = calibration(&fixture::calibration(8));
        assert_eq!(found, include_str!("expected/calibration.txt"), "{found}");
    }

    #[test]
    fn too_few_pairs_are_said() {
        let found = calibration(&fixture::calibration(2));
        assert!(found.ends_with("takes three pairs of runs in which something was complete.\n"), "{found}");
    }
}
