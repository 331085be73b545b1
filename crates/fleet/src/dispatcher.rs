//! The coordinator's end of a run: submits units, receives results, marks what is committed, and keeps its claim on the run.

use crate::{
    FleetError, IndexSet,
    queue::{CommitMarks, QueueError, RunRecord, RunState, UnitQueue},
};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, Unit, UnitResult},
};
use tesuji_system::{is_process_alive, machine};

/// Between two looks at what else may have happened.
const LOOK: Duration = Duration::from_millis(200);
/// Between two looks at who works, and whether the queue lost everything.
const CENSUS: Duration = Duration::from_secs(2);
/// Before a server that does not answer is asked again.
const PATIENCE: Duration = Duration::from_millis(500);
/// Units for each that workers do at a time: one under way and one that waits.
const UNITS_EACH: usize = 2;
/// Units that wait for the first worker.
const UNITS_MIN: usize = 2;
/// How long the last marks may take when the run is left; the journal has what they say.
const FAREWELL: Duration = Duration::from_secs(3);

/// What the run and its keeper share.
struct Claim {
    queue: Arc<dyn UnitQueue>,
    record: RunRecord,
    stop: Interrupt,
    marks: Mutex<Marks>,
    changed: Condvar,
    /// Units that all workers together do at a time.
    slots: AtomicUsize,
    is_over: AtomicBool,
}

struct Marks {
    known: CommitMarks,
    revision: u64,
    /// Receipts of units that are committed and not marked yet.
    receipts: Vec<u64>,
    is_dirty: bool,
    /// Why this coordinator may go on no more.
    lost: Option<String>,
}

impl Claim {
    fn marks(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the marks, if there is anything to say, and drops the results that they are about.
    fn write(&self, is_beat: bool) -> Result<(), QueueError> {
        let (mut wanted, revision, receipts) = {
            let mut marks = self.marks();
            if marks.lost.is_some() || !(is_beat || marks.is_dirty) {
                return Ok(());
            }
            marks.known.beat += 1;
            marks.is_dirty = false;
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
    fn keep(&self) {
        let beat = self.queue.timing().claim / 4;
        let (mut last_beat, mut last_census) = (Instant::now(), None::<Instant>);
        while !self.is_over.load(Relaxed) {
            if last_census.is_none_or(|last| last.elapsed() >= CENSUS) {
                self.count_slots();
                last_census = Some(Instant::now());
            }
            let is_beat = last_beat.elapsed() >= beat;
            match self.write(is_beat) {
                Ok(()) if is_beat => last_beat = Instant::now(),
                Ok(()) => {}
                Err(error) => {
                    tracing::debug!(target: "fleet", "marks of {}: {error}", self.record.name);
                    thread::sleep(LOOK);
                }
            }
            let marks = self.marks();
            if !marks.is_dirty && !self.is_over.load(Relaxed) {
                drop(self.changed.wait_timeout(marks, LOOK.min(beat)));
            }
        }
    }

    fn count_slots(&self) {
        let may_work =
            |kinds: &[String], noisy: bool| kinds.contains(&self.record.kind) && (self.record.nodes_limited || !noisy);
        if let Ok(workers) = self.queue.workers() {
            let able = workers.iter().filter(|worker| {
                may_work(&worker.kinds, worker.noisy)
                    && worker.version == self.record.version
                    && worker.protocol == self.record.protocol
            });
            self.slots.store(able.map(|worker| worker.jobs).sum(), Relaxed);
        }
    }
}

/// A unit without a result.
struct Outstanding {
    unit: Unit,
    submitted: Instant,
}

/// A run that this process coordinates.
pub(crate) struct RunDispatcher {
    claim: Arc<Claim>,
    keeper: Option<JoinHandle<()>>,
    incarnation: String,
    outstanding: BTreeMap<u64, Outstanding>,
    /// Receipts of results that are not committed.
    receipts: BTreeMap<u64, Vec<u64>>,
    /// Results of units that this process has not submitted: an earlier one did.
    early: BTreeMap<u64, UnitResult>,
    arrived: VecDeque<UnitResult>,
    is_cancelled: bool,
    last_look: Instant,
    is_waiting: bool,
}

impl RunDispatcher {
    /// Claims the run, waiting for another coordinator to leave or fall silent, and tells workers of it.
    pub(crate) fn begin(
        queue: Arc<dyn UnitQueue>,
        record: RunRecord,
        stop: &Interrupt,
    ) -> Result<RunDispatcher, FleetError> {
        let owner = format!("{}:{}:{}", host_name(), std::process::id(), fresh_name());
        let (marks, revision) = retry(stop, || claim(&*queue, &record, &owner, stop))?;
        retry(stop, || queue.open_run(&record))?;
        retry(stop, || queue.begin_receiving(&record.id))?;
        let incarnation = retry(stop, || queue.incarnation())?;
        let marks = Marks { known: marks, revision, receipts: Vec::new(), is_dirty: false, lost: None };
        let claim = Arc::new(Claim {
            queue,
            record,
            stop: stop.clone(),
            marks: Mutex::new(marks),
            changed: Condvar::new(),
            slots: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        claim.count_slots();
        let kept = claim.clone();
        let keeper = thread::Builder::new().name("fleet-marks".into()).spawn(move || kept.keep());
        let keeper =
            keeper.map_err(|error| FleetError::Queue(format!("no thread for the marks of the run: {error}")))?;
        Ok(RunDispatcher {
            claim,
            keeper: Some(keeper),
            incarnation,
            outstanding: BTreeMap::new(),
            receipts: BTreeMap::new(),
            early: BTreeMap::new(),
            arrived: VecDeque::new(),
            is_cancelled: false,
            last_look: Instant::now(),
            is_waiting: false,
        })
    }

    fn run(&self) -> &str {
        &self.claim.record.id
    }

    /// The error of a run that goes on no more.
    fn check(&self) -> io::Result<()> {
        if let Some(lost) = &self.claim.marks().lost {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, lost.clone()));
        }
        if self.claim.queue.view().is_stopped(self.run()) {
            let words =
                "stopped by `tesuji fleet stop`; what is in the journal stays, and the same command goes on from there";
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, words));
        }
        Ok(())
    }

    /// Says once that the server does not answer, and once that it does again.
    fn say_waiting(&mut self, reason: Option<&QueueError>) {
        match reason {
            Some(reason) if !self.is_waiting => {
                tracing::warn!(target: "fleet", "{reason}; waiting for the server, nothing is lost (Ctrl-C stops)");
            }
            None if self.is_waiting => tracing::warn!(target: "fleet", "the server answers again"),
            _ => {}
        }
        self.is_waiting = reason.is_some();
    }

    /// Hands a unit to the queue, waiting for a server that does not answer.
    fn hand_over(&mut self, unit: &Unit) -> io::Result<()> {
        loop {
            self.check()?;
            match self.claim.queue.submit(self.run(), unit) {
                Ok(_) => {
                    self.say_waiting(None);
                    return Ok(());
                }
                Err(error @ QueueError::Unreachable(_)) => self.say_waiting(Some(&error)),
                Err(QueueError::Missing(_)) => self.make_again()?,
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
            if self.claim.stop.is_raised() {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "stopped while the server did not answer"));
            }
            thread::sleep(PATIENCE);
        }
    }

    /// Makes again what the queue lost; what has no result is submitted again with the next look.
    fn make_again(&mut self) -> io::Result<()> {
        let queue = self.claim.queue.clone();
        let made = queue.open_run(&self.claim.record).and_then(|()| queue.begin_receiving(self.run()));
        match made.and_then(|()| queue.incarnation()) {
            Ok(incarnation) => {
                self.incarnation = incarnation;
                self.claim.marks().is_dirty = true;
                for waiting in self.outstanding.values_mut() {
                    waiting.submitted =
                        Instant::now().checked_sub(Duration::from_secs(86_400)).unwrap_or(waiting.submitted);
                }
                Ok(())
            }
            Err(QueueError::Unreachable(_) | QueueError::Missing(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }

    /// Looks whether the queue lost everything, and submits again what has had no result for long.
    fn look(&mut self) -> io::Result<()> {
        self.check()?;
        if self.last_look.elapsed() < CENSUS.min(self.claim.queue.timing().again) {
            return Ok(());
        }
        self.last_look = Instant::now();
        match self.claim.queue.incarnation() {
            Ok(incarnation) if incarnation == self.incarnation => {}
            Ok(_) | Err(QueueError::Missing(_)) => {
                tracing::warn!(target: "fleet", "the server lost what it had; made again from what is not in the journal");
                self.make_again()?;
            }
            Err(_) => return Ok(()),
        }
        let again = self.claim.queue.timing().again;
        let late = |waiting: &&mut Outstanding| waiting.submitted.elapsed() >= again;
        for waiting in self.outstanding.values_mut().filter(late) {
            match self.claim.queue.submit(&self.claim.record.id, &waiting.unit) {
                Ok(is_new) => {
                    if is_new {
                        tracing::debug!(target: "fleet", "unit {} submitted again", waiting.unit.index);
                    }
                    waiting.submitted = Instant::now();
                }
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Takes what the queue brought; whether it is to be handed on.
    fn take(&mut self, result: &UnitResult, receipt: u64) -> bool {
        let index = result.index;
        if self.claim.marks().known.units.contains(index) {
            // It came late or twice.
            let _ = self.claim.queue.discard(receipt);
            return false;
        }
        self.receipts.entry(index).or_default().push(receipt);
        if self.outstanding.remove(&index).is_some() {
            return true;
        }
        let is_waiting = self.arrived.iter().any(|other| other.index == index);
        if self.receipts.get(&index).is_some_and(|all| all.len() == 1) && !is_waiting {
            self.early.insert(index, result.clone());
        }
        false
    }
}

impl Dispatcher for RunDispatcher {
    fn room(&self) -> usize {
        let most = (self.claim.slots.load(Relaxed) * UNITS_EACH).max(UNITS_MIN);
        most.saturating_sub(self.outstanding.len() + self.arrived.len())
    }

    fn submit(&mut self, unit: Unit) -> io::Result<()> {
        self.check()?;
        // The journal is the truth: it lacks what the marks of an earlier coordinator name.
        if self.claim.marks().known.units.remove(unit.index) {
            self.claim.marks().is_dirty = true;
        }
        if let Some(result) = self.early.remove(&unit.index) {
            self.arrived.push_back(result);
            return Ok(());
        }
        // A result that was received and not wanted makes room for another one.
        for receipt in self.receipts.remove(&unit.index).unwrap_or_default() {
            let _ = self.claim.queue.discard(receipt);
        }
        self.hand_over(&unit)?;
        self.outstanding.insert(unit.index, Outstanding { unit, submitted: Instant::now() });
        Ok(())
    }

    fn receive(&mut self, wait: Duration) -> io::Result<Option<UnitResult>> {
        let deadline = Instant::now() + wait;
        loop {
            if !self.is_cancelled {
                self.look()?;
            }
            if let Some(result) = self.arrived.pop_front() {
                return Ok(Some(result));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.claim.queue.receive(self.run(), left.min(LOOK)) {
                Ok(Some(received)) => {
                    self.say_waiting(None);
                    if self.take(&received.result, received.receipt) {
                        return Ok(Some(received.result));
                    }
                }
                Ok(None) => self.say_waiting(None),
                Err(error @ QueueError::Unreachable(_)) => {
                    self.say_waiting(Some(&error));
                    thread::sleep(left.min(LOOK));
                }
                Err(QueueError::Missing(_)) if !self.is_cancelled => {
                    self.make_again()?;
                    thread::sleep(left.min(LOOK));
                }
                Err(QueueError::Missing(_)) => thread::sleep(left.min(LOOK)),
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
            if Instant::now() >= deadline || self.claim.stop.is_raised() {
                return Ok(None);
            }
        }
    }

    fn commit(&mut self, index: u64) -> io::Result<()> {
        self.outstanding.remove(&index);
        self.early.remove(&index);
        self.arrived.retain(|result| result.index != index);
        let receipts = self.receipts.remove(&index).unwrap_or_default();
        let mut marks = self.claim.marks();
        marks.is_dirty |= marks.known.units.insert(index) || !receipts.is_empty();
        marks.receipts.extend(receipts);
        drop(marks);
        self.claim.changed.notify_all();
        self.check()
    }

    fn cancel(&mut self) -> io::Result<()> {
        self.is_cancelled = true;
        self.outstanding.clear();
        let record = RunRecord { state: RunState::Cancelled, ..self.claim.record.clone() };
        loop {
            match self.claim.queue.close_run(&record) {
                Ok(()) => return Ok(()),
                Err(error @ (QueueError::Unreachable(_) | QueueError::Missing(_))) => self.say_waiting(Some(&error)),
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
            if self.claim.stop.is_raised() {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "stopped while the server did not answer"));
            }
            thread::sleep(PATIENCE);
        }
    }
}

impl Drop for RunDispatcher {
    fn drop(&mut self) {
        self.claim.is_over.store(true, Relaxed);
        self.claim.changed.notify_all();
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
        // What is under way or not committed is wanted when the run goes on; where there is nothing of it, workers may forget the run.
        let is_done = self.outstanding.is_empty() && self.receipts.is_empty() && self.arrived.is_empty();
        if is_done && !self.is_cancelled && self.claim.marks().lost.is_none() {
            let record = RunRecord { state: RunState::Ended, ..self.claim.record.clone() };
            let _ = self.claim.queue.close_run(&record);
        }
        let deadline = Instant::now() + FAREWELL;
        let mut marks = self.claim.marks();
        marks.known.owner.clear();
        marks.is_dirty = true;
        drop(marks);
        while self.claim.write(true).is_err_and(|error| matches!(error, QueueError::Unreachable(_)))
            && Instant::now() < deadline
        {
            thread::sleep(LOOK);
        }
    }
}

/// Takes over the marks of a run: at once where nobody has them, else when whoever has them leaves or falls silent.
fn claim(
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
            let ours = CommitMarks { owner: owner.to_string(), beat: marks.beat + 1, units: marks.units };
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

/// The name of this machine.
pub(crate) fn host_name() -> String {
    machine::host_name().unwrap_or_else(|| "unnamed".into())
}

/// A name that nobody else has.
pub(crate) fn fresh_name() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        use std::hash::{BuildHasher, RandomState};
        // Keyed by the system's own random numbers.
        bytes[..8].copy_from_slice(&RandomState::new().hash_one(std::process::id()).to_le_bytes());
        bytes[8..].copy_from_slice(&RandomState::new().hash_one(1).to_le_bytes());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Does something again while the server does not answer.
pub(crate) fn retry<T>(stop: &Interrupt, mut attempt: impl FnMut() -> Result<T, QueueError>) -> Result<T, FleetError> {
    let mut was_told = false;
    loop {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(_) if stop.is_raised() => return Err(FleetError::Stopped),
            Err(error @ QueueError::Unreachable(_)) => {
                if !was_told {
                    tracing::warn!(target: "fleet", "{error}; waiting for the server (Ctrl-C stops)");
                    was_told = true;
                }
                thread::sleep(PATIENCE);
            }
            Err(error) => return Err(FleetError::Queue(error.to_string())),
        }
    }
}

/// What is marked as committed.
pub(crate) fn committed(queue: &dyn UnitQueue, run: &str) -> Result<IndexSet, QueueError> {
    queue.marks(run).map(|(marks, _)| marks.units)
}
