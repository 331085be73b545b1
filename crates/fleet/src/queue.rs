//! What a queue must do for a fleet: carry leases and results, keep commit marks and files, and show who works. None of it is the record.

use crate::{IndexSet, WorkerBuild, tally::RunProgress};
use serde::{Deserialize, Serialize};
use std::{
    io::{Read, Write},
    time::Duration,
};
use tesuji_jobs::units::{ExcludedWorker, Unit, UnitResult};

/// Why a queue did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QueueError {
    /// The server does not answer now; it may later.
    #[error("{0}")]
    #[allow(dead_code, reason = "the queue in this process always answers")]
    Unreachable(String),
    /// What was there is gone, with the server's disk or by hand: it must be made again.
    #[error("{0}")]
    Missing(String),
    /// Another coordinator wrote the marks of this run.
    #[error("another process coordinates this run now ({0})")]
    Fenced(String),
    /// It says no, and would again.
    #[error("{0}")]
    Refused(String),
}

/// How the words of a fault begin that a full disk of the server makes.
pub(crate) const DISK_FULL: &str = "the server's disk is full";

impl QueueError {
    /// Whether the server answers, and cannot write.
    pub(crate) fn is_disk_full(&self) -> bool {
        matches!(self, QueueError::Unreachable(words) if words.starts_with(DISK_FULL))
    }
}

/// How long things hold.
#[derive(Debug, Clone, Copy)]
pub struct LeaseTiming {
    /// A unit whose worker has not been heard of for so long is given to another one.
    pub lease: Duration,
    /// Workers say that they live, and renew their leases, so often.
    pub beat: Duration,
    /// A worker that has not been heard of for so long is no longer listed.
    pub listed: Duration,
    /// A coordinator that has not been heard of for so long loses its run to one that waits for it.
    pub claim: Duration,
    /// A result whose unit is not committed is sent again, and a unit without a result submitted again, after so long.
    pub again: Duration,
}

impl Default for LeaseTiming {
    fn default() -> LeaseTiming {
        LeaseTiming {
            lease: Duration::from_secs(60),
            beat: Duration::from_secs(20),
            listed: Duration::from_secs(60),
            claim: Duration::from_secs(20),
            again: Duration::from_secs(30),
        }
    }
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Its units are wanted.
    Active,
    /// It has its verdict: what is under way is broken off.
    Cancelled,
    /// Its coordinator left and wanted nothing more.
    Ended,
    /// It failed, and is wanted again when somebody begins it again.
    Failed,
}

/// What everybody may know of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    /// A hash of kind and request.
    pub(crate) id: String,
    /// The name that people gave it.
    pub(crate) name: String,
    /// The kind of its work.
    pub(crate) kind: String,
    /// The SHA-256 under which its request is kept.
    pub(crate) request: String,
    /// Whether its limits are nodes, so that noisy machines may take part.
    pub(crate) nodes_limited: bool,
    /// Runs of a higher one come first.
    pub(crate) priority: u32,
    /// The version of what is told ([`crate::FLEET_PROTOCOL`]).
    pub(crate) protocol: u32,
    /// The version of the coordinator's program.
    pub(crate) version: String,
    pub(crate) state: RunState,
}

/// A run as `tesuji fleet status` shows it.
#[derive(Debug, Clone, Serialize)]
pub struct RunStatus {
    /// Its number: a hash of kind and request.
    pub id: String,
    /// The name that people gave it.
    pub name: String,
    /// The kind of its work.
    pub kind: String,
    /// Runs of a higher one come first; equal ones share the workers.
    pub priority: u32,
    /// The version of the program that coordinates it.
    pub version: String,
    /// Where it stands.
    pub state: RunState,
    /// Whether somebody paused it.
    pub paused: bool,
    /// Whether somebody asked for its end.
    pub stopped: bool,
    /// Units whose results are in the journal of the coordinator.
    pub committed: u64,
    /// Who coordinates it; `None` while nobody does.
    pub coordinator: Option<String>,
    /// Seconds since its coordinator was heard of last.
    pub silent_seconds: f64,
    /// How it stands, and what each worker has done.
    #[serde(flatten)]
    pub progress: RunProgress,
    /// Workers whose results were set aside.
    pub excluded: Vec<ExcludedWorker>,
    /// Units whose worker fell silent: they wait for their leases to end.
    pub waiting: Vec<WaitingUnit>,
}

/// A unit that nobody does: its worker has not been heard of, and its lease has not ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaitingUnit {
    /// Its number.
    pub unit: u64,
    /// The worker that had it.
    pub worker: String,
    /// Seconds since that worker was heard of.
    pub silent_seconds: f64,
}

/// A worker whose results a run wants no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exclusion {
    pub(crate) run: String,
    #[serde(flatten)]
    pub(crate) worker: ExcludedWorker,
    /// Whether that was taken back. Where nothing is said of a worker, the server may have lost it, and the run's journal tells it again.
    #[serde(default)]
    pub(crate) is_undone: bool,
}

/// Marks that people set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Nothing new is begun.
    Pause,
    /// What is under way is broken off, and the run's coordinator ends.
    Stop,
}

/// Whom a mark concerns in place of a run: the whole fleet.
pub(crate) const WHOLE_FLEET: &str = "all";

/// What a worker sees of runs and marks, from memory: no question to a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct FleetView {
    pub(crate) runs: Vec<RunRecord>,
    pub(crate) paused: Vec<String>,
    pub(crate) stopped: Vec<String>,
    pub(crate) excluded: Vec<Exclusion>,
}

impl FleetView {
    /// The workers whose results this run wants no more.
    pub(crate) fn excluded(&self, run: &str) -> Vec<ExcludedWorker> {
        self.excluded
            .iter()
            .filter(|exclusion| exclusion.run == run && !exclusion.is_undone)
            .map(|exclusion| exclusion.worker.clone())
            .collect()
    }

    /// Whether this run wants results again of this worker, by the word with which it was excluded.
    pub(crate) fn is_undone(&self, run: &str, worker: &str) -> bool {
        self.excluded
            .iter()
            .any(|exclusion| exclusion.run == run && exclusion.is_undone && exclusion.worker.worker == worker)
    }

    /// Whether this run wants no results of the worker with this name and identifier.
    pub(crate) fn is_excluded(&self, run: &str, name: &str, id: &str) -> bool {
        self.excluded
            .iter()
            .any(|exclusion| exclusion.run == run && !exclusion.is_undone && exclusion.worker.covers(name, id))
    }

    pub(crate) fn is_paused(&self, run: &str) -> bool {
        self.paused.iter().any(|name| name == run || name == WHOLE_FLEET)
    }

    pub(crate) fn is_stopped(&self, run: &str) -> bool {
        self.stopped.iter().any(|name| name == run || name == WHOLE_FLEET)
    }

    /// Whether units of this run are still wanted; one that nobody knows (a server that lost its disk) may come back.
    pub(crate) fn is_wanted(&self, run: &str) -> bool {
        let state = self.runs.iter().find(|record| record.id == run).map(|record| record.state);
        !self.is_stopped(run) && state.is_none_or(|state| state == RunState::Active)
    }
}

/// A unit that this worker alone has, for a time.
#[derive(Debug, Clone)]
pub(crate) struct Lease {
    pub(crate) run: String,
    pub(crate) unit: Unit,
    /// How often it was given out, this time included.
    pub(crate) deliveries: u64,
    /// What the queue knows it by.
    pub(crate) handle: u64,
}

/// A result on its way to the coordinator.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) result: UnitResult,
    /// What the queue knows it by.
    pub(crate) receipt: u64,
}

/// The units of a run that are in its journal, and who says so. Only the coordinator that wrote it last may write it again: that is the
/// fence between two coordinators.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CommitMarks {
    /// The coordinator; empty when it left.
    pub(crate) owner: String,
    /// Counts up while the owner lives.
    pub(crate) beat: u64,
    pub(crate) units: IndexSet,
    /// How the run stands, for those who look.
    pub(crate) progress: RunProgress,
}

/// A worker as it describes itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Its name, which no other worker of the fleet has.
    pub name: String,
    /// What tells it from all others, also from one that had its name before.
    #[serde(default)]
    pub id: String,
    /// The machine that it runs on.
    pub host: String,
    /// Units that it does at a time.
    pub jobs: usize,
    /// Whether other work disturbs its clocks: it is given runs with node limits only.
    pub noisy: bool,
    /// The version of what it tells and understands.
    pub protocol: u32,
    /// The version of its program.
    pub version: String,
    /// Kinds of work that it knows.
    pub kinds: Vec<String>,
    /// Processors.
    pub cores: usize,
    /// MiB of memory.
    pub memory_mib: Option<u64>,
    /// The name of the processor.
    pub processor: Option<String>,
    /// Instruction sets that engines may use.
    pub instruction_sets: Vec<String>,
    /// Cards that networks can run on.
    pub cards: Vec<String>,
    /// What it starts programs of others in, in words; `None`: in nothing.
    #[serde(default)]
    pub sandbox: Option<String>,
    /// Its speed, in units of [`tesuji_jobs::speed`].
    pub speed: f64,
    /// Units under way: run and number.
    pub busy: Vec<(String, u64)>,
    /// Units that it has done since it started.
    pub done: u64,
    /// Units that it could not do.
    pub faults: u64,
    /// Why it takes no units of some runs, or the last thing that went wrong.
    pub note: Option<String>,
    /// Versions of engines that it was to build, the latest last.
    #[serde(default)]
    pub builds: Vec<WorkerBuild>,
    /// Seconds since it was heard of, where it is listed.
    #[serde(default)]
    pub silent_seconds: f64,
}

/// What carries units, results, marks and files between a coordinator and its workers. All of it may be lost; nothing here decides.
pub(crate) trait UnitQueue: Send + Sync {
    /// How long things hold here.
    fn timing(&self) -> LeaseTiming;

    /// Who this process is, where each worker has a key of its own.
    fn key_name(&self) -> Option<&str> {
        None
    }

    /// Which queue this is: another name after everything in it was lost.
    fn incarnation(&self) -> Result<String, QueueError>;

    /// Makes what a run needs, and tells workers of it. A run that is there is taken as it is, with the state of `record`.
    fn open_run(&self, record: &RunRecord) -> Result<(), QueueError>;

    /// Tells the state of a run, and drops its units and results that are under way unless it is active.
    fn close_run(&self, record: &RunRecord) -> Result<(), QueueError>;

    /// Runs and marks, as they were told last.
    fn view(&self) -> FleetView;

    /// Sets a mark on a run or on [`WHOLE_FLEET`], or takes it off.
    fn set_mark(&self, mark: Mark, run: &str, is_set: bool) -> Result<(), QueueError>;

    /// Says that a run wants no results of a worker, or that it wants them again: what was said of this worker before is replaced.
    fn set_excluded(&self, exclusion: &Exclusion) -> Result<(), QueueError>;

    /// Gives out a unit; `false` when it waits or is under way already.
    fn submit(&self, run: &str, unit: &Unit) -> Result<bool, QueueError>;

    /// The next unit of a run, after at most `wait`.
    fn lease(&self, run: &str, wait: Duration) -> Result<Option<Lease>, QueueError>;

    /// Says that this unit is still under way.
    fn extend(&self, lease: &Lease) -> Result<(), QueueError>;

    /// Says that the result of this unit is in the queue, or no longer wanted.
    fn settle(&self, lease: &Lease) -> Result<(), QueueError>;

    /// Whether this unit is in the queue as it was leased: `false` once it was settled, or the queue lost it.
    fn is_current(&self, lease: &Lease) -> Result<bool, QueueError>;

    /// Gives a unit to others at once.
    fn hand_back(&self, lease: &Lease) -> Result<(), QueueError>;

    /// Sends a result; `false` when this worker's result of this unit is there already.
    fn put_result(&self, run: &str, result: &UnitResult) -> Result<bool, QueueError>;

    /// Makes this process the one that receives the results of a run: all that are there come, from the beginning.
    fn begin_receiving(&self, run: &str) -> Result<(), QueueError>;

    /// The next result of a run, after at most `wait`. It comes again later unless it is discarded.
    fn receive(&self, run: &str, wait: Duration) -> Result<Option<Received>, QueueError>;

    /// Drops a result that was received.
    fn discard(&self, receipt: u64) -> Result<(), QueueError>;

    /// The commit marks of a run with their revision, 0 where there are none.
    fn marks(&self, run: &str) -> Result<(CommitMarks, u64), QueueError>;

    /// Writes commit marks where they still have the revision `expected`; their new revision.
    fn set_marks(&self, run: &str, marks: &CommitMarks, expected: u64) -> Result<u64, QueueError>;

    /// How long ago the commit marks of a run were written.
    fn marks_age(&self, run: &str) -> Result<Duration, QueueError>;

    /// What the files together come to: another word when one was added or lost.
    fn files_state(&self) -> Result<String, QueueError>;

    /// Whether the whole file with this SHA-256 is there.
    fn has_file(&self, sha256: &str) -> Result<bool, QueueError>;

    /// Keeps a file under its SHA-256, unless it is there.
    fn put_file(&self, sha256: &str, content: &mut (dyn Read + Send)) -> Result<(), QueueError>;

    /// Writes the file with this SHA-256 to `out`; `false` when nobody put one there. The reader verifies it.
    fn get_file(&self, sha256: &str, out: &mut (dyn Write + Send)) -> Result<bool, QueueError>;

    /// Says for the first time that a worker is here; where another one has its name, that one, and nothing is said.
    fn join(&self, worker: &WorkerStatus) -> Result<Option<WorkerStatus>, QueueError>;

    /// Says that a worker is here.
    fn announce(&self, worker: &WorkerStatus) -> Result<(), QueueError>;

    /// Says that a worker has left.
    fn retire(&self, name: &str) -> Result<(), QueueError>;

    /// The workers that are here.
    fn workers(&self) -> Result<Vec<WorkerStatus>, QueueError>;

    /// Keeps a line that a worker says.
    fn log(&self, worker: &str, line: &str) -> Result<(), QueueError>;

    /// The last lines of all workers, or of one: the worker and what it said, oldest first.
    fn logs(&self, worker: Option<&str>, count: usize) -> Result<Vec<(String, String)>, QueueError>;
}
