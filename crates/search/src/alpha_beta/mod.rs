//! Depth-first search in the manner of modern classical engines: iterative deepening, principal variation search, and many named steps that leave out what cannot matter.
//!
//! A node is a list of steps, each of which may cut; every step has a switch in [`Parameters`]. Where to find them:
//!
//! | file | steps |
//! |---|---|
//! | `deepen` | iterative deepening, aspiration windows, several lines, when to stop |
//! | `proof` | a forced win, proved by another search before the first iteration |
//! | `root` | principal variation search over the root moves |
//! | `node` | the node as a list of its steps, and the loop over its moves |
//! | `before` | what may cut before any move: rules, mate distance, table, endgame tables, razoring, reverse futility, null move, probcut |
//! | `late` | what may leave a move out, reduce or extend it: futility, late moves, exchanges, history, singular and check extensions |
//! | `margins` | asking the search itself how large the margins should be |
//! | `quiescence` | captures until it is quiet |
//! | `picker`, `history` | the order of moves and what it learns from |
//! | `recorder`, `counters` | traces and counters of all this, for people who look at it |
//!
//! One thread is deterministic: the same options, line and limits of nodes or depth after [`Searcher::new_game`] visit the
//! same nodes. Several threads search the same root and share the table (Lazy SMP); they live as long as the searcher.
//! A node is a made move, and the root; a limit of nodes is exact, save that the first iteration always completes.

mod before;
mod counters;
mod deepen;
mod history;
mod invariants;
mod late;
mod margins;
mod node;
mod options;
mod picker;
mod proof;
mod quiescence;
mod recorder;
mod reductions;
mod root;
mod score;
mod shared;
mod thread;

pub use margins::{Audit, MarginOf};
pub use options::{Parameters, Settings, Traces};

use crate::{
    EndgameProbe, Prover, Searcher, clock, control::Control, memory, pool::Pool, profile::Profile, shown::Shown,
    table::TranspositionTable,
};
use deepen::Found;
use margins::Audits;
use proof::Before;
use recorder::{Recorder, TraceTree};
use reductions::Reductions;
use root::RootMove;
use shared::Shared;
use std::{sync::Arc, time::Duration};
use tesuji_game::{CacheCounts, Choice, Evaluator, Limits, Line, Report, Side, Tactical, TreeView, Watch};
use tesuji_options::{OptionError, Options, Spec, same_name};
use thread::{Memory, Thread, ThreadTask};

/// The deepest iteration.
const DEPTH_MAX: u32 = 128;

/// The depth-first searcher. Its options are [`Settings`] and, for experts, [`Parameters`].
///
/// # Examples
/// ```
/// use tesuji_game::{Limits, Line, Report, Signal, Watch};
/// use tesuji_search::{Searcher, alpha_beta::AlphaBeta};
/// use tesuji_testkit::four::{Drop, FourEval, FourPosition};
/// # use std::time::Duration;
/// struct Quiet;
/// impl Watch<Drop> for Quiet {
///     fn signal(&mut self) -> Signal { Signal::Run }
///     fn elapsed(&self) -> Duration { Duration::ZERO }
///     fn report(&mut self, _: &Report<Drop>) {}
/// }
/// let mut search = AlphaBeta::<FourPosition, FourEval>::new(FourEval::default());
/// let line = Line::new(FourPosition::default());
/// let report = search.search(&line, &Limits { depth: Some(6), ..Limits::default() }, &[], &mut Quiet);
/// assert!(report.choice.is_some());
/// ```
pub struct AlphaBeta<P: Tactical, E: Evaluator<P>> {
    settings: Settings,
    parameters: Parameters,
    traces: Traces,
    reductions: Arc<Reductions>,
    table: Arc<TranspositionTable>,
    probe: Option<Arc<dyn EndgameProbe<P>>>,
    prover: Option<Box<dyn Prover<P>>>,
    /// The evaluator that new threads begin with.
    seed: E,
    /// The caller's thread; `None` only while it searches.
    memory: Option<Memory<P, E>>,
    helpers: Helpers<P, E>,
    /// The trace of the last search, where one was asked for.
    traced: Arc<Shown<TraceTree<P>>>,
    /// The counts of the last search, where they were asked for.
    profile: Option<Profile>,
}

/// A message to a helper thread.
enum Task<P: Tactical> {
    Search(ThreadTask<P>),
    Clear,
    Count,
}

enum Answer<P: Tactical> {
    Found(Found<P::Move>),
    Cleared,
    Counts(Vec<CacheCounts>),
}

struct Helpers<P: Tactical, E> {
    pool: Pool<Task<P>, Answer<P>>,
    evaluator: std::marker::PhantomData<fn() -> E>,
}

impl<P: Tactical, E: Evaluator<P>> Helpers<P, E> {
    fn new(count: usize, seed: &E) -> Self {
        let workers = (0..count).map(|_| {
            let mut memory = Some(Memory::<P, E>::new(seed.clone()));
            move |order| match order {
                Task::Search(task) => {
                    let memory_now = memory.take().unwrap_or_else(|| unreachable!("a helper keeps its memory"));
                    let (found, back) = Thread::new(memory_now, task, None).deepen();
                    memory = Some(back);
                    Answer::Found(found)
                }
                Task::Clear => {
                    memory.iter_mut().for_each(Memory::clear);
                    Answer::Cleared
                }
                Task::Count => Answer::Counts(memory.as_ref().map(counts_of).unwrap_or_default()),
            }
        });
        Helpers { pool: Pool::new(workers), evaluator: std::marker::PhantomData }
    }
}

fn counts_of<P: Tactical, E: Evaluator<P>>(memory: &Memory<P, E>) -> Vec<CacheCounts> {
    let mut counts = vec![CacheCounts::new("transposition", memory.probes, memory.hits)];
    counts.extend(memory.eval.cache_counts());
    counts
}

impl<P: Tactical, E: Evaluator<P>> AlphaBeta<P, E> {
    /// From now on one node in `one_in` is searched without pruning by margins, to see whether that would have been right;
    /// `None` ends it. What was seen is kept until [`AlphaBeta::take_audits`]. Only the caller's thread is asked.
    pub fn set_audits(&mut self, one_in: Option<u64>) {
        if let Some(memory) = &mut self.memory {
            memory.audits = one_in.map(|n| Audits { one_in: n.max(1), all: Vec::new() });
        }
    }

    /// The audits since [`AlphaBeta::set_audits`] or the last call.
    pub fn take_audits(&mut self) -> Vec<Audit> {
        let audits = self.memory.as_mut().and_then(|memory| memory.audits.as_mut());
        audits.map(|a| std::mem::take(&mut a.all)).unwrap_or_default()
    }

    /// A searcher with default options. It clones `evaluator` for each thread.
    pub fn new(evaluator: E) -> Self {
        let (settings, parameters) = (Settings::default(), Parameters::default());
        AlphaBeta {
            reductions: Arc::new(Reductions::new(&parameters)),
            table: Arc::new(TranspositionTable::new(settings.hash_mib)),
            probe: None,
            prover: None,
            memory: Some(Memory::new(evaluator.clone())),
            helpers: Helpers::new(settings.threads - 1, &evaluator),
            seed: evaluator,
            traced: Arc::default(),
            profile: None,
            settings,
            parameters,
            traces: Traces::default(),
        }
    }

    /// Takes another evaluator (other weights) and forgets what was found with the old one.
    pub fn set_evaluator(&mut self, evaluator: E) {
        self.memory = Some(Memory::new(evaluator.clone()));
        self.helpers = Helpers::new(self.settings.threads - 1, &evaluator);
        self.seed = evaluator;
        self.clear_table();
    }

    /// Takes endgame tables, or none.
    pub fn set_probe(&mut self, probe: Option<Arc<dyn EndgameProbe<P>>>) {
        self.probe = probe;
    }

    /// Takes a search for forced wins, which is asked about each root, or none.
    pub fn set_prover(&mut self, prover: Option<Box<dyn Prover<P>>>) {
        self.prover = prover;
    }

    /// The switches and margins.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Takes all switches and margins at once.
    pub fn set_parameters(&mut self, parameters: Parameters) {
        self.reductions = Arc::new(Reductions::new(&parameters));
        self.parameters = parameters;
    }

    fn clear_table(&mut self) {
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.clear(),
            None => {
                self.table = Arc::new(
                    TranspositionTable::try_new(self.settings.hash_mib).unwrap_or_else(|| TranspositionTable::new(1)),
                )
            }
        }
    }

    /// A table of `mib` MiB in place of the one there is, which stays with all it knows where the system refuses.
    fn resize_table(&mut self, mib: usize, mib_before: usize) -> Result<(), OptionError> {
        const OPTION: &str = "Hash";
        memory::check(OPTION, mib)?;
        // The old table goes before the new one comes: there may be no room for both.
        self.table = Arc::new(TranspositionTable::new(1));
        let new = TranspositionTable::try_new(mib);
        let is_there = new.is_some();
        // Where somebody else took the memory in between, what was given back is there.
        let table =
            new.or_else(|| TranspositionTable::try_new(mib_before)).unwrap_or_else(|| TranspositionTable::new(1));
        self.table = Arc::new(table);
        if is_there { Ok(()) } else { Err(memory::refusal(OPTION, mib)) }
    }

    /// Brings table and threads into step with the settings.
    fn apply(&mut self, before: &Settings) -> Result<(), OptionError> {
        if self.settings.hash_mib != before.hash_mib {
            self.resize_table(self.settings.hash_mib, before.hash_mib)?;
        } else if self.settings.clear_hash != before.clear_hash {
            self.clear_table();
        }
        if self.settings.threads != before.threads {
            // The old threads go before the new ones come: there may be no room for both.
            self.helpers = Helpers::new(0, &self.seed);
            self.helpers = Helpers::new(self.settings.threads - 1, &self.seed);
            self.helpers.pool.check(self.settings.threads)?;
        }
        Ok(())
    }

    fn thread_task(
        &self,
        line: &Arc<Line<P>>,
        roots: &[RootMove<P::Move>],
        limits: &Limits,
        shared: &Arc<Shared>,
        number: usize,
    ) -> ThreadTask<P> {
        ThreadTask {
            line: line.clone(),
            roots: roots.to_vec(),
            depth_max: limits.depth.unwrap_or(DEPTH_MAX).clamp(1, DEPTH_MAX) as i32,
            multi_pv: self.settings.multi_pv,
            parameters: Arc::new(self.parameters.clone()),
            reductions: self.reductions.clone(),
            table: self.table.clone(),
            shared: shared.clone(),
            probe: self.probe.clone(),
            traced: (number == 0).then(|| self.traced.clone()),
            number,
        }
    }

    /// Runs all threads on the root moves and returns what each found, the caller's thread first.
    fn run(
        &mut self,
        line: &Line<P>,
        roots: &[RootMove<P::Move>],
        limits: &Limits,
        watch: &mut dyn Watch<P::Move>,
    ) -> Vec<Found<P::Move>> {
        let overhead = Duration::from_millis(self.settings.move_overhead_ms);
        let side: Side = line.here().side_to_move();
        let budget = clock::budget(limits, side, overhead);
        let shared = Arc::new(Shared::new(self.helpers.pool.len() + 1, limits.nodes));
        if let Some(table) = Arc::get_mut(&mut self.table) {
            table.grow_older();
        }
        let line = Arc::new(line.clone());
        self.helpers.pool.start(|i| Task::Search(self.thread_task(&line, roots, limits, &shared, i + 1)));
        let task = self.thread_task(&line, roots, limits, &shared, 0);
        let mut memory = self.memory.take().unwrap_or_else(|| Memory::new(self.seed.clone()));
        self.traced.show(None);
        memory.recorder = Recorder::wanted(&self.traces);
        let (found, mut memory) = Thread::new(memory, task, Some(Control::new(watch, limits, budget))).deepen();
        let mut recorder = memory.recorder.take();
        self.profile = recorder
            .as_mut()
            .and_then(|recorder| recorder.counters.take())
            .map(|counters| counters.finish(found.nodes));
        let traced = recorder.filter(|_| self.traces.trace_plies > 0);
        self.traced.show(traced.map(|recorder| Arc::new(TraceTree::new(line.here().clone(), &recorder))));
        self.memory = Some(memory);
        // With a spent budget the helpers end by themselves, and must: their share of the nodes is promised.
        if !shared.is_spent() {
            shared.stop();
        }
        let mut all = vec![found];
        all.extend(self.helpers.pool.wait().into_iter().filter_map(|answer| match answer {
            Answer::Found(found) => Some(found),
            _ => None,
        }));
        all
    }
}

impl<P: Tactical, E: Evaluator<P>> Searcher<P> for AlphaBeta<P, E> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        self.clear_table();
        self.memory.iter_mut().for_each(Memory::clear);
        self.helpers.pool.start(|_| Task::Clear);
        self.helpers.pool.wait();
    }

    fn search(
        &mut self,
        line: &Line<P>,
        limits: &Limits,
        only: &[P::Move],
        watch: &mut dyn Watch<P::Move>,
    ) -> Report<P::Move> {
        let claim = line.here().claim().filter(|o| o.winner != Some(!line.here().side_to_move()));
        let roots = root::moves(line, only, self.probe.as_deref());
        if roots.is_empty() || claim.is_some() {
            let choice = claim.map(|_| Choice::Claim);
            return Report { choice, nodes: 1, time: watch.elapsed(), ..Report::default() };
        }
        let spent = match self.prove_root(line, limits, only, watch) {
            Before::Won(report) => return report,
            Before::Spent(nodes) => nodes,
        };
        let rest = |nodes: Option<u64>| nodes.map(|nodes| nodes.saturating_sub(spent));
        let limits = &Limits { nodes: rest(limits.nodes), soft_nodes: rest(limits.soft_nodes), ..limits.clone() };
        let found = self.run(line, &roots, limits, watch);
        // The nodes of the root's proof are spent from the same limit.
        let mut report = deepen::vote(found);
        report.nodes += spent;
        report.hash_full = self.table.hash_full();
        report.time = watch.elapsed();
        // A line of one move has no answer to ponder on; the table often has.
        let expected = report.lines.first().and_then(|l| l.pv.get(1).copied());
        report.ponder = expected.or_else(|| deepen::expected(line, &report, &self.table));
        watch.report(&report);
        report
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<P::Move>>> {
        (self.traces.trace_plies > 0).then(|| self.traced.clone() as _)
    }

    fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.helpers.pool.start(|_| Task::Count);
        let mut counts = self.memory.as_ref().map(counts_of).unwrap_or_default();
        for answer in self.helpers.pool.wait() {
            let Answer::Counts(more) = answer else { continue };
            for (sum, one) in counts.iter_mut().zip(more) {
                sum.add(one);
            }
        }
        counts
    }

    fn obeys_soft_nodes(&self) -> bool {
        true
    }
}

impl<P: Tactical, E: Evaluator<P>> Options for AlphaBeta<P, E> {
    fn specs(&self) -> Vec<Spec> {
        [Settings::SPECS, Parameters::SPECS, Traces::SPECS].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.settings.get(name).or_else(|| self.parameters.get(name)).or_else(|| self.traces.get(name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let is = |specs: &[Spec]| specs.iter().any(|s| same_name(s.name, name) || same_name(s.key, name));
        if is(Settings::SPECS) {
            let before = self.settings.clone();
            self.settings.set(name, value)?;
            if let Err(error) = self.apply(&before) {
                self.settings = Settings { threads: self.helpers.pool.len() + 1, ..before };
                return Err(error);
            }
        } else if is(Parameters::SPECS) {
            self.parameters.set(name, value)?;
            self.reductions = Arc::new(Reductions::new(&self.parameters));
        } else if is(Traces::SPECS) {
            self.traces.set(name, value)?;
        } else {
            tesuji_options::find(&self.specs(), name)?;
        }
        Ok(())
    }
}
