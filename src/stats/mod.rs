//! Figures made from a recording.
//!
//! In comes what [`record`](crate::record) kept of a run; out go the numbers that a report shows. All arithmetic is
//! here, so that two formats of the same run cannot disagree.
//!
//! [`ab`] and [`html`] are ab's arithmetic. The rest is about several runs: how far apart repeats of one run are
//! ([`spread`], [`trend`]), whether a change is more than that ([`compare`]), how small a change this machine can show
//! ([`mod@calibrate`]), and where more load stops to give more throughput ([`mod@knee`]).

pub mod ab;
pub mod calibrate;
pub mod compare;
pub mod html;
pub mod knee;
mod run_figures;
pub mod spread;
mod student;
pub mod trend;

pub use run_figures::{Metric, RunFigures};
