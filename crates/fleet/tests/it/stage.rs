//! What tests of every queue share: workers in threads, runs of squares, and waiting for what must come.

use crate::kinds::{KINDS, WRONG_KINDS, expected};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tesuji_fleet::{Fleet, LeaseTiming, RunSpec, WorkerEnd, WorkerOptions, run_worker};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, Unit, UnitResult},
};

/// How long a test waits for what must come: long, because machines may be busy, and never waited for where all is well.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Where a fleet is.
pub trait Place {
    /// Another connection to it.
    fn connect(&self) -> Fleet;
}

/// Times for tests.
pub fn quick() -> LeaseTiming {
    LeaseTiming {
        lease: Duration::from_secs(2),
        beat: Duration::from_millis(400),
        listed: Duration::from_secs(6),
        claim: Duration::from_secs(2),
        again: Duration::from_secs(1),
    }
}

pub fn spec(name: &str, request: &str) -> RunSpec {
    RunSpec {
        name: name.into(),
        kind: "squares".into(),
        request: format!("\"{request}\""),
        identity: request.into(),
        nodes_limited: true,
        priority: 1,
        audit: None,
    }
}

pub fn unit(index: u64, body: &str) -> Unit {
    Unit { index, body: body.into() }
}

/// A worker in a thread.
pub struct Worker {
    stop: Interrupt,
    thread: Option<JoinHandle<WorkerEnd>>,
}

impl Worker {
    pub fn start(place: &impl Place, name: &str) -> Worker {
        Worker::start_with(place, name, false, None)
    }

    pub fn start_with(place: &impl Place, name: &str, noisy: bool, folder: Option<PathBuf>) -> Worker {
        let (fleet, stop) = (place.connect(), Interrupt::new());
        let options = WorkerOptions { name: name.into(), jobs: 1, noisy, folder, cards: Vec::new() };
        let (asked, kinds) = (stop.clone(), if name.starts_with("liar") { WRONG_KINDS } else { KINDS });
        let thread = thread::spawn(move || run_worker(&fleet, kinds, &options, &asked).unwrap());
        Worker { stop, thread: Some(thread) }
    }

    pub fn stop(mut self) -> WorkerEnd {
        self.stop.raise();
        self.thread.take().unwrap().join().unwrap()
    }

    /// Waits until it has ended by itself.
    pub fn wait(mut self) -> WorkerEnd {
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.raise();
    }
}

/// The next result.
pub fn next(run: &mut dyn Dispatcher) -> UnitResult {
    let began = Instant::now();
    loop {
        if let Some(result) = run.receive(Duration::from_secs(1)).unwrap() {
            return result;
        }
        assert!(began.elapsed() < PATIENCE, "no result came");
    }
}

/// Waits until something is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Plays a whole run as a coordinator does: each unit once, whatever comes twice.
pub fn play(fleet: &Fleet, name: &str, units: u64) {
    let mut run = fleet.begin(&spec(name, "1")).unwrap();
    let (mut submitted, mut journal) = (0, BTreeMap::new());
    while journal.len() < units as usize {
        while submitted < units && run.room() > 0 {
            run.submit(unit(submitted, "")).unwrap();
            submitted += 1;
        }
        let result = next(&mut *run);
        assert_eq!(result.outcome.as_deref(), Ok(&*expected(result.index, 1)));
        journal.entry(result.index).or_insert(result.worker);
        run.commit(result.index).unwrap();
    }
    let workers: BTreeSet<_> = journal.values().collect();
    assert!(!workers.is_empty());
}
