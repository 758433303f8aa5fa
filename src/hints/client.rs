//! Whether the client could keep up, or was itself what the run measured.

use super::counted;
use crate::summary::{Client, Micros, Summary, seconds};

/// A shorter run is not judged: the start of its threads weighs too much in it.
const JUDGED_FROM: Micros = 500_000;

/// A thread that was busy for more of a hundred parts of the run than this had hardly ever to wait for the server.
const BUSY: Micros = 90;

/// All requests of a worker are made by one thread. Where that has no time left, a faster server changes nothing.
pub(super) fn limit(summary: &Summary) -> Option<String> {
    let (client, elapsed) = (&summary.circumstances.client, summary.elapsed);
    let is_busy = client.busiest.saturating_mul(100) > elapsed.saturating_mul(BUSY);
    (is_busy && elapsed >= JUDGED_FROM).then(|| {
        let lighter = if client.by_hyper { ", --engine wire costs less than hyper" } else { "" };
        format!(
            "a worker thread was busy for {:.1} s of the {:.1} s that the run took, so that the numbers measure rab \
             rather than the server; {}{lighter}, and other machines can ask at the same time",
            seconds(client.busiest.min(elapsed)),
            seconds(elapsed),
            more_threads(client),
        )
    })
}

/// What `-W` can do about it.
fn more_threads(client: &Client) -> String {
    let most = client.cores.min(client.connections);
    if client.workers < most {
        format!("-W {most} spreads the load over {}", counted(most, "thread"))
    } else if client.workers < client.cores {
        "each connection has a thread of its own already".to_owned()
    } else {
        format!("-W {} is one a core already", client.workers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;

    /// What is said about a run of so many microseconds on four cores.
    fn said(elapsed: Micros, busiest: Micros, workers: u64, connections: u64) -> Option<String> {
        let mut summary = fixture::staging();
        summary.elapsed = elapsed;
        summary.circumstances.client = Client { busiest, workers, connections, cores: 4, by_hyper: false };
        limit(&summary)
    }

    #[test]
    fn only_a_thread_without_time_to_wait_is_a_limit() {
        assert_eq!(said(10_000_000, 9_000_000, 1, 50), None);
        assert!(said(10_000_000, 9_000_001, 1, 50).is_some());
        // What is left to do after the last response counts as well.
        assert!(said(10_000_000, 12_000_000, 1, 50).unwrap().contains("for 10.0 s of the 10.0 s"));
    }

    #[test]
    fn a_short_run_is_not_judged() {
        assert_eq!(said(499_999, 499_999, 1, 50), None);
        assert!(said(500_000, 500_000, 1, 50).is_some());
    }

    #[test]
    fn more_threads_are_named_where_they_can_be_had() {
        let about = |workers, connections| said(1_000_000, 1_000_000, workers, connections).unwrap();
        assert!(about(1, 50).contains("; -W 4 spreads the load over 4 threads, and other machines"));
        assert!(about(1, 3).contains("; -W 3 spreads"));
        assert!(about(4, 50).contains("; -W 4 is one a core already, and"));
        assert!(about(9, 50).contains("; -W 9 is one a core already, and"));
        assert!(about(3, 3).contains("; each connection has a thread of its own already, and"));
    }

    #[test]
    fn the_lighter_engine_is_named_where_the_other_one_is_in_use() {
        let mut summary = fixture::staging();
        let client = &mut summary.circumstances.client;
        (client.busiest, client.by_hyper) = (Micros::MAX, true);
        assert!(limit(&summary).unwrap().contains(", --engine wire costs less than hyper, and"));
    }
}
