//! Connections: names become addresses, addresses become open streams that count their bytes.
//!
//! In come the plan's [`Network`](crate::plan::Network) and [`Tls`](crate::plan::Tls), out go [`Stream`]s. What is
//! said on a stream is not known here, and what lies below it (TCP or a unix socket, a tunnel, TLS) is known nowhere else.

mod address;
mod connect;
mod limits;
mod meter;
mod resolve;
mod room;
mod route;
mod socket;
mod stream;
mod text;
mod tls;
mod tunnel;

pub use address::Address;
pub use limits::raise_open_files;
pub use meter::Meter;
pub use resolve::LookupError;
pub use route::{DialError, Route, RouteError};
pub use stream::Stream;
pub use tls::{Certificate, Handshake, HandshakeError, refusal};
pub use tunnel::TunnelError;
