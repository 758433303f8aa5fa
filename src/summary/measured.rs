//! The figures that rules ask for.

use super::run_figures;
use crate::plan::Measure;
use crate::record::Phase;
use crate::saved::Run;
use crate::stats::ab;

/// A figure of a run: times in microseconds, over all complete requests. `None` for a time or a rate where nothing is
/// complete.
pub fn measured(run: &Run, measure: Measure) -> Option<f64> {
    let (recording, times) = (&run.recording, &run.recording.phase(Phase::Total));
    let some = times.count() > 0;
    match measure {
        Measure::Rps => run_figures(run).rps,
        Measure::Mean => some.then(|| ab::mean(times) as f64),
        Measure::Percentile(percentile) => {
            some.then(|| times.at_index(percentile.index(times.count())) as f64)
        }
        Measure::Max => some.then(|| times.max() as f64),
        Measure::Failed => Some(recording.failures.total() as f64),
        Measure::Non2xx => Some(recording.statuses.non_2xx() as f64),
        Measure::Complete => Some(recording.complete as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Rule;
    use crate::summary::{Asides, Summary, fixture};

    #[test]
    fn rules_see_the_figures_of_the_report() {
        let run = fixture::mixed();
        let summary = Summary::new(&run, &fixture::plan().output, Asides::default());
        let value =
            |rule: &str| rule.parse::<Rule>().unwrap().value(|measure| measured(&run, measure)).unwrap();
        let [.., total] = summary.table.unwrap();
        for (rule, expected) in [
            ("rps>0", summary.rates.unwrap().requests_per_second),
            ("mean<1us", total.mean as f64),
            ("max<1us", total.max as f64),
            ("p100<1us", total.max as f64),
            ("p95<1us", summary.percentiles.iter().find(|(percent, _)| *percent == 95).unwrap().1 as f64),
            ("failed<1", 2.0),
            ("failed<1%", 40.0),
            ("non-2xx<1", 1.0),
            ("complete<1", 5.0),
        ] {
            assert!((value(rule) - expected).abs() < 1e-9, "{rule}: {}", value(rule));
        }
        let nothing = fixture::run(&fixture::plan(), fixture::run_result());
        assert_eq!(
            ["p95<1s", "rps>1"].map(|rule| rule.parse::<Rule>().unwrap().holds(|m| measured(&nothing, m))),
            [None; 2]
        );
    }
}
