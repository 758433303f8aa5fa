//! What the program can be asked to do: one file a task.
//!
//! In comes what was typed, out goes an exit code; in between plans are made, runs are made, reports are printed and files
//! written. Each run of every task is made by [`rig`], so that a run of a series is a run like any other. How often, in
//! which order and over which loads are numbers in the loops of these files.

mod benchmark;
mod calibrate;
mod outcome;
mod rig;
mod series;
mod store;
mod sweep;
mod versus;

pub(crate) use benchmark::benchmark;
pub(crate) use calibrate::calibrate;
pub(crate) use outcome::hint;
pub(crate) use versus::versus;
