//! A bearer token that expired before the run ended.

use std::time::SystemTime;

use jiff::Timestamp;

use crate::summary::Summary;

/// With an expired token the server refuses every request, fast. A token must not be accepted from its expiry on (RFC
/// 7519, section 4.1.4).
pub(super) fn expired(summary: &Summary) -> Option<String> {
    let circumstances = &summary.circumstances;
    let expiry = circumstances.token_expiry?;
    let [began, ended] = [circumstances.began, circumstances.ended].map(timestamp);
    let (began, ended) = (began?, ended?);
    let at = utc(expiry);
    if expiry <= began {
        Some(format!(
            "the bearer token expired at {at}, before the run began at {}; the server may refuse it: get a new one",
            utc(began)
        ))
    } else if expiry <= ended {
        Some(format!(
            "the bearer token expired at {at}, during the run, which ended at {}; answers from then on may be \
             refusals: get a new one",
            utc(ended)
        ))
    } else {
        None
    }
}

/// `None` for a clock that shows a year beyond the calendar.
fn timestamp(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}

/// To the second, which is what tokens have.
fn utc(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;

    /// A run from 2025-10-09 08:53:20 UTC, a second long, with a token that expires at `expiry`.
    fn run_with_expiry(expiry: i64) -> Option<String> {
        let mut summary = fixture::staging();
        summary.circumstances.token_expiry = Some(Timestamp::from_second(expiry).unwrap());
        expired(&summary)
    }

    #[test]
    fn an_expiry_before_the_run_is_named_with_both_times() {
        let hint = run_with_expiry(1_759_999_000).unwrap();
        let expected = "expired at 2025-10-09 08:36:40 UTC, before the run began at 2025-10-09 08:53:20 UTC";
        assert!(hint.contains(expected), "{hint}");
        assert!(run_with_expiry(1_760_000_000).unwrap().contains("before the run began"));
    }

    #[test]
    fn an_expiry_during_the_run_is_named_with_its_end() {
        let hint = run_with_expiry(1_760_000_001).unwrap();
        let expected =
            "expired at 2025-10-09 08:53:21 UTC, during the run, which ended at 2025-10-09 08:53:21 UTC";
        assert!(hint.contains(expected), "{hint}");
    }

    #[test]
    fn a_token_that_outlives_the_run_is_no_matter() {
        assert_eq!(run_with_expiry(1_760_000_002), None);
        assert_eq!(expired(&fixture::staging()), None);
    }

    #[test]
    fn no_part_of_the_token_is_shown_or_kept() {
        // {"alg":"HS256"} . {"exp":1} . signature
        let parts = ["eyJhbGciOiJIUzI1NiJ9", "eyJleHAiOjF9", "c2lnbmF0dXJl"];
        let plan = fixture::plan_with_field(&format!("Authorization: Bearer {}", parts.join(".")));
        let summary = fixture::summary(&plan, fixture::run_result());
        let hint = expired(&summary).unwrap();
        let kept = format!("{summary:?}");
        assert!(hint.contains("1970-01-01 00:00:01 UTC"));
        for part in parts {
            assert!(!hint.contains(part) && !kept.contains(part));
        }
    }
}
