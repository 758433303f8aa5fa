//! Connections: names become addresses, addresses become open streams that count their bytes.
//!
//! In comes the plan's [`Network`](crate::plan::Network) and [`Target`](crate::plan::Target), out go [`Stream`]s.
//! What is said on a stream is not known here.

mod limits;
mod resolve;
mod route;
mod stream;

pub use limits::raise_open_files;
pub use resolve::LookupError;
pub use route::{DialError, Route};
pub use stream::{Meter, Stream};
