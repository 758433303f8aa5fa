//! What the tests share.

pub(crate) mod access_log;
pub(crate) mod apache;
pub(crate) mod certificate;
pub(crate) mod daemon;
pub(crate) mod express;
pub(crate) mod http2;
pub(crate) mod needs;
pub(crate) mod nginx;
pub(crate) mod ports;
pub(crate) mod rab;
pub(crate) mod redact;
pub(crate) mod report;
pub(crate) mod saved;
pub(crate) mod server;
pub(crate) mod tls;
