//! What was answered: documents of different length, and statuses other than 2xx.

use hyper::StatusCode;

use super::counted;
use crate::summary::{SchemeDoubt, Streak, Summary, Version, seconds};

/// More of a `Location` than this says nothing to people.
const SHOWN_OF_LOCATION: usize = 200;

/// If good answers and others came in any order, then with a share `x` of others the last `n` would all be good with a
/// probability of at most `exp(-n * x)`. From this exponent on, less than one in a million, they do not.
const RARE: u64 = 14;

/// TLS servers answer plain HTTP with an alert.
pub(super) fn tls(summary: &Summary) -> Option<String> {
    let answered = summary.circumstances.scheme_doubt == Some(SchemeDoubt::AnsweredInTls);
    answered.then(|| "the server speaks TLS on this port, so the URL should start with https://".to_owned())
}

/// A dynamic page is not as long every time; ab calls that a failure.
pub(super) fn lengths(summary: &Summary) -> Option<String> {
    if !summary.failures.only_length() {
        return None;
    }
    let seen = if summary.circumstances.urls > 1 {
        "all failures are documents that are not as long as the first of their URL".to_owned()
    } else {
        let sizes = summary.circumstances.sizes?;
        format!(
            "all failures are documents that are not as long as the first; sizes seen are {} to {} bytes, most often {}",
            sizes.least, sizes.greatest, sizes.most_common
        )
    };
    Some(if summary.non_2xx > 0 {
        format!("{seen}. Some of them may be error pages; if the page itself varies, -l allows for it")
    } else {
        format!("{seen}. If the page is dynamic, use -l, which allows any length")
    })
}

/// A response that ends too early is a failure of another class, and how much it lacks tells a crash from a wrong length.
pub(super) fn cut_short(summary: &Summary) -> Option<String> {
    let (count, missing) = summary.circumstances.cut_short;
    (count > 0).then(|| {
        let (who, whose) = (counted(count, "response"), if count == 1 { "its head" } else { "their heads" });
        format!("{who} ended before the length in {whose}; {} did not come", counted(missing, "byte"))
    })
}

/// Any status counts as success in ab, so a run of error pages looks like a fast one.
pub(super) fn status(summary: &Summary) -> Option<String> {
    let statuses = &summary.circumstances.statuses;
    let (status, count) = statuses.most_frequent_non_2xx()?;
    let all = statuses.iter().map(|(_, count)| count).sum();
    let verb = if count == 1 { "was" } else { "were" };
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let name = reason.map(|reason| format!(" {reason}")).unwrap_or_default();
    Some(format!(
        "{count} of {} {verb} {status}{name}; {}",
        counted(all, "response"),
        advice(summary, status)
    ))
}

/// A rate over good answers and refusals together says nothing about either.
pub(super) fn changed(summary: &Summary) -> Option<String> {
    let Streak::Alike { status, since, count } = summary.circumstances.last_statuses else { return None };
    let is_good = status / 100 == 2;
    let before = summary.circumstances.statuses.iter().filter(|(other, _)| (other / 100 == 2) != is_good);
    let before: u64 = before.map(|(_, count)| count).sum();
    let all: u64 = summary.circumstances.statuses.iter().map(|(_, count)| count).sum();
    let is_chance = u128::from(count) * u128::from(before) < u128::from(all) * u128::from(RARE);
    (!is_chance).then(|| {
        let others = if is_good { "others" } else { "2xx" };
        format!(
            "from second {:.1} of the run on every response was {status}, {} in a row after {others}; figures over both \
             say little about either",
            seconds(since),
            counted(count, "response")
        )
    })
}

/// What to do about a status.
fn advice(summary: &Summary, status: u16) -> String {
    let circumstances = &summary.circumstances;
    let old = circumstances.version == Version::Http10;
    match status {
        301 | 302 | 303 | 307 | 308 => redirect(circumstances.location.as_deref()),
        401 => "check the credentials of -A, -C or -H".to_owned(),
        403 => {
            "check whether the credentials of -A, -C or -H allow this page, and whether a firewall stops rab"
                .to_owned()
        }
        407 => "the proxy wants the credentials of -P".to_owned(),
        400 | 415 if circumstances.plain_text_body => {
            "the body went out as text/plain; name its type with -T, for example -T application/json"
                .to_owned()
        }
        426 | 505 if old => "the server wants a newer HTTP than 1.0; use --http1.1".to_owned(),
        429 => "the server limits how much one client may ask; lower -c, or ask its owner".to_owned(),
        _ => "these are not failures for ab; -n 1 -v 4 shows one whole answer".to_owned(),
    }
}

/// Where the server wants to be asked.
fn redirect(location: Option<&[u8]>) -> String {
    let Some(location) = location else {
        return "rab, like ab, does not follow redirects; measure the page they lead to".to_owned();
    };
    let text = String::from_utf8_lossy(location);
    let mut shown: String = text.chars().take(SHOWN_OF_LOCATION).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    format!("rab, like ab, does not follow redirects; measure the page they lead to: {shown}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Micros;
    use crate::summary::{Failures, Sizes, Statuses, fixture};

    #[test]
    fn a_change_for_good_is_told_with_its_second() {
        let after = |all: &[(u16, u64)], (status, since, count): (u16, Micros, u64)| {
            let mut summary = answered(all);
            summary.circumstances.last_statuses = Streak::Alike { status, since, count };
            changed(&summary)
        };
        let expired = after(&[(200, 380), (401, 620)], (401, 38_000_000, 620)).unwrap();
        assert!(expired.starts_with(
            "from second 38.0 of the run on every response was 401, 620 responses in a row after 2xx"
        ));
        assert!(
            after(&[(200, 900), (503, 100)], (200, 1, 900))
                .unwrap()
                .contains("was 200, 900 responses in a row after others")
        );
        // What may be chance, what did not change, and a good class that only changed within itself.
        assert_eq!(after(&[(200, 900), (503, 100)], (200, 1, 100)), None);
        assert_eq!(after(&[(401, 620)], (401, 1, 620)), None);
        assert_eq!(after(&[(200, 500), (204, 500)], (204, 1, 500)), None);
    }

    /// As many answers of each status.
    fn answered(all: &[(u16, u64)]) -> Summary {
        let mut summary = fixture::staging();
        let mut statuses = Statuses::default();
        for &(status, times) in all {
            (0..times).for_each(|_| statuses.count(status));
        }
        summary.non_2xx = statuses.non_2xx();
        summary.circumstances.statuses = statuses;
        summary
    }

    #[track_caller]
    fn assert_status(summary: &Summary, expected: &str) {
        assert_eq!(status(summary).as_deref(), Some(expected));
    }

    #[test]
    fn lengths_alone_point_to_l_with_the_sizes() {
        let mut summary = fixture::staging();
        summary.circumstances.sizes = Some(Sizes { least: 98, most_common: 100, greatest: 103 });
        assert_eq!(lengths(&summary), None);
        summary.failures = Failures { length: 7, ..Failures::default() };
        let hint = lengths(&summary).unwrap();
        assert!(
            hint.contains("sizes seen are 98 to 103 bytes, most often 100. If the page is dynamic, use -l")
        );
        summary.non_2xx = 7;
        assert!(lengths(&summary).unwrap().contains("error pages"));
        summary.circumstances.sizes = None;
        summary.circumstances.urls = 2;
        assert!(
            lengths(&summary)
                .unwrap()
                .starts_with("all failures are documents that are not as long as the first of")
        );
        summary.failures.receive = 1;
        assert_eq!(lengths(&summary), None);
    }

    #[test]
    fn tls_on_a_plain_connection_points_to_https() {
        let mut summary = fixture::staging();
        assert_eq!(tls(&summary), None);
        summary.circumstances.scheme_doubt = Some(SchemeDoubt::AnsweredInTls);
        assert!(tls(&summary).unwrap().contains("https://"));
    }

    #[test]
    fn what_is_missing_is_counted() {
        let mut summary = fixture::staging();
        assert_eq!(cut_short(&summary), None);
        summary.circumstances.cut_short = (2, 90);
        let expected = "2 responses ended before the length in their heads; 90 bytes did not come";
        assert_eq!(cut_short(&summary).as_deref(), Some(expected));
    }

    #[test]
    fn good_answers_need_no_hint() {
        assert_eq!(status(&answered(&[(200, 3), (204, 1)])), None);
    }

    #[test]
    fn the_most_frequent_status_is_named() {
        let summary = answered(&[(200, 1), (401, 7), (500, 2)]);
        assert_status(
            &summary,
            "7 of 10 responses were 401 Unauthorized; check the credentials of -A, -C or -H",
        );
        assert!(status(&answered(&[(599, 1)])).unwrap().starts_with("1 of 1 response was 599; "));
    }

    #[test]
    fn a_redirect_names_where_it_leads() {
        let mut summary = answered(&[(302, 2)]);
        let start = "2 of 2 responses were 302 Found; rab, like ab, does not follow redirects; measure the page they \
                     lead to";
        assert_status(&summary, start);
        summary.circumstances.location = Some(b"https://example.com/new".to_vec());
        assert_status(&summary, &format!("{start}: https://example.com/new"));
        summary.circumstances.location = Some(vec![b'a'; 10_000]);
        assert!(status(&summary).unwrap().len() < 400);
        // 304 is no redirect.
        assert!(!status(&answered(&[(304, 2)])).unwrap().contains("redirect"));
    }

    #[test]
    fn an_old_http_version_is_named_only_if_it_is_in_use() {
        let mut summary = answered(&[(426, 2)]);
        assert!(status(&summary).unwrap().contains("--http1.1"));
        summary.circumstances.version = Version::Http11;
        assert!(!status(&summary).unwrap().contains("--http1.1"));
    }

    #[test]
    fn a_refused_body_points_to_its_type_only_if_that_is_the_default() {
        for code in [400, 415] {
            let mut summary = answered(&[(code, 2)]);
            assert!(!status(&summary).unwrap().contains("-T"));
            summary.circumstances.plain_text_body = true;
            assert!(status(&summary).unwrap().contains("name its type with -T"));
        }
    }
}
