//! The formats of a report, a file each.
//!
//! In comes a [`Summary`](crate::summary::Summary), out go bytes. A format computes nothing and opens nothing: where the
//! bytes go is decided elsewhere. Bytes, not text, since a path or a `Server` field need not be UTF-8.

mod banner;
mod text;

pub use banner::banner;
pub use text::{Sections, text};
