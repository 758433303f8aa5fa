//! Connections: names become addresses, addresses become open streams that count their bytes.
//!
//! In comes the plan's [`Network`](crate::plan::Network), [`Target`](crate::plan::Target) and
//! [`Tls`](crate::plan::Tls), out go [`Stream`]s.
//! What is said on a stream is not known here.

mod limits;
mod meter;
mod resolve;
mod room;
mod route;
mod stream;
mod tls;

pub use limits::raise_open_files;
pub use meter::Meter;
pub use resolve::LookupError;
pub use route::{DialError, Route, RouteError};
pub use stream::Stream;
pub use tls::{Certificate, Handshake, HandshakeError, refusal};
