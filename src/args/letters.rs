//! One option at its place: what it sets, and ab's rules about what came before it.

use std::ffi::OsStr;
use std::time::Duration;

use super::typed::{Args, Credentials, Engine, Version};
use super::values::{
    addresses, connect_to, credentials, duration, integer, line, method, protocol, proxy, rate, some_time,
    unix_socket, within,
};
use super::{Percent, Refusal, several, shown};

/// What `-t` sets `-n` to, as ab.
const TIMED_REQUESTS: u64 = 50_000;

/// The most requests: months of work, and far below where a percentage of them would leave 64 bits.
const MOST_REQUESTS: i64 = 1_000_000_000_000;

/// The most worker threads.
const MOST_WORKERS: i64 = 1024;

/// The most requests in flight on one connection: more than any server takes.
const MOST_STREAMS: i64 = 10_000;

/// The greatest seed: any greater number would be read as the one after it.
const GREATEST_SEED: i64 = i64::MAX - 1;

/// The range of a C `int`, ab's type for all numbers.
const INT: i64 = i32::MAX as i64;

/// Takes one option into account, after all those in front of it. `value` means nothing for a switch.
pub(super) fn apply(args: &mut Args, option: &str, value: &OsStr) -> Result<(), Refusal> {
    match option {
        "n" => args.requests = Some(requests(value)?),
        "c" => args.concurrency = Some(integer(option, value)?),
        "t" => time_limit(args, within(option, value, 0..=INT)?),
        "s" => args.silence = Some(Duration::from_secs(within(option, value, 1..=INT)?)),
        "W" => args.workers = Some(within(option, value, 0..=MOST_WORKERS)?),
        "R" => args.ramp = Duration::from_millis(within(option, value, 0..=INT)?),
        "k" => args.keep_alive = true,
        "r" => args.tolerate = true,
        "l" => args.variable_length = true,
        "i" => first_method(args, "HEAD")?,
        "p" | "u" => {
            first_method(args, if option == "p" { "POST" } else { "PUT" })?;
            args.body = Some(value.to_owned());
        }
        "m" => args.method = Some(method(value)?),
        "T" => args.content_type = Some(line(option, value)?),
        "C" => args.cookies.push(line(option, value)?),
        "H" => args.headers.push(line(option, value)?),
        "A" => args.credentials.push(Credentials::Server(credentials(option, value)?)),
        "P" => args.credentials.push(Credentials::Proxy(credentials(option, value)?)),
        "http1.0" => args.version = Some(Version::Http10),
        "http1.1" => args.version = Some(Version::Http11),
        "http2" => args.version = Some(Version::Http2),
        "streams" => {
            args.streams = Some(within(option, value, 1..=MOST_STREAMS)?);
            args.keep_alive = true;
        }
        "rate" => args.rate = Some(rate(option, value)?),
        "ramp-up" => args.ramp_up = Some(duration(option, value)?),
        "duration" => args.duration = Some(some_time(option, value)?),
        "engine" => args.engine = Some(engine(value)?),
        "X" => args.proxy = Some(proxy(value)?),
        "connect-to" => args.connect_to = Some(connect_to(value)?),
        "unix-socket" => args.unix_socket = Some(unix_socket(value)?),
        "all-addresses" => args.all_addresses = true,
        "B" => args.bind.extend(addresses(value)?),
        "b" => args.socket_buffer = Some(within(option, value, 1..=INT)?),
        "demo" => args.demo = true,
        "urls" => args.urls = Some(value.to_owned()),
        "shuffle" => args.shuffle = Some(within(option, value, 0..=GREATEST_SEED)?),
        "by-url" => args.by_url = true,
        _ => return output(args, option, value),
    }
    Ok(())
}

/// The options about what is printed or written, and those about TLS.
fn output(args: &mut Args, option: &str, value: &OsStr) -> Result<(), Refusal> {
    let text = Some(value.to_owned());
    match option {
        "v" => args.verbosity = within(option, value, 0..=INT)?,
        "q" => args.quiet = true,
        "Q" => args.no_banner = true,
        "d" => args.no_percentiles = true,
        "S" => args.no_confidence = true,
        "w" => args.html = true,
        "x" => args.table_attributes = text,
        "y" => args.row_attributes = text,
        "z" => args.cell_attributes = text,
        "g" => args.gnuplot = text,
        "e" => args.csv = text,
        "samples" => args.samples = text,
        "save" => args.save = text,
        "json" => args.json = true,
        "percentiles" => args.percentiles = Some(Percent::list(value)?),
        "fail-if" | "margin" | "anyway" | "strict" | "markdown" => args.judging.apply(option, value)?,
        "partial" => args.partial = true,
        "I" => args.no_server_name = true,
        "f" => args.protocol = Some(protocol(value)?),
        "Z" => args.ciphers = text,
        "E" => args.certificate = text,
        "cert" => args.client_certificate = text,
        "key" => args.client_key = text,
        "verify" => args.verify = true,
        "cacert" => args.trusted = text,
        _ => return several::apply(&mut args.several, option, value),
    }
    args.html |= matches!(option, "x" | "y" | "z");
    Ok(())
}

/// `-n`: ab has a message of its own for what is not above 0.
fn requests(value: &OsStr) -> Result<u64, Refusal> {
    if integer("n", value)? <= 0 {
        return Err(Refusal::bare("Invalid number of requests"));
    }
    within("n", value, 1..=MOST_REQUESTS)
}

/// `-t`: the number of requests changes where it stands, as ab; an earlier `-n` is lost.
fn time_limit(args: &mut Args, seconds: u64) {
    if args.requests.is_some_and(|requests| requests != TIMED_REQUESTS) {
        args.remarks
            .push(format!("-t sets the requests to {TIMED_REQUESTS}; put -n after -t to keep its number."));
    }
    args.requests = Some(TIMED_REQUESTS);
    args.time_limit = Some(Duration::from_secs(seconds)).filter(|limit| !limit.is_zero());
}

/// ab's refusal of `-i`, `-p` or `-u` after another of them or `-m`.
pub(super) fn cannot_mix(method: &str) -> Refusal {
    Refusal::bare(format!("Cannot mix {method} with other methods"))
}

/// `-i`, `-p` and `-u` must be the first to choose a method, as ab.
fn first_method(args: &mut Args, method: &str) -> Result<(), Refusal> {
    if args.method.is_some() {
        return Err(cannot_mix(method));
    }
    args.method = Some(method.to_owned());
    Ok(())
}

fn engine(value: &OsStr) -> Result<Engine, Refusal> {
    match value.to_str() {
        Some("wire") => Ok(Engine::Wire),
        Some("hyper") => Ok(Engine::Hyper),
        _ => Err(Refusal::usage(format!("--engine takes wire or hyper, not '{}'", shown(value)))),
    }
}
