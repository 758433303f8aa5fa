//! Many requests, many connections, a long time: what must not grow, must not be lost, and must be said.
//!
//! What a debug build cannot do in a few seconds is ignored here, and run with a release build by `.ci/run`.

mod client;
