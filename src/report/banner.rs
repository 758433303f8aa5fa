//! The banner: who speaks, on as many lines as ab's, so that scripts that count lines find the report where it was.

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Three lines and an empty one.
pub fn banner() -> String {
    format!(
        "This is rab, Version {VERSION}, which reports as ApacheBench, Version 2.3, does\n\
         Copyright 2026 the rab developers\n\
         Licensed under the Apache License, Version 2.0, http://www.apache.org/licenses/LICENSE-2.0\n\
         \n"
    )
}
