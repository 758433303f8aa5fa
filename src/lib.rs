//! rab: ApacheBench for today.
//!
//! Data flows one way, an arrow a module:
//!
//! ```text
//! argv -> Args -> Plan -> run -> samples -> Recording -> Summary -> reports
//! ```

pub mod args;
pub mod plan;
pub mod record;
pub mod run;
