//! Best-first search: the whole tree stays in memory and grows where it is worth most; quality says how much work stands behind a value.
//!
//! | file | what it is for |
//! |---|---|
//! | `node`, `tree` | what is remembered of a position, and minimax with quality from the leaves up |
//! | `queue`, `leaf` | which position is next, and working it out |
//! | `stage` | what to look at further when the queue is empty |
//! | `cache` | values of positions already valued |
//! | `keep` | the tree between moves, and where memory runs out |
//! | `think` | when to stop, and what to report |
//! | `view` | lines, and rows for onlookers |
//!
//! The idea is that of "Chess in Delphi" (Ivan Polyacov, <https://github.com/Cooler2/chess>): a move costs a part of a ply, less
//! if it takes or checks; a position with weight left is worked out, the heaviest first; then the tree is rated, and stage
//! after stage the parts grow to which the two best moves of each position lead, as far as quality allows. The preset `delphi`
//! is that program, `delphi-0` its first version; the defaults add what they lack.
//!
//! A node is a position that was valued; limits of nodes are exact. What a limit of nodes finds hangs neither on the number
//! of threads nor on the clock: positions are taken from the queue in batches, worked out by all threads, and hung in order.

mod cache;
mod keep;
mod leaf;
mod node;
mod options;
mod queue;
mod stage;
mod think;
mod tree;
mod view;

pub use leaf::{Recall, Recalled};
pub use options::{Parameters, Settings};
pub use tree::Tree;
pub use view::RootMove;

use crate::{
    EndgameProbe, Searcher,
    clock::{self, Budget},
    control::Control,
    memory,
    pool::Pool,
};
use cache::Cache;
use leaf::{Batch, Found, Job, Shared, Worker};
use node::ESTIMATE_MAX;
use queue::Queue;
use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tesuji_game::{
    CacheCounts, Choice, Evaluator, Key, Limits, Line, NodeNote, Position, Random, Report, Tactical, TreeRow, TreeView,
    Watch,
};
use tesuji_options::{OptionError, Options, Spec, find};
use think::Thinker;

/// The part of the memory that the tree fills, and the part of the cache; the rest is for copies and the index.
const TREE_SHARE: usize = 2;
const CACHE_SHARE: usize = 4;
/// Moves that a position is taken to have at most, where room is made in time.
const MOVES_MANY: usize = 640;
/// Positions that are taken together in a small tree, and nodes for each of them in a large one: with thirty moves a position
/// some hundredth of it is hung late.
const BATCH_FIRST: usize = 16;
const BATCH_SHARE: usize = 2048;
/// Share of the best move's quality that another must have to be preferred for variety.
const VARIETY_QUALITY: f32 = 0.05;

/// The best-first searcher. Its options are [`Settings`] and, for experts, [`Parameters`].
///
/// # Examples
/// ```
/// use tesuji_game::{Limits, Line, Report, Signal, Watch};
/// use tesuji_search::{Searcher, best_first::BestFirst};
/// use tesuji_testkit::four::{Drop, FourEval, FourPosition};
/// # use std::time::Duration;
/// struct Quiet;
/// impl Watch<Drop> for Quiet {
///     fn signal(&mut self) -> Signal { Signal::Run }
///     fn elapsed(&self) -> Duration { Duration::ZERO }
///     fn report(&mut self, _: &Report<Drop>) {}
/// }
/// let mut search = BestFirst::new(FourEval::default());
/// let line = Line::new(FourPosition::default());
/// let report = search.search(&line, &Limits { nodes: Some(500), ..Limits::default() }, &[], &mut Quiet);
/// assert_eq!((report.nodes, report.choice.is_some()), (500, true));
/// ```
pub struct BestFirst<P: Tactical, E> {
    settings: Settings,
    parameters: Parameters,
    /// The evaluator that new threads begin with.
    seed: E,
    probe: Option<Arc<dyn EndgameProbe<P>>>,
    recall: Option<Arc<dyn Recall<P>>>,
    worker: Worker<P, E>,
    helpers: Pool<Task<P>, Answer>,
    cache: Arc<Cache>,
    /// The way to the root of the tree that is kept.
    kept: Option<(Key, Vec<P::Move>)>,
    tree: Arc<Shown<P>>,
    /// Games since the seed was set.
    games: u64,
}

/// Messages to helper threads.
enum Task<P: Tactical> {
    Begin,
    Work { shared: Arc<Shared<P>>, batch: Arc<Batch> },
    Clear,
    Count,
}

/// Answers of helper threads.
enum Answer {
    Done,
    /// Positions worked out, with their places in the batch.
    Found(Vec<(usize, Found)>),
    /// Probes and hits of its evaluator's caches.
    Counts(Vec<CacheCounts>),
}

fn helpers<P: Tactical, E: Evaluator<P>>(count: usize, seed: &E) -> Pool<Task<P>, Answer> {
    Pool::new((0..count).map(|_| {
        let mut worker = Worker::<P, E>::new(seed.clone());
        move |task| {
            match task {
                Task::Begin => worker.begin(),
                Task::Work { shared, batch } => return Answer::Found(worker.work(&shared, &batch)),
                Task::Clear => worker.clear(),
                Task::Count => return Answer::Counts(worker.cache_counts()),
            }
            Answer::Done
        }
    }))
}

impl<P: Tactical, E: Evaluator<P>> BestFirst<P, E> {
    /// A searcher with default options. It clones `eval` for each thread.
    pub fn new(eval: E) -> Self {
        let settings = Settings::default();
        BestFirst {
            helpers: helpers(settings.threads - 1, &eval),
            worker: Worker::new(eval.clone()),
            seed: eval,
            probe: None,
            recall: None,
            parameters: Parameters::default(),
            cache: Arc::new(Cache::new((settings.hash_mib << 20) / CACHE_SHARE)),
            kept: None,
            tree: Arc::new(Shown(RwLock::new(None))),
            games: 0,
            settings,
        }
    }

    /// Takes another evaluator and forgets what was found with the old one.
    pub fn set_evaluator(&mut self, eval: E) {
        self.worker = Worker::new(eval.clone());
        self.helpers = helpers(self.settings.threads - 1, &eval);
        self.seed = eval;
        self.forget();
    }

    /// Takes endgame tables, or none.
    pub fn set_probe(&mut self, probe: Option<Arc<dyn EndgameProbe<P>>>) {
        self.probe = probe;
        self.forget();
    }

    /// Takes a memory of earlier games, or none.
    pub fn set_recall(&mut self, recall: Option<Arc<dyn Recall<P>>>) {
        self.recall = recall;
        self.forget();
    }

    /// The expert options: how the tree grows.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Takes all options at once, and forgets the tree.
    pub fn set_parameters(&mut self, parameters: Parameters) {
        self.parameters = parameters;
        self.forget();
    }

    /// Reads the tree of the last search, if there is one.
    pub fn with_tree<R>(&self, read: impl FnOnce(&Tree<P>) -> R) -> Option<R> {
        self.tree.read(read)
    }

    fn forget(&mut self) {
        self.kept = None;
        self.tree.put(None);
        self.cache.clear();
    }

    fn renew_cache(&mut self) {
        self.forget();
        self.cache = Arc::new(Cache::new((self.settings.hash_mib << 20) / CACHE_SHARE));
    }
}

/// The course of a search.
impl<P: Tactical, E: Evaluator<P>> BestFirst<P, E> {
    /// The tree to go on with: what was kept of the last one, or a new one.
    fn tree_for(&mut self, line: &Line<P>, limits: &Limits, budget: Option<Budget>, only: Vec<u16>) -> Tree<P> {
        let bytes = (self.settings.hash_mib << 20) / TREE_SHARE;
        let moves: Vec<P::Move> = line.moves().collect();
        let is_whole = self.parameters.stages_max == 0;
        // Half of the time of a move at most goes into the copy.
        let room = budget.map_or(usize::MAX, |budget| keep::copied_in(budget.hard / 2));
        let kept = self.kept.take().zip(self.tree.take());
        let fits = |(start, path): &(Key, Vec<P::Move>)| {
            self.parameters.reuse && !is_whole && *start == line.start().key() && moves.starts_with(path)
        };
        let old = kept.filter(|(way, _)| fits(way)).and_then(|((_, path), mut tree)| {
            // What other moves were kept from would count for those that were wanted.
            if path.len() < moves.len() { tree.below(line, room) } else { Some(tree).filter(|tree| tree.only == only) }
        });
        let mut tree = old.filter(|tree| only.is_empty() || tree.only == only).unwrap_or_else(|| {
            let mut parameters = self.parameters.clone();
            if is_whole && let Some(depth) = limits.depth {
                // Weights are tenths of a ply.
                parameters.base = depth.clamp(1, 200) as i16 * 10;
            }
            Tree::new(line, &parameters, bytes)
        });
        tree.only = only;
        self.kept = Some((line.start().key(), moves));
        tree
    }

    /// Works out jobs on all threads; what comes out stands in their order.
    fn work(&mut self, shared: &Arc<Shared<P>>, jobs: Vec<Job>) -> Vec<Found> {
        let is_shared = jobs.len() > 1 && !self.helpers.is_empty();
        let batch = Arc::new(Batch::new(jobs));
        if is_shared {
            self.helpers.start(|_| Task::Work { shared: shared.clone(), batch: batch.clone() });
        }
        let mut found = self.worker.work(shared, &batch);
        if is_shared {
            for answer in self.helpers.wait() {
                let Answer::Found(more) = answer else { continue };
                found.extend(more);
            }
            found.sort_unstable_by_key(|&(place, _)| place);
        }
        found.into_iter().map(|(_, found)| found).collect()
    }

    /// Grows the tree until thinker or limits end it. It is rated then.
    fn grow(&mut self, shared: &Arc<Shared<P>>, thinker: &mut Thinker<'_, P::Move>) {
        let mut queue = Queue::new();
        let tree = self.tree.clone();
        tree.change(|tree| tree.requeue(&mut queue));
        loop {
            if tree.read(|tree| tree.is_full(self.parameters.batch * MOVES_MANY)).unwrap_or(false) {
                if tree.read(|tree| thinker.lacks_time_to_copy(tree.len())).unwrap_or(true) {
                    break;
                }
                tree.change(|tree| tree.make_room(&shared.line, &mut queue));
            }
            // Jobs are taken and results hung in under the lock; the work between runs without it.
            let left = thinker.nodes_left();
            let jobs =
                tree.change(|tree| tree.take_jobs(&mut queue, self.batch_for(tree, left), left)).unwrap_or_default();
            if jobs.is_empty() {
                if !self.stage(&tree, thinker, &mut queue) {
                    break;
                }
                continue;
            }
            let found = self.work(shared, jobs);
            let done: u64 = found.iter().map(|f| f.children.len() as u64).sum();
            tree.change(|tree| {
                for found in &found {
                    // A node with half of its moves would be rated too low; the root must have moves whatever happens.
                    if found.is_complete || found.id == 0 {
                        tree.hang(found, &mut queue);
                    }
                }
            });
            if thinker.is_called(done, found.len()) || thinker.nodes_left() == 0 {
                break;
            }
            if thinker.rates_now() {
                tree.change(Tree::rate);
            }
            if thinker.is_due() {
                tree.read(|tree| thinker.tell(tree));
            }
        }
        tree.change(Tree::rate);
    }

    /// Rates the tree and chooses what is to grow next: whether the search goes on.
    fn stage(&self, tree: &Shown<P>, thinker: &mut Thinker<'_, P::Move>, queue: &mut Queue) -> bool {
        tree.change(Tree::rate);
        if tree.read(|tree| thinker.is_enough(tree)).unwrap_or(true) {
            return false;
        }
        let goes_on = tree.change(|tree| tree.stages < self.parameters.stages_max && tree.stage(queue));
        goes_on.unwrap_or(false) && !thinker.control.look()
    }

    /// Positions to take together: more as the tree grows, so that threads need not meet so often; one where the nodes run
    /// out, so that no more are valued than may be.
    fn batch_for(&self, tree: &Tree<P>, nodes_left: u64) -> usize {
        let batch = (tree.len() / BATCH_SHARE).max(BATCH_FIRST).min(self.parameters.batch);
        usize::try_from(nodes_left / MOVES_MANY as u64).map_or(batch, |n| n.clamp(1, batch))
    }

    /// The move to play: the best, or one nearly as good that this game prefers.
    fn choose(&self, line: &Line<P>, legal: &[P::Move]) -> P::Move {
        let moves = self.tree.read(Tree::root_moves).unwrap_or_default();
        let Some(best) = moves.first() else { return legal[0] };
        // Where a mate is seen only the shortest will do.
        if best.value.abs() > ESTIMATE_MAX || self.settings.variety_cp <= 0.0 {
            return best.mv;
        }
        // The golden ratio as a multiplier spreads consecutive numbers of games over all bits.
        let game = self.settings.seed ^ self.games.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let liking = |mv: P::Move| {
            let item = line.here().key().0 ^ (u64::from(P::pack(mv)) << 48) ^ line.len() as u64;
            Random::for_item(game, item).unit() as f32 * self.settings.variety_cp
        };
        let near = |m: &&RootMove<P::Move>| {
            best.value - m.value <= self.settings.variety_cp && m.quality >= best.quality * VARIETY_QUALITY
        };
        let liked = |m: &RootMove<P::Move>| m.value + liking(m.mv);
        let chosen = moves.iter().filter(near).max_by(|a, b| liked(a).total_cmp(&liked(b)));
        chosen.unwrap_or(best).mv
    }
}

impl<P: Tactical, E: Evaluator<P>> Searcher<P> for BestFirst<P, E> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        self.forget();
        self.games += 1;
        self.worker.clear();
        self.helpers.start(|_| Task::Clear);
        self.helpers.wait();
    }

    fn search(
        &mut self,
        line: &Line<P>,
        limits: &Limits,
        only: &[P::Move],
        watch: &mut dyn Watch<P::Move>,
    ) -> Report<P::Move> {
        let side = line.here().side_to_move();
        let claim = line.here().claim().filter(|o| o.winner != Some(!side));
        let mut legal = Vec::new();
        line.legal_moves(&mut legal);
        if legal.is_empty() || claim.is_some() {
            let choice = claim.map(|_| Choice::Claim);
            return Report { choice, nodes: 1, time: watch.elapsed(), ..Report::default() };
        }
        let mut wanted: Vec<P::Move> = legal.iter().copied().filter(|mv| only.contains(mv)).collect();
        if let Some((_, keeping)) = self.probe.as_ref().and_then(|p| p.root_moves(line.here())) {
            let among = if wanted.is_empty() { &legal } else { &wanted };
            let kept: Vec<P::Move> = among.iter().copied().filter(|mv| keeping.contains(mv)).collect();
            wanted = if kept.is_empty() { wanted } else { kept };
        }
        let all = wanted.is_empty() || wanted.len() == legal.len();
        let only: Vec<u16> = if all { Vec::new() } else { wanted.iter().map(|&mv| P::pack(mv)).collect() };
        let overhead = Duration::from_millis(self.settings.move_overhead_ms);
        let budget = clock::budget(limits, side, overhead);
        let tree = self.tree_for(line, limits, budget, only.clone());
        self.tree.put(Some(tree));
        let (parameters, cache, probe, recall) =
            (self.parameters.clone(), self.cache.clone(), self.probe.clone(), self.recall.clone());
        let shared = Arc::new(Shared { line: line.clone(), parameters, only, cache, probe, recall });
        self.worker.begin();
        self.helpers.start(|_| Task::Begin);
        self.helpers.wait();
        let control = Control::starting(watch, limits, budget, 1);
        let mut thinker = Thinker::new(control, self.settings.multi_pv, &self.parameters);
        self.grow(&shared, &mut thinker);
        thinker.wait();
        let choice = Choice::Play(self.choose(line, if wanted.is_empty() { &legal } else { &wanted }));
        self.tree.read(|tree| thinker.tell_last(tree, choice)).unwrap_or_default()
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<P::Move>>> {
        Some(self.tree.clone())
    }

    fn counts(&self) -> Vec<CacheCounts> {
        let (probes, hits) = self.cache.counts();
        let mut own = self.worker.cache_counts();
        self.helpers.start(|_| Task::Count);
        for answer in self.helpers.wait() {
            let Answer::Counts(more) = answer else { continue };
            for (sum, one) in own.iter_mut().zip(more) {
                sum.add(one);
            }
        }
        [vec![CacheCounts::new("shared evaluation", probes, hits)], own].concat()
    }
}

impl<P: Tactical, E: Evaluator<P>> Options for BestFirst<P, E> {
    fn specs(&self) -> Vec<Spec> {
        [Settings::SPECS, Parameters::SPECS].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.settings.get(name).or_else(|| self.parameters.get(name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if Parameters::SPECS.contains(&spec) {
            self.parameters.set(spec.name, value)?;
            self.forget();
            return Ok(());
        }
        let before = self.settings.clone();
        self.settings.set(spec.name, value)?;
        if self.settings.hash_mib != before.hash_mib
            && let Err(error) = memory::check(spec.name, self.settings.hash_mib)
        {
            self.settings = before;
            return Err(error);
        }
        if self.settings.hash_mib != before.hash_mib {
            self.renew_cache();
        }
        if self.settings.clear_hash != before.clear_hash {
            self.forget();
        }
        if self.settings.seed != before.seed {
            self.games = 0;
        }
        if self.settings.threads != before.threads {
            // The old threads go before the new ones come: there may be no room for both.
            self.helpers = helpers(0, &self.seed);
            self.helpers = helpers(self.settings.threads - 1, &self.seed);
            let granted = self.helpers.check(self.settings.threads);
            self.settings.threads = self.helpers.len() + 1;
            granted?;
        }
        Ok(())
    }
}

/// The tree, for the search between two batches and for onlookers.
struct Shown<P: Position>(RwLock<Option<Tree<P>>>);

impl<P: Position> Shown<P> {
    fn put(&self, tree: Option<Tree<P>>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = tree;
    }

    fn take(&self) -> Option<Tree<P>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn change<R>(&self, change: impl FnOnce(&mut Tree<P>) -> R) -> Option<R> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).as_mut().map(change)
    }

    fn read<R>(&self, read: impl FnOnce(&Tree<P>) -> R) -> Option<R> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(read)
    }
}

impl<P: Position> TreeView<P::Move> for Shown<P> {
    fn row(&self, node: u32) -> Option<TreeRow<P::Move>> {
        self.read(|tree| tree.row(node))?
    }

    fn children(&self, node: u32, out: &mut Vec<TreeRow<P::Move>>) {
        self.read(|tree| tree.children(node, out));
    }

    fn children_above(
        &self,
        node: u32,
        effort_min: u64,
        read: &dyn Fn(u16) -> Option<P::Move>,
        out: &mut Vec<TreeRow<P::Move>>,
    ) {
        self.read(|tree| tree.children_above(node, effort_min, read, out));
    }

    fn note(&self, node: u32) -> Option<NodeNote> {
        self.read(|tree| tree.note(node))?
    }
}
