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
mod run;
mod save;
mod series;
mod text;
mod times;

pub use conditions::{Body, Conditions, Load, Network, Request, Target, Tls};
pub use difference::{Difference, Weight, differences};
pub use load::{LoadError, from_json, read};
pub use run::{Machine, Run, Secured, Server};
pub use save::to_json;

/// What a file of saved runs calls itself.
const SCHEMA: &str = "rab-run";

/// The version of the format, which `schema/rab-run-1.json` describes. It grows when an older rab would misread a file;
/// a field that it does not know it passes over.
const SCHEMA_VERSION: u64 = 1;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::{Cause, Detail, Failure, Outcome, Recording, Sample, Stamps};
    use crate::report::report;
    use crate::summary::{Asides, Summary, fixture};

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
        other.conditions.requests[0].path = b"/\xff".to_vec();
        other.server.tls = Some(Secured {
            version: "TLSv1.3".into(),
            cipher: "TLS_AES_256_GCM_SHA384".into(),
            cipher_bits: 256,
            certificate_bits: 2048,
            temp_key: Some("X25519 253 bits".into()),
        });
        other.recording.odd_lengths.count(98, 7);
        other.recording.detail = None;
        let both = [run, other];
        assert_eq!(from_json(to_json(&both).as_bytes()).unwrap(), both);
    }

    #[test]
    fn a_loaded_run_is_reported_as_it_was() {
        let run = fixture::mixed();
        let loaded = from_json(file().as_bytes()).unwrap().remove(0);
        for output in [fixture::plan().output, fixture::json_output()] {
            let reported = |run: &Run| report(&Summary::new(run, &output, Asides::default()), &output);
            assert_eq!(String::from_utf8(reported(&loaded)), String::from_utf8(reported(&run)));
        }
    }

    #[test]
    fn a_file_is_as_expected() {
        // What the compressor makes of the histograms may change with its version.
        let hidden = regex::Regex::new(r#""HISTF[A-Za-z0-9+/=]*""#).unwrap();
        assert_eq!(hidden.replace_all(&file(), "\"HISTOGRAM\""), include_str!("expected/run.json"));
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
    fn numbers_that_contradict_each_other_are_named() {
        let good = file();
        for (from, to, words) in [
            (r#""complete": 5"#, r#""complete": 6"#, "the durations of `connect` are 5, which should be 6"),
            (r#""200": 3"#, r#""200": 4"#, "the 2xx of the series are 3, which should be 4"),
            (r#""closed": 1"#, r#""reset": 2"#, "the causes of failures"),
            (r#""closed": 1"#, r#""bad_luck": 1"#, "a cause of failures has a name"),
            (
                r#""received": 800"#,
                r#""received": 801"#,
                "the bytes of the series are 800, which should be 801",
            ),
            (r#""receive": 1"#, r#""receive": 0"#, "the causes of failures"),
            (r#""503": 1"#, r#""5030": 1"#, "5030 is no status code"),
            (r#""kept_alive": 3"#, r#""kept_alive": 30"#, "30 requests are kept alive, of 5"),
            (r#""slot_us": 1000000"#, r#""slot_us": 1000001"#, "its series is damaged: its slots"),
            (r#""count": 5"#, r#""count": 4"#, "the histogram of `connect` is damaged"),
            (
                r#""histogram": "H"#,
                r#""histogram": "H*"#,
                "the histogram of `connect` is damaged: it is not base64",
            ),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            let message = error(&bad);
            assert!(message.starts_with("is a damaged saved run: in run 1, "), "{message}");
            assert!(message.contains(words), "{from}: {message}");
        }
        let huge = good.replacen(r#""complete": 5"#, r#""complete": 9007199254740992"#, 1);
        assert!(error(&huge).contains("9007199254740992 is above 9007199254740991"), "{}", error(&huge));
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
        (times, kind).prop_map(|((start, connect, rest), (kind, status, kept_alive))| {
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
                stamps,
                outcome,
                status,
                document: rest % 5,
                missing: 0,
                kept_alive,
                write_error: false,
            };
            (sample, cause)
        })
    }

    fn recording(samples: &[(Sample, Option<Cause>)]) -> Recording {
        let mut recording = Recording::with(Some(Detail::default()), None);
        for (sample, cause) in samples {
            recording.record(sample);
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
        let run = Run { recording, ..fixture::mixed() };
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
