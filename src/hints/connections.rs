//! How connections were used.

use super::counted;
use crate::summary::{Micros, Phase, Summary, Version, whole_ms};

/// Seconds after which servers and proxies usually close an idle connection.
const IDLE_TIMERS: [u64; 6] = [5, 10, 15, 20, 30, 60];

/// A server that is asked by HTTP/1.0 may ignore `Connection: Keep-Alive`.
pub(super) fn keep_alive_refused(summary: &Summary) -> Option<String> {
    let circumstances = &summary.circumstances;
    let answered = circumstances.statuses.iter().next().is_some() && !circumstances.server_keeps;
    let refused = summary.keep_alive == Some(0) && answered && circumstances.version == Version::Http10;
    refused.then(|| {
        "the server kept no connection open for -k: it refuses keep-alive for HTTP/1.0; try --http1.1"
            .to_owned()
    })
}

/// The number is in no line of the report.
pub(super) fn resent(summary: &Summary) -> Option<String> {
    let resent = summary.circumstances.resent;
    let verb = if resent == 1 { "was" } else { "were" };
    let cause = match summary.circumstances.version {
        Version::Http10 | Version::Http11 => {
            "the server had just closed the idle connection; it may allow few requests a connection, or a short idle time"
        }
        Version::Http2 => {
            "the server had ended the connection or refused the stream before it did anything about them; it may allow \
             few requests a connection, or few at a time"
        }
    };
    (resent > 0).then(|| format!("{} {verb} sent once more, since {cause}", counted(resent, "request")))
}

/// The latency from sending does not know of the wait for a free connection.
pub(super) fn late(summary: &Summary) -> Option<String> {
    let late = summary.schedule.as_ref().filter(|schedule| schedule.late > 0)?.late;
    let verb = if late == 1 { "was" } else { "were" };
    Some(format!(
        "{} {verb} sent late, since all -c {} connections were busy; the latencies from the planned start include that \
         wait; raise -c, or lower --rate",
        counted(late, "request"),
        summary.concurrency
    ))
}

/// A connection then carries fewer requests at a time than the concurrency level counts.
pub(super) fn stream_limit(summary: &Summary) -> Option<String> {
    let streams = summary.circumstances.streams;
    summary.circumstances.stream_limit.map(|limit| {
        format!(
            "the server takes {} at a time on a connection, so that of --streams {streams} no more than that were in flight; \
             raise -c for more",
            counted(limit, "request")
        )
    })
}

/// A response without a length ends with the connection, and some servers hold that open until a timer runs out. All
/// requests then take the timer's time, whatever the server needs.
pub(super) fn idle_close(summary: &Summary) -> Option<String> {
    let table = summary.table.as_ref()?;
    let (processing, waiting) = (&table[Phase::Processing as usize], &table[Phase::Waiting as usize]);
    let timer = IDLE_TIMERS.into_iter().find(|&timer| {
        let time = timer * 1_000_000;
        is_near(processing.min, time) && is_near(processing.max, time) && waiting.max < time / 2
    })?;
    let remedy = match summary.circumstances.version {
        Version::Http10 => "; try --http1.1, where a response can say where it ends",
        Version::Http11 | Version::Http2 => "",
    };
    Some(format!(
        "the first byte is there after {} ms, yet every request took {timer} s: the server seems to end its responses \
         only when its idle timer closes the connection{remedy}",
        whole_ms(waiting.mean)
    ))
}

/// Within one part in fifty.
fn is_near(time: Micros, round: Micros) -> bool {
    time.abs_diff(round) <= round / 50
}

/// ab's own words, which it prints at once, within its report.
pub(super) fn write_errors(summary: &Summary) -> Option<String> {
    let errors = summary.write_errors;
    (errors > 0).then(|| {
        format!("Send request failed! {} could not be written to the server", counted(errors, "request"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Statuses, fixture};

    #[test]
    fn refused_keep_alive_points_to_the_newer_version() {
        let mut summary = fixture::staging();
        assert_eq!(keep_alive_refused(&summary), None);
        summary.keep_alive = Some(0);
        assert!(keep_alive_refused(&summary).unwrap().contains("--http1.1"));
        summary.circumstances.version = Version::Http11;
        assert_eq!(keep_alive_refused(&summary), None);
    }

    #[test]
    fn a_server_that_never_answered_refused_nothing() {
        let mut summary = fixture::staging();
        summary.keep_alive = Some(0);
        summary.circumstances.statuses = Statuses::default();
        assert_eq!(keep_alive_refused(&summary), None);
    }

    #[test]
    fn repeated_and_unsent_requests_are_counted() {
        let mut summary = fixture::staging();
        assert_eq!((resent(&summary), write_errors(&summary)), (None, None));
        (summary.circumstances.resent, summary.write_errors) = (1, 2);
        assert!(resent(&summary).unwrap().starts_with("1 request was sent once more"));
        assert_eq!(
            write_errors(&summary).as_deref(),
            Some("Send request failed! 2 requests could not be written to the server")
        );
    }

    /// A run whose requests took these milliseconds.
    fn timed(processing: (u64, u64), waiting: u64) -> Summary {
        let mut summary = fixture::staging();
        for row in summary.table.iter_mut().flatten() {
            (row.min, row.max) = match row.phase {
                Phase::Processing => (processing.0 * 1000, processing.1 * 1000),
                _ => (waiting * 1000, waiting * 1000),
            };
            row.mean = row.max;
        }
        summary
    }

    #[test]
    fn an_idle_timer_is_told_from_a_slow_server() {
        let hint = idle_close(&timed((15_003, 15_190), 120)).unwrap();
        assert!(
            hint.starts_with("the first byte is there after 120 ms, yet every request took 15 s"),
            "{hint}"
        );
        assert!(hint.ends_with("try --http1.1, where a response can say where it ends"));
        // The server answers that late, or requests differ, or the time is not a usual one.
        assert_eq!(idle_close(&timed((15_003, 15_190), 15_000)), None);
        assert_eq!(idle_close(&timed((14_000, 15_190), 120)), None);
        assert_eq!(idle_close(&timed((7_000, 7_010), 120)), None);
    }

    #[test]
    fn nothing_complete_has_no_times_to_judge() {
        assert_eq!(idle_close(&fixture::summary(&fixture::plan(), fixture::run_result())), None);
    }
}
