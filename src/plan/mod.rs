//! What will be done.
//!
//! In comes [`Args`](crate::args::Args), what was typed. Out goes a [`Plan`]: immutable and validated as far as that is
//! possible without touching the network. Everything after this module reads the plan and none of the options. The
//! plan is split by its readers: [`Target`] and [`Requests`] for the exchange, [`Load`] for the run, [`Network`] and
//! [`Tls`] for the connections, [`Output`] for what people see.

mod asked;
mod bodies;
mod body;
mod build;
mod ciphers;
mod common;
mod course;
mod files;
mod http2;
mod identity;
mod list;
mod load;
mod location;
mod network;
mod output;
mod pem;
mod prepare;
#[cfg(test)]
mod real_lines;
mod request;
mod requests;
mod shuffle;
mod suites;
mod target;
#[cfg(test)]
pub(crate) mod testing;
mod tls;
mod tunnel;

pub use crate::args::{Measure, Operator, Percent, Rule, Unit, WarmUp};
pub use course::{Course, Sweep};
pub use files::{FileFormat, SideFile};
pub use identity::Identity;
pub use load::{Load, UNBOUNDED};
pub use network::{Destination, Network, Place};
pub use output::{Attributes, Output};
pub use request::{Field, ForHyper, Request, Version};
pub use requests::Requests;
pub use suites::{SUITES, Suite};
pub use target::{Scheme, Target};
pub use tls::{Tls, Trust};

/// One benchmark, whole: what is asked, how often, over which connections, and what is shown of it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where the document is, or the first of many.
    pub target: Target,
    /// What is sent for it, or for each of many.
    pub requests: Requests,
    /// How many requests, how many at once, for how long.
    pub load: Load,
    /// How connections are made.
    pub network: Network,
    /// How TLS is spoken; `None` for http.
    pub tls: Option<Tls>,
    /// What is printed, and which files are written.
    pub output: Output,
    /// Rules that the run must not make true (`--fail-if`).
    pub gates: Vec<Rule>,
    /// Remarks about the command line that are worth a `hint:` line at the end of the run, in whole sentences and
    /// without that prefix.
    pub remarks: Vec<String>,
}
