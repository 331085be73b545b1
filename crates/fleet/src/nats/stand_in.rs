//! Stand-ins for workers: they speak to a real server as workers do and do nothing in place of a unit, a hundred to a connection, so that one machine can say what a
//! server and a coordinator carry. For measurements and tests alone.

use super::NatsQueue;
use crate::{
    FLEET_PROTOCOL, FleetError, LeaseTiming,
    dispatcher::retry,
    key::server_named,
    queue::{Lease, UnitQueue, WorkerStatus},
};
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    ops::Range,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::{Interrupt, units::UnitResult};

/// Between two questions for a unit, where there is none.
const AGAIN: Duration = Duration::from_millis(500);
/// Between two looks at whether the run is wanted, as workers look.
const LOOK: Duration = Duration::from_millis(100);

/// What stand-ins have in common, and what becomes of them.
#[derive(Debug, Default)]
pub struct StandIns {
    /// Units under way.
    pub busy: AtomicU64,
    /// Stand-ins that have said that they are here.
    pub here: AtomicU64,
    /// Questions that the server did not answer in time: they are asked again.
    pub late: AtomicU64,
    /// Whether they are to end.
    pub is_over: AtomicBool,
    /// When the last connection heard that nothing more is wanted, in microseconds since the beginning.
    pub stopped_us: AtomicU64,
    /// Connections that have heard it.
    pub stopped: AtomicU64,
}

/// A worker that is none.
struct StandIn {
    status: WorkerStatus,
    lease: Option<(Lease, Instant)>,
    told: Instant,
}

fn status(number: u64) -> WorkerStatus {
    WorkerStatus {
        name: format!("stand-in-{number}"),
        id: format!("id-{number}"),
        host: "nowhere".into(),
        jobs: 1,
        noisy: false,
        protocol: FLEET_PROTOCOL,
        // As nobody has said another one where stand-ins work.
        version: env!("CARGO_PKG_VERSION").into(),
        kinds: vec!["nothing".into()],
        cores: 8,
        memory_mib: Some(16_384),
        processor: Some("A processor with a name of usual length".into()),
        instruction_sets: ["sse4.1", "popcnt", "avx", "avx2", "bmi2", "fma"].map(String::from).to_vec(),
        cards: Vec::new(),
        sandbox: None,
        speed: 1.0,
        busy: Vec::new(),
        done: 0,
        faults: 0,
        note: None,
        builds: Vec::new(),
        silent_seconds: 0.0,
    }
}

impl StandIn {
    /// Does what is due, and says when it is due again.
    fn step(&mut self, queue: &NatsQueue, shared: &StandIns, run: &str, unit: Duration) -> Duration {
        let beat = queue.timing().beat;
        match self.lease.take() {
            Some((lease, until)) if Instant::now() >= until => {
                let result = UnitResult {
                    index: lease.unit.index,
                    worker: self.status.name.clone(),
                    worker_id: self.status.id.clone(),
                    // As long as a pair of games.
                    outcome: Ok(vec![b'x'; 600]),
                };
                // A worker's outbox sends it again, too.
                if queue.put_result(run, &result).is_err() {
                    shared.late.fetch_add(1, Relaxed);
                    self.lease = Some((lease, until));
                    return AGAIN;
                }
                let _ = queue.settle(&lease);
                shared.busy.fetch_sub(1, Relaxed);
                self.status.done += 1;
                self.status.busy.clear();
                Duration::ZERO
            }
            Some((lease, until)) => {
                let _ = queue.extend(&lease);
                self.announce(queue);
                self.lease = Some((lease, until));
                until.saturating_duration_since(Instant::now()).min(beat)
            }
            None => {
                let lease = queue.lease(run, Duration::ZERO).unwrap_or_else(|_| {
                    shared.late.fetch_add(1, Relaxed);
                    None
                });
                if lease.is_none() && self.told.elapsed() < beat {
                    return AGAIN;
                }
                let is_new = lease.is_some();
                self.lease = lease.map(|lease| (lease, Instant::now() + unit));
                self.status.busy.extend(self.lease.iter().map(|(lease, _)| (run.to_string(), lease.unit.index)));
                shared.busy.fetch_add(u64::from(is_new), Relaxed);
                self.announce(queue);
                if is_new { unit.min(beat) } else { AGAIN }
            }
        }
    }

    fn announce(&mut self, queue: &NatsQueue) {
        self.told = Instant::now();
        let _ = queue.announce(&self.status);
    }
}

impl StandIns {
    /// Joins the fleet at `url` as the workers of these numbers, over one connection, and does units of `run`, each of which takes `unit`, until the run is cancelled
    /// or all is over. `began`: the beginning of all of them.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses a worker.
    pub fn work(
        &self,
        url: &str,
        numbers: Range<u64>,
        (run, unit, began): (&str, Duration, Instant),
    ) -> Result<(), FleetError> {
        let queue = NatsQueue::connect(&server_named(url)?, LeaseTiming::default())?;
        let mut all = Vec::new();
        for number in numbers {
            let stand_in = StandIn { status: status(number), lease: None, told: Instant::now() };
            retry(&Interrupt::new(), || queue.join(&stand_in.status))?;
            self.here.fetch_add(1, Relaxed);
            all.push(stand_in);
        }
        // Not all at the same moment.
        let spread = |place: usize| began.elapsed() + unit.mul_f64(place as f64 / all.len().max(1) as f64);
        let mut due: BinaryHeap<_> = (0..all.len()).map(|place| Reverse((spread(place), place))).collect();
        while !self.is_over.load(Relaxed) {
            let view = queue.view();
            if !view.is_wanted(run) && view.runs.iter().any(|record| record.id == run) {
                self.stopped_us.fetch_max(began.elapsed().as_micros() as u64, Relaxed);
                self.stopped.fetch_add(1, Relaxed);
                return Ok(());
            }
            let Some(Reverse((when, place))) = due.pop() else { return Ok(()) };
            let wait = when.saturating_sub(began.elapsed());
            if wait > LOOK {
                due.push(Reverse((when, place)));
                thread::sleep(LOOK);
                continue;
            }
            thread::sleep(wait);
            let next = all[place].step(&queue, self, run, unit);
            due.push(Reverse((began.elapsed() + next, place)));
        }
        Ok(())
    }
}
