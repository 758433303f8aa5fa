//! A worker's thread: its runtime, its share of the slots, and the watch over them.

use std::future::Future;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::lane::Lane;
use super::pulse::Pulse;
use super::shared::Shared;
use super::slot::{LOOKS, Slot};
use super::worker::{Part, Worker};

/// Runs the slots of these numbers (counted over the whole run) until there are no tickets left or the run ends.
pub(super) fn run(shared: &Arc<Shared>, slots: impl Iterator<Item = usize>) -> io::Result<Part> {
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
    let worker = Rc::new(Worker::new(Arc::clone(shared)));
    let slots: Vec<(usize, Rc<Slot>)> = slots.map(|number| (number, Rc::default())).collect();
    let pulse = Pulse::new(&worker, &slots);
    runtime.block_on(async {
        let mut lanes = JoinSet::new();
        for (number, slot) in &slots {
            lanes.spawn_local(live(Rc::clone(&worker), *number, Rc::clone(slot)));
        }
        tokio::select! {
            // Once the run has ended, nothing else is to be recorded.
            biased;
            _ = shared.ending.wait() => {}
            () = watch(&slots, shared.plan.load.silence) => {}
            () = pulse.beat(), if shared.plan.output.needs_detail() => {}
            () = async { while lanes.join_next().await.is_some() {} } => {}
        }
    });
    pulse.last();
    // The lanes end here, those too that are in the middle of a request.
    drop(runtime);
    let mut part = worker.take_part();
    part.recording.received = slots.iter().map(|(_, slot)| slot.meter.received()).sum();
    part.recording.sent = slots.iter().map(|(_, slot)| slot.meter.sent()).sum();
    Ok(part)
}

/// One slot's life.
async fn live(worker: Rc<Worker>, number: usize, slot: Rc<Slot>) {
    tokio::select! {
        biased;
        () = turn(&worker.shared, number) => Lane::new(&worker, slot).run().await,
        // Its turn has not come, and there is nothing left to do.
        () = worker.shared.exhausted.wait() => {}
    }
    worker.report();
}

/// Waits for a slot's turn: the first connection of a run goes alone; when its first response head has come, the address
/// is known to work and the others start, all at once or one after the other.
fn turn(shared: &Shared, number: usize) -> impl Future<Output = ()> {
    let ramp = shared.plan.load.ramp.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX));
    async move {
        if number > 0 {
            shared.first_head.wait().await;
            if !ramp.is_zero() {
                sleep(ramp).await;
            }
        }
    }
}

/// Looks after silent slots, for ever.
async fn watch(slots: &[(usize, Rc<Slot>)], limit: Duration) {
    let interval = (limit / LOOKS).max(Duration::from_millis(1));
    loop {
        sleep(interval).await;
        for (_, slot) in slots {
            slot.look();
        }
    }
}
