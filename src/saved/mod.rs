//! A run as a file that loses nothing, and the run from the file again.
//!
//! In come the [`Plan`](crate::plan::Plan) and the [`RunResult`](crate::run::RunResult), out goes a [`Run`]: what is
//! known of a run in numbers, and under which conditions it was measured. Every report is made from it and from nothing
//! else, so that a run which comes from a file is reported as it was when it ended. [`to_json`] and [`from_json`] take
//! any number of runs to a file and back. Counts are whole numbers, sums are exact, histograms keep every bucket: parts
//! of a run that were saved apart add up to the whole ([`Recording::merge`](crate::record::Recording::merge)).
//!
//! A file holds no credentials, no header values, no body, nothing that the server wrote but its `Server` field, and
//! of this machine, besides what was typed, its system, its processor architecture and the number of its cores.

mod check;
mod conditions;
mod count;
mod difference;
mod ending;
mod headers;
mod load;
mod network;
mod requests;
mod run;
mod save;
mod series;
mod text;
mod times;
mod urls;
mod version;

pub use conditions::{Conditions, Load, Target, Tls};
pub use difference::{Difference, Weight, differences};
pub use load::{LoadError, from_json, read};
pub use network::{Destination, Network};
pub use requests::{Body, Request, Requests};
pub use run::{Machine, Run, Secured, Server};
pub use save::to_json;

/// What a file of saved runs calls itself.
const SCHEMA: &str = "rab-run";

/// The version of the format, which `schema/rab-run-1.json` describes. It grows when an older rab would misread a file;
/// a field that it does not know it passes over.
const SCHEMA_VERSION: u64 = 1;

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    use proptest::prelude::*;

    use super::*;
    use crate::hints::hints;
    use crate::record::{Cause, Detail, Failure, Outcome, Planned, Recording, Sample, Share, Stamps, Urls};
    use crate::report::report;
    use crate::run::Address;
    use crate::summary::{Asides, Attributes, Output, Summary, fixture};

    /// The file of one run with every kind of request.
    fn file() -> String {
        to_json(&[fixture::mixed()])
    }

    fn error(text: &str) -> String {
        from_json(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_run_comes_back_whole() {
        let run = fixture::mixed();
        assert_eq!(from_json(file().as_bytes()).unwrap(), std::slice::from_ref(&run));
        let mut other = run.clone();
        other.server.software = b"caf\xe9".to_vec();
        other.conditions.requests.first.path = b"/\xff".to_vec();
        other.server.tls = Some(Secured {
            version: "TLSv1.3".into(),
            cipher: "TLS_AES_256_GCM_SHA384".into(),
            cipher_bits: 256,
            certificate_bits: 2048,
            temp_key: Some("X25519 253 bits".into()),
        });
        other.recording.odd_lengths.count(98, 7);
        other.recording.detail = None;
        let all = [run, other, fixture::modern()];
        assert_eq!(from_json(to_json(&all).as_bytes()).unwrap(), all);
    }

    #[test]
    fn every_destination_and_address_comes_back() {
        let mut run = fixture::mixed();
        for destination in [
            Destination::Server { host: "::1".into(), port: 81 },
            Destination::Proxy { host: "p".into(), port: 3128, tunnel: true },
            Destination::UnixSocket { path: b"/run/caf\xe9".to_vec() },
        ] {
            run.conditions.network.destination = destination;
            run.server.addresses = vec![Address::Unix(OsString::from_vec(b"/run/caf\xe9".to_vec()))];
            run.server.tunnel_refusal = Some(407);
            assert_eq!(from_json(to_json(&[run.clone()]).as_bytes()).unwrap(), [run.clone()]);
        }
    }

    #[test]
    fn a_long_list_is_in_a_file_only_where_its_table_was_asked_for() {
        let mut run = fixture::modern();
        assert!(run.saves_urls && to_json(&[run.clone()]).contains("\"name\":\"POST /b?c @/dev/null\""));
        run.saves_urls = false;
        let loaded = from_json(to_json(&[run.clone()]).as_bytes()).unwrap().remove(0);
        assert_eq!((loaded.url_names.len(), loaded.recording.urls.tallies().len()), (0, 0));
        assert_eq!(loaded.conditions, run.conditions);
    }

    #[test]
    fn a_loaded_run_is_reported_as_it_was() {
        let attributes = Attributes { table: Vec::new(), row: Vec::new(), cell: Vec::new() };
        for run in [fixture::mixed(), fixture::modern()] {
            let loaded = from_json(to_json(std::slice::from_ref(&run)).as_bytes()).unwrap().remove(0);
            let text = Output { by_url: true, ..fixture::plan().output };
            let html = Output { html: Some(attributes.clone()), ..text.clone() };
            let json = Output { by_url: true, ..fixture::json_output() };
            for output in [text, html, json] {
                let summary = |run: &Run| Summary::new(run, &output, Asides::default());
                let (before, after) = (summary(&run), summary(&loaded));
                assert_eq!(
                    String::from_utf8(report(&after, &output)),
                    String::from_utf8(report(&before, &output))
                );
                assert_eq!(hints(&after), hints(&before));
            }
        }
    }

    #[test]
    fn a_file_is_as_expected() {
        // What the compressor makes of the histograms may change with its version.
        let hidden = regex::Regex::new(r#""HISTF[A-Za-z0-9+/=]*""#).unwrap();
        for (run, expected) in [
            (fixture::mixed(), include_str!("expected/run.json")),
            (fixture::modern(), include_str!("expected/modern.json")),
        ] {
            assert_eq!(hidden.replace_all(&to_json(&[run]), "\"HISTOGRAM\""), expected);
        }
    }

    #[test]
    fn secrets_are_not_in_a_file() {
        let text = file();
        assert!(text.contains("X-Key") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn a_file_that_is_cut_anywhere_says_so() {
        let text = file();
        for length in 0..text.len() - 1 {
            let message = error(&text[..length]);
            let expected = if length == 0 { "is empty" } else { "is cut short in line " };
            assert!(message.starts_with(expected), "{length}: {message}");
        }
    }

    #[test]
    fn what_is_no_saved_run_is_named() {
        for (text, words) in [
            ("", "is empty"),
            (" \n ", "is empty"),
            ("{}", "is JSON, but no saved run"),
            ("[1]", "is JSON, but no saved run"),
            ("7", "is JSON, but no saved run"),
            (r#"{"schema": "rab-summary", "schema_version": 1}"#, "is JSON, but no saved run"),
            (
                r#"{"schema": "rab-run", "schema_version": 1, "rab": "1", "runs": []}"#,
                "is JSON, but no saved run",
            ),
            ("Server Software:", "is not JSON, so no saved run (line 1, column 1)"),
            (r#"{"schema": "rab-run", "schema_version": 1}"#, "is a damaged saved run: missing field `rab`"),
            (
                r#"{"schema": "rab-run", "schema_version": 2, "rab": "9.1.0", "other": 1}"#,
                "is a saved run in a newer format, version 2, written by rab 9.1.0; this rab reads",
            ),
        ] {
            assert!(error(text).starts_with(words), "{text}: {}", error(text));
        }
    }

    #[test]
    fn fields_of_a_later_rab_are_passed_over() {
        let later = file().replacen(r#""elapsed_us""#, r#""weather": {"rain": [1, 2]}, "elapsed_us""#, 1);
        assert_eq!(from_json(later.as_bytes()).unwrap(), [fixture::mixed()]);
    }

    /// Any sample that a worker may record, and the cause if it failed.
    fn sample() -> impl Strategy<Value = (Sample, Option<Cause>)> {
        let times = (0..90_000_000_u64, 0..3_000_000_u64, 0..3_000_000_u64);
        let kind = (0..6_usize, prop::sample::select(vec![100, 200, 204, 302, 404, 503, 600]), any::<bool>());
        let planned = prop::option::of((0..100_000_u64, any::<bool>()));
        (times, kind, 0..2_u32, planned).prop_map(
            |((start, connect, rest), (kind, status, kept_alive), url, planned)| {
                let connected = start + connect;
                let stamps = Stamps {
                    start,
                    connected,
                    written: connected,
                    first_byte: connected + rest / 2,
                    done: connected + rest,
                };
                let (outcome, cause, status) = match kind {
                    0 => (Outcome::Failed(Failure::Receive), Some(Cause::Reset), None),
                    1 => (Outcome::Failed(Failure::Length), None, Some(status)),
                    2 => (Outcome::Failed(Failure::Exception), Some(Cause::NotHttp), Some(status)),
                    _ => (Outcome::Good, None, Some(status)),
                };
                let sample = Sample {
                    url,
                    stamps,
                    outcome,
                    status,
                    document: rest % 5,
                    missing: 0,
                    kept_alive,
                    write_error: false,
                    planned: planned.map(|(early, late)| Planned { at: start.saturating_sub(early), late }),
                };
                (sample, cause)
            },
        )
    }

    fn recording(samples: &[(Sample, Option<Cause>)]) -> Recording {
        let mut recording = Recording::new(Some(Detail::default()), None, Urls::new(2, true));
        recording.shares = vec![Share::default(); 2];
        for (sample, cause) in samples {
            recording.record(sample);
            let share = &mut recording.shares[usize::from(sample.kept_alive)];
            share.count_connection(sample.document > 0);
            share.count(sample.outcome);
            if let Some(cause) = *cause {
                recording.causes.count(cause, 1);
            }
            recording.received += sample.document;
            recording.detail.as_mut().unwrap().series.observe(sample.stamps.done, sample.document, 1);
        }
        recording
    }

    /// A recording that has been in a file.
    fn through_a_file(recording: Recording) -> Recording {
        let run = Run { recording, ..fixture::modern() };
        from_json(to_json(&[run]).as_bytes()).unwrap().remove(0).recording
    }

    proptest! {
        // Histograms of four digits take their time in a debug build.
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn saved_parts_make_the_whole(samples in prop::collection::vec(sample(), 0..60), cut: prop::sample::Index) {
            let whole = recording(&samples);
            let (left, right) = samples.split_at(cut.index(samples.len() + 1));
            let (mut left, right) = (through_a_file(recording(left)), through_a_file(recording(right)));
            let mut turned = right.clone();
            turned.merge(left.clone());
            left.merge(right);
            prop_assert_eq!(&left, &whole);
            prop_assert_eq!(&turned, &whole);
            prop_assert_eq!(through_a_file(left), whole);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn a_changed_byte_is_an_error_or_a_run(at: prop::sample::Index, byte in any::<u8>()) {
            let mut bytes = file().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Err(error) = from_json(&bytes) {
                prop_assert!(!error.to_string().contains(char::is_control));
            }
        }
    }
}
