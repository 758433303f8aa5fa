//! What holds for whatever runs come in.

use super::tests::{micros, with};
use super::*;
use proptest::prelude::*;

fn run() -> impl Strategy<Value = RunFigures> {
    let rps = prop_oneof![
        2 => (900.0..1400.0_f64).prop_map(Some),
        1 => prop_oneof![Just(None), Just(Some(0.0)), Just(Some(f64::MAX)), Just(Some(5e-324))],
    ];
    let time = || prop_oneof![2 => (900..1400_u64).prop_map(Some), 1 => prop_oneof![Just(None), Just(Some(0)), Just(Some(u64::MAX)), Just(Some(1))]];
    let counts = prop_oneof![Just((10_000, 0, 0)), (0..u64::MAX, any::<u64>(), any::<u64>())];
    (rps, time(), time(), time(), counts, prop::option::of(0.0..2.0_f64)).prop_map(
        |(rps, p50, p95, p99, (complete, failed, non_2xx), client_cpu)| RunFigures {
            rps,
            p50,
            p95,
            p99,
            complete,
            failed,
            non_2xx,
            client_cpu,
            server_errors: non_2xx / 2,
            ..RunFigures::default()
        },
    )
}

/// Runs that can be judged.
fn good() -> impl Strategy<Value = Vec<RunFigures>> {
    let run = (900.0..1100.0_f64, 5000..6000_u64, 9000..11_000_u64).prop_map(|(rps, p50, p95)| RunFigures {
        rps: Some(rps),
        p50: Some(p50),
        p95: Some(p95),
        p99: Some(2 * p95 + p50),
        complete: 10_000,
        ..RunFigures::default()
    });
    (prop::collection::vec(run, 3..7), 0.7..1.4_f64).prop_map(|(runs, speed)| {
        with(runs, |run| {
            run.rps = run.rps.map(|rps| rps * speed);
            run.p95 = run.p95.map(|time| micros(time as f64 / speed));
        })
    })
}

/// Everything that is a fraction.
fn fractions(found: &Comparison) -> Vec<f64> {
    let mut all = Vec::new();
    for done in &found.metrics {
        all.extend([done.ratio, done.p, done.adjusted_p, done.hodges_lehmann].into_iter().flatten());
        all.extend(done.permutation.iter().flat_map(|permutation| [permutation.p, permutation.least]));
        let intervals = [done.interval, done.equivalence];
        all.extend(intervals.into_iter().flatten().flat_map(|interval| [interval.low, interval.high]));
        for spread in [&done.before, &done.after].into_iter().flatten() {
            all.extend([spread.min, spread.median, spread.max, spread.mean]);
            all.extend([spread.geometric_mean, spread.cv].into_iter().flatten());
        }
    }
    all.extend(found.errors.iter().flat_map(|errors| [errors.before, errors.after, errors.low, errors.high]));
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_comes_in_numbers_come_out(
        before in prop::collection::vec(run(), 0..6),
        after in prop::collection::vec(run(), 0..6),
        margin in prop_oneof![Just(f64::NAN), Just(0.0), Just(-1.0), Just(f64::MAX), 0.0..0.2_f64],
    ) {
        let settings = Settings { margins: [margin; 4], ..Settings::default() };
        for pairing in [Pairing::Interleaved, Pairing::Apart] {
            let found = compare(&before, &after, pairing, &settings);
            prop_assert!(fractions(&found).into_iter().all(f64::is_finite), "{:?}", found);
            for done in &found.metrics {
                prop_assert_eq!(done.verdict == Verdict::CannotTell, done.reason.is_some(), "{:?}", done);
            }
        }
    }

    #[test]
    fn swapped_sides_invert_the_ratios_and_mirror_the_verdicts(before in good(), after in good()) {
        for pairing in [Pairing::Interleaved, Pairing::Apart] {
            let settings = Settings::default();
            let (one, other) = (compare(&before, &after, pairing, &settings), compare(&after, &before, pairing, &settings));
            for (one, other) in one.metrics.iter().zip(&other.metrics) {
                prop_assert!((one.ratio.unwrap() * other.ratio.unwrap() - 1.0).abs() < 1e-9);
                prop_assert_eq!(one.verdict.mirrored(), other.verdict);
                prop_assert_eq!((one.reason, one.needed), (other.reason, other.needed));
            }
            // What is better here and worse there is worse, from both sides.
            if one.speed == Verdict::Worse && other.speed == Verdict::Worse {
                let verdicts: Vec<_> = one.metrics.iter().filter(|done| done.decides).map(|done| done.verdict).collect();
                prop_assert!(verdicts.contains(&Verdict::Better) && verdicts.contains(&Verdict::Worse));
            } else {
                prop_assert_eq!(one.speed.mirrored(), other.speed);
            }
        }
    }

    #[test]
    fn a_common_scale_changes_no_verdict(before in good(), after in good(), scale in 2..50_u64) {
        let scaled = |runs: &[RunFigures]| {
            with(runs.to_vec(), |run| {
                run.rps = run.rps.map(|rps| rps / scale as f64);
                (run.p50, run.p95, run.p99) =
                    (run.p50.map(|t| t * scale), run.p95.map(|t| t * scale), run.p99.map(|t| t * scale));
            })
        };
        let (one, other) = (
            compare(&before, &after, Pairing::Apart, &Settings::default()),
            compare(&scaled(&before), &scaled(&after), Pairing::Apart, &Settings::default()),
        );
        for (one, other) in one.metrics.iter().zip(&other.metrics) {
            prop_assert!((one.ratio.unwrap() / other.ratio.unwrap() - 1.0).abs() < 1e-9);
            prop_assert_eq!((one.verdict, one.reason, one.needed), (other.verdict, other.reason, other.needed));
        }
    }
}
