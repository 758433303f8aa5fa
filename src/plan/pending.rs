//! What the command line may ask for and rab cannot do yet.

use super::{Scheme, Target};
use crate::args::{Args, Refusal};

/// Refuses what is not available yet. Called last, so that a mistake is always named before.
pub(super) fn check(args: &Args, target: &Target) -> Result<(), Refusal> {
    let wanted = [(target.scheme == Scheme::Https && args.proxy.is_some(), "https through a proxy (-X)")];
    match wanted.into_iter().find(|(asked, _)| *asked) {
        Some((_, what)) => Err(Refusal::error(format!("{what} is not available yet"))),
        None => Ok(()),
    }
}
