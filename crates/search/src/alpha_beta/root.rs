//! The root: its moves, and principal variation search over them.

use super::{
    node::{NonPv, Pv},
    score::{INFINITE, KNOWN_WIN},
    thread::Thread,
};
use crate::{
    probe::{EndgameProbe, Wdl5},
    profile::Step,
    table::Entry,
};
use std::time::Duration;
use tesuji_game::{Bound, Evaluator, Line, Report, Tactical, Value};

/// Running longer than this, the search tells which root move it looks at.
const CURRENT_AFTER: Duration = Duration::from_secs(1);

/// A move at the root with what is known about it.
#[derive(Debug, Clone)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    /// From the running iteration; below every score if it was not searched or not good enough.
    pub(super) score: i32,
    /// From the iteration before.
    pub(super) previous: i32,
    /// Whether `score` is exact.
    pub(super) bound: Bound,
    /// The line, this move first.
    pub(super) pv: Vec<M>,
    /// Nodes below it, in all iterations.
    pub(super) nodes: u64,
    /// The longest path when it was last best.
    pub(super) deepest: usize,
    /// The score from endgame tables; `None` where they do not have the position.
    pub(super) known: Option<i32>,
}

/// The legal root moves that are in `only`, or all; those that keep the result where endgame tables know it.
pub(super) fn moves<P: Tactical>(
    line: &Line<P>,
    only: &[P::Move],
    probe: Option<&dyn EndgameProbe<P>>,
) -> Vec<RootMove<P::Move>> {
    let mut legal = Vec::new();
    line.legal_moves(&mut legal);
    if legal.iter().any(|mv| only.contains(mv)) {
        legal.retain(|mv| only.contains(mv));
    }
    let mut known = None;
    if let Some((result, keeping)) = probe.and_then(|p| p.root_moves(line.here()))
        && legal.iter().any(|mv| keeping.contains(mv))
    {
        legal.retain(|mv| keeping.contains(mv));
        known = Some(score_of_wdl(result, 0));
    }
    let pos = line.here();
    // A first order, for the first iteration: what wins material, then the rest.
    legal.sort_by_cached_key(|&mv| -(if pos.see_ge(mv, 1) { 10_000 } else { 0 } + pos.gain_cp(mv)));
    let fresh = |mv| RootMove {
        mv,
        score: -INFINITE,
        previous: -INFINITE,
        bound: Bound::Exact,
        pv: vec![mv],
        nodes: 0,
        deepest: 0,
        known,
    };
    legal.into_iter().map(fresh).collect()
}

/// The score of an endgame table's result at `ply`.
pub(super) fn score_of_wdl(result: Wdl5, ply: i32) -> i32 {
    match result {
        Wdl5::Loss => ply - KNOWN_WIN,
        // Draws by the fifty-move rule, told apart from plain ones.
        Wdl5::BlessedLoss => -1,
        Wdl5::Draw => 0,
        Wdl5::CursedWin => 1,
        Wdl5::Win => KNOWN_WIN - ply,
    }
}

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// Principal variation search (Marsland and Campbell, 1982) over the root moves from `first` on: the first with an open window,
    /// the others only to show that they are no better.
    pub(super) fn search_root(&mut self, mut alpha: i32, beta: i32, depth: i32, first: usize) -> i32 {
        let window_low = alpha;
        self.record_root(alpha, beta, depth, first);
        self.evaluate_root();
        let mut best = -INFINITE;
        for i in first..self.roots.len() {
            let mv = self.roots[i].mv;
            self.tell_current(mv, i - first + 1);
            let before = self.nodes;
            let Some(value) = self.search_root_move(i - first, mv, alpha, beta, depth) else { return best };
            self.roots[i].nodes += self.nodes - before;
            if i == first || value > alpha {
                self.note_root_value(i, value, alpha, beta);
            } else {
                // Not better by a null window: how good it is stays unknown, and a stable sort keeps its place.
                self.roots[i].score = -INFINITE;
            }
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.store_root(best, window_low, beta, depth, first);
        // A pass that a move was too good for has not seen the others: the trace of the pass before stays. A later pass whose
        // moves are all worse than its window is taken again.
        if !self.stopped && best < beta && (first == 0 || best > window_low) {
            self.record_root_value(best, first);
        }
        best
    }

    fn evaluate_root(&mut self) {
        let in_check = self.pos.in_check();
        let eval = if in_check { None } else { Some(self.evaluate()) };
        let eval = eval.map(|e| self.corrected(e));
        let frame = self.frame();
        (frame.eval, frame.excluded, frame.doubles) = (eval, None, 0);
        self.frame_ahead().cuts = 0;
    }

    /// The value of one root move for the mover; `None` when the search was stopped meanwhile.
    fn search_root_move(&mut self, index: usize, mv: P::Move, alpha: i32, beta: i32, depth: i32) -> Option<i32> {
        let quiet = !self.pos.is_noisy(mv);
        let check = self.pos.gives_check(mv);
        let key = self.pos.key();
        let frame = self.frame();
        (frame.quiet, frame.count, frame.history) = (quiet, index + 1, 0);
        let undo = self.play(mv)?;
        let mut value = alpha + 1;
        if index > 0 {
            // At the root a wrong reduction costs the move of the game: only late quiet ones are reduced, by depth and number alone.
            let mut reduced = depth - 1;
            // Below depth 3 the clamp leaves nothing to reduce.
            if self.parameters.late_move_reductions && depth >= 3 && index >= 3 && quiet && !check {
                reduced = (depth - 1 - self.reductions.of(depth, index) / 1024).clamp(1, depth - 1);
            }
            value = -self.search::<NonPv>(-alpha - 1, -alpha, reduced, true);
            if value > alpha && reduced < depth - 1 && !self.stopped {
                self.count(Step::RootReSearch);
                value = -self.search::<NonPv>(-alpha - 1, -alpha, depth - 1, false);
            }
        }
        if (index == 0 || value > alpha) && !self.stopped {
            self.counted(Step::RootReSearch, index > 0);
            value = -self.search::<Pv>(-beta, -alpha, depth - 1, false);
        }
        self.undo(mv, undo);
        self.check_restored(key);
        (!self.stopped).then_some(value)
    }

    fn note_root_value(&mut self, i: usize, value: i32, alpha: i32, beta: i32) {
        if value > alpha && value < beta {
            self.check_parity(value);
        }
        // Taken out for as long as `roots` is borrowed; its memory goes back below.
        let tail = std::mem::take(&mut self.mem.pv[1]);
        let deepest = self.deepest;
        let root = &mut self.roots[i];
        root.score = value;
        root.deepest = deepest;
        root.bound = match value {
            v if v >= beta => Bound::Lower,
            v if v <= alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        // Below the window there is no line: the old one stays.
        if value > alpha || root.pv.is_empty() {
            root.pv.clear();
            root.pv.push(root.mv);
            root.pv.extend_from_slice(&tail);
        }
        self.mem.pv[1] = tail;
    }

    /// The root's entry keeps its best move for the transpositions that lead back to it.
    fn store_root(&self, best: i32, alpha: i32, beta: i32, depth: i32, first: usize) {
        if first > 0 || self.stopped {
            return;
        }
        let bound = match best {
            v if v >= beta => Bound::Lower,
            v if v <= alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        // The moves are sorted only after this.
        let mv = self.roots.iter().max_by_key(|r| r.score).map(|r| P::pack(r.mv));
        let value = Value::from_raw(best).to_table(0);
        self.table.store(self.pos.key(), Entry { mv, value, eval: None, depth, bound, pv: true });
    }

    fn tell_current(&mut self, mv: P::Move, number: usize) {
        let (depth, nodes) = (self.root_depth as u32, self.shared.nodes());
        if let Some(control) = &mut self.control {
            let time = control.watch.elapsed();
            if time >= CURRENT_AFTER {
                let current = Some((mv, number as u32));
                control.watch.report(&Report { current, depth, nodes, time, ..Report::default() });
            }
        }
    }

    /// Whether the tables of endgames already decided which root moves there are.
    pub(super) fn root_is_known(&self) -> bool {
        self.roots.first().is_some_and(|r| r.known.is_some())
    }
}

/// The score to show for a root move: what endgame tables say, unless the search found a mate.
pub(super) fn shown<M>(root: &RootMove<M>, score: i32) -> i32 {
    root.known.filter(|_| !Value::from_raw(score).is_mate()).unwrap_or(score)
}
