//! What is printed.

/// What is printed, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the command line")]
pub struct Output {
    /// Troubleshooting level (`-v`), 0 to say nothing; levels above 4 are like 4.
    pub verbosity: u32,
    /// No progress lines and no hints (`-q`).
    pub quiet: bool,
    /// The banner opens standard output (not with `-Q`).
    pub banner: bool,
    /// The percentile table is printed (not with `-d`).
    pub percentiles: bool,
    /// Mean, deviation, median and the advice about them are printed (not with `-S`).
    pub confidence: bool,
    /// When an error ends the run, the report of what was complete goes to standard output (`--partial`).
    pub partial: bool,
}
