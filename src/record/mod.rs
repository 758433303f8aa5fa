//! What happened, in numbers: a [`Sample`] a request goes into a worker's [`Recording`]; at the end the workers'
//! recordings are merged into one.
//!
//! This module knows no plan, no network and no report. Counts are exact; times go into one histogram a phase, so
//! that memory does not grow with the number of requests. Only where a file is to list them all is a [`Tape`] kept
//! beside, only where there are many [`Urls`] is it counted by URL, and only where a run is to be saved or shown as JSON
//! is there a [`Detail`].

mod buckets;
mod cause;
mod detail;
mod distribution;
mod encoding;
mod exact;
mod failure;
mod lengths;
mod phases;
mod recording;
mod sample;
mod series;
mod share;
mod statuses;
mod streak;
mod tape;
mod urls;

pub use buckets::Buckets;
pub use cause::{Cause, Causes};
pub use detail::Detail;
pub use distribution::Distribution;
pub use encoding::Corrupt;
pub use exact::Exact;
pub use failure::{Failure, Failures};
pub use lengths::Lengths;
use phases::Phases;
pub use recording::Recording;
pub use sample::{Micros, Outcome, Phase, Planned, Sample, Stamps};
pub use series::{Series, Slot};
pub use share::Share;
pub use statuses::Statuses;
pub use streak::Streak;
pub use tape::{Entry, Tape};
pub use urls::{MOST_DISTRIBUTIONS, Tally, Urls};
