//! Expansion of a leaf: its moves, their costs, and the values of the positions they lead to. Does not access the tree, so that threads need no lock.

use super::{
    cache::{Cache, CacheKey},
    node::{ESTIMATE_MAX, WON, flag},
    options::Parameters,
};
use crate::{
    probe::{EndgameProbe, Wdl5},
    settle::{LOST, Walker},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use tesuji_game::{By, CacheCounts, Evaluator, Line, Outcome, Side, Tactical, Value};

/// The learned value of a position from earlier games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recalled {
    /// For the side to move, in centipawns.
    pub value_cp: i16,
    /// The quality of the value (the amount of search behind it), already discounted.
    pub quality: f32,
}

/// A memory of earlier games, asked by every thread.
pub trait Recall<P>: Send + Sync {
    /// The learned value of `pos`, if any. Must be fast where there is none.
    fn recall(&self, pos: &P) -> Option<Recalled>;
}

/// Discounted quality that a learned value needs one ply below the root, and two plies: near the root one looks for oneself.
const RECALL_FLOORS: [f32; 3] = [f32::INFINITY, 6000.0, 600.0];

/// State shared by all threads during one search.
pub(super) struct Shared<P: Tactical> {
    /// The game up to the root.
    pub line: Line<P>,
    pub parameters: Parameters,
    /// The packed root moves to look at; empty: all.
    pub only: Vec<u16>,
    pub cache: Arc<Cache>,
    pub probe: Option<Arc<dyn EndgameProbe<P>>>,
    pub recall: Option<Arc<dyn Recall<P>>>,
}

/// A position to work out: its node and the packed moves from the root to it.
pub(super) struct Job {
    pub id: u32,
    pub path: Vec<u16>,
    /// The most moves to value.
    pub moves_max: usize,
}

/// Positions to work out together: each thread takes the next when it is done with one, for some cost many times others.
pub(super) struct Batch {
    jobs: Vec<Job>,
    next: AtomicUsize,
}

impl Batch {
    pub(super) fn new(jobs: Vec<Job>) -> Batch {
        Batch { jobs, next: AtomicUsize::new(0) }
    }

    /// The next position that no thread has taken, with its place among all.
    fn take(&self) -> Option<(usize, &Job)> {
        let place = self.next.fetch_add(1, Relaxed);
        Some((place, self.jobs.get(place)?))
    }
}

/// The result of expanding a leaf.
pub(super) struct Found {
    pub id: u32,
    /// The key of the position.
    pub key: u64,
    /// The value, if the game ends here.
    pub end: Option<f32>,
    /// Whether every move was valued.
    pub is_complete: bool,
    pub children: Vec<Child>,
}

/// One position behind a move.
pub(super) struct Child {
    pub mv: u16,
    /// For its side to move.
    pub value: f32,
    pub quality: f32,
    /// Tenths of a ply that the move costs.
    pub cost: i16,
    pub flags: u8,
}

/// The state of one thread: its evaluator and its current line.
pub(super) struct Worker<P: Tactical, E> {
    walker: Walker<P, E>,
    /// The game to the position last worked out, and the packed moves below the root on it.
    line: Option<Line<P>>,
    path: Vec<u16>,
    changes: Vec<P::Change>,
    moves: Vec<P::Move>,
    probes: u64,
    hits: u64,
}

impl<P: Tactical, E: Evaluator<P>> Worker<P, E> {
    pub(super) fn new(eval: E) -> Self {
        let (changes, moves, path) = (Vec::new(), Vec::new(), Vec::new());
        Worker { walker: Walker::new(eval), line: None, path, changes, moves, probes: 0, hits: 0 }
    }

    /// Probes and hits of the evaluator's caches since the last clear.
    pub(super) fn cache_counts(&self) -> Vec<CacheCounts> {
        self.walker.eval.cache_counts()
    }

    pub(super) fn clear(&mut self) {
        self.walker.eval.clear();
        self.walker.eval.reset_counts();
        self.begin();
    }

    /// Works out positions of `batch` until none is left; what comes out goes with their places.
    pub(super) fn work(&mut self, shared: &Shared<P>, batch: &Batch) -> Vec<(usize, Found)> {
        let mut line = self.line.take().unwrap_or_else(|| shared.line.clone());
        let mut found = Vec::new();
        while let Some((place, job)) = batch.take() {
            found.extend(self.work_out(shared, &mut line, job).map(|f| (place, f)));
        }
        self.line = Some(line);
        shared.cache.count(self.probes, self.hits);
        (self.probes, self.hits) = (0, 0);
        found
    }

    /// Makes the worker start from the root of another search.
    pub(super) fn begin(&mut self) {
        self.line = None;
        self.path.clear();
    }

    /// Walks to the position of `job`: back as far as needed, and on.
    fn walk(&mut self, line: &mut Line<P>, path: &[u16]) -> Option<()> {
        let same = self.path.iter().zip(path).take_while(|(a, b)| a == b).count();
        while self.path.len() > same {
            self.path.pop();
            line.pop();
        }
        for &word in &path[same..] {
            line.push(line.here().unpack(word)?);
            self.path.push(word);
        }
        Some(())
    }

    fn work_out(&mut self, shared: &Shared<P>, line: &mut Line<P>, job: &Job) -> Option<Found> {
        self.walk(line, &job.path)?;
        let here = line.here();
        let side = here.side_to_move();
        let mut found = Found { id: job.id, key: here.key().0, end: None, is_complete: true, children: Vec::new() };
        if !job.path.is_empty() && here.claim().is_some_and(|o| o.winner == Some(side)) {
            found.end = Some(WON);
            return Some(found);
        }
        let mut moves = std::mem::take(&mut self.moves);
        line.legal_moves(&mut moves);
        if moves.is_empty() {
            found.end = Some(of_outcome(here.no_legal_moves(), side));
        }
        if job.path.is_empty() && !shared.only.is_empty() {
            moves.retain(|&mv| shared.only.contains(&P::pack(mv)));
        }
        // Captures first: where the work ends early, they are worth more than the rest.
        if moves.len() > job.moves_max {
            moves.sort_by_key(|&mv| std::cmp::Reverse(here.gain_cp(mv)));
            moves.truncate(job.moves_max);
            found.is_complete = false;
        }
        // Once for all moves: each of them pushes and pops a ply.
        self.walker.eval.reset(line.here());
        found.children.reserve_exact(moves.len());
        for &mv in &moves {
            let child = self.child(shared, line, mv);
            found.children.push(child);
        }
        self.moves = moves;
        Some(found)
    }

    /// Values the position behind `mv`.
    fn child(&mut self, shared: &Shared<P>, line: &mut Line<P>, mv: P::Move) -> Child {
        let parameters = &shared.parameters;
        let here = line.here();
        let is_check = here.gives_check(mv);
        let is_capture = here.victim(mv) != 0;
        let is_sound = !(parameters.careful && (is_check || is_capture)) || here.see_ge(mv, 0);
        let cost = match (is_check && is_sound, is_capture && is_sound) {
            (true, _) => parameters.check_cost,
            (_, true) => parameters.capture_cost,
            _ => parameters.quiet_cost,
        };
        let flags = if is_capture { flag::CAPTURE } else { 0 } | if is_check { flag::CHECK } else { 0 };
        let mut child = Child { mv: P::pack(mv), value: 0.0, quality: 1.0, cost, flags };
        let changes = &mut self.changes;
        changes.clear();
        line.push_seen(mv, |change| changes.push(change));
        self.value(shared, line, is_check, &mut child);
        line.pop();
        child
    }

    /// Fills in the value at the end of `line`, reached by `self.changes`.
    fn value(&mut self, shared: &Shared<P>, line: &Line<P>, is_check: bool, child: &mut Child) {
        let pos = line.here();
        let root = shared.line.len();
        let over = line.ended(root).or_else(|| {
            let looks = shared.parameters.see_mates && is_check;
            (looks && !pos.has_moves()).then(|| pos.no_legal_moves())
        });
        if let Some(outcome) = over {
            child.value = of_outcome(outcome, pos.side_to_move());
            child.flags |= flag::OVER;
            return;
        }
        if let Some(known) = shared.probe.as_ref().and_then(|probe| probe.wdl(pos)) {
            child.value = of_tables(known);
            return;
        }
        let plies = line.len() - root;
        if let Some(known) = shared.recall.as_ref().and_then(|memory| memory.recall(pos))
            && known.quality >= RECALL_FLOORS.get(plies).copied().unwrap_or(0.0)
        {
            // At least as much as a leaf that was valued now.
            (child.value, child.quality) = (f32::from(known.value_cp), known.quality.max(1.0));
            child.flags |= flag::LEARNED;
            return;
        }
        // The cache is shared: what one worker has settled, no other settles again.
        let place = CacheKey::of(pos);
        self.probes += 1;
        if let Some(value) = shared.cache.find(place) {
            self.hits += 1;
            child.value = f32::from(value);
            return;
        }
        self.walker.eval.push(pos, &self.changes);
        let (plies, evasions) = (shared.parameters.quiescence_plies, shared.parameters.evasion_plies);
        let value = if shared.parameters.quiescent {
            self.walker.settle(&mut pos.clone(), -LOST, LOST, plies, evasions)
        } else {
            self.walker.eval.value(pos).raw()
        };
        self.walker.eval.pop();
        // Captures may lead to a mate, whose way nobody counted.
        let value = value.clamp(-i32::from(Value::ESTIMATE_MAX), i32::from(Value::ESTIMATE_MAX)) as i16;
        shared.cache.keep(place, value);
        child.value = f32::from(value);
    }
}

/// A win that is known, but not its way: no proof, so that nodes below it are worked out until a mate is found.
const KNOWN_WIN: f32 = ESTIMATE_MAX;
/// A win by endgame tables. Below wins that the search declares: a table knows the result and not the way.
const TABLE_WIN: f32 = KNOWN_WIN - 1000.0;

/// The value of an outcome for `mover`.
pub(super) fn of_outcome(outcome: Outcome, mover: Side) -> f32 {
    let worth = if outcome.by == By::Superiority { KNOWN_WIN } else { WON };
    match outcome.winner {
        None => 0.0,
        Some(winner) if winner == mover => worth,
        Some(_) => -worth,
    }
}

/// The value of an endgame table's result. It is an estimate, since tables give no line.
fn of_tables(known: Wdl5) -> f32 {
    match known {
        Wdl5::Win => TABLE_WIN,
        Wdl5::Loss => -TABLE_WIN,
        // Drawn by the fifty moves, but better to have than a plain draw.
        Wdl5::CursedWin => 1.0,
        Wdl5::BlessedLoss => -1.0,
        Wdl5::Draw => 0.0,
    }
}
