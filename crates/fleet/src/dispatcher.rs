//! The coordinator's end of a run: submits units, receives results, and says what is committed.

mod audited;
mod excluded;

use crate::{
    Audit, FleetError, IndexSet,
    audit::{Audits, unit_of},
    claim::{CENSUS, Claim, LOOK, Marks, claim},
    files::FleetFiles,
    host::{fresh_name, host_name},
    queue::{QueueError, RunRecord, RunState, UnitQueue},
    tally::RunTally,
};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, ExcludedWorker, RunStanding, Unit, UnitResult},
};

/// Before a server that does not answer is asked again.
const PATIENCE: Duration = Duration::from_millis(500);
/// Units for each that workers do at a time: one under way and one that waits.
const UNITS_EACH: usize = 2;
/// Units that wait for the first worker.
const UNITS_MIN: usize = 2;
/// How long the last marks may take when the run is left; the journal has what they say.
const FAREWELL: Duration = Duration::from_secs(3);

/// A unit without a result.
struct Outstanding {
    unit: Unit,
    submitted: Instant,
}

/// A run that this process coordinates.
pub(crate) struct RunDispatcher {
    claim: Arc<Claim>,
    /// What workers need beside units: the request, and the files that it names.
    request: Vec<u8>,
    files: Arc<FleetFiles>,
    /// What the queue's files came to when all of these were there.
    files_state: Option<String>,
    keeper: Option<JoinHandle<()>>,
    incarnation: String,
    outstanding: BTreeMap<u64, Outstanding>,
    /// Receipts of results that are not committed.
    receipts: BTreeMap<u64, Vec<u64>>,
    /// Results of units that this process has not submitted: an earlier one did.
    early: BTreeMap<u64, UnitResult>,
    arrived: VecDeque<(Unit, UnitResult)>,
    audits: Audits,
    /// The workers whose results are wanted no more, by name or identifier, each with the reason. The queue may lose them.
    excluded: BTreeMap<String, String>,
    /// Who made the results that were handed on and are not committed: name and identifier.
    came: BTreeMap<u64, (String, String)>,
    is_cancelled: bool,
    failure: Option<String>,
    last_look: Instant,
    is_waiting: bool,
}

impl RunDispatcher {
    /// Claims the run, waiting for another coordinator to leave or fall silent, and tells workers of it.
    pub(crate) fn begin(
        queue: Arc<dyn UnitQueue>,
        record: RunRecord,
        (request, files): (Vec<u8>, Arc<FleetFiles>),
        audit: Option<Audit>,
        stop: &Interrupt,
    ) -> Result<RunDispatcher, FleetError> {
        let owner = format!("{}:{}:{}", host_name(), std::process::id(), fresh_name());
        let (marks, revision) = retry(stop, || claim(&*queue, &record, &owner, stop))?;
        retry(stop, || queue.open_run(&record))?;
        retry(stop, || queue.begin_receiving(&record.id))?;
        let incarnation = retry(stop, || queue.incarnation())?;
        let tally = RunTally::new(&marks.progress, Instant::now());
        let marks =
            Marks { known: marks, revision, receipts: Vec::new(), is_dirty: true, lost: None, tally, told: None };
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
            request,
            files,
            files_state: None,
            keeper: Some(keeper),
            incarnation,
            outstanding: BTreeMap::new(),
            receipts: BTreeMap::new(),
            early: BTreeMap::new(),
            arrived: VecDeque::new(),
            audits: Audits::new(audit),
            excluded: BTreeMap::new(),
            came: BTreeMap::new(),
            is_cancelled: false,
            failure: None,
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
            // From here on it is as if somebody had pressed Ctrl-C at the coordinator.
            if !self.claim.stop.is_raised() {
                tracing::warn!(target: "fleet", "{}: {words}", self.claim.record.name);
                self.claim.stop.raise();
            }
            return Err(io::Error::new(io::ErrorKind::Interrupted, words));
        }
        Ok(())
    }

    /// Hands a result on, and remembers whose it is.
    fn hand_on(&mut self, result: UnitResult) -> UnitResult {
        self.came.insert(result.index, (result.worker.clone(), result.worker_id.clone()));
        result
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
        // Units come after all that is needed for them.
        let made = queue.open_run(&self.claim.record).and_then(|()| self.put_files());
        let made = made.and_then(|()| queue.begin_receiving(self.run()));
        match made.and_then(|()| queue.incarnation()) {
            Ok(incarnation) => {
                self.incarnation = incarnation;
                self.claim.marks().is_dirty = true;
                self.tell_excluded();
                for waiting in self.outstanding.values_mut() {
                    waiting.submitted = long_ago().unwrap_or(waiting.submitted);
                }
                Ok(())
            }
            Err(QueueError::Unreachable(_) | QueueError::Missing(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }

    /// Puts the request and the files of the run into the queue again where it lost them, with its disk or with its last seconds.
    fn put_files(&mut self) -> Result<(), QueueError> {
        let queue = &self.claim.queue;
        if Some(queue.files_state()?) != self.files_state {
            queue.put_file(&self.claim.record.request, &mut &*self.request)?;
            self.files.put_again()?;
            self.files_state = Some(queue.files_state()?);
        }
        Ok(())
    }

    /// Looks whether the queue lost everything, and submits again what has had no result for long.
    fn look(&mut self) -> io::Result<()> {
        self.check()?;
        if self.last_look.elapsed() < CENSUS.min(self.claim.queue.timing().again) {
            return Ok(());
        }
        self.last_look = Instant::now();
        match self.claim.queue.incarnation() {
            Ok(incarnation) if incarnation == self.incarnation => {
                if let Err(error) = self.put_files() {
                    tracing::debug!(target: "fleet", "files of {}: {error}", self.claim.record.name);
                }
            }
            Ok(_) | Err(QueueError::Missing(_)) => {
                tracing::warn!(target: "fleet", "the server lost what it had; made again from what is not in the journal");
                self.make_again()?;
            }
            Err(_) => return Ok(()),
        }
        self.tell_excluded();
        self.look_after_audits();
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

    /// Drops the results of a unit that were received: another one has room then.
    fn drop_receipts(&mut self, index: u64) {
        for receipt in self.receipts.remove(&index).unwrap_or_default() {
            let _ = self.claim.queue.discard(receipt);
        }
    }

    /// Has a unit submitted again with the next look.
    fn ask_again(&mut self, index: u64) {
        if let Some(waiting) = self.outstanding.get_mut(&index) {
            waiting.submitted = long_ago().unwrap_or(waiting.submitted);
        }
    }

    /// Takes what the queue brought; what of it is to be handed on.
    fn take(&mut self, result: UnitResult, receipt: u64) -> io::Result<Option<UnitResult>> {
        let index = result.index;
        if self.claim.marks().known.units.contains(index) {
            // It came late or twice.
            let _ = self.claim.queue.discard(receipt);
            return Ok(None);
        }
        self.hear_excluded();
        if self.is_excluded(&result) {
            let _ = self.claim.queue.discard(receipt);
            self.ask_again(index);
            return Ok(None);
        }
        self.receipts.entry(index).or_default().push(receipt);
        if let Some(Outstanding { unit, .. }) = self.outstanding.remove(&index) {
            return if unit_of(index).1 > 0 { self.audited(result) } else { self.consider(&unit, result) };
        }
        let is_waiting = self.arrived.iter().any(|(other, _)| other.index == index);
        if self.receipts.get(&index).is_some_and(|all| all.len() == 1) && !is_waiting {
            self.early.insert(index, result);
        }
        Ok(None)
    }
}

impl Dispatcher for RunDispatcher {
    fn room(&self) -> usize {
        let most = (self.claim.slots.load(Relaxed) * UNITS_EACH).max(UNITS_MIN);
        let audits = self.outstanding.keys().filter(|number| unit_of(**number).1 > 0).count();
        // Those that another worker does again are no less work that is given out.
        let waiting = self.audits.count().saturating_sub(audits);
        most.saturating_sub(self.outstanding.len() + self.arrived.len() + waiting)
    }

    fn submit(&mut self, unit: Unit) -> io::Result<()> {
        self.check()?;
        // The journal is the truth: it lacks what the marks of an earlier coordinator name.
        if self.claim.marks().known.units.remove(unit.index) {
            self.claim.marks().is_dirty = true;
        }
        self.hear_excluded();
        if let Some(result) = self.early.remove(&unit.index) {
            let result = self.consider(&unit, result)?;
            self.arrived.extend(result.map(|result| (unit, result)));
            return Ok(());
        }
        // A result that was received and not wanted makes room for another one.
        self.drop_receipts(unit.index);
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
            self.hear_excluded();
            if let Some((_, result)) = self.arrived.pop_front() {
                return Ok(Some(self.hand_on(result)));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.claim.queue.receive(self.run(), left.min(LOOK)) {
                Ok(Some(received)) => {
                    self.say_waiting(None);
                    if let Some(result) = self.take(received.result, received.receipt)? {
                        return Ok(Some(self.hand_on(result)));
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
        self.audits.forget(index);
        self.arrived.retain(|(unit, _)| unit.index != index);
        let receipts = self.receipts.remove(&index).unwrap_or_default();
        let mut marks = self.claim.marks();
        let is_new = marks.known.units.insert(index);
        if let Some((name, id)) = self.came.remove(&index)
            && is_new
        {
            marks.tally.add(&name, &id, Instant::now());
        }
        marks.is_dirty |= is_new || !receipts.is_empty();
        marks.receipts.extend(receipts);
        drop(marks);
        self.claim.changed.notify_all();
        // What is committed is committed; a stop is told by what asks for more.
        self.check().or_else(|error| if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) })
    }

    fn report(&mut self, standing: RunStanding) {
        // It is told with the next beat or commit.
        self.claim.marks().tally.tell(standing, Instant::now());
    }

    fn fail(&mut self, reason: &str) {
        self.failure = Some(reason.lines().next().unwrap_or(reason).to_string());
    }

    fn run_id(&self) -> &str {
        self.run()
    }

    fn exclude(&mut self, worker: ExcludedWorker) {
        self.tell(&format!("{}; all its results for this run are set aside", worker.reason));
        // Known here before the queue knows it, which is told again until it does.
        self.excluded.insert(worker.worker, worker.reason);
        self.drop_excluded();
        self.tell_excluded();
    }

    fn excluded(&self) -> Vec<ExcludedWorker> {
        let excluded = self.excluded_now();
        let told = excluded.into_iter().map(|(worker, reason)| ExcludedWorker { worker, reason }).collect::<Vec<_>>();
        if !told.is_empty() {
            let is_gone = |name: &str, id: &str| told.iter().any(|worker| worker.covers(name, id));
            self.claim.marks().tally.remove(is_gone);
        }
        told
    }

    fn recall_excluded(&mut self, known: Vec<ExcludedWorker>) {
        self.excluded.extend(known.into_iter().map(|known| (known.worker, known.reason)));
        self.excluded = self.excluded_now();
        self.drop_excluded();
        self.tell_excluded();
    }

    fn cancel(&mut self) -> io::Result<()> {
        self.is_cancelled = true;
        self.outstanding.clear();
        self.audits.clear();
        let record = RunRecord { state: RunState::Cancelled, ..self.claim.record.clone() };
        loop {
            match self.claim.queue.close_run(&record) {
                Ok(()) => return Ok(()),
                // Workers whose server lost its disk are told by a list that has to be made first.
                Err(QueueError::Missing(_)) => drop(self.claim.queue.open_run(&self.claim.record)),
                Err(error @ QueueError::Unreachable(_)) => self.say_waiting(Some(&error)),
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
        let is_done = self.outstanding.is_empty()
            && self.receipts.is_empty()
            && self.arrived.is_empty()
            && self.audits.count() == 0;
        let state = match &self.failure {
            Some(_) => Some(RunState::Failed),
            None => (is_done && !self.is_cancelled).then_some(RunState::Ended),
        };
        if let Some(state) = state.filter(|_| self.claim.marks().lost.is_none()) {
            let record = RunRecord { state, ..self.claim.record.clone() };
            let _ = self.claim.queue.close_run(&record);
        }
        let deadline = Instant::now() + FAREWELL;
        let mut marks = self.claim.marks();
        marks.known.owner.clear();
        marks.tally.failure = self.failure.take();
        marks.is_dirty = true;
        drop(marks);
        while self.claim.write(true).is_err_and(|error| matches!(error, QueueError::Unreachable(_)))
            && Instant::now() < deadline
        {
            thread::sleep(LOOK);
        }
    }
}

/// A day ago, where the machine has run so long.
fn long_ago() -> Option<Instant> {
    Instant::now().checked_sub(Duration::from_secs(86_400))
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
