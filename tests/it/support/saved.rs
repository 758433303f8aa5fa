//! Saved runs and reports in JSON, held against their published schemas.

use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;

/// What a file of saved runs holds.
pub(crate) fn saved(path: impl AsRef<Path>) -> Value {
    valid(&std::fs::read_to_string(path).expect("the file is there"), "rab-run-1.json")
}

/// What `--json` prints.
pub(crate) fn summary(stdout: &str) -> Value {
    valid(stdout, "rab-summary-1.json")
}

/// What `rab compare --json` prints.
pub(crate) fn comparison(stdout: &str) -> Value {
    valid(stdout, "rab-comparison-1.json")
}

/// The JSON, which must be as the schema says.
fn valid(text: &str, schema: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let faults: Vec<String> = validator(schema)
        .iter_errors(&value)
        .map(|fault| format!("{fault} at {}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{}\n{text}", faults.join("\n"));
    value
}

fn validator(schema: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(schema);
    let schema = serde_json::from_str(&std::fs::read_to_string(path).expect("the schema is there"));
    jsonschema::options().should_validate_formats(true).build(&schema.expect("JSON")).expect("a schema")
}

#[test]
fn a_schema_finds_what_is_missing_and_what_is_too_much() {
    let good = include_str!("../../../src/report/expected/summary.json");
    let faults = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap();
        validator("rab-summary-1.json").iter_errors(&value).count()
    };
    assert_eq!(faults(good), 0);
    for (from, to) in [
        ("\"elapsed_us\"", "\"elapsed\""),
        ("\"complete\": 5", "\"complete\": \"5\""),
        ("\"count\": 5", "\"count\": -5"),
    ] {
        assert!(faults(&good.replacen(from, to, 1)) > 0, "{from}");
    }
}
