//! The rule against series whose truth is known: simulated machines with noise from run to run, with moods that last
//! (drift that neighbouring runs share), with odd runs far out, and with failures that come in bursts.

use fastrand::Rng;

use super::super::{Metric, RunFigures};
use super::estimate::Estimate;
use super::tests::micros;
use super::{Because, Comparison, Conclusion, Pairing, Settings, Verdict, compare};

const TRIALS: u32 = 2000;

/// A machine and its server. Noise is in logarithms.
struct Machine {
    rng: Rng,
    /// Of requests a second, from run to run.
    noise: f64,
    /// One in so many runs is far out; 0 for none.
    odd: u32,
    /// How far the mood moves from one run to the next.
    drift: f64,
    mood: f64,
    /// One in so many runs has a burst of failures, and one of server errors; 0 for none.
    bursts: u32,
}

impl Machine {
    fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), noise: 0.05, odd: 0, drift: 0.0, mood: 0.0, bursts: 0 }
    }

    /// A shared machine as users have it: moods, odd runs, bursts.
    fn shared(seed: u64) -> Self {
        Self { odd: 12, drift: 0.06, bursts: 4, ..Self::new(seed) }
    }

    /// A standard normal number (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.rng.f64()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.rng.f64()).cos()
    }

    fn one_in(&mut self, count: u32) -> bool {
        count > 0 && self.rng.u32(0..count) == 0
    }

    /// One run; `change` is the logarithm of what the version is faster by.
    fn run(&mut self, change: f64) -> RunFigures {
        self.mood = 0.9 * self.mood + self.drift * self.normal();
        let odd = if self.one_in(self.odd) { -0.3 - self.rng.f64() } else { 0.0 };
        let speed = change + self.mood + odd + self.noise * self.normal();
        // The tail has the noise of the whole run, and more of its own.
        let time = |of: f64, own: f64| Some(micros(of * (own - speed).exp()).max(1));
        let [tail, end] = [self.noise * self.normal(), 2.0 * self.noise * self.normal()];
        let burst =
            |machine: &mut Self| if machine.one_in(machine.bursts) { machine.rng.u64(1..200) } else { 0 };
        let (failed, server_errors) = (burst(self), burst(self));
        RunFigures {
            rps: Some(8000.0 * speed.exp()),
            p50: time(1200.0, 0.0),
            p95: time(3000.0, tail),
            p99: time(9000.0, tail + end),
            complete: 20_000,
            failed,
            server_errors,
            non_2xx: server_errors,
            ..RunFigures::default()
        }
    }

    /// Runs in turns, the first of each pair by turns.
    fn in_turns(&mut self, pairs: usize, change: f64) -> (Vec<RunFigures>, Vec<RunFigures>) {
        let pair = |at: usize| {
            if at.is_multiple_of(2) {
                let before = self.run(0.0);
                (before, self.run(change))
            } else {
                let after = self.run(change);
                (self.run(0.0), after)
            }
        };
        (0..pairs).map(pair).unzip()
    }

    /// One side after the other.
    fn apart(&mut self, runs: [usize; 2], change: f64) -> (Vec<RunFigures>, Vec<RunFigures>) {
        let before = (0..runs[0]).map(|_| self.run(0.0)).collect();
        (before, (0..runs[1]).map(|_| self.run(change)).collect())
    }

    fn versus(&mut self, pairs: usize, change: f64) -> Comparison {
        let (before, after) = self.in_turns(pairs, change);
        compare(&before, &after, Pairing::Interleaved, &Settings::default())
    }

    fn recorded(&mut self, runs: [usize; 2], change: f64) -> Comparison {
        let (before, after) = self.apart(runs, change);
        compare(&before, &after, Pairing::Apart, &Settings::default())
    }
}

/// The share of trials in which something is so.
fn share(trials: u32, mut is: impl FnMut() -> bool) -> f64 {
    f64::from((0..trials).map(|_| u32::from(is())).sum::<u32>()) / f64::from(trials)
}

fn alarms(comparison: &Comparison) -> bool {
    matches!(comparison.conclusion, Conclusion::Told(Verdict::Better | Verdict::Worse))
}

fn says(comparison: &Comparison, verdict: Verdict) -> bool {
    comparison.conclusion == Conclusion::Told(verdict)
}

#[test]
fn runs_in_turns_of_the_same_thing_hardly_ever_differ() {
    for pairs in [3, 5, 10] {
        let mut machine = Machine::shared(pairs as u64);
        let mut by_errors = 0;
        let found = share(TRIALS, || {
            let comparison = machine.versus(pairs, 0.0);
            by_errors += u32::from(matches!(comparison.because, Because::Errors(_)));
            alarms(&comparison)
        });
        assert!(found <= 0.07, "{found} of {pairs} pairs");
        assert!(by_errors <= TRIALS / 50, "{by_errors} by errors, of {pairs} pairs");
    }
}

#[test]
fn without_repeats_nothing_is_told() {
    for runs in [1, 2] {
        let mut machine = Machine::shared(13);
        let found = share(500, || alarms(&machine.recorded([runs, runs], 1.0)));
        assert!(found == 0.0, "{found} of {runs} runs");
    }
}

#[test]
fn series_apart_on_a_steady_machine_hardly_ever_differ() {
    for runs in [[3, 3], [5, 5], [4, 9]] {
        let mut machine = Machine { drift: 0.0, ..Machine::shared(7) };
        let found = share(TRIALS, || alarms(&machine.recorded(runs, 0.0)));
        assert!(found <= 0.07, "{found} of {runs:?} runs");
    }
}

#[test]
fn many_metrics_do_not_add_to_the_false_alarms() {
    // All four decide, with noise of their own and no margin that would help.
    let settings = Settings { margins: [0.0; 4], deciding: Metric::ALL.to_vec(), judge_anyway: false };
    let mut machine = Machine::new(11);
    let mut independent = |_| {
        let mut value = |of: f64| of * (0.1 * machine.normal()).exp();
        let [rps, p50, p95, p99] = [value(8000.0), value(1e6), value(3e6), value(9e6)];
        let time = |time: f64| Some(micros(time));
        RunFigures {
            rps: Some(rps),
            p50: time(p50),
            p95: time(p95),
            p99: time(p99),
            complete: 20_000,
            ..RunFigures::default()
        }
    };
    let found = share(TRIALS, || {
        let before: Vec<RunFigures> = (0..6).map(&mut independent).collect();
        let after: Vec<RunFigures> = (0..6).map(&mut independent).collect();
        alarms(&compare(&before, &after, Pairing::Interleaved, &settings))
    });
    // Without correction it would be 1 - 0.95^4 = 19 %; without any slack of the rule, 5 %.
    assert!((0.03..=0.065).contains(&found), "{found}");
}

#[test]
fn intervals_hold_the_truth_in_95_of_100_cases() {
    let change = 0.12_f64;
    let mut machine = Machine::new(3);
    for (runs, paired) in
        [([3, 3], true), ([5, 5], true), ([10, 10], true), ([4, 4], false), ([5, 5], false), ([10, 6], false)]
    {
        let found = share(4000, || {
            let mut side = |count: usize, change: f64| -> Vec<f64> {
                (0..count).map(|_| (7.0 + change + 0.2 * machine.normal()).exp()).collect()
            };
            let (before, after) = (side(runs[0], 0.0), side(runs[1], change));
            let make = if paired { Estimate::paired } else { Estimate::apart };
            make(&before, &after, 0.0).interval(0.95).contains(change.exp())
        });
        assert!((0.93..=0.97).contains(&found), "{found} of {runs:?} runs, paired: {paired}");
    }
}

#[test]
fn moods_and_odd_runs_do_not_break_the_intervals_of_pairs() {
    for pairs in [5, 10] {
        let mut machine = Machine { odd: 12, drift: 0.06, ..Machine::new(40 + pairs as u64) };
        let found = share(TRIALS, || {
            let comparison = machine.versus(pairs, 0.2);
            comparison.metrics[0].interval.is_some_and(|interval| interval.contains(0.2_f64.exp()))
        });
        assert!((0.93..=0.985).contains(&found), "{found} of {pairs} pairs");
    }
}

#[test]
fn a_fifth_more_is_told_in_most_cases_by_ten_pairs() {
    // Requests a second vary by 16 % from run to run.
    let noisy = |seed| Machine { noise: 0.08, drift: 0.06, ..Machine::new(seed) };
    let change = 1.2_f64.ln();
    let (mut one, mut other) = (noisy(5), noisy(6));
    let better = share(500, || says(&one.versus(10, change), Verdict::Better));
    let worse = share(500, || says(&other.versus(10, -change), Verdict::Worse));
    assert!(better > 0.8 && worse > 0.8, "{better} {worse}");
}

#[test]
fn odd_runs_cost_power_and_turn_nothing_round() {
    let mut machine = Machine::shared(7);
    let mut right = 0;
    let wrong = share(500, || {
        let comparison = machine.versus(10, 1.2_f64.ln());
        right += u32::from(says(&comparison, Verdict::Better));
        says(&comparison, Verdict::Worse)
    });
    assert!(wrong <= 0.02 && right >= 150, "{right} right, {wrong} wrong");
}

#[test]
fn pairs_tell_through_moods_in_which_series_apart_go_astray() {
    let machine = |seed| Machine { noise: 0.02, drift: 0.1, ..Machine::new(seed) };
    let (mut one, mut other) = (machine(8), machine(8));
    let in_turns = share(500, || alarms(&one.versus(5, 0.0)));
    let apart = share(500, || alarms(&other.recorded([5, 5], 0.0)));
    assert!(in_turns <= 0.07 && apart > 2.0 * in_turns, "{in_turns} {apart}");
}

#[test]
fn no_change_on_a_quiet_machine_is_the_same() {
    let mut machine = Machine { noise: 0.01, drift: 0.02, ..Machine::new(9) };
    let found = share(500, || says(&machine.versus(10, 0.0), Verdict::Same));
    assert!(found > 0.8, "{found}");
}

#[test]
fn a_change_of_the_size_of_the_margin_is_hardly_ever_the_same() {
    for noise in [0.005, 0.02] {
        let mut machine = Machine { noise, ..Machine::new(10) };
        let metric = share(TRIALS, || machine.versus(8, 1.05_f64.ln()).metrics[0].verdict == Verdict::Same);
        let all = share(TRIALS, || says(&machine.recorded([6, 6], -(1.05_f64.ln())), Verdict::Same));
        assert!(metric <= 0.06 && all <= 0.05, "{noise}: {metric} {all}");
    }
}

#[test]
fn as_many_pairs_as_are_said_to_be_needed_do_tell() {
    // Only the requests a second, so that one number is asked for and answered.
    let settings = Settings { deciding: vec![Metric::Rps], ..Settings::default() };
    let needed = super::power::Question {
        // Each run has noise of its own.
        variances: [2.0 * 0.03 * 0.03, 0.0],
        margin: 1.05_f64.ln(),
        shift: 0.0,
        tests: 1,
        runs: 3,
    };
    let super::RunsNeeded::About(pairs) = needed.runs_needed() else { panic!() };
    let mut machine = Machine { noise: 0.03, ..Machine::new(12) };
    let mut compared = |change: f64| {
        let (before, after) = machine.in_turns(pairs as usize, change);
        compare(&before, &after, Pairing::Interleaved, &settings).metrics[0].clone()
    };
    let same = share(1000, || compared(0.0).verdict == Verdict::Same);
    let seen = share(1000, || compared(1.05_f64.ln()).p.is_some_and(|p| p <= 0.05));
    assert!((0.76..0.9).contains(&same) && (0.76..0.9).contains(&seen), "{pairs} pairs: {same} {seen}");
}
