//! What ab prints on standard output around its report: the banner, what is benchmarked, how that ended.
//!
//! Scripts count these lines, so they are part of the report, though they come at another time. A report in JSON stands
//! alone.

use super::banner;
use crate::summary::{Ending, Output};

/// What stands before anything is sent: who speaks, and, but for HTML as in ab, what is benchmarked. The line stays open
/// if no progress lines follow on standard error. `through` is the proxy.
pub fn opening(output: &Output, host: &str, through: Option<&str>, has_progress: bool) -> String {
    if output.json.is_some() {
        return String::new();
    }
    let is_html = output.html.is_some();
    let banner = if output.banner { banner(is_html) } else { String::new() };
    if is_html {
        return banner;
    }
    let through = through.map(|proxy| format!(" [through {proxy}]")).unwrap_or_default();
    let end = if has_progress { "\n" } else { "..." };
    format!("{banner}Benchmarking {host}{through} (be patient){end}")
}

/// What follows when the run has ended. The report begins with the line ends that follow this.
pub fn closing(output: &Output, ending: &Ending, complete: u64, has_progress: bool) -> String {
    match ending {
        _ if output.json.is_some() => String::new(),
        Ending::Complete | Ending::TimeLimit if !has_progress => "..done\n".to_owned(),
        Ending::Failed(_) if complete > 0 => format!("Total of {complete} requests completed\n"),
        Ending::Complete | Ending::TimeLimit | Ending::Interrupted(_) | Ending::Failed(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::fixture;

    #[test]
    fn lines_around_the_report_are_ab_s() {
        let mut output = Output { banner: false, ..fixture::plan().output };
        assert_eq!(opening(&output, "h", None, false), "Benchmarking h (be patient)...");
        let through = opening(&output, "h", Some("p:80"), true);
        assert_eq!(through, "Benchmarking h [through p:80] (be patient)\n");
        let complete = Ending::Complete;
        assert_eq!([false, true].map(|has| closing(&output, &complete, 5, has)), ["..done\n", ""]);
        output.json = Some(Vec::new());
        assert_eq!([opening(&output, "h", None, false), closing(&output, &complete, 5, false)], ["", ""]);
    }
}
