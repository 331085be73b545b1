//! Monte-Carlo tree search over any position, with any [`Oracle`]: one tree that threads grow together without locks, or many trees in one thread.
//!
//! | file | what it is for |
//! |---|---|
//! | `tree`, `node`, `arena` | the tree, what it stores, and where; the walk from the root to a leaf |
//! | `places` | transpositions: one node for a position, visits for each way to it |
//! | `rule` | which child to visit: UCB1, UCB with all-moves-as-first counts, PUCT |
//! | `ticket` | a visit under way: virtual loss, backing up, proven results |
//! | `expand` | opening a leaf: candidates, priors, noise |
//! | `keep` | reuse between moves, pruning where memory runs out |
//! | `view` | lines, the move to play, rows for onlookers, Graphviz |
//! | `drive`, `think` | one tree on many threads, and when to stop |
//! | `batch` | many games in one thread, evaluated together |
//! | `batched` | whole games played so |
//! | `leaf_mates` | short mates before an oracle is asked |
//! | `eval_oracle` | an oracle from a hand-made evaluation |
//!
//! A tree owns no evaluator: [`Tree::select`] puts a question into a [`tesuji_game::Query`], and its ticket takes the answer home.
//! One thread is deterministic: the same options, line and limit of playouts after [`crate::Searcher::new_game`] build the same
//! tree, on every machine. A node is a playout; limits of nodes are exact on any number of threads. A limit of depth ends a search
//! when the playouts' paths are so long on average: that is for benches, since long paths come slowly. The sides are taken to
//! alternate. A position that two orders of moves lead to is two nodes unless [`Parameters::transpositions`] is set: what repetition rules
//! say hangs on the way to a position. With it they are one where nothing of the way matters ([`tesuji_game::Position::path_key`]); a way
//! that would come to a node whose future is another there is turned back, so that no walk goes round in a circle.

mod arena;
mod batch;
mod batched;
mod drive;
mod eval_oracle;
mod expand;
mod keep;
mod leaf_mates;
mod math;
mod node;
mod options;
mod places;
mod rule;
mod think;
mod ticket;
mod tree;
mod view;

pub use batch::{BatchedTree, grow_all};
pub use batched::{
    BatchedCounts, BatchedError, BatchedRules, Beginning, Finished, NoRivals, RivalAnswer, Rivals, Turn, play_batched,
};
pub use drive::Means;
pub use eval_oracle::{EvalOracle, EvalParameters};
pub use leaf_mates::{LeafMateParameters, LeafMates, mate_within};
pub use options::{Parameters, Settings};
pub use ticket::Ticket;
pub use tree::{Selected, Tree};
pub(crate) use view::to_expected as expected;
pub use view::{RootMove, write_dot};

use crate::{
    EndgameProbe, Prover, Searcher, clock,
    control::Control,
    memory,
    pool::Pool,
    proof::{Allowed, Before, prove_root},
    shown::Shown,
};
use drive::{End, TreeWorker};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tesuji_game::{CacheCounts, Choice, Limits, Line, Oracle, OracleError, Position, Random, Report, TreeView, Watch};
use tesuji_options::{OptionError, Options, Spec, same_name};
use think::Thinker;
use tree::Wishes;

/// The part of the memory that a tree may fill: a pruned copy of half its size must fit beside it.
const TREE_SHARE: (usize, usize) = (2, 3);

/// Of the time of a move that a search for a forced win may take, in per cent.
const ROOT_MATE_PERCENT: u64 = 10;

/// The Monte-Carlo tree searcher. Its options are [`Settings`] and, for experts, [`Parameters`].
///
/// # Examples
/// ```
/// use tesuji_game::{Limits, Line, Report, Signal, Watch};
/// use tesuji_search::{Searcher, mcts::{EvalOracle, Mcts}};
/// use tesuji_testkit::four::{Drop, FourEval, FourPosition};
/// # use std::time::Duration;
/// struct Quiet;
/// impl Watch<Drop> for Quiet {
///     fn signal(&mut self) -> Signal { Signal::Run }
///     fn elapsed(&self) -> Duration { Duration::ZERO }
///     fn report(&mut self, _: &Report<Drop>) {}
/// }
/// let mut search = Mcts::new(EvalOracle::new(FourEval::default()));
/// let line = Line::new(FourPosition::default());
/// let report = search.search(&line, &Limits { nodes: Some(500), ..Limits::default() }, &[], &mut Quiet);
/// assert_eq!((report.nodes, report.choice.is_some()), (500, true));
/// ```
pub struct Mcts<P: Position, O> {
    settings: Settings,
    parameters: Parameters,
    /// The oracle that new threads begin with.
    seed: O,
    probe: Option<Arc<dyn EndgameProbe<P>>>,
    prover: Option<Box<dyn Prover<P>>>,
    worker: TreeWorker<P, O>,
    helpers: Pool<Task<P>, Reply>,
    kept: Option<Kept<P>>,
    shown: Arc<Shown<Tree<P>>>,
    means: Means,
    fault: Option<OracleError>,
    /// Moves in a row at which giving up was thought of.
    bad_moves: usize,
}

/// The tree of the last search, and the way to its root.
struct Kept<P: Position> {
    tree: Arc<Tree<P>>,
    start: tesuji_game::Key,
    moves: Vec<P::Move>,
}

/// Messages to helper threads.
enum Task<P: Position> {
    Grow { tree: Arc<Tree<P>>, line: Arc<Line<P>>, stop: Arc<AtomicBool> },
    Clear,
    Count,
}

enum Reply {
    Grown(End, Means),
    Cleared,
    Counts(Vec<CacheCounts>),
}

fn helpers<P: Position, O: Oracle<P> + Clone + 'static>(count: usize, seed: &O) -> Pool<Task<P>, Reply> {
    let workers = (0..count).map(|_| {
        let mut worker = TreeWorker::<P, O>::new(seed.clone());
        move |task| match task {
            Task::Grow { tree, line, stop } => {
                let end = worker.grow(&tree, &line, &stop, |_, _| false);
                if matches!(end, End::Full | End::Failed(_)) {
                    // All must stop: to make room, or because nothing more can be found.
                    stop.store(true, Relaxed);
                }
                Reply::Grown(end, worker.take_means())
            }
            Task::Clear => {
                worker.oracle.clear();
                Reply::Cleared
            }
            Task::Count => Reply::Counts(worker.oracle.counts()),
        }
    });
    Pool::new(workers)
}

impl<P: Position, O: Oracle<P> + Clone + 'static> Mcts<P, O> {
    /// A searcher with default options. It clones `oracle` for each thread.
    pub fn new(oracle: O) -> Self {
        let settings = Settings::default();
        Mcts {
            helpers: helpers(settings.threads - 1, &oracle),
            worker: TreeWorker::new(oracle.clone()),
            seed: oracle,
            probe: None,
            prover: None,
            parameters: Parameters::default(),
            kept: None,
            shown: Arc::default(),
            means: Means::default(),
            fault: None,
            bad_moves: 0,
            settings,
        }
    }

    /// Takes another oracle and forgets what was found with the old one.
    pub fn set_oracle(&mut self, oracle: O) {
        self.worker = TreeWorker::new(oracle.clone());
        self.helpers = helpers(self.settings.threads - 1, &oracle);
        self.seed = oracle;
        self.forget();
    }

    /// Takes endgame tables for the root, or none: there only moves that keep the result and make progress are looked at.
    /// An oracle has its own.
    pub fn set_probe(&mut self, probe: Option<Arc<dyn EndgameProbe<P>>>) {
        self.probe = probe;
        self.forget();
    }

    /// Takes a search for forced wins that is asked about the root before the tree grows, where `RootMateNodes` allows it.
    pub fn set_prover(&mut self, prover: Option<Box<dyn Prover<P>>>) {
        self.prover = prover;
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

    /// The tree of the last search.
    pub fn last_tree(&self) -> Option<&Tree<P>> {
        self.kept.as_ref().map(|kept| &*kept.tree)
    }

    /// Margin and ownership as the evaluations of the last search told them, for the side to move at its root.
    pub fn means(&self) -> &Means {
        &self.means
    }

    /// The failure of the oracle that ended the last search early, if any.
    pub fn fault(&self) -> Option<&OracleError> {
        self.fault.as_ref()
    }

    fn forget(&mut self) {
        self.kept = None;
        self.shown.show(None);
    }
}

/// The course of a search.
impl<P: Position, O: Oracle<P> + Clone + 'static> Mcts<P, O> {
    /// The tree to go on with: what was kept of the last one, or a new one.
    fn tree_for(&mut self, line: &Line<P>, wishes: &Wishes) -> Arc<Tree<P>> {
        let bytes = (self.settings.hash_mib << 20) / TREE_SHARE.1 * TREE_SHARE.0;
        let start = line.start().key();
        let moves: Vec<P::Move> = line.moves().collect();
        let kept =
            self.kept.take().filter(|k| self.parameters.reuse && k.start == start && moves.starts_with(&k.moves));
        let tree = match kept {
            // Visits that other moves were kept from would count for those that were wanted.
            Some(kept) if kept.moves.len() == moves.len() && kept.tree.wishes().only == wishes.only => kept.tree,
            Some(kept) if kept.moves.len() == moves.len() => Arc::new(Tree::new(line, &self.parameters, bytes)),
            Some(kept) => Arc::new(kept.tree.below(line).unwrap_or_else(|| Tree::new(line, &self.parameters, bytes))),
            None => Arc::new(Tree::new(line, &self.parameters, bytes)),
        };
        self.keep(line, tree.clone());
        tree
    }

    fn keep(&mut self, line: &Line<P>, tree: Arc<Tree<P>>) {
        self.shown.show(Some(tree.clone()));
        self.kept = Some(Kept { tree, start: line.start().key(), moves: line.moves().collect() });
    }

    /// Grows the tree on all threads until the thinker or the budget ends it; returns the tree that is left.
    fn grow(
        &mut self,
        mut tree: Arc<Tree<P>>,
        line: &Arc<Line<P>>,
        thinker: &mut Thinker<'_, P::Move>,
    ) -> Arc<Tree<P>> {
        loop {
            let stop = Arc::new(AtomicBool::new(false));
            self.helpers.start(|_| Task::Grow { tree: tree.clone(), line: line.clone(), stop: stop.clone() });
            let end = self.worker.grow(&tree, line, &stop, |done, means| thinker.look(&tree, done, means));
            if end != End::Spent {
                stop.store(true, Relaxed);
            }
            let mut ends = vec![end];
            self.means.join(&self.worker.take_means());
            for reply in self.helpers.wait() {
                if let Reply::Grown(end, means) = reply {
                    ends.push(end);
                    self.means.join(&means);
                }
            }
            for end in &ends {
                if let End::Failed(error) = end {
                    tracing::debug!(target: "search", "{error}");
                    self.fault = Some(error.clone());
                }
            }
            let is_full = ends.contains(&End::Full);
            if self.fault.is_some() || thinker.is_over || !is_full {
                return tree;
            }
            tree = Arc::new(tree.pruned(line));
            self.keep(line, tree.clone());
        }
    }

    /// The choice: the best move, one sampled by temperature, or resignation; `None` where the oracle failed at once, so that any
    /// move would be random.
    fn choose(&mut self, tree: &Tree<P>, line: &Line<P>) -> Option<Choice<P::Move>> {
        let moves = tree.root_moves();
        let best = moves.first()?;
        let is_bad = best.value < self.settings.resign_below;
        self.bad_moves = if is_bad { self.bad_moves + 1 } else { 0 };
        if is_bad && self.bad_moves >= self.settings.resign_moves {
            return Some(Choice::Resign);
        }
        let drawn = self.settings.temperature > 0.0 && line.len() < self.settings.temperature_plies;
        if !drawn {
            return Some(Choice::Play(best.mv));
        }
        let mut random = Random::for_item(self.settings.seed, line.here().key().0 ^ line.len() as u64);
        Some(Choice::Play(tree.draw_move(self.settings.temperature, &mut random).unwrap_or(best.mv)))
    }

    /// The seed of the noise at the end of `line`, if there is to be any.
    fn noise_seed(&self, line: &Line<P>) -> Option<u64> {
        let random = || Random::for_item(!self.settings.seed, line.here().key().0 ^ line.len() as u64).next_u64();
        (self.parameters.noise > 0.0).then(random)
    }
}

impl<P: Position, O: Oracle<P> + Clone + 'static> Searcher<P> for Mcts<P, O> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        self.forget();
        self.bad_moves = 0;
        self.worker.oracle.clear();
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
        (self.means, self.fault) = (Means::default(), None);
        let nodes_max = self.parameters.root_mate_nodes;
        let mut limits = limits.clone();
        // Anyone who looks on, or thinks on the other's time, wants a tree.
        let is_plain = wanted.is_empty() && self.settings.multi_pv == 1 && !limits.infinite && !limits.ponder;
        if let Some(prover) = self.prover.as_mut().filter(|_| is_plain) {
            let overhead = Duration::from_millis(self.settings.move_overhead_ms);
            // Its nodes are moves, not evaluations: they do not count against the playouts.
            let own = Limits { nodes: None, ..limits.clone() };
            let allowed = Allowed { nodes_max, percent: ROOT_MATE_PERCENT, overhead };
            if let Before::Won(report) = prove_root(&mut **prover, line, &own, allowed, watch) {
                return report;
            }
        }
        limits.nodes = limits.nodes.map(|nodes| nodes.max(1));
        let limits = &limits;
        let all = wanted.is_empty() || wanted.len() == legal.len();
        let only = if all { Vec::new() } else { wanted.iter().map(|&mv| P::pack(mv)).collect() };
        let wishes = Wishes { only, noise: self.noise_seed(line) };
        let tree = self.tree_for(line, &wishes);
        tree.begin(limits.nodes);
        tree.wish(wishes);
        // Other noise at each move of a game, the same in each game.
        tree.seed_kicks(self.settings.seed.wrapping_add(line.len() as u64));
        let overhead = Duration::from_millis(self.settings.move_overhead_ms);
        let control = Control::starting(watch, limits, clock::budget(limits, side, overhead), 1);
        let mut thinker = Thinker::new(control, self.settings.multi_pv);
        let tree = self.grow(tree, &Arc::new(line.clone()), &mut thinker);
        thinker.wait();
        let choice = self.choose(&tree, line);
        let fault = self.fault.as_ref().map(ToString::to_string);
        let fault = fault.or_else(|| choice.is_none().then(|| "there is no memory for the search".to_string()));
        Report { fault, ..thinker.tell_last(&tree, &self.means, choice) }
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<P::Move>>> {
        Some(self.shown.clone())
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.helpers.start(|_| Task::Count);
        let mut counts = self.worker.oracle.counts();
        for reply in self.helpers.wait() {
            let Reply::Counts(more) = reply else { continue };
            for (sum, one) in counts.iter_mut().zip(more) {
                sum.add(one);
            }
        }
        counts
    }
}

impl<P: Position, O: Oracle<P> + Clone + 'static> Options for Mcts<P, O> {
    fn specs(&self) -> Vec<Spec> {
        [Settings::SPECS, Parameters::SPECS].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.settings.get(name).or_else(|| self.parameters.get(name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let is = |specs: &[Spec]| specs.iter().any(|s| same_name(s.name, name) || same_name(s.key, name));
        if is(Settings::SPECS) {
            let before = self.settings.clone();
            self.settings.set(name, value)?;
            if self.settings.hash_mib != before.hash_mib
                && let Err(error) = memory::check("Hash", self.settings.hash_mib)
            {
                self.settings = before;
                return Err(error);
            }
            if self.settings.hash_mib != before.hash_mib || self.settings.clear_hash != before.clear_hash {
                self.forget();
            }
            if self.settings.threads != before.threads {
                // The old threads go before the new ones come: there may be no room for both.
                self.helpers = helpers(0, &self.seed);
                self.helpers = helpers(self.settings.threads - 1, &self.seed);
                let granted = self.helpers.check(self.settings.threads);
                self.settings.threads = self.helpers.len() + 1;
                granted?;
            }
        } else if is(Parameters::SPECS) {
            self.parameters.set(name, value)?;
            self.forget();
        } else {
            tesuji_options::find(&self.specs(), name)?;
        }
        Ok(())
    }
}
