//! What the command line may ask for and rab cannot do yet.

use super::{Scheme, Target};
use crate::args::{Args, Refusal};

/// Refuses what is not available yet. Called last, so that a mistake is always named before.
pub(super) fn check(args: &Args, target: &Target) -> Result<(), Refusal> {
    if target.scheme == Scheme::Https && args.proxy.is_some() {
        return Err(Refusal::error("https through a proxy (-X) is not available yet"));
    }
    Ok(())
}
