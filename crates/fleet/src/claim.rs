//! A coordinator's claim on its run: the commit marks that it alone writes, and the thread that keeps them.

use crate::{
    host::host_name,
    queue::{CommitMarks, QueueError, RunRecord, UnitQueue, WorkerStatus},
    tally::RunTally,
};
use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::Interrupt;
use tesuji_system::is_process_alive;

/// Between two looks at what else may have happened.
pub(crate) const LOOK: Duration = Duration::from_millis(200);
/// Between two looks at who works, and whether the queue lost everything.
pub(crate) const CENSUS: Duration = Duration::from_secs(2);
/// Between two tellings of how the run stands: marks are written more often.
const PROGRESS: Duration = Duration::from_secs(1);

/// What the run and its keeper share.
pub(crate) struct Claim {
    pub(crate) queue: Arc<dyn UnitQueue>,
    pub(crate) record: RunRecord,
    pub(crate) stop: Interrupt,
    pub(crate) marks: Mutex<Marks>,
    pub(crate) changed: Condvar,
    /// Units that all workers together do at a time.
    pub(crate) slots: AtomicUsize,
    pub(crate) is_over: AtomicBool,
}

pub(crate) struct Marks {
    pub(crate) known: CommitMarks,
    pub(crate) revision: u64,
    /// Receipts of units that are committed and not marked yet.
    pub(crate) receipts: Vec<u64>,
    pub(crate) is_dirty: bool,
    /// Why this coordinator may go on no more.
    pub(crate) lost: Option<String>,
    /// What each worker has done.
    pub(crate) tally: RunTally,
    /// When that was told last.
    pub(crate) told: Option<Instant>,
}

impl Claim {
    pub(crate) fn marks(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the marks, if there is anything to say, and drops the results that they are about.
    pub(crate) fn write(&self, is_beat: bool) -> Result<(), QueueError> {
        let (mut wanted, revision, receipts) = {
            let mut marks = self.marks();
            if marks.lost.is_some() || !(is_beat || marks.is_dirty) {
                return Ok(());
            }
            marks.known.beat += 1;
            marks.is_dirty = false;
            let now = Instant::now();
            if is_beat || marks.told.is_none_or(|told| now.duration_since(told) >= PROGRESS) {
                marks.told = Some(now);
                marks.known.progress = marks.tally.progress(now);
            }
            (marks.known.clone(), marks.revision, std::mem::take(&mut marks.receipts))
        };
        let mut written = self.queue.set_marks(&self.record.id, &wanted, revision);
        if let Err(QueueError::Fenced(_) | QueueError::Missing(_)) = &written {
            // An answer may have been lost with what it answered, and a server may have lost its disk: the owner tells.
            written = self.queue.marks(&self.record.id).and_then(|(found, revision)| {
                if revision == 0 || found.owner == wanted.owner {
                    wanted.beat = wanted.beat.max(found.beat + 1);
                    self.queue.set_marks(&self.record.id, &wanted, revision)
                } else {
                    Err(QueueError::Fenced(found.owner))
                }
            });
        }
        let mut marks = self.marks();
        match written {
            Ok(revision) => {
                marks.revision = revision;
                marks.known.beat = wanted.beat;
                drop(marks);
                // One that cannot be dropped now comes again, and is dropped then.
                receipts.into_iter().try_for_each(|receipt| self.queue.discard(receipt))
            }
            Err(error) => {
                marks.is_dirty = true;
                marks.receipts.extend(receipts);
                if let QueueError::Fenced(owner) = &error {
                    marks.lost = Some(format!("another process coordinates this run now ({owner})"));
                }
                Err(error)
            }
        }
    }

    /// Writes marks as they come and beats as they are due, until the run is left.
    pub(crate) fn keep(&self) {
        let mut is_full = false;
        let beat = self.queue.timing().claim / 4;
        let (mut last_beat, mut last_census) = (Instant::now(), None::<Instant>);
        while !self.is_over.load(Relaxed) {
            if last_census.is_none_or(|last| last.elapsed() >= CENSUS) {
                self.count_slots();
                last_census = Some(Instant::now());
            }
            let is_beat = last_beat.elapsed() >= beat;
            let written = self.write(is_beat);
            match &written {
                Ok(()) if is_beat => last_beat = Instant::now(),
                Ok(()) => {}
                Err(error) => {
                    if error.is_disk_full() && !std::mem::replace(&mut is_full, true) {
                        tracing::warn!(target: "fleet", "{error}; waiting until it has room, nothing is lost (Ctrl-C stops)");
                    }
                    tracing::debug!(target: "fleet", "marks of {}: {error}", self.record.name);
                    thread::sleep(LOOK);
                }
            }
            if written.is_ok() && std::mem::replace(&mut is_full, false) {
                tracing::warn!(target: "fleet", "the server has room on its disk again");
            }
            let marks = self.marks();
            if !marks.is_dirty && !self.is_over.load(Relaxed) {
                drop(self.changed.wait_timeout(marks, LOOK.min(beat)));
            }
        }
    }

    /// Whether a worker is here that may take units of this run, and is none of these.
    pub(crate) fn has_others(&self, ids: &[&str]) -> bool {
        let view = self.queue.view();
        let silent = self.queue.timing().lease.as_secs_f64();
        self.able_workers().iter().any(|worker| {
            !ids.contains(&worker.id.as_str())
                && worker.silent_seconds < silent
                && !view.is_excluded(&self.record.id, &worker.name, &worker.id)
        })
    }

    /// The workers that may take units of this run.
    fn able_workers(&self) -> Vec<WorkerStatus> {
        let is_able = |worker: &WorkerStatus| {
            worker.kinds.contains(&self.record.kind)
                && (self.record.nodes_limited || !worker.noisy)
                && worker.version == self.record.version
                && worker.protocol == self.record.protocol
        };
        self.queue.workers().unwrap_or_default().into_iter().filter(is_able).collect()
    }

    pub(crate) fn count_slots(&self) {
        // Where the server does not answer, it is as it was.
        if self.queue.workers().is_ok() {
            self.slots.store(self.able_workers().iter().map(|worker| worker.jobs).sum(), Relaxed);
        }
    }
}

/// Takes over the marks of a run: at once where nobody has them, else when whoever has them leaves or falls silent.
pub(crate) fn claim(
    queue: &dyn UnitQueue,
    record: &RunRecord,
    owner: &str,
    stop: &Interrupt,
) -> Result<(CommitMarks, u64), QueueError> {
    let mut silent_since = Instant::now();
    let mut seen = None;
    let mut was_told = false;
    loop {
        let (marks, revision) = queue.marks(&record.id)?;
        if seen != Some(revision) {
            (seen, silent_since) = (Some(revision), Instant::now());
        }
        let is_free = marks.owner.is_empty()
            || marks.owner == owner
            || is_gone(&marks.owner)
            || silent_since.elapsed() >= queue.timing().claim;
        if is_free {
            let ours = CommitMarks { owner: owner.to_string(), beat: marks.beat + 1, ..marks };
            match queue.set_marks(&record.id, &ours, revision) {
                Ok(revision) => return Ok((ours, revision)),
                Err(QueueError::Fenced(_)) => {}
                Err(error) => return Err(error),
            }
        } else if !was_told {
            tracing::warn!(
                target: "fleet",
                "{} coordinates run {} already; this process stands by and takes over when it is gone", marks.owner, record.name
            );
            was_told = true;
        }
        if stop.is_raised() {
            return Err(QueueError::Refused("stopped".into()));
        }
        thread::sleep(LOOK.min(queue.timing().claim / 4));
    }
}

/// Whether a coordinator was a process of this machine that is there no more.
fn is_gone(owner: &str) -> bool {
    let mut parts = owner.rsplitn(3, ':').skip(1);
    let (process, host) = (parts.next(), parts.next());
    host == Some(&*host_name())
        && process
            .and_then(|process| process.parse().ok())
            .is_some_and(|process: u32| process != std::process::id() && !is_process_alive(process))
}
