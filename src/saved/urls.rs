//! What is known of each URL of a list, as it stands in a file: a line for each, since there may be many.
//!
//! A long list is in a file only where a table of its URLs was asked for (`--by-url`).

use std::sync::Arc;

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::to_raw_value;

use super::Run;
use super::count::Count;
use super::times::Times;
use crate::record::{Tally, Urls};

/// See [`Tally`]; the name is in [`Run::url_names`].
#[derive(Serialize, Deserialize)]
pub(super) struct SavedUrl {
    name: Box<str>,
    complete: Count,
    failed: Count,
    non_2xx: Count,
    sum_us: Count,
    max_us: Count,
    /// To one part in a hundred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<Times>,
}

/// The URLs of a run, as far as they go to its file.
pub(super) fn saved(run: &Run) -> Option<Vec<SavedUrl>> {
    let urls = &run.recording.urls;
    let each = run.url_names.iter().zip(urls.tallies()).enumerate();
    let line = |(number, (name, tally)): (usize, (_, &Tally))| SavedUrl {
        name: Box::clone(name),
        complete: Count(tally.complete),
        failed: Count(tally.failed),
        non_2xx: Count(tally.non_2xx),
        sum_us: Count(tally.sum),
        max_us: Count(tally.max),
        times: urls.times(number).map(Times::from),
    };
    run.saves_urls.then(|| each.map(line).collect())
}

/// What a recording and its run have of the URLs of a list.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) names: Arc<[Box<str>]>,
    pub(super) urls: Urls,
}

/// These URLs, of which the plan has so many.
pub(super) fn restore(saved: Vec<SavedUrl>, count: u64) -> Result<Listed, String> {
    if saved.len() as u64 != count {
        return Err(format!("{} URLs have counts, of {count}", saved.len()));
    }
    let (mut names, mut tallies, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for url in saved {
        if url.name.contains(char::is_control) {
            return Err("the name of a URL has a control character".to_owned());
        }
        names.push(url.name);
        tallies.push(Tally {
            complete: url.complete.0,
            failed: url.failed.0,
            non_2xx: url.non_2xx.0,
            sum: url.sum_us.0,
            max: url.max_us.0,
        });
        times.extend(url.times.map(Times::restore_coarse).transpose()?);
    }
    let urls = Urls::restore(tallies, times).map_err(|corrupt| corrupt.to_string())?;
    Ok(Listed { names: names.into(), urls })
}

/// Writes each URL on a line of its own. For the `serialize_with` of serde.
#[expect(clippy::ref_option, reason = "serde's signature")]
pub(super) fn lines<S: Serializer>(urls: &Option<Vec<SavedUrl>>, serializer: S) -> Result<S::Ok, S::Error> {
    let lines: Option<Result<Vec<_>, _>> = urls.as_ref().map(|urls| urls.iter().map(to_raw_value).collect());
    lines.transpose().map_err(S::Error::custom)?.serialize(serializer)
}
