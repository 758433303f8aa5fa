//! The direction in which the crate's data flows, held in place: who may import whom.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Modules that put the others together, and may use all.
const FREE: [&str; 3] = ["lib", "main", "tasks"];

/// Each other module of the crate, and the modules it may use.
const MAY_IMPORT: [(&str, &[&str]); 13] = [
    ("args", &[]),
    ("plan", &["args", "strerror"]),
    ("record", &[]),
    ("net", &["plan"]),
    ("proto", &["plan", "net", "record"]),
    ("run", &["plan", "net", "proto", "record", "strerror"]),
    ("stats", &["record"]),
    ("saved", &["plan", "run", "record", "stats"]),
    ("summary", &["plan", "run", "record", "saved", "stats"]),
    ("report", &["summary"]),
    ("hints", &["summary"]),
    ("progress", &["plan", "report", "run", "sink"]),
    ("sink", &["plan", "strerror"]),
];

/// Modules that use no other.
const ALONE: [&str; 2] = ["demo", "strerror"];

/// Crates that stay in some modules.
const CRATES: [(&str, &[&str]); 14] = [
    ("hyper", &["plan", "proto", "hints", "demo"]),
    ("httparse", &["proto"]),
    ("rustls", &["net"]),
    ("tokio_rustls", &["net"]),
    ("hdrhistogram", &["record"]),
    ("flate2", &["record"]),
    ("serde", &["saved", "summary", "report"]),
    ("serde_json", &["saved", "summary", "report"]),
    ("tokio", &["net", "proto", "run", "demo"]),
    ("clap", &["args"]),
    ("clap_complete", &["args"]),
    ("clap_mangen", &["args"]),
    ("dns_lookup", &["net"]),
    ("statrs", &["stats"]),
];

/// Macros that write past the writers which `main` hands over.
const MACROS: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "dbg!"];

/// What is wrong with one source file: line and complaint.
fn complaints(module: &str, text: &str) -> Vec<(usize, String)> {
    let free = FREE.contains(&module);
    let allowed = MAY_IMPORT.iter().find(|(name, _)| *name == module).map(|(_, list)| *list);
    let mut found = Vec::new();
    if !free && allowed.is_none() && !ALONE.contains(&module) {
        found.push((1, format!("the table of tests/it/layers.rs does not know the module {module}")));
    }
    let code = without_comments_and_strings(text);
    // A file ends with its unit tests, and these may compare what the code itself keeps apart.
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    for (at, other) in crate_paths(code) {
        if !free && other != module && !allowed.unwrap_or_default().contains(&other.as_str()) {
            found.push((line(at), format!("{module} may not import {other}")));
        }
    }
    for (name, homes) in CRATES {
        for at in words(code, name) {
            let used = code[at + name.len()..].starts_with("::") || code[..at].trim_end().ends_with("use");
            if used && !homes.contains(&module) {
                found.push((line(at), format!("{name} is for {}, not for {module}", homes.join(", "))));
            }
        }
    }
    for name in MACROS {
        for at in words(code, name) {
            found.push((line(at), format!("{name} writes past the program's writers")));
        }
    }
    found
}

/// Where a word stands that is not part of a longer one.
fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(|c| joins(c) || c == ':') && !after.is_some_and(joins)
    })
}

/// All top modules named by `crate::name` and `crate::{name, ..}`, and where.
fn crate_paths(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in words(code, "crate") {
        let Some(rest) = code[at + 5..].trim_start().strip_prefix("::") else { continue };
        let rest = rest.trim_start();
        if let Some(group) = rest.strip_prefix('{') {
            found.extend(first_names(group).into_iter().map(|name| (at, name)));
        } else {
            found.extend(name_of(rest).map(|name| (at, name)));
        }
    }
    found
}

/// The first name of each path in a `{...}` group whose opening brace is gone.
fn first_names(group: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(name_of(group[start..at].trim_start()));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

fn name_of(path: &str) -> Option<String> {
    let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    // What begins with a capital letter is an item of lib.rs itself; nobody below it may use one.
    (!name.is_empty()).then_some(name)
}

/// The code with comments, strings and character literals blanked out, line breaks kept.
fn without_comments_and_strings(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        let length = match rest {
            ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['r', '#' | '"', ..] if !code.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                raw_string(rest)
            }
            ['"', ..] => quoted(rest, '"'),
            ['\'', '\\', ..] => quoted(rest, '\''),
            ['\'', _, '\'', ..] => 3,
            _ => 0,
        };
        if length == 0 {
            code.push(rest[0]);
            at += 1;
        } else {
            code.extend(rest[..length].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at += length;
        }
    }
    code
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Length of a raw string; 0 if it is none (`r#name`).
fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = 2 + hashes;
    let found = rest[body..].windows(end.len()).position(|part| part == end);
    found.map_or(rest.len(), |at| body + at + end.len())
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn data_flows_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut report = String::new();
    for path in sources(&src) {
        let inner = path.strip_prefix(&src).unwrap();
        let top = inner.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let module = top.strip_suffix(".rs").unwrap_or(&top);
        for (line, complaint) in complaints(module, &std::fs::read_to_string(&path).unwrap()) {
            writeln!(report, "src/{}:{line}: {complaint}", inner.display()).unwrap();
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn forbidden_imports_are_found() {
    const NOTHING: [usize; 0] = [];
    let found = |module: &str, text: &str| {
        complaints(module, text).into_iter().map(|(line, _)| line).collect::<Vec<_>>()
    };
    assert_eq!(found("record", "use std::io;\nuse crate::plan::Plan;\n"), [2]);
    assert_eq!(found("stats", "use crate::{record::{Phase, Micros}, plan, run::RunResult};\n"), [1, 1]);
    assert_eq!(found("stats", "use crate::record::Phase;\nuse crate::stats::x;\nuse super::y;"), NOTHING);
    assert_eq!(found("report", "fn f() { let x = crate::run::y(); }"), [1]);
    assert_eq!(found("demo", "\n#[cfg(test)]\nmod tests { use crate::plan; }"), NOTHING);
    assert_eq!(
        found("args", "// crate::plan\n/* crate::plan\n /* */ */ const X: &str = \"crate::plan\";"),
        NOTHING
    );
    assert_eq!(
        found("args", "const X: &str = r#\"crate::plan \" \"#; const Q: char = '\"'; use crate::plan;"),
        [1]
    );
    assert_eq!(
        found("stats", "use tokio::net;\nfn f<'a>(x: &'a str) { clap::parse() }\nlet tokio_like = 1;"),
        [1, 2]
    );
    assert_eq!(found("net", "use dns_lookup;\nuse tokio::net;\n#[tokio::main]"), NOTHING);
    assert_eq!(
        found("main", "use crate::plan; fn main() { println!(\"x\"); writeln!(f, \"println!\"); }"),
        [1]
    );
    assert_eq!(found("other", ""), [1]);
    assert_eq!(found("lib", "pub(crate) mod x;"), NOTHING);
}
