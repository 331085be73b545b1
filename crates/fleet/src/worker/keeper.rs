//! The thread that renews leases, breaks off what is no longer wanted, says that this worker lives, and empties the outbox.

use super::{LOOK, Shared, held};
use crate::{
    WorkerBuild,
    dispatcher::committed,
    queue::{RunState, WHOLE_FLEET},
};
use std::{
    sync::atomic::Ordering::Relaxed,
    thread,
    time::{Duration, Instant},
};

/// Between two looks at commit marks.
const MARKS: Duration = Duration::from_secs(5);
/// Between two announcements of what a worker does, where that changes.
const NEWS: Duration = Duration::from_secs(1);
/// Results that are sent again in one go: the rest waits for the next.
const RESENT_MAX: usize = 64;

/// Keeps the worker's affairs in order until it has ended.
pub(super) fn keep(shared: &Shared<'_>) {
    let timing = shared.queue.timing();
    let marks_every = MARKS.min(timing.again / 2);
    let (mut last_beat, mut last_marks) = (Instant::now(), None::<Instant>);
    let (mut last_news, mut told) = (Instant::now(), None);
    while !shared.is_over.load(Relaxed) {
        break_off(shared);
        if last_beat.elapsed() >= timing.beat {
            last_beat = Instant::now();
            beat(shared);
        } else if last_news.elapsed() >= NEWS {
            last_news = Instant::now();
            let doing = doing(shared);
            if told.as_ref() != Some(&doing) {
                announce(shared);
                told = Some(doing);
            }
        }
        if last_marks.is_none_or(|last| last.elapsed() >= marks_every) {
            last_marks = Some(Instant::now());
            empty_outbox(shared);
        }
        thread::sleep(LOOK);
    }
    // What was committed while the last units were done need not be sent again.
    empty_outbox(shared);
}

/// Breaks off units that nobody wants, or all when the worker stops.
fn break_off(shared: &Shared<'_>) {
    let view = shared.queue.view();
    if view.is_stopped(WHOLE_FLEET) && !shared.was_told.swap(true, Relaxed) {
        shared.changed.notify_all();
    }
    let is_stopping = shared.is_stopping();
    for active in held(&shared.active).values() {
        if is_stopping || !shared.wants(&view, &active.lease.run) {
            active.stop.raise();
        }
    }
}

/// Renews the leases, and says that this worker lives.
fn beat(shared: &Shared<'_>) {
    let leases: Vec<_> = held(&shared.active).values().map(|active| active.lease.clone()).collect();
    for lease in leases {
        // A lease that is lost costs a second run of the unit and nothing else.
        let _ = shared.queue.extend(&lease);
    }
    announce(shared);
}

/// What changes in the state of a worker: the units that it has, how many it has done, and what it built.
fn doing(shared: &Shared<'_>) -> (Vec<u64>, [u64; 2], Vec<WorkerBuild>) {
    let units = held(&shared.active).keys().copied().collect();
    (units, [shared.done.load(Relaxed), shared.faults.load(Relaxed)], shared.files.built.told())
}

/// Says what this worker is and does.
fn announce(shared: &Shared<'_>) {
    if let Err(error) = shared.queue.announce(&shared.status()) {
        tracing::debug!(target: "fleet", "{error}");
    }
}

/// Drops what is committed or wanted no more, and sends the rest again from time to time.
fn empty_outbox(shared: &Shared<'_>) {
    if shared.outbox.count() == 0 {
        return;
    }
    let view = shared.queue.view();
    for run in shared.outbox.runs() {
        let state = view.runs.iter().find(|record| record.id == run).map(|record| record.state);
        let is_over = matches!(state, Some(RunState::Cancelled | RunState::Ended | RunState::Failed));
        if is_over || view.is_excluded(&run, &shared.name, &shared.id) {
            shared.outbox.drop_run(&run, None);
        } else if let Ok(units) = committed(shared.queue, &run) {
            shared.outbox.drop_run(&run, Some(&units));
        }
    }
    for (run, index) in shared.outbox.due(shared.queue.timing().again).into_iter().take(RESENT_MAX) {
        let is_known = view.runs.iter().any(|record| record.id == run);
        let Some(result) = shared.outbox.get(&run, index).filter(|_| is_known) else { continue };
        if shared.queue.put_result(&run, &result).is_err() {
            return;
        }
        shared.outbox.note_sent(&run, index);
    }
}
