//! Figures made from a recording.
//!
//! In comes what [`record`](crate::record) kept of a run; out go the numbers that a report shows. All arithmetic is
//! here, so that two formats of the same run cannot disagree.

pub mod ab;
pub mod html;
