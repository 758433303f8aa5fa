//! How several runs follow one another.
//!
//! In come the options about several runs, out goes a [`Course`], before anything is sent. Each run of it has a
//! [`Plan`] like any other: what changes from run to run is a number in the plan.

use std::time::Duration;

use super::{FileFormat, Load, Output, Plan};
use crate::args::{Args, Refusal, Rule, WarmUp};

/// The requests of a warm-up that only time ends: more than any machine makes.
const UNTIL_TIME: u64 = 1_000_000_000_000;

/// How often, how far apart, over which loads.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Runs of each step (`--repeat`), at least 1. Of a comparison, pairs.
    pub repeat: usize,
    /// Time between the end of one run and the start of the next (`--cool-down`).
    pub cool_down: Duration,
    /// What comes before the first run, and does not count (`--warm-up`).
    pub warm_up: Option<WarmUp>,
    /// The loads to go through (`--sweep`).
    pub sweep: Option<Sweep>,
    /// What decides by chance in which order things are done (`--seed`); `None` leaves it to whoever runs the course.
    pub seed: Option<u64>,
}

/// A run, or several, at each of some loads.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Connections at a time, in the order of the steps; at least one step.
    pub concurrencies: Vec<u64>,
    /// The steps go on while all of these hold (`--until`).
    pub until: Vec<Rule>,
}

impl Course {
    /// The course of a benchmark: one run, unless options say otherwise. Usage errors where these do not go together,
    /// among themselves or with the form of the report.
    pub fn new(args: &Args) -> Result<Self, Refusal> {
        let several = &args.several;
        let refuse = |message: &str| Err(Refusal::usage(message));
        if several.sweep.is_none() && several.until.is_some() {
            return refuse("--until ends a --sweep, and there is none");
        }
        if several.sweep.is_none() && several.repeat.is_none() && several.cool_down.is_some() {
            return refuse("--cool-down is between runs: of --repeat or --sweep, of which none is given");
        }
        if several.sweep.is_some() {
            fits_sweep(args)?;
        }
        Ok(Self::of(args, 1))
    }

    /// The course of a task that repeats its runs so often, unless `--repeat` says otherwise.
    pub fn of(args: &Args, repeat: usize) -> Self {
        let several = &args.several;
        let until = several.until.clone().unwrap_or_default();
        let sweep = several.sweep.clone().map(|concurrencies| Sweep { concurrencies, until });
        Self {
            repeat: several.repeat.unwrap_or(repeat),
            cool_down: several.cool_down.unwrap_or_default(),
            warm_up: several.warm_up,
            sweep,
            seed: several.seed,
        }
    }
}

/// A sweep prints a table as it goes, and has a concurrency of its own.
fn fits_sweep(args: &Args) -> Result<(), Refusal> {
    for (given, option) in [
        (args.json, "--json"),
        (args.html, "-w (or -x, -y, -z)"),
        (args.gnuplot.is_some(), "-g"),
        (args.csv.is_some(), "-e"),
        (args.samples.is_some(), "--samples"),
    ] {
        if given {
            let refusal =
                Refusal::usage(format!("--sweep prints a row a step and leaves no room for {option}"));
            return Err(refusal.hint("--save FILE keeps every step, and rab report shows each from there"));
        }
    }
    if !args.judging.fail_if.is_empty() {
        return Err(Refusal::usage("--fail-if judges one run; a --sweep ends by --until"));
    }
    if args.concurrency.is_some() {
        return Err(Refusal::usage("--sweep takes the place of -c: give one of them"));
    }
    Ok(())
}

impl Plan {
    /// The same with so many connections at a time. A usage error if that is out of range, or more than the requests.
    pub fn at(&self, concurrency: u64) -> Result<Self, Refusal> {
        Ok(Self { load: self.load.at(concurrency)?, ..self.clone() })
    }

    /// The run that comes before all others, and leaves no files.
    #[must_use]
    pub fn warm_up(&self, warm_up: WarmUp) -> Self {
        let (requests, time_limit) = match warm_up {
            WarmUp::Requests(requests) => (requests, None),
            WarmUp::Time(time) => (UNTIL_TIME, Some(time)),
        };
        let most = usize::try_from(requests).unwrap_or(usize::MAX);
        let concurrency = self.load.concurrency.min(most);
        let load = Load { requests, time_limit, concurrency, ..self.load.clone() };
        let output = Output { quiet: true, files: Vec::new(), json: None, ..self.output.clone() };
        Self { load, output, ..self.clone() }
    }

    /// The same without ab's lines of progress, for one of several runs.
    #[must_use]
    pub fn without_progress(&self) -> Self {
        Self { output: Output { quiet: true, ..self.output.clone() }, ..self.clone() }
    }

    /// The same with another name for the file of `--save`: what it is called, before its extension, and this.
    #[must_use]
    pub fn saved_apart(&self, suffix: &str) -> Self {
        let mut output = self.output.clone();
        for file in output.files.iter_mut().filter(|file| file.format == FileFormat::SavedRun) {
            let mut name = file.path.file_stem().unwrap_or_default().to_owned();
            name.push(suffix);
            if let Some(extension) = file.path.extension() {
                name.push(".");
                name.push(extension);
            }
            file.path.set_file_name(name);
        }
        Self { output, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Invocation, parse};
    use crate::plan::testing::plan;
    use std::ffi::OsString;

    fn course(line: &str) -> Result<Course, String> {
        match parse(line.split_whitespace().map(OsString::from)) {
            Ok(Invocation::Run(args)) => Course::new(&args).map_err(|refusal| refusal.message),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn one_run_unless_more_are_asked_for() {
        let one = course("h/").unwrap();
        assert_eq!((one.repeat, one.cool_down, one.warm_up, one.sweep), (1, Duration::ZERO, None, None));
        let several = course("--repeat 5 --cool-down 2 --warm-up 100 h/").unwrap();
        assert_eq!((several.repeat, several.cool_down), (5, Duration::from_secs(2)));
        assert_eq!(several.warm_up, Some(WarmUp::Requests(100)));
        let sweep = course("--sweep 1..10 --until p95<1s h/").unwrap().sweep.unwrap();
        assert_eq!((sweep.concurrencies, sweep.until.len()), (vec![1, 2, 5, 10], 1));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (line, words) in [
            ("--until p95<1s", "--until ends a --sweep"),
            ("--cool-down 1s", "--cool-down is between runs"),
            ("--sweep 1,2 --fail-if rps<1", "--fail-if judges one run"),
            ("--sweep 1,2 -c 2", "--sweep takes the place of -c"),
            ("--sweep 1,2 --json", "no room for --json"),
            ("--sweep 1,2 -w", "no room for -w"),
            ("--sweep 1,2 -e no/e", "no room for -e"),
        ] {
            assert!(course(&format!("{line} h/")).unwrap_err().contains(words), "{line}");
        }
    }

    #[test]
    fn a_step_has_its_own_concurrency_within_ab_s_bounds() {
        let plan = plan("-n 100 h/").unwrap();
        assert_eq!(plan.at(100).unwrap().load.concurrency, 100);
        let refused = |concurrency| plan.at(concurrency).unwrap_err().message;
        assert_eq!(refused(101), "Cannot use concurrency level greater than total number of requests");
        assert_eq!(refused(200_001), "Invalid Concurrency [Range 1..200000]");
    }

    #[test]
    fn a_warm_up_has_a_load_of_its_own_and_no_files() {
        let plan = plan("-n 100 -c 10 -t 9 --save no/s h/").unwrap();
        let few = plan.warm_up(WarmUp::Requests(4));
        assert_eq!((few.load.requests, few.load.concurrency, few.load.time_limit), (4, 4, None));
        assert!(few.output.files.is_empty());
        let time = plan.warm_up(WarmUp::Time(Duration::from_secs(3))).load;
        assert_eq!(
            (time.requests, time.concurrency, time.time_limit),
            (UNTIL_TIME, 10, Some(Duration::from_secs(3)))
        );
    }

    #[test]
    fn a_side_has_its_own_file() {
        for (path, expected) in
            [("d/runs.json", "d/runs-a.json"), ("runs", "runs-a"), ("a.b.json", "a.b-a.json")]
        {
            let plan = plan(&format!("--save {path} h/")).unwrap().saved_apart("-a");
            assert_eq!(plan.output.files[0].path.to_str(), Some(expected));
        }
    }
}
