//! A worker: takes units, does them one at a time on each of its threads, and keeps every result until its unit is committed.

mod keeper;
mod sender;
mod units;

use crate::{
    FLEET_PROTOCOL, Fleet, FleetError,
    dispatcher::retry,
    files::{FleetFiles, sha256_of},
    fleet::program_version,
    host::{NAME_LENGTH_MAX, check_name, fresh_name, host_name, instruction_sets},
    key::id_of_key,
    outbox::Outbox,
    queue::{FleetView, Lease, UnitQueue, WHOLE_FLEET, WorkerStatus},
};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::PathBuf,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::{Interrupt, machine, units::WorkKind};

/// Between two looks at whether work is to stop: a cancelled unit is broken off within a second.
const LOOK: Duration = Duration::from_millis(100);
/// Before a run whose units this worker could not do is tried again, so that others come first.
const SHY: Duration = Duration::from_secs(2);

/// Workers that begin with one name, at most.
const NAMES_MAX: u32 = 1_000;

/// What a worker is told when it starts.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Its name, which no other worker of the fleet has: 1 to 64 letters, digits, `-` and `_`.
    pub name: String,
    /// Units that it does at a time.
    pub jobs: usize,
    /// Whether other work disturbs its clocks: it is given runs with node limits only.
    pub noisy: bool,
    /// Where its outbox is; `None`: in memory, for workers that share their process with the coordinator.
    pub folder: Option<PathBuf>,
    /// Cards that networks can run on, in words.
    pub cards: Vec<String>,
}

/// How a worker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerEnd {
    /// Units that it did.
    pub done: u64,
    /// Units that it could not do.
    pub faults: u64,
    /// Results in its outbox that are not committed. The next worker of this name and folder sends them.
    pub held: usize,
    /// Whether `tesuji fleet stop` ended it, not its own process.
    pub was_told: bool,
}

/// A unit under way, or about to be.
struct Active {
    lease: Lease,
    stop: Interrupt,
}

/// What the threads of a worker share.
struct Shared<'a> {
    queue: &'a dyn UnitQueue,
    files: &'a FleetFiles,
    kinds: &'a [&'a dyn WorkKind],
    options: &'a WorkerOptions,
    /// Its name: that of the options, unless another worker has it.
    name: String,
    /// What tells it from all others, for coordinators.
    id: String,
    /// What it says of itself: where there are keys, coordinators go by its name.
    own_id: String,
    stop: &'a Interrupt,
    outbox: Outbox,
    /// Leases by their handles: renewed until their results are sent.
    active: Mutex<BTreeMap<u64, Active>>,
    /// Leases that no thread has taken up yet.
    ready: Mutex<VecDeque<Lease>>,
    changed: Condvar,
    /// Runs of which this worker could not do a unit, and when.
    shunned: Mutex<BTreeMap<String, Instant>>,
    /// Runs of other versions that were named already.
    named: Mutex<BTreeSet<String>>,
    note: Mutex<Option<String>>,
    done: AtomicU64,
    faults: AtomicU64,
    /// Threads that have nothing to do.
    idle: AtomicU64,
    /// How long the last unit took, in milliseconds.
    last_ms: AtomicU64,
    was_told: AtomicBool,
    is_over: AtomicBool,
}

/// A guard's content, also when a thread that held it panicked.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared<'_> {
    /// Whether this worker begins nothing more.
    fn is_stopping(&self) -> bool {
        self.stop.is_raised() || self.was_told.load(Relaxed)
    }

    /// Says something that people should see here and in `tesuji fleet logs`.
    fn say(&self, line: String) {
        tracing::warn!(target: "fleet", "{line}");
        let _ = self.queue.log(&self.name, &line);
        *held(&self.note) = Some(line);
    }

    /// Forgets its last line where that ends with these words and is true no more.
    fn unsay(&self, end: &str) {
        held(&self.note).take_if(|line| line.ends_with(end));
    }

    /// Why this worker takes no units of a run; `None` when it does.
    fn objection(&self, run: &crate::queue::RunRecord) -> Option<String> {
        let version = program_version();
        if run.protocol != FLEET_PROTOCOL || run.version != version {
            return Some(format!(
                "run {} is of tesuji {} (fleet protocol {}), this worker is {version} ({FLEET_PROTOCOL}): it takes none of its \
                 units; start a worker of that version, or the run again with this one",
                run.name, run.version, run.protocol
            ));
        }
        if !self.kinds.iter().any(|kind| kind.name() == run.kind) {
            return Some(format!("run {} is of a kind that this worker does not know: {}", run.name, run.kind));
        }
        if self.options.noisy && !run.nodes_limited {
            return Some(format!(
                "run {} has clocks, and this worker is --noisy: it takes runs with node limits only",
                run.name
            ));
        }
        None
    }

    /// The runs that this worker may take units of now, with their priorities.
    fn eligible(&self, view: &FleetView) -> Vec<(String, u32)> {
        let mut runs = Vec::new();
        for run in &view.runs {
            if run.state != crate::queue::RunState::Active || view.is_stopped(&run.id) {
                continue;
            }
            let excluded = view.is_excluded(&run.id, &self.name, &self.id).then(|| {
                format!("the results of this worker for run {} were set aside: it takes none of its units", run.name)
            });
            if let Some(objection) = excluded.or_else(|| self.objection(run)) {
                if held(&self.named).insert(run.id.clone()) {
                    self.say(objection);
                }
            } else if !view.is_paused(&run.id)
                && held(&self.shunned).get(&run.id).is_none_or(|since| since.elapsed() >= SHY)
            {
                runs.push((run.id.clone(), run.priority.max(1)));
            }
        }
        runs
    }

    /// Whether units of this run are wanted of this worker.
    fn wants(&self, view: &FleetView, run: &str) -> bool {
        view.is_wanted(run) && !view.is_excluded(run, &self.name, &self.id)
    }

    /// This worker as it describes itself.
    fn status(&self) -> WorkerStatus {
        let host = machine::Machine::look();
        WorkerStatus {
            name: self.name.clone(),
            id: self.own_id.clone(),
            host: host_name(),
            jobs: self.options.jobs,
            noisy: self.options.noisy,
            protocol: FLEET_PROTOCOL,
            version: program_version().to_string(),
            kinds: self.kinds.iter().map(|kind| kind.name().to_string()).collect(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_mib: host.memory.map(|bytes| bytes >> 20),
            processor: host.processor,
            instruction_sets: instruction_sets(),
            cards: self.options.cards.clone(),
            sandbox: tesuji_system::sandbox().map(tesuji_system::Sandbox::words),
            speed: tesuji_jobs::speed(),
            busy: held(&self.active)
                .values()
                .map(|a| (a.lease.run.clone(), crate::audit::unit_of(a.lease.unit.index).0))
                .collect(),
            done: self.done.load(Relaxed),
            faults: self.faults.load(Relaxed),
            note: held(&self.note).clone(),
            builds: self.files.built.told(),
            silent_seconds: 0.0,
        }
    }
}

/// Works for the fleet until `stop` is raised or the fleet is stopped. `kinds` are what this program can do.
///
/// # Errors
/// When the name or the folder cannot be used, or the server refuses this worker.
pub fn run_worker(
    fleet: &Fleet,
    kinds: &[&dyn WorkKind],
    worker: &WorkerOptions,
    stop: &Interrupt,
) -> Result<WorkerEnd, FleetError> {
    check_name(&worker.name)?;
    if let Some(key) = fleet.key_name().filter(|key| *key != worker.name) {
        return Err(FleetError::KeyName { name: worker.name.clone(), key: key.to_string() });
    }
    let folder = worker.folder.as_deref();
    let lock = folder.map(lock).transpose()?;
    let outbox = Outbox::open(folder.map(|folder| folder.join("outbox")).as_deref())?;
    let mut shared = Shared {
        queue: fleet.queue(),
        files: fleet.store(),
        kinds,
        options: worker,
        name: worker.name.clone(),
        id: String::new(),
        own_id: identifier(folder)?,
        stop,
        outbox,
        active: Mutex::default(),
        ready: Mutex::default(),
        changed: Condvar::new(),
        shunned: Mutex::default(),
        named: Mutex::default(),
        note: Mutex::default(),
        done: AtomicU64::new(0),
        faults: AtomicU64::new(0),
        idle: AtomicU64::new(0),
        last_ms: AtomicU64::new(0),
        was_told: AtomicBool::new(shared_stop(fleet)),
        is_over: AtomicBool::new(false),
    };
    join(fleet, &mut shared)?;
    shared.id = fleet.queue().key_name().map_or_else(|| shared.own_id.clone(), |_| id_of_key(&shared.name));
    thread::scope(|scope| {
        let (finished, results) = mpsc::channel();
        let shared = &shared;
        let sender = scope.spawn(move || sender::send(shared, &results));
        let keeper = scope.spawn(move || keeper::keep(shared));
        let feeder = scope.spawn(move || units::feed(shared));
        let threads: Vec<_> = (0..worker.jobs.max(1))
            .map(|_| {
                let finished = finished.clone();
                scope.spawn(move || units::work(shared, &finished))
            })
            .collect();
        drop(finished);
        threads.into_iter().for_each(|thread| drop(thread.join()));
        let _ = (feeder.join(), sender.join());
        shared.is_over.store(true, Relaxed);
        let _ = keeper.join();
    });
    for active in held(&shared.active).values() {
        let _ = shared.queue.hand_back(&active.lease);
    }
    let _ = shared.queue.retire(&shared.name);
    drop(lock);
    Ok(WorkerEnd {
        done: shared.done.load(Relaxed),
        faults: shared.faults.load(Relaxed),
        held: shared.outbox.count(),
        was_told: shared.was_told.load(Relaxed),
    })
}

/// What tells this worker from all others: the same from one start to the next in its folder on this machine, and another one where the
/// folder was copied to another machine.
fn identifier(folder: Option<&std::path::Path>) -> Result<String, FleetError> {
    let short = |mut id: String| {
        id.truncate(12);
        id
    };
    let Some(folder) = folder else { return Ok(short(fresh_name())) };
    let path = folder.join("id");
    let word = match std::fs::read_to_string(&path) {
        Ok(word) if !word.trim().is_empty() => word.trim().to_string(),
        _ => {
            let word = fresh_name();
            tesuji_jobs::AtomicFile::write(&path, word.as_bytes()).map_err(|error| FleetError::file(&path, error))?;
            word
        }
    };
    Ok(short(sha256_of(format!("{word}\n{}", host_name()).as_bytes())))
}

/// Says that this worker is here, under another name where one of its name is here already.
fn join(fleet: &Fleet, shared: &mut Shared<'_>) -> Result<(), FleetError> {
    let wanted = shared.name.clone();
    for number in 2..=NAMES_MAX {
        let other = retry(shared.stop, || shared.queue.join(&shared.status()))?;
        let Some(other) = other else {
            if shared.name != wanted {
                let line = format!("another worker is called {wanted}; this one is {} from now on", shared.name);
                shared.say(line);
            }
            return Ok(());
        };
        if fleet.key_name().is_some() {
            return Err(FleetError::KeyInUse { name: wanted, host: other.host });
        }
        tracing::debug!(target: "fleet", "{} is a worker on {} ({})", other.name, other.host, other.id);
        let ending = format!("-{number}");
        shared.name = format!("{}{ending}", &wanted[..wanted.len().min(NAME_LENGTH_MAX - ending.len())]);
    }
    Err(FleetError::Queue(format!("{NAMES_MAX} workers are called {wanted}; give this one another --name")))
}

/// Whether the whole fleet is stopped already.
fn shared_stop(fleet: &Fleet) -> bool {
    fleet.queue().view().is_stopped(WHOLE_FLEET)
}

/// Makes the folder of a worker this process's alone.
fn lock(folder: &std::path::Path) -> Result<std::fs::File, FleetError> {
    crate::error::make_folder(folder)?;
    let lock = tesuji_jobs::lock_folder(folder).map_err(|error| FleetError::file(folder, error))?;
    lock.ok_or_else(|| FleetError::Taken { folder: folder.to_path_buf() })
}
