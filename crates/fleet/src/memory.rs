//! The queue in the memory of this process: what `--jobs` uses, without any server.

use crate::queue::{
    CommitMarks, Exclusion, FleetView, Lease, LeaseTiming, Mark, QueueError, Received, RunRecord, RunState, UnitQueue,
    WorkerStatus,
};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::{Read, Write},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tesuji_jobs::units::{Unit, UnitResult};

/// Lines of workers that are kept.
const LINES_MAX: usize = 10_000;

/// A unit that waits or is under way.
#[derive(Debug)]
struct Pending {
    unit: Unit,
    deliveries: u64,
    /// The lease, and when it ends; `None` while it waits.
    lease: Option<(u64, Instant)>,
}

/// The units and results of one run.
#[derive(Debug, Default)]
struct RunQueue {
    units: BTreeMap<u64, Pending>,
    /// Results by unit and worker, with when they were given out last.
    results: BTreeMap<(u64, String), (u64, UnitResult, Option<Instant>)>,
}

#[derive(Debug, Default)]
struct State {
    runs: Vec<RunRecord>,
    paused: BTreeSet<String>,
    stopped: BTreeSet<String>,
    excluded: Vec<Exclusion>,
    queues: BTreeMap<String, RunQueue>,
    marks: BTreeMap<String, (CommitMarks, u64)>,
    written: BTreeMap<String, Instant>,
    files: BTreeMap<String, Vec<u8>>,
    workers: BTreeMap<String, (WorkerStatus, Instant)>,
    lines: VecDeque<(String, String)>,
    last_handle: u64,
    last_revision: u64,
}

impl State {
    fn handle(&mut self) -> u64 {
        self.last_handle += 1;
        self.last_handle
    }

    fn set_record(&mut self, record: &RunRecord) {
        match self.runs.iter_mut().find(|other| other.id == record.id) {
            Some(other) => *other = record.clone(),
            None => self.runs.push(record.clone()),
        }
    }

    fn leased(&mut self, lease: &Lease) -> Option<&mut Pending> {
        let pending = self.queues.get_mut(&lease.run)?.units.get_mut(&lease.unit.index)?;
        pending.lease.is_some_and(|(handle, _)| handle == lease.handle).then_some(pending)
    }
}

/// The queue.
#[derive(Debug)]
pub(crate) struct MemoryQueue {
    timing: LeaseTiming,
    state: Mutex<State>,
    changed: Condvar,
    /// How often a file is not read, as if no server answered.
    #[cfg(test)]
    pub(crate) silent: std::sync::atomic::AtomicU32,
}

impl MemoryQueue {
    pub(crate) fn new(timing: LeaseTiming) -> MemoryQueue {
        MemoryQueue {
            timing,
            state: Mutex::default(),
            changed: Condvar::new(),
            #[cfg(test)]
            silent: Default::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes those who wait.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let value = change(&mut self.state());
        self.changed.notify_all();
        value
    }

    /// What `look` finds, looked for at each change until `wait` is over. `look` says when it would find more by itself.
    fn wait_for<T>(
        &self,
        wait: Duration,
        mut look: impl FnMut(&mut State, Instant) -> (Option<T>, Option<Instant>),
    ) -> Option<T> {
        let deadline = Instant::now() + wait;
        let mut state = self.state();
        loop {
            let now = Instant::now();
            let (found, next) = look(&mut state, now);
            if found.is_some() || now >= deadline {
                return found;
            }
            let until = next.map_or(deadline, |next| next.min(deadline)).max(now + Duration::from_millis(1));
            let waited = self.changed.wait_timeout(state, until - now);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl UnitQueue for MemoryQueue {
    fn timing(&self) -> LeaseTiming {
        self.timing
    }

    fn incarnation(&self) -> Result<String, QueueError> {
        Ok("memory".into())
    }

    fn open_run(&self, record: &RunRecord) -> Result<(), QueueError> {
        self.change(|state| {
            state.set_record(record);
            state.queues.entry(record.id.clone()).or_default();
        });
        Ok(())
    }

    fn close_run(&self, record: &RunRecord) -> Result<(), QueueError> {
        self.change(|state| {
            state.set_record(record);
            if record.state != RunState::Active {
                state.queues.remove(&record.id);
            }
        });
        Ok(())
    }

    fn view(&self) -> FleetView {
        let state = self.state();
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect();
        FleetView {
            runs: state.runs.clone(),
            paused: list(&state.paused),
            stopped: list(&state.stopped),
            excluded: state.excluded.clone(),
        }
    }

    fn set_mark(&self, mark: Mark, run: &str, is_set: bool) -> Result<(), QueueError> {
        self.change(|state| {
            let set = if mark == Mark::Pause { &mut state.paused } else { &mut state.stopped };
            if is_set {
                set.insert(run.to_string())
            } else {
                set.remove(run)
            };
        });
        Ok(())
    }

    fn set_excluded(&self, exclusion: &Exclusion) -> Result<(), QueueError> {
        self.change(|state| {
            state.excluded.retain(|other| other.run != exclusion.run || other.worker.worker != exclusion.worker.worker);
            state.excluded.push(exclusion.clone());
        });
        Ok(())
    }

    fn submit(&self, run: &str, unit: &Unit) -> Result<bool, QueueError> {
        self.change(|state| {
            let Some(queue) = state.queues.get_mut(run) else {
                return Err(QueueError::Missing(format!("no run {run}")));
            };
            let is_new = !queue.units.contains_key(&unit.index);
            if is_new {
                let pending = Pending { unit: unit.clone(), deliveries: 0, lease: None };
                queue.units.insert(unit.index, pending);
            }
            Ok(is_new)
        })
    }

    fn lease(&self, run: &str, wait: Duration) -> Result<Option<Lease>, QueueError> {
        let length = self.timing.lease;
        Ok(self.wait_for(wait, |state, now| {
            let handle = state.handle();
            let Some(queue) = state.queues.get_mut(run) else { return (None, None) };
            let is_free = |pending: &Pending| pending.lease.is_none_or(|(_, end)| end <= now);
            let next = queue.units.values().filter_map(|pending| pending.lease.map(|(_, end)| end)).min();
            let Some(pending) = queue.units.values_mut().find(|pending| is_free(pending)) else { return (None, next) };
            pending.deliveries += 1;
            pending.lease = Some((handle, now + length));
            let (unit, deliveries) = (pending.unit.clone(), pending.deliveries);
            (Some(Lease { run: run.to_string(), unit, deliveries, handle }), None)
        }))
    }

    fn extend(&self, lease: &Lease) -> Result<(), QueueError> {
        let end = Instant::now() + self.timing.lease;
        if let Some(pending) = self.state().leased(lease) {
            pending.lease = Some((lease.handle, end));
        }
        Ok(())
    }

    fn settle(&self, lease: &Lease) -> Result<(), QueueError> {
        self.change(|state| {
            if state.leased(lease).is_some()
                && let Some(queue) = state.queues.get_mut(&lease.run)
            {
                queue.units.remove(&lease.unit.index);
            }
        });
        Ok(())
    }

    fn is_current(&self, lease: &Lease) -> Result<bool, QueueError> {
        Ok(self.state().leased(lease).is_some())
    }

    fn hand_back(&self, lease: &Lease) -> Result<(), QueueError> {
        self.change(|state| {
            if let Some(pending) = state.leased(lease) {
                pending.lease = None;
            }
        });
        Ok(())
    }

    fn put_result(&self, run: &str, result: &UnitResult) -> Result<bool, QueueError> {
        self.change(|state| {
            let handle = state.handle();
            let Some(queue) = state.queues.get_mut(run) else {
                return Err(QueueError::Missing(format!("no run {run}")));
            };
            let key = (result.index, result.worker.clone());
            let is_new = !queue.results.contains_key(&key);
            if is_new {
                queue.results.insert(key, (handle, result.clone(), None));
            }
            Ok(is_new)
        })
    }

    fn begin_receiving(&self, run: &str) -> Result<(), QueueError> {
        if let Some(queue) = self.state().queues.get_mut(run) {
            queue.results.values_mut().for_each(|(_, _, given)| *given = None);
        }
        Ok(())
    }

    fn receive(&self, run: &str, wait: Duration) -> Result<Option<Received>, QueueError> {
        let again = self.timing.lease;
        Ok(self.wait_for(wait, |state, now| {
            let Some(queue) = state.queues.get_mut(run) else { return (None, None) };
            let is_due = |given: &Option<Instant>| given.is_none_or(|given| given + again <= now);
            let Some((receipt, result, given)) = queue.results.values_mut().find(|(_, _, given)| is_due(given)) else {
                return (None, None);
            };
            *given = Some(now);
            (Some(Received { result: result.clone(), receipt: *receipt }), None)
        }))
    }

    fn discard(&self, receipt: u64) -> Result<(), QueueError> {
        for queue in self.state().queues.values_mut() {
            queue.results.retain(|_, (handle, _, _)| *handle != receipt);
        }
        Ok(())
    }

    fn marks(&self, run: &str) -> Result<(CommitMarks, u64), QueueError> {
        Ok(self.state().marks.get(run).cloned().unwrap_or_default())
    }

    fn set_marks(&self, run: &str, marks: &CommitMarks, expected: u64) -> Result<u64, QueueError> {
        self.change(|state| {
            let current = state.marks.get(run).map_or(0, |(_, revision)| *revision);
            if current != expected {
                let owner = state.marks.get(run).map_or_else(String::new, |(marks, _)| marks.owner.clone());
                return Err(QueueError::Fenced(owner));
            }
            state.last_revision += 1;
            let revision = state.last_revision;
            state.marks.insert(run.to_string(), (marks.clone(), revision));
            state.written.insert(run.to_string(), Instant::now());
            Ok(revision)
        })
    }

    fn marks_age(&self, run: &str) -> Result<Duration, QueueError> {
        Ok(self.state().written.get(run).map_or(Duration::ZERO, Instant::elapsed))
    }

    fn files_state(&self) -> Result<String, QueueError> {
        Ok(self.state().files.len().to_string())
    }

    fn has_file(&self, sha256: &str) -> Result<bool, QueueError> {
        Ok(self.state().files.contains_key(sha256))
    }

    fn put_file(&self, sha256: &str, content: &mut (dyn Read + Send)) -> Result<(), QueueError> {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes).map_err(|error| QueueError::Refused(error.to_string()))?;
        self.state().files.insert(sha256.to_string(), bytes);
        Ok(())
    }

    fn get_file(&self, sha256: &str, out: &mut (dyn Write + Send)) -> Result<bool, QueueError> {
        #[cfg(test)]
        if self.silent.load(std::sync::atomic::Ordering::Relaxed) > 0 {
            self.silent.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            return Err(QueueError::Unreachable("timed out".into()));
        }
        let Some(bytes) = self.state().files.get(sha256).cloned() else { return Ok(false) };
        out.write_all(&bytes).map_err(|error| QueueError::Refused(error.to_string()))?;
        Ok(true)
    }

    fn join(&self, worker: &WorkerStatus) -> Result<Option<WorkerStatus>, QueueError> {
        let listed = self.timing.listed;
        Ok(self.change(|state| {
            state.workers.retain(|_, (_, heard)| heard.elapsed() < listed);
            match state.workers.get(&worker.name) {
                Some((other, _)) if other.id != worker.id => Some(other.clone()),
                _ => {
                    state.workers.insert(worker.name.clone(), (worker.clone(), Instant::now()));
                    None
                }
            }
        }))
    }

    fn announce(&self, worker: &WorkerStatus) -> Result<(), QueueError> {
        self.change(|state| state.workers.insert(worker.name.clone(), (worker.clone(), Instant::now())));
        Ok(())
    }

    fn retire(&self, name: &str) -> Result<(), QueueError> {
        self.change(|state| state.workers.remove(name));
        Ok(())
    }

    fn workers(&self) -> Result<Vec<WorkerStatus>, QueueError> {
        let listed = self.timing.listed;
        let mut state = self.state();
        state.workers.retain(|_, (_, heard)| heard.elapsed() < listed);
        let told = |(worker, heard): &(WorkerStatus, Instant)| WorkerStatus {
            silent_seconds: heard.elapsed().as_secs_f64(),
            ..worker.clone()
        };
        Ok(state.workers.values().map(told).collect())
    }

    fn log(&self, worker: &str, line: &str) -> Result<(), QueueError> {
        let mut state = self.state();
        if state.lines.len() == LINES_MAX {
            state.lines.pop_front();
        }
        state.lines.push_back((worker.to_string(), line.to_string()));
        Ok(())
    }

    fn logs(&self, worker: Option<&str>, count: usize) -> Result<Vec<(String, String)>, QueueError> {
        let state = self.state();
        let lines = state.lines.iter().filter(|(name, _)| worker.is_none_or(|worker| worker == name));
        let mut last: Vec<_> = lines.rev().take(count).cloned().collect();
        last.reverse();
        Ok(last)
    }
}
