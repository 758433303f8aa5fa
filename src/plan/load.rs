//! How much, how many at once, and for how long.

use std::time::Duration;

use crate::args::{Args, Refusal, Version};

/// The range of `-c`: ab's, but for its 0, which makes no request.
const CONCURRENCY: std::ops::RangeInclusive<i64> = 1..=200_000;

/// What `--demo` does unless other numbers are given: enough for a report worth reading, in about a second.
const DEMO: (u64, u64) = (10_000, 10);

/// The number of requests of a run that only time ends.
pub const UNBOUNDED: u64 = u64::MAX / 2;

/// Worker threads unless `-W` says otherwise: one, as ab has.
///
/// Measured on two cores with nginx on the same two: a second worker costs up to 19 % more processor time a request, as
/// each look at the network finds less to do, and changes the requests a second by -6 to +18 %. Where one is too little, the
/// measured time of its thread tells (see the hints), and nothing has to be guessed from the address.
const WORKERS: usize = 1;

/// Seconds of silence after which a connection has timed out, unless `-s` says otherwise, as ab.
const SILENCE: Duration = Duration::from_secs(30);

/// ab's message.
const ABOVE_REQUESTS: &str = "Cannot use concurrency level greater than total number of requests";

/// The load of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// The run ends when so many requests are complete (`-n`; 50,000 after `-t`; [`UNBOUNDED`] for `--duration`). At
    /// least 1.
    pub requests: u64,
    /// The run ends after this time (`-t`, `--duration`), if the requests have not come to an end before.
    pub time_limit: Option<Duration>,
    /// Connections at a time (`-c`), 1 to 200,000.
    pub concurrency: usize,
    /// Requests in flight on each of them (`--streams`); 1 but for HTTP/2.
    pub streams: usize,
    /// Worker threads (`-W`); 0 means one a core. More than `concurrency` are not started.
    pub workers: usize,
    /// Time over which connections are opened at the start, evenly (`--ramp-up`; `-R` for each of them); zero opens them
    /// together.
    pub ramp: Duration,
    /// Requests are sent on a schedule of so many a second, all connections together (`--rate`); `None` sends the next
    /// one when there is an answer.
    pub rate: Option<f64>,
    /// A connection without a byte in or out for this long has timed out (`-s`).
    pub silence: Duration,
    /// Connections are used again (`-k`).
    pub keep_alive: bool,
    /// A broken connection fails its request instead of ending the run (`-r`).
    pub tolerate: bool,
    /// Every document must be as long as the first (ab's rule, unless `-l`).
    pub fixed_length: bool,
}

impl Load {
    /// The load that was asked for. `-c` is judged here since ab judges it after the URL: its range first, then
    /// that it is not above the number of requests, whether `-n` or `-t` set that.
    /// Unless they are numbered, there are as many requests as `turns`: one, or one for each line of a list.
    pub(super) fn new(args: &Args, turns: u64) -> Result<Self, Refusal> {
        let of_demo = args.demo && args.urls.is_none();
        let requests = args.requests.unwrap_or(match args.duration {
            Some(_) => UNBOUNDED,
            None if of_demo => DEMO.0,
            None => turns,
        });
        let concurrency = match args.concurrency {
            Some(typed) => Some(typed)
                .filter(|typed| CONCURRENCY.contains(typed))
                .and_then(|typed| u64::try_from(typed).ok())
                .ok_or_else(|| {
                    let (least, greatest) = CONCURRENCY.into_inner();
                    Refusal::usage(format!("Invalid Concurrency [Range {least}..{greatest}]"))
                })?,
            None if args.demo => DEMO.1.min(requests),
            None => 1,
        };
        let streams = args.streams.unwrap_or(1);
        if args.streams.is_some() && args.version != Some(Version::Http2) {
            return Err(Refusal::usage("--streams is for --http2"));
        }
        let in_flight = concurrency.saturating_mul(streams as u64);
        if in_flight > requests {
            let message = "Cannot use concurrency level greater than total number of requests";
            let refusal = Refusal::usage(message);
            return Err(match args.requests {
                _ if concurrency <= requests => {
                    refusal.hint(format!("--streams {streams} makes it {in_flight}"))
                }
                None if args.urls.is_some() => {
                    refusal.hint(format!("without -n each of the {turns} lines of the list has one request"))
                }
                _ => refusal,
            });
        }
        let concurrency = usize::try_from(concurrency).unwrap_or(usize::MAX);
        Ok(Self {
            requests,
            time_limit: time_limit(args)?,
            concurrency,
            streams,
            workers: args.workers.unwrap_or(WORKERS),
            ramp: ramp(args, concurrency)?,
            rate: args.rate,
            silence: args.silence.unwrap_or(SILENCE),
            keep_alive: args.keep_alive,
            tolerate: args.tolerate,
            fixed_length: !args.variable_length,
        })
    }

    /// How long after the start the connection of this number opens.
    pub fn opens_after(&self, number: usize) -> Duration {
        self.ramp.mul_f64(number as f64 / self.concurrency as f64)
    }

    /// Requests in flight at a time: the report's concurrency level.
    pub fn in_flight(&self) -> usize {
        self.concurrency.saturating_mul(self.streams)
    }

    /// The same with so many connections at a time, under the rules of `-c`.
    pub(super) fn at(&self, concurrency: u64) -> Result<Self, Refusal> {
        if !i64::try_from(concurrency).is_ok_and(|concurrency| CONCURRENCY.contains(&concurrency)) {
            let (least, greatest) = CONCURRENCY.into_inner();
            return Err(Refusal::usage(format!("Invalid Concurrency [Range {least}..{greatest}]")));
        }
        if concurrency.saturating_mul(self.streams as u64) > self.requests {
            return Err(Refusal::usage(ABOVE_REQUESTS));
        }
        Ok(Self { concurrency: usize::try_from(concurrency).unwrap_or(usize::MAX), ..self.clone() })
    }
}

/// When the run ends, if time ends it.
fn time_limit(args: &Args) -> Result<Option<Duration>, Refusal> {
    match (args.time_limit, args.duration) {
        (Some(_), Some(_)) => {
            Err(Refusal::usage("-t and --duration are two ends of one run; give one of them"))
        }
        (limit, duration) => Ok(limit.or(duration)),
    }
}

/// The time over which connections are opened.
fn ramp(args: &Args, concurrency: usize) -> Result<Duration, Refusal> {
    match args.ramp_up {
        Some(_) if !args.ramp.is_zero() => {
            Err(Refusal::usage("-R and --ramp-up both say when connections open; give one of them"))
        }
        Some(all) => Ok(all),
        None => Ok(args.ramp.saturating_mul(u32::try_from(concurrency).unwrap_or(u32::MAX))),
    }
}
