//! What the program can be asked to do, a file each.
//!
//! In comes what was typed, out goes an exit code; in between plans are made, runs are made or read from files, and what is
//! to be said goes to the console. A task puts the other modules together, as `lib.rs` does, and has no arithmetic and no
//! words of its own. Each run of every task is made by [`rig`], so that a run of a series is a run like any other; how
//! often, in which order and over which loads are numbers in the loops of these files.

mod benchmark;
mod calibrate;
mod check;
mod compare;
mod outcome;
mod read;
mod report;
mod rig;
mod series;
mod store;
mod sweep;
mod versus;

pub(crate) use benchmark::benchmark;
pub(crate) use calibrate::calibrate;
pub(crate) use check::check;
pub(crate) use compare::compare;
pub(crate) use report::report;
pub(crate) use versus::versus;
