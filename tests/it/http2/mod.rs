//! HTTP/2 from outside: what is said on the wire, what a server may do to a client, and what comes of it.

mod chaos;
mod choosing;
mod connections;
mod endings;
mod expecting;
mod goodbyes;
mod malformed;
mod output;
mod requests;
mod resets;
mod responses;
mod secured;
mod stamps;
mod streams;
mod together;
mod windows;

use crate::support::http2::Server;
use crate::support::rab::{Done, ask};

/// Runs the program with `--http2` and these options, separated by blanks, against a server.
fn http2(options: &str, server: &Server) -> Done {
    ask(&format!("--http2 {options}"), &server.url())
}
