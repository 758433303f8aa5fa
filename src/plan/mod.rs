//! What will be done.
//!
//! In comes [`Args`](crate::args::Args), what was typed. Out goes a [`Plan`]: immutable and validated as far as that is
//! possible without touching the network. Everything after this module reads the plan and none of the options. The
//! plan is split by its readers: [`Target`] and [`Request`] for the exchange, [`Load`] for the run, [`Network`] and
//! [`Tls`] for the connections, [`Output`] for what people see.

mod body;
mod build;
mod ciphers;
mod course;
mod files;
mod identity;
mod load;
mod location;
mod network;
mod output;
mod pem;
mod pending;
mod prepare;
#[cfg(test)]
mod real_lines;
mod request;
mod suites;
mod target;
#[cfg(test)]
mod testing;
mod tls;

pub use crate::args::{Measure, Operator, Percent, Rule, Unit, WarmUp};
pub use course::{Course, Sweep};
pub use files::{FileFormat, SideFile};
pub use identity::Identity;
pub use load::Load;
pub use network::{Network, Proxy};
pub use output::{Attributes, Output};
pub use request::{Field, Request, Version};
pub use suites::{SUITES, Suite};
pub use target::{Scheme, Target};
pub use tls::{Tls, Trust};

/// One benchmark, whole: what is asked, how often, over which connections, and what is shown of it.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where the document is.
    pub target: Target,
    /// What is sent for it, every time.
    pub request: Request,
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
