//! `rab versus`: two servers, compared by runs in turns.
//!
//! The runs of the sides come in pairs, so that whatever changes on the machine meets both; which of a pair goes first is
//! decided by chance. The verdict is that of `rab compare` on the same runs.

use std::ffi::OsString;
use std::sync::Arc;

use super::compare::{exit_code, form, terms};
use super::rig::Rig;
use super::series::told;
use super::store::Store;
use crate::args::{Args, Refusal, shown};
use crate::plan::{Course, Plan};
use crate::progress::Progress;
use crate::report::comparison::comparison;
use crate::saved::Run;
use crate::sink::Console;
use crate::summary::{Compared, Terms};
use crate::{OUTPUT_LOST, run::Ending};

/// Pairs of runs unless `--repeat` says otherwise.
const PAIRS: usize = 10;

/// The sides, by the names that `--save` gives to their files and messages to their runs.
const SIDES: [(&str, &str); 2] = [("-a", "A"), ("-b", "B")];

/// One of the two servers.
struct Contender<'a> {
    name: &'static str,
    plan: Arc<Plan>,
    progress: Arc<Progress>,
    store: Store<'a>,
    runs: Vec<Run>,
}

/// From what was typed to the exit code. Both URLs are judged before anything is sent.
pub(crate) fn versus(args: &Args, urls: [OsString; 2], console: &Arc<Console>) -> Result<u8, Refusal> {
    let course = Course::of(args, PAIRS);
    let names = urls.each_ref().map(|url| shown(url));
    let plan = |url: OsString| Plan::new(Args { url: Some(url), ..args.clone() }, None);
    let [one, other] = urls;
    let plans = [plan(one)?, plan(other)?];
    let quiet = args.quiet;
    let mut sides = Vec::with_capacity(2);
    for (plan, (suffix, name)) in plans.into_iter().zip(SIDES) {
        let plan = Arc::new(plan.saved_apart(suffix).without_progress());
        let Some(store) = Store::open(&plan, console) else { return Ok(OUTPUT_LOST) };
        let progress = Arc::new(Progress::new(Arc::clone(console), Arc::clone(&plan)));
        sides.push(Contender { name, plan, progress, store, runs: Vec::new() });
    }
    let mut rig = Rig::new(&course, console, quiet);
    in_turns(&mut rig, &course, &mut sides);
    Ok(verdict(&rig, names, sides, args, console))
}

/// Makes the runs, pair by pair.
fn in_turns(rig: &mut Rig<'_>, course: &Course, sides: &mut [Contender<'_>]) {
    // Fewer digits than there could be, since somebody may have to type them.
    let seed = course.seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    rig.say(&format!("The order within the pairs is that of --seed {seed}"));
    let mut chance = fastrand::Rng::with_seed(seed);
    for pair in 1..=course.repeat {
        let mut order: Vec<usize> = (0..sides.len()).collect();
        chance.shuffle(&mut order);
        for at in order {
            let side = &mut sides[at];
            let Some(run) = rig.run(&side.plan, &side.progress) else { return };
            side.runs.push(run);
            rig.say(&told(&format!("Pair {pair} of {}, {}", course.repeat, side.name), side.runs.last()));
            side.store.keep(&side.runs);
        }
    }
}

/// Prints what the runs say, and returns the exit code.
fn verdict(
    rig: &Rig<'_>,
    names: [String; 2],
    mut sides: Vec<Contender<'_>>,
    args: &Args,
    console: &Console,
) -> u8 {
    let mut all_written = true;
    for side in &mut sides {
        all_written &= side.store.write(&side.runs);
    }
    // A pair that was cut short is none.
    let whole = |run: &Run| !matches!(run.ending, Ending::Interrupted(_)) && run.recording.complete > 0;
    let pairs = sides.iter().map(|side| side.runs.iter().take_while(|run| whole(run)).count()).min();
    let pairs = pairs.unwrap_or_default();
    let [before, after] = sides.as_slice() else { return rig.exit_code(all_written, false) };
    if pairs == 0 {
        return rig.exit_code(all_written, false);
    }
    let terms = Terms { other_target: true, ..terms(&args.judging) };
    let compared = Compared::new(names, [&before.runs[..pairs], &after.runs[..pairs]], terms);
    console.out(comparison(&compared, form(args)));
    if rig.was_interrupted() || !all_written {
        return rig.exit_code(all_written, false);
    }
    exit_code(compared.conclusion(), args.judging.strict)
}
