//! Runs as numbered units of work: what a run submits, what a worker makes of it, and who carries it between them, whether threads here or machines elsewhere.
//!
//! A run (a match, self-play, a tuning) is cut into [`Unit`]s that depend on the run's request and their own index alone. It
//! submits them to a [`Dispatcher`] and receives [`UnitResult`]s in any order, each perhaps more than once. It writes each to its own
//! journal first and [commits](Dispatcher::commit) it afterwards: the journal is the truth, and all else may be lost. On the other
//! side a [`WorkKind`] turns the request into a [`UnitRunner`], which is kept from unit to unit.

pub use crate::origins::ExcludedWorker;
use crate::{Interrupt, OriginLog};
use serde::{Deserialize, Serialize};
use std::{
    fmt, io,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// A numbered piece of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its number within the run. The same number always means the same work.
    pub index: u64,
    /// What is to be done, as JSON of the run's kind.
    pub body: String,
}

/// What a worker made of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitResult {
    /// The number of the unit.
    pub index: u64,
    /// The name of the worker.
    pub worker: String,
    /// What tells the worker from all others, also from one of the same name before or elsewhere.
    pub worker_id: String,
    /// What was made, in the form of the run's kind; or in words why the worker cannot do this unit (an engine that does not
    /// build, a file that is not what its checksum says).
    pub outcome: Result<Vec<u8>, String>,
}

/// The standing of a run, for those who watch it from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStanding {
    /// Units of the whole run, where that is known.
    pub units_total: Option<u64>,
    /// What came of it so far, in a few words: games, Elo, the log-likelihood ratio, positions.
    pub summary: String,
    /// Seconds that are left, where the run knows better than the rate of units tells.
    pub left_seconds: Option<f64>,
    /// Games that are in the run's journal, where it plays games.
    #[serde(default)]
    pub games: Option<u64>,
    /// Workers and processors as the run compares them, where clocks limit its games: first those that differ most.
    #[serde(default)]
    pub watched: Vec<WatchedGroup>,
}

/// What a run with clocks knows of a worker, or of all workers with one model of processor, beside all others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchedGroup {
    /// The worker, or the model.
    pub name: String,
    /// Whether it is a model of processor.
    pub is_processor: bool,
    /// Games that count.
    pub games: u64,
    /// Pairs of games, both of them played by one worker.
    pub pairs: u64,
    /// The chance that the results of its pairs differ so much from those of the others where all are alike (chi-square); `None`: too few of them.
    pub pairs_p: Option<f64>,
    /// Games that somebody lost on time.
    pub time_losses: u64,
    /// The share of their time in which engines waited for a processor.
    pub stolen: f64,
    /// What is wrong with it, in words.
    pub verdict: Option<String>,
}

/// Carries the units of one run to workers and their results back.
pub trait Dispatcher: Send {
    /// How many more units may be submitted now: about two for each worker in all, so that a stop wastes little and nobody idles.
    fn room(&self) -> usize;

    /// Gives a unit to be done. A number that was submitted before and is not committed is the same unit again, and no error.
    ///
    /// # Errors
    /// When it cannot be handed on for good; what can be mended by waiting is waited for.
    fn submit(&mut self, unit: Unit) -> io::Result<()>;

    /// The next result, or `None` after `wait`. Results of committed units never come again; one that is received and not committed may.
    ///
    /// # Errors
    /// As for [`submit`](Dispatcher::submit).
    fn receive(&mut self, wait: Duration) -> io::Result<Option<UnitResult>>;

    /// Says that the result of this unit is in the run's journal for good: the worker may forget it, and nobody does the unit again.
    ///
    /// # Errors
    /// As for [`submit`](Dispatcher::submit).
    fn commit(&mut self, index: u64) -> io::Result<()>;

    /// Says that nothing more of this run is wanted: workers break off within a second.
    ///
    /// # Errors
    /// As for [`submit`](Dispatcher::submit).
    fn cancel(&mut self) -> io::Result<()>;

    /// Tells those who watch how the run stands.
    fn report(&mut self, _standing: RunStanding) {}

    /// Says that the run failed and why: nothing more of it is wanted until it is begun again.
    fn fail(&mut self, _reason: &str) {}

    /// The number of the run: the same for the same request, and another one for every other.
    fn run_id(&self) -> &str {
        ""
    }

    /// Wants no results of this worker any more: from now on it is among the [excluded](Dispatcher::excluded) ones. Where the run's own threads
    /// do the work, nothing changes.
    fn exclude(&mut self, _worker: ExcludedWorker) {}

    /// The workers whose results are wanted no more. None of theirs is [received](Dispatcher::receive) from now on; a run sets aside what
    /// it has of them and submits those units again.
    fn excluded(&self) -> Vec<ExcludedWorker> {
        Vec::new()
    }

    /// Says which workers the run's journal has as [excluded](Dispatcher::excluded): what carries units may have lost that. Those to whom
    /// units may be given again since then are left out.
    fn recall_excluded(&mut self, _known: Vec<ExcludedWorker>) {}
}

/// What two workers must agree on, of the result of a unit: without times and other things that differ from one to the next.
///
/// # Errors
/// In words, when it is no result of this kind.
pub type ResultEssence = fn(&[u8]) -> Result<Vec<u8>, String>;

/// Files that a run's request names, at a worker: found by their SHA-256, not by where they lay.
pub trait FileStore {
    /// Where the file with this SHA-256 (64 hexadecimal digits) lies here, fetched and verified if need be. It must not be written to.
    ///
    /// # Errors
    /// When it cannot be had, or what came is something else.
    fn find(&self, sha256: &str) -> io::Result<PathBuf>;

    /// Keeps a file for other machines; its SHA-256. The content is read once, now.
    ///
    /// # Errors
    /// When it cannot be read or kept.
    fn keep(&self, file: &Path) -> io::Result<String>;

    /// How a program of this machine can be built on others; `None`: only as the file that it is.
    ///
    /// # Errors
    /// When its source cannot be read or kept.
    fn source(&self, _program: &Path) -> io::Result<Option<ProgramSource>> {
        Ok(None)
    }

    /// The program as it was built here from its source; `None`: the file itself serves this machine.
    ///
    /// # Errors
    /// When it does not build here.
    fn build(&self, _source: &ProgramSource) -> io::Result<Option<PathBuf>> {
        Ok(None)
    }
}

/// How a program can be built on another machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramSource {
    /// The SHA-256 of an archive with its files.
    pub archive: String,
    /// What is to be done with them, for whoever builds.
    pub order: String,
    /// The system and the processor's family of the machine that has the program as a file.
    pub system: String,
    /// Its instruction sets: the program may use them.
    pub instruction_sets: Vec<String>,
    /// Whether it is built also where the file would serve.
    pub always: bool,
}

/// Work of one kind, as workers do it.
pub trait WorkKind: Sync {
    /// Its name in requests: `match`, `selfplay`, `duel`, `rescore`.
    fn name(&self) -> &'static str;

    /// Gets ready for the units of one run: `request` is the run's, as JSON, complete (with its seed), its files named by SHA-256.
    ///
    /// # Errors
    /// In words, when this worker cannot do such units.
    fn prepare(&self, request: &str, files: &dyn FileStore, stop: &Interrupt) -> Result<Box<dyn UnitRunner>, String>;
}

/// Does the units of one run, one at a time.
pub trait UnitRunner: Send {
    /// Does a unit; `None` when `stop` was raised before its end. What comes back depends on the request and the unit alone where the
    /// limits are nodes.
    ///
    /// # Errors
    /// In words, when this worker cannot do it.
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String>;
}

/// A run that workers are to be told of.
#[derive(Debug, Clone)]
pub struct RunOrder<'a> {
    /// The name that people know it by.
    pub name: &'a str,
    /// The kind of its work: [`WorkKind::name`].
    pub kind: &'static str,
    /// Its request, as JSON, complete.
    pub request: &'a str,
    /// What the run is known by: its request without what differs from one machine that coordinates it to the next. The same text is the
    /// same run, whoever begins it.
    pub identity: &'a str,
    /// Whether its limits are nodes, so that noisy machines may take part, and any worker makes the same of a unit.
    pub nodes_limited: bool,
    /// How results of two workers are compared, where the limits are nodes; `None`: engines do not make the same twice.
    pub essence: Option<ResultEssence>,
    /// Whether it is certain that engines make the same twice; else results are compared only where somebody asks for it.
    pub is_repeatable: bool,
}

/// Who reaches workers elsewhere, for any number of runs.
pub trait Carrier: Send + Sync {
    /// The files of requests.
    fn files(&self) -> &dyn FileStore;

    /// Begins a run, or goes on with it.
    ///
    /// # Errors
    /// When workers cannot be told of it; what can be mended by waiting is waited for.
    fn begin(&self, run: &RunOrder<'_>) -> io::Result<Box<dyn Dispatcher>>;

    /// How many workers there are, and how many units they do at a time.
    fn workers(&self) -> [usize; 2];
}

/// A carrier that several parts of one work share.
#[derive(Clone)]
pub struct SharedCarrier {
    carrier: Arc<dyn Carrier>,
    label: Arc<str>,
}

impl SharedCarrier {
    /// One to be shared by the parts of the work `label`, which tells its runs from those of other work, such as a journal's path.
    pub fn new(carrier: Arc<dyn Carrier>, label: &str) -> SharedCarrier {
        SharedCarrier { carrier, label: label.into() }
    }

    /// What tells the runs of this work from those of other work.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Where it is noted who did which unit; `None` where the work has no place in the file system.
    pub fn origins(&self) -> Option<OriginLog> {
        Some(Path::new(&*self.label)).filter(|place| place.is_absolute()).map(OriginLog::beside)
    }
}

impl Deref for SharedCarrier {
    type Target = dyn Carrier;

    fn deref(&self) -> &(dyn Carrier + 'static) {
        &*self.carrier
    }
}

impl fmt::Debug for SharedCarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedCarrier({:?})", self.label)
    }
}
