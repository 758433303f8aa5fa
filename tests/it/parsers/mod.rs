//! The programs and scripts that read ab's output, and what they must find in rab's.
//!
//! Each `pNN` is one such reader, known from its own source and written anew from what it looks for; it is given the
//! output of real runs and must find the right numbers. Counts and bytes are known from the scripted server; times are
//! those of `support::report`, which reads the same text in another way.

// Numbers that are compared stand for the same text, so that they are the same to the last bit.
#![allow(clippy::float_cmp)]

mod contract;
mod files;
mod lines;
pub(crate) mod patterns;
mod pipelines;

use regex::Regex;

use crate::support::rab::{Done, Rab, ask};
use crate::support::report::Report;
use crate::support::server::{Plan, Reply, Server, Step, answer, closing, keeping};

/// A run that readers are tried on, and what is known of it without its report.
pub(crate) struct Case {
    /// Options; the URL comes after them.
    options: String,
    replies: Vec<Reply>,
    facts: Facts,
    /// A file that a run needs until it has ended.
    _body: Option<tempfile::NamedTempFile>,
}

/// What is known of a run beforehand.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    pub(crate) requests: u64,
    pub(crate) concurrency: u64,
    /// Connect, Receive, Length and Exceptions.
    pub(crate) failed: [u64; 4],
    pub(crate) non_2xx: u64,
    pub(crate) kept: Option<u64>,
    /// Length of the first document.
    pub(crate) document: u64,
    /// Bytes of all documents.
    pub(crate) html: u64,
    /// Bytes of all answers.
    pub(crate) transferred: u64,
}

impl Facts {
    pub(crate) fn failures(&self) -> u64 {
        self.failed.iter().sum()
    }
}

/// A run that has ended.
pub(crate) struct Ran {
    pub(crate) done: Done,
    pub(crate) facts: Facts,
    pub(crate) report: Report,
    /// Bytes of all requests, as the server got them.
    pub(crate) sent: u64,
    pub(crate) port: u16,
    /// Options of the run, for messages.
    pub(crate) options: String,
}

impl Case {
    /// As many requests as there are replies, one after the other in this order.
    fn new(options: &str, concurrency: u64, replies: Vec<Reply>) -> Self {
        let requests = replies.len() as u64;
        let sizes: Vec<(u64, u64)> = replies.iter().map(sizes).collect();
        let facts = Facts {
            requests,
            concurrency,
            document: sizes[0].0,
            html: sizes.iter().map(|(body, _)| body).sum(),
            transferred: sizes.iter().map(|(_, all)| all).sum(),
            ..Facts::default()
        };
        let options = format!("-n {requests} -c {concurrency} {options}");
        Self { options, replies, facts, _body: None }
    }

    /// Adds what is known.
    fn knowing(mut self, change: impl FnOnce(&mut Facts)) -> Self {
        change(&mut self.facts);
        self
    }

    fn start(&self) -> Server {
        Plan::sequence(self.replies.clone()).start()
    }

    fn ran(self, server: &Server, done: Done) -> Ran {
        assert_eq!(done.code(), 0, "{done}");
        let report = done.report();
        let sent = server.requests().iter().map(|request| request.len() as u64).sum();
        Ran { done, facts: self.facts, report, sent, port: server.port(), options: self.options }
    }

    /// Runs, with standard output and standard error apart.
    pub(crate) fn run(self) -> Ran {
        let server = self.start();
        let done = ask(&self.options, &server.url());
        self.ran(&server, done)
    }

    /// Runs in a shell that sends standard error where standard output goes.
    pub(crate) fn run_merged(self) -> Ran {
        let server = self.start();
        let done = Rab::shell(&format!("exec \"$RAB\" {} {} 2>&1", self.options, server.url())).run();
        assert_eq!(done.stderr, "", "{done}");
        self.ran(&server, done)
    }
}

/// Bytes of a reply's document, and of the whole reply.
fn sizes(reply: &Reply) -> (u64, u64) {
    let bytes: Vec<u8> = reply
        .iter()
        .flat_map(|step| match step {
            Step::Send(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        })
        .collect();
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
    ((bytes.len() - head) as u64, bytes.len() as u64)
}

/// 404 and a document of this many bytes.
fn missing(length: usize) -> Reply {
    answer("404 Not Found", &[], &vec![b'x'; length], Step::Close)
}

/// Ten requests, two at a time, all good.
pub(crate) fn plain() -> Case {
    Case::new("", 2, vec![closing(1234); 10])
}

/// The same over connections that are kept open.
pub(crate) fn kept() -> Case {
    Case::new("-k", 4, vec![keeping(50); 20]).knowing(|facts| facts.kept = Some(20))
}

/// The same in HTTP/1.1.
pub(crate) fn newer() -> Case {
    Case::new("-k --http1.1", 4, vec![keeping(50); 20]).knowing(|facts| facts.kept = Some(20))
}

/// Answers of other lengths and of other statuses.
pub(crate) fn mixed() -> Case {
    let mut replies = vec![closing(100); 12];
    replies.splice(3..6, [closing(101), missing(100), missing(7)]);
    Case::new("", 1, replies).knowing(|facts| (facts.failed, facts.non_2xx) = ([0, 0, 2, 0], 2))
}

/// Connections that break, and a run that goes on.
pub(crate) fn broken() -> Case {
    let mut replies = vec![closing(100); 9];
    replies.splice(4..6, [vec![Step::Reset], vec![Step::Reset]]);
    Case::new("-r", 3, replies).knowing(|facts| facts.failed = [0, 2, 0, 0])
}

/// A body that is sent with POST.
pub(crate) fn posting() -> Case {
    let body = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(body.path(), b"{\"a\": 1}").unwrap();
    let options = format!("-T application/json -p {}", body.path().display());
    Case { _body: Some(body), ..Case::new(&options, 3, vec![closing(64); 6]) }
}

/// So many requests that there are lines of progress.
pub(crate) fn many() -> Case {
    Case::new("", 5, vec![closing(300); 200])
}

/// Documents of any length.
pub(crate) fn any_length() -> Case {
    let replies = (1..=15).map(closing).collect();
    Case::new("-l", 1, replies)
}

/// One request, which has no table of percentages.
pub(crate) fn one() -> Case {
    Case::new("", 1, vec![closing(5)])
}

/// Slow enough for times that are not 0 when they are rounded to milliseconds.
pub(crate) fn slow() -> Case {
    let mut reply = closing(2000);
    reply.insert(0, Step::Wait(std::time::Duration::from_millis(12)));
    Case::new("", 4, vec![reply; 24])
}

/// All runs that have a full report.
pub(crate) fn all() -> Vec<Case> {
    vec![plain(), kept(), newer(), mixed(), broken(), posting(), many(), any_length(), slow()]
}

/// A run in which nothing came to its end; the text of its two streams together.
pub(crate) fn nothing_finished() -> Done {
    let server = Plan::always(vec![Step::Hang]).start();
    Rab::shell(&format!("exec \"$RAB\" -t 1 -c 2 {} 2>&1", server.url())).run()
}

/// The groups of a pattern that must match once and no more.
pub(crate) fn once<'a>(text: &'a str, pattern: &str) -> Vec<&'a str> {
    let found: Vec<_> = Regex::new(pattern).unwrap().captures_iter(text).collect();
    assert_eq!(found.len(), 1, "{pattern} in\n{text}");
    found[0].iter().skip(1).map(|group| group.map_or("", |group| group.as_str())).collect()
}

/// The first group of the first match of a pattern.
pub(crate) fn first<'a>(text: &'a str, pattern: &str) -> Option<&'a str> {
    Some(Regex::new(pattern).unwrap().captures(text)?.get(1)?.as_str())
}

/// The first group of the first match, as a number.
pub(crate) fn number(text: &str, pattern: &str) -> Option<f64> {
    first(text, pattern).map(|found| found.parse().unwrap_or_else(|_| panic!("{pattern} finds {found}")))
}

/// What a shell pipeline makes of a text, without the line end.
pub(crate) fn piped(text: &str, pipeline: &str) -> String {
    let done = Rab::shell(pipeline).input(text.as_bytes()).run();
    assert_eq!(done.stderr, "", "{done}");
    done.stdout.trim_end_matches('\n').to_owned()
}

/// Lines of a text, of which each is a number.
pub(crate) fn numbers(text: &str) -> Vec<f64> {
    text.lines().map(|line| line.parse().unwrap_or_else(|_| panic!("{line:?} in {text:?}"))).collect()
}
