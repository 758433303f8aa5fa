//! rab is ab for today: the same options and the same report, with every core, flat memory, and answers counted
//! right.

pub mod args;
pub mod net;
pub mod plan;
pub mod proto;
pub mod record;
pub mod run;
