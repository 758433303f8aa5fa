//! Several runs: `--repeat`, `--warm-up`, `--sweep`, `rab versus` and `rab calibrate`.

mod repeat;
mod stops;
mod sweep;
mod versus;

use crate::support::rab::Done;

/// The rows of a table of runs: words by line, of the lines whose first word is a number and that have at least eight.
fn rows(done: &Done) -> Vec<Vec<String>> {
    let words =
        done.stdout.lines().map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    words.filter(|row| row.len() >= 8 && row[0].parse::<u32>().is_ok()).collect()
}

/// The numbers in front of those rows.
fn numbers(done: &Done) -> Vec<u32> {
    rows(done).iter().map(|row| row[0].parse().expect("a number")).collect()
}
