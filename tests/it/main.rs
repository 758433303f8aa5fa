//! The integration tests: the built program, from outside, against servers that do what a test tells them.
//!
//! Each module is a subject; `support` holds what they share. A test takes a port that the system picks, waits for
//! events and never for a time to pass (except where time itself is tested), and has a bound on every wait.

// The allowances of clippy.toml cover test functions; what stands in `support` is test code as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod bad_input;
mod connections;
mod demo;
mod engines;
mod events;
mod files;
mod generated;
mod http2;
mod judging;
mod layers;
mod parsers;
mod reach;
mod reports;
mod saved;
mod scale;
mod series;
mod servers;
mod shapes;
mod signals;
mod support;
mod tls;
mod urls;
