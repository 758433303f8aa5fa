//! What the command line may ask for and rab cannot do yet.

use super::{Scheme, Target};
use crate::args::{Args, Refusal};

/// Refuses what is not available yet. Called last, so that a mistake is always named before.
pub(super) fn check(args: &Args, target: &Target) -> Result<(), Refusal> {
    let wanted = [
        (target.scheme == Scheme::Https && args.proxy.is_some(), "https through a proxy (-X)"),
        (args.table_attributes.is_some(), "-x"),
        (args.row_attributes.is_some(), "-y"),
        (args.cell_attributes.is_some(), "-z"),
        (args.html, "-w"),
        (args.gnuplot.is_some(), "-g"),
        (args.csv.is_some(), "-e"),
    ];
    match wanted.into_iter().find(|(asked, _)| *asked) {
        Some((_, what)) => Err(Refusal::error(format!("{what} is not available yet"))),
        None => Ok(()),
    }
}
