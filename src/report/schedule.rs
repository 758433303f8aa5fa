//! What follows ab's text report after a run on schedule (`--rate`).
//!
//! In comes the [`Schedule`], out go lines: what was planned, how many requests were late, and latencies of both kinds,
//! side by side. From sending they say how fast the server was, from the planned start what somebody would have waited who
//! came at that time. No label is one of ab's.

use std::fmt::Write as _;

use super::csv::milliseconds;
use crate::summary::Schedule;

/// The lines, with an empty one in front.
pub(super) fn schedule(schedule: &Schedule) -> String {
    let Schedule { rate, late, latencies } = schedule;
    let mut text = format!("\nPlanned rate:           {rate:.2} [#/sec]\nSent late:              {late}\n");
    if !latencies.is_empty() {
        text += "\nLatencies on schedule (ms)\n                  from sending  from planned start\n";
    }
    for (percent, sent, planned) in latencies {
        let label = if *percent == 100 { "max".to_owned() } else { format!("p{percent}") };
        let (sent, planned) = (milliseconds(*sent), milliseconds(*planned));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {label:<16}{sent:>12}{planned:>20}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_latency_stand_side_by_side() {
        let found = schedule(&Schedule {
            rate: 500.0,
            late: 12,
            latencies: vec![(50, 312, 320), (100, 9_001, 250_000)],
        });
        let expected = "
Planned rate:           500.00 [#/sec]
Sent late:              12

Latencies on schedule (ms)
                  from sending  from planned start
  p50                    0.312               0.320
  max                    9.001             250.000
";
        assert_eq!(found, expected);
    }
}
