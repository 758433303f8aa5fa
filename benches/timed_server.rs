//! A server that takes a set time for each answer, for `verdicts.py`.
//!
//! `timed-server MICROSECONDS` listens on a free loopback port, prints the port, and serves until it is ended. Each
//! connection has a thread, answers every request after so many microseconds, and stays open.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: keep-alive\r\n\r\n\
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

fn main() -> io::Result<()> {
    let typed = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let time = typed.ok_or_else(|| io::Error::other("usage: timed-server MICROSECONDS"))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    writeln!(io::stdout(), "{}", listener.local_addr()?.port())?;
    loop {
        let (stream, _) = listener.accept()?;
        // How a client leaves is its own affair.
        thread::spawn(move || serve(&stream, Duration::from_micros(time)));
    }
}

fn serve(stream: &TcpStream, time: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        // The empty line ends a request, which has no body.
        if line == b"\r\n" {
            thread::sleep(time);
            writer.write_all(ANSWER)?;
        }
    }
}
