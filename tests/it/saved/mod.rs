//! Runs as files: `--save`, `rab report`, and the report in JSON.

mod again;
mod damage;
mod file;
mod json;
mod python;

use std::path::Path;

use serde_json::Value;

use crate::support::rab::{Done, Rab};
use crate::support::server::Server;

/// Runs the program with these words, and `--save` to this file.
fn save(path: &Path, words: &str, url: &str) -> Done {
    Rab::new(words.split_whitespace().chain(["--save", name(path), url])).run()
}

fn name(path: &Path) -> &str {
    path.to_str().expect("a temporary name is text")
}

/// The one run of a file.
fn run(file: &Value) -> &Value {
    assert_eq!(file["runs"].as_array().map(Vec::len), Some(1), "{file}");
    &file["runs"][0]
}

/// The URL that names the server alone, for a list of URLs.
fn origin(server: &Server) -> String {
    format!("http://127.0.0.1:{}/", server.port())
}
