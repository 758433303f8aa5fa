//! What a careful colleague would point out after a run.
//!
//! In comes a [`Summary`], out go lines for standard error. ab reports numbers and leaves their reading to people; a
//! hint names the usual cause of an odd number, and the option to use. The rules stand by subject: why the run ended,
//! where connections went, what was answered, how connections were used, whether the client could keep up.

mod addresses;
mod answers;
mod client;
mod connections;
mod ending;
mod harmless;
mod token;
mod urls;

use crate::summary::Summary;

/// A hint's condition and its text; `None` if there is nothing to point out.
type Rule = fn(&Summary) -> Option<String>;

/// All rules, in the order in which their hints are printed.
const RULES: [Rule; 27] = [
    addresses::no_connection,
    addresses::no_tunnel,
    ending::reset,
    ending::not_http2,
    ending::ports_used_up,
    ending::too_many_files,
    ending::silence,
    ending::unreported,
    ending::unsaved,
    ending::cap_before_clock,
    answers::tls,
    answers::lengths,
    answers::cut_short,
    answers::status,
    answers::changed,
    urls::failures,
    urls::statuses,
    urls::no_table,
    token::expired,
    connections::keep_alive_refused,
    connections::resent,
    connections::stream_limit,
    connections::late,
    connections::idle_close,
    connections::write_errors,
    addresses::shares,
    client::limit,
];

/// The hints about a run, then the remarks about its command line. The caller prints each on standard error as a line
/// that starts with `hint: `, unless `-q` is given.
///
/// Each is one line without control characters, and free of what scripts look for in a report that is merged with
/// standard error: no label of ab's, and no number before a percent sign. That holds for quoted text as well, such as
/// a server's `Location`.
pub fn hints(summary: &Summary) -> Vec<String> {
    let found = RULES.iter().filter_map(|rule| rule(summary));
    let remarks = summary.circumstances.remarks.iter().cloned();
    found.chain(remarks).map(|hint| harmless::harmless(&hint)).collect()
}

/// A number and a noun: `1 request`, `2 requests`.
fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
