//! The rule, case by case.

use super::*;
use std::time::Duration;

/// Whole microseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is outside becomes the nearest"
)]
pub(super) fn micros(time: f64) -> u64 {
    time.round() as u64
}

/// Runs with so many requests a second; times are in proportion.
fn runs(rps: &[f64]) -> Vec<RunFigures> {
    let run = |&rps: &f64| {
        let time = |of: f64| Some(micros(of / rps));
        RunFigures {
            rps: Some(rps),
            p50: time(9e6),
            p95: time(20e6),
            p99: time(50e6),
            complete: 10_000,
            document_length: Some(1234),
            ..RunFigures::default()
        }
    };
    rps.iter().map(run).collect()
}

fn steady(rps: f64) -> Vec<RunFigures> {
    runs(&[rps, rps * 1.004, rps * 0.998, rps * 1.001, rps * 0.997])
}

pub(super) fn with(mut runs: Vec<RunFigures>, change: impl Fn(&mut RunFigures)) -> Vec<RunFigures> {
    runs.iter_mut().for_each(change);
    runs
}

fn apart(before: &[RunFigures], after: &[RunFigures]) -> Comparison {
    compare(before, after, Pairing::Apart, &Settings::default())
}

fn told(comparison: &Comparison) -> (Conclusion, Because) {
    (comparison.conclusion, comparison.because)
}

fn names(comparison: &Comparison) -> Vec<&'static str> {
    comparison.findings.iter().map(Finding::name).filter(|name| *name != "recorded-apart").collect()
}

const BETTER: Conclusion = Conclusion::Told(Verdict::Better);
const WORSE: Conclusion = Conclusion::Told(Verdict::Worse);
const SAME: Conclusion = Conclusion::Told(Verdict::Same);
const CANNOT_TELL: Conclusion = Conclusion::Told(Verdict::CannotTell);

#[test]
fn steady_series_are_told_apart_and_told_the_same() {
    let base = steady(1000.0);
    assert_eq!(told(&apart(&base, &steady(1200.0))), (BETTER, Because::Metrics));
    assert_eq!(told(&apart(&base, &steady(800.0))), (WORSE, Because::Metrics));
    let same = apart(&base, &steady(1010.0));
    assert_eq!((told(&same), same.needed), ((SAME, Because::Metrics), None));
    assert!(same.metrics.iter().all(|done| done.verdict == Verdict::Same && done.reason.is_none()));
}

#[test]
fn noise_cannot_tell_and_says_how_many_runs_would() {
    let found = apart(&runs(&[900.0, 1100.0, 1000.0]), &runs(&[1000.0, 1200.0, 1100.0]));
    assert_eq!(told(&found), (CANNOT_TELL, Because::Metrics));
    assert_eq!(found.metrics[0].reason, Some(Reason::Noise));
    let Some(RunsNeeded::About(needed)) = found.needed else { panic!("{found:?}") };
    assert!((60..120).contains(&needed), "{needed}");
}

#[test]
fn one_run_a_side_has_a_ratio_and_no_verdict() {
    let found = apart(&runs(&[1000.0]), &runs(&[2000.0]));
    assert_eq!(told(&found), (CANNOT_TELL, Because::FewRuns));
    let rps = &found.metrics[0];
    assert!((rps.ratio.unwrap() - 2.0).abs() < 1e-12, "{rps:?}");
    assert_eq!((rps.interval, rps.p, rps.needed, rps.reason), (None, None, None, Some(Reason::FewRuns)));
    assert_eq!(told(&apart(&runs(&[1000.0; 2]), &runs(&[2000.0; 9]))), (CANNOT_TELL, Because::FewRuns));
    for found in [apart(&[], &[]), apart(&[], &steady(1.0))] {
        assert_eq!((told(&found), found.metrics[0].ratio), ((CANNOT_TELL, Because::FewRuns), None));
    }
}

#[test]
fn pairs_are_told_through_a_drift_that_both_runs_share() {
    let before = runs(&[1000.0, 1300.0, 900.0, 1700.0, 1100.0, 800.0]);
    let after = runs(&[1150.0, 1510.0, 1025.0, 1960.0, 1270.0, 917.0]);
    let pairs = compare(&before, &after, Pairing::Interleaved, &Settings::default());
    assert_eq!((told(&pairs), told(&apart(&before, &after)).0), ((BETTER, Because::Metrics), CANNOT_TELL));
    // A last run without a partner is left out, and named.
    let pairs = compare(&before, &after[..5], Pairing::Interleaved, &Settings::default());
    assert_eq!((pairs.conclusion, names(&pairs)[0]), (BETTER, "unpaired"));
}

#[test]
fn worse_in_one_deciding_metric_is_worse() {
    let slow_tail = with(steady(1200.0), |run| run.p95 = run.p95.map(|time| time * 2));
    assert_eq!(told(&apart(&steady(1000.0), &slow_tail)), (WORSE, Because::Metrics));
}

#[test]
fn what_does_not_decide_is_a_finding() {
    let slow_end = with(steady(1000.0), |run| run.p99 = run.p99.map(|time| time * 2));
    let found = apart(&steady(1000.0), &slow_end);
    assert_eq!(told(&found), (SAME, Because::Metrics));
    let beside = Finding::Beside { metric: Metric::P99, verdict: Verdict::Worse };
    assert!(found.findings.contains(&beside), "{found:?}");
    let settings = Settings { deciding: Metric::ALL.to_vec(), ..Settings::default() };
    assert_eq!(compare(&steady(1000.0), &slow_end, Pairing::Apart, &settings).conclusion, WORSE);
}

#[test]
fn of_several_metrics_one_must_differ_by_more() {
    // The p of the requests a second is between 0.025 and 0.05; that of the 95th percentile is far above.
    let before = with(runs(&[1000.0, 1060.0, 940.0, 1010.0]), |run| run.p95 = Some(20_000));
    let mut after = runs(&[1090.0, 1160.0, 1030.0, 1120.0]);
    for (run, p95) in after.iter_mut().zip([15_000, 26_000, 20_000, 19_000]) {
        run.p95 = Some(p95);
    }
    let both = apart(&before, &after);
    let rps = &both.metrics[0];
    assert!(rps.p.is_some_and(|p| (0.025..0.05).contains(&p)), "{rps:?}");
    assert!((rps.adjusted_p.unwrap() - 2.0 * rps.p.unwrap()).abs() < 1e-12);
    assert_eq!((rps.verdict, rps.reason), (Verdict::CannotTell, Some(Reason::OneOfSeveral)));
    let settings = Settings { deciding: vec![Metric::Rps], ..Settings::default() };
    assert_eq!(compare(&before, &after, Pairing::Apart, &settings).conclusion, BETTER);
}

#[test]
fn a_real_change_below_the_margin_is_near_it_or_the_same() {
    let found = apart(&steady(1000.0), &steady(1048.0));
    assert_eq!(found.metrics[0].reason, Some(Reason::NearMargin));
    assert_eq!(apart(&steady(1000.0), &steady(1030.0)).metrics[0].verdict, Verdict::Same);
}

#[test]
fn more_failures_are_worse_whatever_the_speed() {
    let failing = with(steady(3000.0), |run| run.failed = 50);
    assert_eq!(told(&apart(&steady(1000.0), &failing)), (WORSE, Because::Errors(ErrorKind::Failed)));
    let broken = with(steady(3000.0), |run| (run.server_errors, run.non_2xx) = (5000, 5000));
    let found = apart(&steady(1000.0), &broken);
    assert_eq!(told(&found), (WORSE, Because::Errors(ErrorKind::ServerError)));
    assert_eq!((found.speed, names(&found)), (Verdict::Better, vec!["status-mix", "beside", "beside"]));
    // Fewer of them are better, unless what is left got slower.
    assert_eq!(told(&apart(&failing, &steady(3000.0))), (BETTER, Because::Errors(ErrorKind::Failed)));
    let slower = apart(&failing, &steady(1000.0));
    assert_eq!(told(&slower), (Conclusion::NotComparable, Because::FewerErrorsButSlower));
}

#[test]
fn failures_of_one_run_are_a_finding() {
    let failing = with(runs(&[1000.0]), |run| run.failed = 300);
    let found = apart(&runs(&[1000.0]), &failing);
    assert_eq!((told(&found), names(&found)), ((CANNOT_TELL, Because::FewRuns), vec!["errors-moved"]));
}

#[test]
fn quick_refusals_are_not_comparable() {
    let refused = with(steady(5000.0), |run| run.non_2xx = run.complete);
    let found = apart(&steady(1000.0), &refused);
    assert_eq!(told(&found), (Conclusion::NotComparable, Because::OtherWork));
    assert!(found.findings.contains(&Finding::StatusMix { before: 1.0, after: 0.0 }), "{found:?}");
    let settings = Settings { judge_anyway: true, ..Settings::default() };
    assert_eq!(compare(&steady(1000.0), &refused, Pairing::Apart, &settings).conclusion, BETTER);
    // Half a point is no move.
    let few = with(steady(1000.0), |run| run.non_2xx = 50);
    assert_eq!(apart(&steady(1000.0), &few).conclusion, SAME);
}

#[test]
fn another_document_is_not_comparable_a_slightly_other_one_is() {
    let of = |length| with(steady(1000.0), |run| run.document_length = length);
    for (length, conclusion, found) in [
        (Some(1235), SAME, vec!["document-length"]),
        (Some(2000), Conclusion::NotComparable, vec!["document-length"]),
        (None, SAME, vec![]),
    ] {
        let comparison = apart(&steady(1000.0), &of(length));
        assert_eq!((comparison.conclusion, names(&comparison)), (conclusion, found));
    }
}

#[test]
fn a_busy_client_hides_differences_and_makes_none() {
    let busy = |rps| with(steady(rps), |run| run.client_cpu = Some(0.97));
    let found = apart(&busy(1000.0), &busy(1000.0));
    assert_eq!(told(&found), (CANNOT_TELL, Because::ClientBound));
    let all = Finding::ClientBound { side: Side::After, runs: vec![0, 1, 2, 3, 4] };
    assert!(found.findings.contains(&all), "{found:?}");
    assert_eq!(apart(&busy(1000.0), &steady(700.0)).conclusion, WORSE);
    let flagged = with(steady(1000.0), |run| run.client_bound = true);
    assert_eq!(apart(&steady(1000.0), &flagged).because, Because::ClientBound);
}

#[test]
fn a_percentile_of_few_requests_is_not_judged() {
    let few = |rps| with(steady(rps), |run| run.complete = 199);
    let found = apart(&few(1000.0), &few(1200.0));
    let reasons = found.metrics.each_ref().map(|done| (done.decides, done.reason));
    let unjudged = (false, Some(Reason::FewRequests));
    assert_eq!(reasons, [(true, None), (false, None), unjudged, unjudged]);
    assert_eq!((found.conclusion, names(&found)), (BETTER, vec!["few-requests", "few-requests", "beside"]));
    let tail = Settings { deciding: vec![Metric::P95], ..Settings::default() };
    let found = compare(&few(1000.0), &few(1200.0), Pairing::Apart, &tail);
    assert_eq!(told(&found), (CANNOT_TELL, Because::NothingDecides));
}

#[test]
fn at_a_rate_that_is_reached_times_decide() {
    let paced = |rps, rate| with(steady(rps), |run| run.rate = Some(rate));
    let found = apart(&paced(1000.0, 1000.0), &paced(1000.0, 1000.0));
    assert_eq!((found.metrics[0].decides, names(&found)), (false, vec!["rate-set"]));
    let found = apart(&paced(1000.0, 1000.0), &paced(800.0, 1000.0));
    assert_eq!(
        (found.metrics[0].decides, found.conclusion, names(&found)),
        (true, WORSE, vec!["rate-missed", "beside", "beside"])
    );
}

#[test]
fn a_run_without_a_figure_is_not_left_out() {
    let mut broken = steady(1000.0);
    (broken[2].rps, broken[3].p95) = (None, Some(0));
    let found = apart(&steady(1000.0), &broken);
    assert_eq!(told(&found), (CANNOT_TELL, Because::NothingDecides));
    assert_eq!((found.metrics[0].reason, found.metrics[0].ratio), (Some(Reason::NoFigure), None));
    let expected = Finding::NoFigure { metric: Metric::P95, side: Side::After, runs: vec![3] };
    assert!(found.findings.contains(&expected), "{found:?}");
}

#[test]
fn times_of_a_few_ticks_are_at_the_mercy_of_the_clock() {
    let ticks = |p95| with(steady(1000.0), |run| run.p95 = Some(p95));
    let found = apart(&ticks(12), &ticks(12));
    assert_eq!(
        (found.metrics[2].verdict, found.metrics[2].reason),
        (Verdict::CannotTell, Some(Reason::Clock))
    );
    assert_eq!(apart(&ticks(1200), &ticks(1200)).metrics[2].verdict, Verdict::Same);
    assert_eq!(apart(&ticks(12), &ticks(20)).metrics[2].verdict, Verdict::Worse);
}

#[test]
fn series_apart_are_said_to_be_and_their_trends_named() {
    let at = |second| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
    let [mut before, mut after] = [steady(1000.0), steady(1000.0)];
    for (number, (one, other)) in (0..).zip(before.iter_mut().zip(&mut after)) {
        (one.start, other.start) = (at(1000 + 10 * number), at(9000 - 10 * number));
    }
    let gap = |found: &Comparison| {
        found.findings.iter().find_map(|finding| match finding {
            Finding::RecordedApart { gap } => Some(*gap),
            _ => None,
        })
    };
    // From the last start before, 1040, to the first after, 8960.
    assert_eq!(gap(&apart(&before, &after)), Some(Some(Duration::from_secs(7920))));
    assert_eq!(gap(&apart(&after, &before)), Some(Some(Duration::from_secs(7920))));
    assert_eq!(gap(&apart(&before, &before)), Some(Some(Duration::ZERO)));
    assert_eq!(gap(&apart(&before, &steady(1000.0))), Some(None));
    let warming = runs(&[1000.0, 1010.0, 1020.0, 1030.0, 1040.0]);
    let found = apart(&steady(1000.0), &warming);
    let trends: Vec<_> = found.findings.iter().filter(|finding| finding.name() == "trend").collect();
    assert!(
        matches!(
            trends[..],
            [
                Finding::Trend { metric: Metric::Rps, rises: true, side: Side::After, .. },
                Finding::Trend { rises: false, .. }
            ]
        ),
        "{trends:?}"
    );
}

#[test]
fn pairing_follows_from_the_times_at_which_runs_began() {
    let at = |seconds: &[u64]| {
        let start = |second: &u64| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(*second));
        seconds
            .iter()
            .map(|second| RunFigures { start: start(second), ..RunFigures::default() })
            .collect::<Vec<_>>()
    };
    assert_eq!(Pairing::of(&at(&[1, 4, 5]), &at(&[2, 3, 6])), Pairing::Interleaved);
    for (before, after) in [
        (&[1, 2, 3][..], &[4, 5, 6][..]),
        (&[1, 4, 5], &[2, 3]),
        (&[1], &[2]),
        (&[], &[]),
        (&[1, 2, 5], &[3, 4, 6]),
    ] {
        assert_eq!(Pairing::of(&at(before), &at(after)), Pairing::Apart, "{before:?} {after:?}");
    }
    assert_eq!(Pairing::of(&steady(1.0), &steady(1.0)), Pairing::Apart);
}
