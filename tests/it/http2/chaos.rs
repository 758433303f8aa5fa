//! Servers that do anything at all, as dice say: a run comes to its end, every request is counted once, and what the
//! server did can be found in the counts.

use std::fs;
use std::sync::{Arc, Mutex};

use super::http2;
use crate::support::http2::frame::{Frame, code, flag, kind, setting};
use crate::support::http2::{Link, Plan, Request, Then, data, head};
use crate::support::rab::Done;
use crate::support::report::Counts;

/// Numbers that look like chance and are the same every time (a linear congruential generator).
#[derive(Debug, Clone)]
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        dice.below(2);
        dice
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What is done to a request: it is its own matter, and everybody agrees on what that comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Good,
    Status,
    Longer,
    Reset,
    CutShort,
    Malformed,
    Refused,
    /// Answered with the next one, or at the end.
    Late,
}

const FATES: [Fate; 8] = [
    Fate::Good,
    Fate::Status,
    Fate::Longer,
    Fate::Reset,
    Fate::CutShort,
    Fate::Malformed,
    Fate::Refused,
    Fate::Late,
];

fn befall(link: &mut Link, stream: u32, fate: Fate) {
    match fate {
        Fate::Good => link.answer(stream, 200, b"hello"),
        Fate::Status => link.answer(stream, 503, b"sorry"),
        Fate::Longer => link.answer(stream, 200, b"hello, world"),
        Fate::Reset => link.reset(stream, code::INTERNAL_ERROR),
        Fate::CutShort => {
            link.head(stream, 200, &[("content-length", "9")]);
            link.data(stream, b"hello", true);
        }
        Fate::Malformed => link.bare(stream, 200, &[("content-length", "x")]),
        Fate::Refused => link.reset(stream, code::REFUSED_STREAM),
        Fate::Late => {}
    }
}

/// A request more, or less, of its kind.
fn count(counts: &mut Counts, fate: Fate) {
    counts.complete += u64::from(fate != Fate::Refused);
    match fate {
        Fate::Status => counts.non_2xx += 1,
        Fate::Longer => counts.length += 1,
        Fate::Reset | Fate::CutShort => counts.receive += 1,
        Fate::Malformed => counts.exceptions += 1,
        Fate::Good | Fate::Late | Fate::Refused => {}
    }
}

/// The lines of `--samples`, checked: phases add up, and no wait is longer than its request.
fn assert_samples(file: &tempfile::NamedTempFile, complete: u64, done: &Done) {
    let text = fs::read_to_string(file.path()).unwrap();
    assert_eq!(text.lines().count() as u64, complete + 1, "{done}");
    for line in text.lines().skip(1) {
        let numbers: Vec<u64> = line.split(',').skip(2).take(4).map(|word| word.parse().unwrap()).collect();
        let [connect, processing, waiting, total] = numbers[..] else { panic!("{line}") };
        assert!(connect + processing == total && waiting <= processing, "{line}\n{done}");
    }
}

#[test]
fn what_befalls_each_request_is_counted_in_its_class() {
    const REQUESTS: usize = 120;
    for seed in 0..24 {
        let mut dice = Dice::new(seed);
        let streams = 2 + dice.below(9);
        let counts = Arc::new(Mutex::new(Counts::default()));
        let (log, dice) = (Arc::clone(&counts), Mutex::new(dice));
        let plan = Plan::by(move |link, request| {
            let mut counts = log.lock().unwrap();
            let rolled = dice.lock().unwrap().below(FATES.len() as u64);
            let mut fate = FATES[usize::try_from(rolled).unwrap()];
            // The first one says how long documents are, and the last one ends the wait of all others.
            let is_last = counts.complete + 1 == REQUESTS as u64;
            if request.number == 0 || is_last {
                fate = Fate::Good;
            }
            count(&mut counts, fate);
            if fate != Fate::Late || is_last || link.waiting().len() as u64 == streams {
                for stream in link.waiting().into_iter().filter(|stream| *stream != request.stream) {
                    link.answer(stream, 200, b"hello");
                }
            }
            befall(link, request.stream, fate);
            Then::Keep
        });
        let samples = tempfile::NamedTempFile::new().unwrap();
        let options =
            format!("-n {REQUESTS} --streams {streams} -s 10 --samples {}", samples.path().display());
        let server = plan.start();
        let done = http2(&options, &server);
        assert_eq!(done.good_report().counts(), *counts.lock().unwrap(), "seed {seed}\n{done}");
        assert_eq!(server.connections().len(), 1, "seed {seed}\n{done}");
        assert_samples(&samples, REQUESTS as u64, &done);
    }
}

/// Something that may concern the whole connection.
#[allow(clippy::cast_possible_truncation, reason = "parts of a number by chance")]
fn disturb(link: &mut Link, request: &Request, dice: &mut Dice) -> Then {
    let id = request.stream;
    let number = u32::try_from(dice.below(1 << 31)).unwrap();
    match dice.below(24) {
        0 => link.go_away(id, code::NO_ERROR),
        1 => link.go_away(0, code::NO_ERROR),
        2 => link.go_away(i32::MAX as u32, code::NO_ERROR),
        3 => link.go_away(id.saturating_sub(2), code::ENHANCE_YOUR_CALM),
        4 => link.settings(&[(setting::MAX_CONCURRENT_STREAMS, number % 6)]),
        5 => link.settings(&[(setting::INITIAL_WINDOW_SIZE, number)]),
        6 => link.settings(&[(setting::MAX_FRAME_SIZE, number)]),
        7 => link.ping(number.to_be_bytes().repeat(2).try_into().unwrap()),
        8 => link.frames(&[Frame::new(kind::PUSH_PROMISE, flag::END_HEADERS, id, [0, 0, 0, 2, 0x82])]),
        9 => link.frames(&[Frame::new((number >> 8) as u8, number as u8, number >> 20, [7; 33])]),
        10 => link.raw(&number.to_be_bytes()),
        11 => link.frames(&[Frame::new(kind::WINDOW_UPDATE, 0, id, [0; 4])]),
        12 => link.frames(&[Frame::new(kind::CONTINUATION, 0, id, [0x88])]),
        13 => link.frames(&[Frame::new(kind::HEADERS, 0, id, [0x88])]),
        14 => link.frames(&[Frame::new(kind::DATA, flag::END_STREAM, id.saturating_sub(2), b"late")]),
        15 => link.frames(&(0..200).map(|_| data(id, b"", false)).collect::<Vec<_>>()),
        16 => link.frames(&[head(id, 200, &[]), head(id, 200, &[])]),
        17 => (0..50).for_each(|_| link.head(id, 103, &[])),
        18 => link.trailers(id, &[("x-a", "1")]),
        19 => link.reset(number | 1, code::CANCEL),
        20 => return Then::Close,
        21 => return Then::Reset,
        _ => {}
    }
    Then::Keep
}

#[test]
fn whatever_befalls_the_connections_the_run_ends_and_adds_up() {
    const REQUESTS: u64 = 60;
    let body = tempfile::NamedTempFile::new().unwrap();
    fs::write(body.path(), vec![b'd'; 90_000]).unwrap();
    let post = format!("-p {}", body.path().display());
    for seed in 0..30 {
        let mut dice = Dice::new(1000 + seed);
        let method = ["", "-i", &post][usize::try_from(dice.below(3)).unwrap()];
        let way = ["", "-k", "--streams 3", "--streams 8", "-c 2 --streams 4 -W 2"];
        let way = way[usize::try_from(dice.below(5)).unwrap()];
        let calm = dice.below(8) + 1;
        let dice = Mutex::new(dice);
        let plan = Plan::by(move |link, request| {
            let mut dice = dice.lock().unwrap();
            let mut then = Then::Keep;
            if request.number > 0 && dice.below(calm) == 0 {
                then = disturb(link, request, &mut dice);
            }
            let fate = match dice.below(12) {
                0 if request.number > 0 => FATES[usize::try_from(dice.below(FATES.len() as u64)).unwrap()],
                _ => Fate::Good,
            };
            befall(link, request.stream, fate);
            then
        });
        let server = plan.start();
        let samples = tempfile::NamedTempFile::new().unwrap();
        let options = format!("-n {REQUESTS} -r -s 1 {method} {way} --samples {}", samples.path().display());
        let done = http2(&options, &server);
        let counts = done.good_report().counts();
        assert_eq!(counts.complete, REQUESTS, "seed {seed}\n{done}");
        let failed = counts.connect + counts.receive + counts.length + counts.exceptions;
        assert!(failed <= REQUESTS && counts.connect == 0, "seed {seed}\n{done}");
        assert_samples(&samples, REQUESTS, &done);
    }
}
