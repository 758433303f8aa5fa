//! What the program can be asked to do, a file each.
//!
//! In comes what was typed, out goes an exit code; in between files are read, and what is to be said goes to the console.
//! A task puts the other modules together, as `lib.rs` does, and has no arithmetic and no words of its own.

mod check;
mod compare;
mod read;
mod report;

pub(crate) use check::{BROKEN, check, gates};
pub(crate) use compare::compare;
pub(crate) use report::report;
