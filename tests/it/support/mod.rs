//! What the tests share.

pub(crate) mod needs;
pub(crate) mod nginx;
pub(crate) mod rab;
pub(crate) mod redact;
pub(crate) mod report;
pub(crate) mod server;
pub(crate) mod tls;
