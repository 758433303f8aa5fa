//! `rab report`: the reports of saved runs, as they were printed when the runs ended.

use std::ffi::OsString;

use super::outcome::hint;
use super::read::read;
use crate::args::{Args, Refusal};
use crate::plan::{Output, UNBOUNDED};
use crate::report as form;
use crate::run::Ending;
use crate::saved::Run;
use crate::sink::Console;
use crate::summary::{Asides, Summary};

/// From what was typed to the exit code. All files are read before anything is printed.
pub(crate) fn report(args: &Args, files: &[OsString], console: &Console) -> Result<u8, Refusal> {
    let mut output = Output::new(args, &mut Vec::new())?;
    // Asked for here is what there is, also of a run that an error ended.
    output.partial = true;
    let runs: Vec<Vec<Run>> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    for run in runs.iter().flatten() {
        let summary = Summary::new(run, &output, Asides::default());
        let (conditions, ending) = (&run.conditions, &run.ending);
        let has_progress = output.progress_interval(conditions.load.requests.unwrap_or(UNBOUNDED)).is_some();
        let proxy = conditions.network.proxy().map(|proxy| proxy.to_string());
        let host = &conditions.target.host;
        console.out(form::opening(&output, host, proxy.as_deref(), has_progress));
        if let Ending::Failed(fatal) = ending {
            console.err(format!("{fatal}\n"));
        }
        console.out(form::closing(&output, ending, summary.complete, has_progress));
        console.out(form::report(&summary, &output));
        hint(&output, &summary, console);
    }
    Ok(0)
}
