//! A worker's thread: its runtime, its share of the connections, and the watch over the slots on them.

use std::future::Future;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::lane::Lane;
use super::link::Link;
use super::pulse::Pulse;
use super::shared::Shared;
use super::slot::{LOOKS, Slot};
use super::worker::{Part, Worker};
use super::{ClockId, Ending, Fatal, cpu_time};

/// Runs the connections of these numbers (counted over the whole run) until there are no tickets left or the run ends.
pub(super) fn run(shared: &Arc<Shared>, connections: impl Iterator<Item = usize>) -> io::Result<Part> {
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
    let worker = {
        let _on_it = runtime.enter();
        Rc::new(Worker::new(Arc::clone(shared))?)
    };
    let streams = shared.plan.load.streams;
    let links: Vec<(usize, Rc<Link>)> =
        connections.map(|number| (number, Rc::new(Link::new(streams)))).collect();
    let pulse = Pulse::new(&worker, &links);
    let mut slots = Vec::with_capacity(links.len() * streams);
    runtime.block_on(async {
        let mut lanes = JoinSet::new();
        for (number, link) in &links {
            for place in 0..streams {
                let slot = Rc::new(Slot::new(Rc::clone(&link.meter)));
                slots.push(Rc::clone(&slot));
                lanes.spawn_local(live(Rc::clone(&worker), *number, place, Rc::clone(link), slot));
            }
        }
        tokio::select! {
            // Once the run has ended, nothing else is to be recorded.
            biased;
            _ = shared.ending.wait() => {}
            () = watch(&slots, shared.plan.load.silence) => {}
            error = worker.pace() => shared.end(Ending::Failed(Fatal::from(error))),
            () = pulse.beat(), if shared.plan.output.needs_detail() => {}
            () = async { while lanes.join_next().await.is_some() {} } => {}
        }
    });
    pulse.last();
    // The lanes end here, those too that are in the middle of a request.
    drop(runtime);
    let mut part = worker.take_part();
    part.recording.received = links.iter().map(|(_, link)| link.meter.received()).sum();
    part.recording.sent = links.iter().map(|(_, link)| link.meter.sent()).sum();
    // The thread was made for this run, so that its clock began with it.
    part.cpu = cpu_time(ClockId::ThreadCPUTime);
    Ok(part)
}

/// The life of one slot: that of this place on the connection of this number.
async fn live(worker: Rc<Worker>, number: usize, place: usize, link: Rc<Link>, slot: Rc<Slot>) {
    tokio::select! {
        biased;
        () = turn(&worker.shared, number, place) => Lane::new(&worker, link, place, slot).run().await,
        // Its turn has not come, and there is nothing left to do.
        () = worker.shared.exhausted.wait() => {}
    }
    worker.report();
}

/// Waits for a slot's turn: the first connection of a run goes alone; when its first response head has come, the address
/// is known to work and the others start, all at once or one after the other.
fn turn(shared: &Shared, number: usize, place: usize) -> impl Future<Output = ()> {
    let ramp = shared.plan.load.opens_after(number);
    async move {
        if (number, place) != (0, 0) {
            shared.first_head.wait().await;
            if !ramp.is_zero() {
                sleep(ramp).await;
            }
        }
    }
}

/// Looks after silent slots, for ever.
async fn watch(slots: &[Rc<Slot>], limit: Duration) {
    let interval = (limit / LOOKS).max(Duration::from_millis(1));
    loop {
        sleep(interval).await;
        for slot in slots {
            slot.look();
        }
    }
}
