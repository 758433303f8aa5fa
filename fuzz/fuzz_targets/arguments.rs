//! Any words as a command line: nothing panics, a refusal is fit to be printed, and a plan is fit to be sent.
//!
//! Input: the words, with a NUL between them, which no argument can contain.

#![no_main]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use libfuzzer_sys::fuzz_target;
use rab::args::{Invocation, Refusal, parse};
use rab::plan::Plan;

fuzz_target!(|input: &[u8]| {
    let words = input.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
    match parse(words) {
        Ok(Invocation::Run(mut args)) => {
            // Names made up at random must not be read from.
            args.body = None;
            args.urls = None;
            args.certificate = None;
            args.client_certificate = None;
            args.client_key = None;
            args.trusted = None;
            match Plan::new(*args, Some(([127, 0, 0, 1], 9).into())) {
                Ok(plan) => check_plan(&plan),
                Err(refusal) => check_refusal(&refusal),
            }
        }
        Ok(_) => {}
        Err(refusal) => check_refusal(&refusal),
    }
});

fn check_refusal(refusal: &Refusal) {
    assert!(matches!(refusal.status, 1 | 22));
    for line in refusal.hints.iter().chain([&refusal.message]) {
        assert!(!line.is_empty() && !line.contains(char::is_control), "{line:?}");
    }
}

fn check_plan(plan: &Plan) {
    let load = &plan.load;
    assert!((1..=200_000).contains(&load.concurrency) && load.concurrency as u64 <= load.requests);
    assert!(plan.target.port != 0 && !plan.target.host.is_empty() && plan.target.path.starts_with(b"/"));
    let request = plan.requests.first();
    let head = &request.head;
    assert!(head.ends_with(b"\r\n\r\n"));
    // Nothing typed makes a line of its own.
    let ends = head.windows(2).filter(|two| *two == b"\r\n").count();
    assert_eq!(ends, request.fields.len() + 2);
    assert_eq!(head.iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count(), 2 * ends);
    assert!(request.fields.iter().all(|field| !field.line.is_empty()));
}
