//! A connection to a fleet: the queue in this process with its own workers, or a server with workers elsewhere.

use crate::{
    Audit, FLEET_PROTOCOL, FleetError, LeaseTiming, RunStatus, WorkerStatus,
    audit::{numbered, unit_of},
    dispatcher::{RunDispatcher, retry},
    files::{FleetFiles, sha256_of},
    host::host_name,
    key::OPERATOR,
    queue::{Exclusion, Mark, RunRecord, RunState, UnitQueue, WHOLE_FLEET, WaitingUnit},
};
use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{Arc, OnceLock},
    thread::JoinHandle,
    time::Duration,
};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, ExcludedWorker, FileStore},
};

/// The priority of runs where none is said.
const PRIORITY: u32 = 1;
/// Beats that a worker may miss before it counts as silent.
const SILENT_BEATS: f64 = 1.5;

/// The version of this program, where it says one.
static VERSION: OnceLock<String> = OnceLock::new();

/// Says which version of the program this is, with its commit: workers take units of runs of their own version alone, because another
/// version may make something else of the same unit.
pub fn set_program_version(version: &str) {
    let _ = VERSION.set(version.to_string());
}

/// The version of this program.
pub(crate) fn program_version() -> &'static str {
    VERSION.get().map_or(env!("CARGO_PKG_VERSION"), String::as_str)
}

/// A run to begin, or to go on with.
#[derive(Debug, Clone)]
pub struct RunSpec {
    /// The name that people know it by.
    pub name: String,
    /// The kind of its work ([`WorkKind::name`](tesuji_jobs::units::WorkKind::name)).
    pub kind: String,
    /// Its request as JSON, complete: with its seed, its files named by SHA-256.
    pub request: String,
    /// What it is known by: the same on every machine that may coordinate it.
    pub identity: String,
    /// Whether its limits are nodes, so that noisy machines may take part.
    pub nodes_limited: bool,
    /// Workers take units of the runs with the highest priority that have any; runs of one priority share the workers.
    pub priority: u32,
    /// Which of its units another worker does again, to compare; `None`: none of them.
    pub audit: Option<Audit>,
}

impl RunSpec {
    /// The number of the run: the same identity is the same run, whoever begins it, on whichever machine.
    pub fn id(&self) -> String {
        let mut id = sha256_of(format!("{}\n{}", self.kind, self.identity).as_bytes());
        id.truncate(16);
        id
    }
}

/// Workers of this process, which end when this is dropped.
pub(crate) struct LocalWorkers {
    pub(crate) stop: Interrupt,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

impl Drop for LocalWorkers {
    fn drop(&mut self) {
        self.stop.raise();
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// A connection to a fleet.
pub struct Fleet {
    // The first to go: they work with what is below.
    pub(crate) workers: Option<LocalWorkers>,
    queue: Arc<dyn UnitQueue>,
    files: Arc<FleetFiles>,
    stop: Interrupt,
    priority: u32,
}

impl Fleet {
    pub(crate) fn over(queue: Arc<dyn UnitQueue>, stop: Interrupt, folder: Option<PathBuf>) -> Fleet {
        let files = Arc::new(FleetFiles::new(queue.clone(), stop.clone(), folder));
        Fleet { workers: None, queue, files, stop, priority: PRIORITY }
    }

    /// Connects to the server of a fleet, `nats://TOKEN@HOST:PORT`; the token may also be in the environment (`TESUJI_FLEET_TOKEN`).
    /// Files that are fetched lie below `.tesuji/fleet/files` of the current folder. `stop` ends waits for a server that does not answer.
    ///
    /// # Errors
    /// When the address is none, the server does not answer, is too old or refuses the token, or this build cannot reach servers.
    pub fn connect(url: &str, stop: &Interrupt) -> Result<Fleet, FleetError> {
        Fleet::connect_with(url, stop, PathBuf::from(".tesuji/fleet/files"), LeaseTiming::default())
    }

    /// [`Fleet::connect`] with another folder for files that are fetched, and other times for which leases and claims hold.
    ///
    /// # Errors
    /// As for [`Fleet::connect`].
    pub fn connect_with(url: &str, stop: &Interrupt, files: PathBuf, timing: LeaseTiming) -> Result<Fleet, FleetError> {
        let address = crate::key::server_named(url)?;
        #[cfg(feature = "nats")]
        {
            let queue = crate::nats::NatsQueue::connect(&address, timing)?;
            Ok(Fleet::over(Arc::new(queue), stop.clone(), Some(files)))
        }
        #[cfg(not(feature = "nats"))]
        {
            let _ = (address, stop, files, timing);
            Err(FleetError::NotBuilt)
        }
    }

    /// Another handle on the same connection, whose waits `stop` ends. Workers of this process stay with the first.
    pub fn another(&self, stop: &Interrupt) -> Fleet {
        Fleet {
            workers: None,
            queue: self.queue.clone(),
            files: self.files.clone(),
            stop: stop.clone(),
            priority: self.priority,
        }
    }

    /// The same connection for runs of another priority.
    pub fn with_priority(self, priority: u32) -> Fleet {
        Fleet { priority, ..self }
    }

    /// The same connection, for runs whose engines are built at workers `always`, or only where the coordinator's file does not serve.
    pub fn building_on_workers(self, always: bool) -> Fleet {
        self.files.build_always(always);
        self
    }

    /// The name of the only worker that this connection may be, where its key is one of a worker.
    pub fn key_name(&self) -> Option<&str> {
        self.queue.key_name().filter(|name| *name != OPERATOR)
    }

    /// Checks that this connection may begin runs and set marks: the server gives no answer to others, and they would wait in vain.
    fn check_operator(&self) -> Result<(), FleetError> {
        self.key_name().map_or(Ok(()), |name| Err(FleetError::WorkerKey { name: name.to_string() }))
    }

    pub(crate) fn priority(&self) -> u32 {
        self.priority
    }

    pub(crate) fn queue(&self) -> &dyn UnitQueue {
        &*self.queue
    }

    pub(crate) fn store(&self) -> &FleetFiles {
        &self.files
    }

    /// The files of runs.
    pub fn files(&self) -> &dyn FileStore {
        &*self.files
    }

    /// Begins a run, or goes on with it: its number is a hash of kind and identity, so the same request is the same run. While another
    /// process coordinates it, this one waits, and takes over when that one leaves or falls silent.
    ///
    /// A run that goes on [commits](Dispatcher::commit) what its journal has already, so that workers forget it, and submits the rest.
    ///
    /// # Errors
    /// When the queue refuses it, or waiting was interrupted.
    pub fn begin(&self, run: &RunSpec) -> Result<Box<dyn Dispatcher>, FleetError> {
        self.check_operator()?;
        let request = run.request.as_bytes().to_vec();
        let sum = sha256_of(&request);
        let record = RunRecord {
            id: run.id(),
            name: run.name.clone(),
            kind: run.kind.clone(),
            request: sum.clone(),
            nodes_limited: run.nodes_limited,
            priority: run.priority.max(1),
            protocol: FLEET_PROTOCOL,
            version: program_version().to_string(),
            state: RunState::Active,
        };
        retry(&self.stop, || self.queue.put_file(&sum, &mut request.as_slice()))?;
        retry(&self.stop, || self.queue.set_mark(Mark::Stop, &record.id, false))?;
        Ok(Box::new(RunDispatcher::begin(
            self.queue.clone(),
            record,
            (request, self.files.clone()),
            run.audit,
            &self.stop,
        )?))
    }

    /// The workers of the fleet.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn workers(&self) -> Result<Vec<WorkerStatus>, FleetError> {
        self.queue.workers().map_err(|error| FleetError::Queue(error.to_string()))
    }

    /// The runs of the fleet.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn runs(&self) -> Result<Vec<RunStatus>, FleetError> {
        let (view, workers) = (self.queue.view(), self.workers()?);
        let refused = |error: crate::queue::QueueError| FleetError::Queue(error.to_string());
        let silent = self.queue.timing().beat.as_secs_f64() * SILENT_BEATS + 0.5;
        let waiting = |run: &str| {
            let late = workers.iter().filter(|worker| worker.silent_seconds > silent);
            let units = late.flat_map(|worker| worker.busy.iter().map(move |(of, unit)| (worker, of, *unit)));
            let unit = |(worker, _, unit): (&WorkerStatus, &String, u64)| WaitingUnit {
                unit: unit_of(unit).0,
                worker: worker.name.clone(),
                silent_seconds: worker.silent_seconds,
            };
            units.filter(|(_, of, _)| *of == run).map(unit).collect()
        };
        let status = |record: &RunRecord| {
            let (marks, _) = self.queue.marks(&record.id).map_err(refused)?;
            let is_claimed = !marks.owner.is_empty();
            let age = if is_claimed { self.queue.marks_age(&record.id).map_err(refused)? } else { Duration::ZERO };
            Ok(RunStatus {
                id: record.id.clone(),
                name: record.name.clone(),
                kind: record.kind.clone(),
                priority: record.priority,
                version: record.version.clone(),
                state: record.state,
                paused: view.is_paused(&record.id),
                stopped: view.is_stopped(&record.id),
                committed: marks.units.count_below(numbered(0, 1)),
                coordinator: Some(marks.owner).filter(|owner| !owner.is_empty()),
                silent_seconds: age.as_secs_f64(),
                progress: marks.progress,
                excluded: view.excluded(&record.id),
                waiting: waiting(&record.id),
            })
        };
        view.runs.iter().map(status).collect()
    }

    /// Lets a run, or the whole fleet, begin nothing new, or go on.
    ///
    /// # Errors
    /// When the server does not answer, or there is no such run.
    pub fn pause(&self, run: Option<&str>, is_paused: bool) -> Result<(), FleetError> {
        self.mark(Mark::Pause, run, is_paused)
    }

    /// Lets a run, or the whole fleet, go on after a pause or a stop.
    ///
    /// # Errors
    /// As for [`Fleet::pause`].
    pub fn resume(&self, run: Option<&str>) -> Result<(), FleetError> {
        self.pause(run, false)?;
        self.stop(run, false)
    }

    /// Sets aside all results of a worker (its name or identifier) in a run, and has others do those units again; or lets it take units
    /// again. The run's coordinator does it, at once or when it goes on: which of them is said.
    ///
    /// # Errors
    /// When the server does not answer, or there is no such run or worker in it.
    pub fn exclude(&self, run: &str, worker: &str, is_excluded: bool) -> Result<String, FleetError> {
        self.check_operator()?;
        let run = self.run_named(run)?;
        let (marks, _) = self.queue.marks(&run).map_err(|error| FleetError::Queue(error.to_string()))?;
        let is_known = |name: &str, id: &str| worker == name || worker == id;
        let here = self.workers()?;
        let here = here.iter().map(|here| (here.name.as_str(), here.id.as_str()));
        let shares = marks.progress.workers.iter().map(|share| (share.name.as_str(), share.id.as_str()));
        let known: Vec<_> = here.chain(shares).filter(|(name, id)| is_known(name, id)).collect();
        let excluded = words_of(&self.queue.view().excluded(&run), worker, &known);
        if known.is_empty() && excluded.is_empty() {
            return Err(FleetError::Queue(format!(
                "no worker {worker} has a unit of this run; `tesuji fleet status` lists who has done how many"
            )));
        }
        // The run itself excludes by identifiers, people mostly by names: what is taken back is all that concerns the worker.
        let others = excluded.into_iter().filter(|_| !is_excluded);
        for worker in others.chain([worker.to_string()]).collect::<BTreeSet<_>>() {
            let reason = format!("dropped by `tesuji fleet drop` on {}", host_name());
            let worker = ExcludedWorker { worker, reason };
            let exclusion = Exclusion { run: run.clone(), worker, is_undone: !is_excluded };
            self.queue.set_excluded(&exclusion).map_err(|error| FleetError::Queue(error.to_string()))?;
        }
        if !is_excluded {
            return Ok(format!("{worker} may take units of this run again"));
        }
        let is_coordinated = self.runs()?.iter().any(|status| status.id == run && status.coordinator.is_some());
        let when = if is_coordinated {
            "the command of the run sets its results aside now, and others do those units again"
        } else {
            "no command runs for this run now: its results are set aside when it goes on (for a match: `tesuji match --resume JOURNAL --fleet …`)"
        };
        Ok(format!("{worker} takes no units of this run any more; {when}"))
    }

    /// Ends a run, or the whole fleet: workers break off what is under way, and coordinators end. What is committed stays in their journals.
    ///
    /// # Errors
    /// When the server does not answer, or there is no such run.
    pub fn stop(&self, run: Option<&str>, is_stopped: bool) -> Result<(), FleetError> {
        self.mark(Mark::Stop, run, is_stopped)
    }

    /// Whether the whole fleet was stopped.
    pub fn is_stopped(&self) -> bool {
        self.queue.view().is_stopped(WHOLE_FLEET)
    }

    fn mark(&self, mark: Mark, run: Option<&str>, is_set: bool) -> Result<(), FleetError> {
        self.check_operator()?;
        let id = match run {
            Some(word) => self.run_named(word)?,
            None => WHOLE_FLEET.to_string(),
        };
        self.queue.set_mark(mark, &id, is_set).map_err(|error| FleetError::Queue(error.to_string()))
    }

    /// The number of the run with this name, or whose number begins so.
    fn run_named(&self, word: &str) -> Result<String, FleetError> {
        let runs = self.queue.view().runs;
        let mut found = runs.iter().filter(|run| run.name == word || (word.len() >= 4 && run.id.starts_with(word)));
        match (found.next(), found.next()) {
            (Some(run), None) => Ok(run.id.clone()),
            (Some(_), Some(_)) => Err(FleetError::Queue(format!(
                "several runs are called {word}; name one by its number (`tesuji fleet status`)"
            ))),
            (None, _) => Err(FleetError::Queue(format!("there is no run {word}; `tesuji fleet status` lists them"))),
        }
    }

    /// Keeps a line for `tesuji fleet logs`.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn log(&self, worker: &str, line: &str) -> Result<(), FleetError> {
        self.queue.log(worker, line).map_err(|error| FleetError::Queue(error.to_string()))
    }

    /// The last lines of all workers, or of one: the worker and what it said, oldest first.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn logs(&self, worker: Option<&str>, count: usize) -> Result<Vec<(String, String)>, FleetError> {
        self.queue.logs(worker, count).map_err(|error| FleetError::Queue(error.to_string()))
    }
}

/// The words of exclusions that concern a worker, named as in a command, of which these names and identifiers are known. A worker that left
/// is known by the reason alone, which begins with its name where the run excluded it.
fn words_of(excluded: &[ExcludedWorker], worker: &str, known: &[(&str, &str)]) -> Vec<String> {
    let is_of_it = |excluded: &&ExcludedWorker| {
        let by_reason = excluded.reason.strip_prefix(worker).is_some_and(|rest| rest.starts_with(": "));
        by_reason || excluded.worker == worker || known.iter().any(|(name, id)| excluded.covers(name, id))
    };
    excluded.iter().filter(is_of_it).map(|excluded| excluded.worker.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_all_that_concerns_the_worker() {
        let excluded = |worker: &str, reason: &str| ExcludedWorker { worker: worker.into(), reason: reason.into() };
        let all = [excluded("id-1", "bad: late"), excluded("bad", "dropped"), excluded("id-2", "badly: late")];
        assert_eq!(words_of(&all, "bad", &[]), ["id-1", "bad"]);
        assert_eq!(words_of(&all, "id-2", &[]), ["id-2"]);
        assert_eq!(words_of(&all, "id-1", &[("bad", "id-1")]), ["id-1", "bad"]);
        assert_eq!(words_of(&all, "b", &[("b", "id-2")]), ["id-2"]);
        assert_eq!(words_of(&all, "c", &[]), [""; 0]);
    }
}
