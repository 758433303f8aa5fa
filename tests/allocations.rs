//! A request on a reused connection allocates nothing: what it needs was there before.
//!
//! This is a binary of its own since its allocator, which counts, is that of the whole process; for the same reason the
//! run is made in here, and the server does not allocate either while it answers.

// The allowances of clippy.toml cover test functions; what stands beside them is test code as well.
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rab::Surroundings;
use rab::sink::Console;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// A response whose head can be made unlike the one before, by a number that is counted up in its digits.
const RESPONSE: &[u8] =
    b"HTTP/1.1 200 OK\r\nServer: plain\r\nX-Request-Id: 00000000\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello";

/// Where the digits end.
const LAST_DIGIT: usize = 53;

/// Adds one to a decimal number.
fn count_up(response: &mut [u8]) {
    for digit in response[..=LAST_DIGIT].iter_mut().rev() {
        *digit += 1;
        if *digit <= b'9' {
            return;
        }
        *digit = b'0';
    }
}

/// Answers the requests of one connection; none is longer than the buffer, and none comes before the last was answered.
fn serve(mut connection: TcpStream, numbered: bool) -> io::Result<()> {
    let (mut request, mut response) = ([0; 1024], [0; RESPONSE.len()]);
    response.copy_from_slice(RESPONSE);
    while connection.read(&mut request)? > 0 {
        connection.write_all(&response)?;
        if numbered {
            count_up(&mut response);
        }
    }
    Ok(())
}

/// Allocations within a run of so many requests, and all that is around it.
fn allocations(requests: u32, numbered: bool) -> u64 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for connection in listener.incoming() {
            thread::spawn(move || serve(connection?, numbered));
        }
    });
    let line = format!("-q -k -c 4 -W 1 --engine wire -n {requests} {url}");
    let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let console = Arc::new(Console::new(Box::new(io::sink()), Box::new(io::sink())));
    let before = dhat::HeapStats::get().total_blocks;
    assert_eq!(rab::run(words, &console, Surroundings { err_is_terminal: false }), 0);
    dhat::HeapStats::get().total_blocks - before
}

#[test]
fn a_request_on_a_reused_connection_allocates_nothing() {
    assert_eq!(&RESPONSE[LAST_DIGIT - 7..=LAST_DIGIT], b"00000000");
    let _counting = dhat::Profiler::builder().testing().build();
    // What the process allocates once, it has allocated then.
    allocations(100, false);
    for numbered in [false, true] {
        let (few, many) = (allocations(1_000, numbered), allocations(11_000, numbered));
        // A histogram grows when a request takes longer than any before, which is no matter of their number.
        assert!(many < few + 100, "{few} for 1000 requests, {many} for 11000, numbered: {numbered}");
    }
}
