//! Comparisons for tests, and how their texts are expected.

use crate::summary::{Compared, Ending, Failure, Fatal, Terms, fixture::timed};

/// So many requests a second, run by run, beginning at a second and ten seconds apart.
macro_rules! runs {
    ($at:expr, $rps:expr) => {
        (0..).zip($rps).map(|(number, rps)| timed(rps, $at + 10 * number)).collect::<Vec<_>>()
    };
}

/// The same with a change in each.
macro_rules! changed {
    ($runs:expr, $run:ident => $change:expr) => {{
        let mut runs = $runs;
        for $run in &mut runs {
            $change;
        }
        runs
    }};
}

/// How a comparison is expected as text.
macro_rules! expected {
    ($name:literal) => {
        ($name, include_str!(concat!("expected/", $name, ".txt")))
    };
}

/// Comparisons with their names and texts.
pub(super) fn cases() -> Vec<((&'static str, &'static str), Compared)> {
    let usual = || runs!(0, [1000, 1004, 998, 1001, 997]);
    let slow = || runs!(100, [900, 905, 897, 902, 899]);
    let like_usual = || runs!(5, [1001, 1003, 999, 1000, 998]);
    let with = |before: &[_], after: &[_], terms| {
        Compared::new(["before.json".to_owned(), "after.json".to_owned()], [before, after], terms)
    };
    let compared = |before: &[_], after: &[_]| with(before, after, Terms::default());
    let other = changed!(slow(), run => {
        (run.conditions.load.concurrency, run.conditions.load.requests) = (20, Some(5000));
        run.rab = "9.0.0".into();
    });
    let failing =
        changed!(usual(), run => (0..50).for_each(|_| run.recording.failures.count(Failure::Receive)));
    let errors = changed!(usual(), run => run.recording.statuses.add(404, 100));
    let busy = changed!(like_usual(), run => run.cpu = run.elapsed);
    let mut ended = usual();
    ended[2].ending = Ending::Failed(Fatal::Timeout);
    let anyway = Terms { anyway: true, ..Terms::default() };
    vec![
        (expected!("slower"), compared(&usual(), &slow())),
        (expected!("faster"), compared(&slow(), &usual())),
        (expected!("tripled"), compared(&usual(), &runs!(100, [3000, 3010, 2990]))),
        (expected!("same"), compared(&usual(), &like_usual())),
        (expected!("noise"), compared(&runs!(100, [900, 1100, 1000]), &runs!(0, [1000, 1200, 1100]))),
        (expected!("few_runs"), compared(&usual()[..1], &slow()[..1])),
        (expected!("busy"), compared(&usual(), &busy)),
        (expected!("refused"), compared(&usual(), &other)),
        (expected!("anyway"), with(&usual(), &other, anyway)),
        (expected!("ended"), compared(&ended, &usual())),
        (expected!("failing"), compared(&usual(), &failing)),
        (expected!("recovered"), compared(&failing, &slow())),
        (expected!("errors"), compared(&usual(), &errors)),
    ]
}

/// The comparison of this name.
pub(super) fn case(wanted: &str) -> Compared {
    let found = cases().into_iter().find(|((name, _), _)| *name == wanted);
    found.expect("there is a case of this name").1
}

/// Holds a text against what is expected; with `UPDATE=1` in the environment the expectation is written anew.
pub(super) fn same(file: &str, found: &str, expected: &str) {
    if std::env::var_os("UPDATE").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/comparison/expected/");
        std::fs::write(folder.to_owned() + file, found).expect("the folder is there");
    } else {
        assert_eq!(found, expected, "{file}");
    }
}
