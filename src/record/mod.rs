//! What happened, in numbers: a [`Sample`] a request goes into a worker's [`Recording`]; at the end the workers'
//! recordings are merged into one.
//!
//! This module knows no plan, no network and no report. Counts are exact; times go into one histogram a phase, so
//! that memory does not grow with the number of requests. Only where a file is to list them all is a [`Tape`] kept
//! beside, and only where there
//! are many [`Urls`] is it counted by URL.

mod distribution;
mod failure;
mod lengths;
mod recording;
mod sample;
mod share;
mod statuses;
mod streak;
mod tape;
mod urls;

pub use distribution::Distribution;
pub use failure::{Failure, Failures};
pub use lengths::Lengths;
pub use recording::Recording;
pub use sample::{Micros, Outcome, Phase, Planned, Sample, Stamps};
pub use share::Share;
pub use statuses::Statuses;
pub use streak::Streak;
pub use tape::{Entry, Tape};
pub use urls::{MOST_DISTRIBUTIONS, Tally, Urls};
