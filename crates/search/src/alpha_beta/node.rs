//! A node of the search as a list of its steps, and the loop over its moves.

use super::{
    late::Verdict,
    picker::Picker,
    score::{self, INFINITE, is_decisive, is_loss},
    thread::Thread,
};
use crate::{profile::Step, table::Entry};
use tesuji_game::{Bound, Evaluator, Reason, Tactical, Value};

/// The type of a node, on or off the principal variation: a type parameter, so that each kind is compiled by itself.
pub(super) trait NodeType {
    /// Whether the window is open: the node may be on the principal variation.
    const PV: bool;
}

/// On the principal variation.
pub(super) struct Pv;
impl NodeType for Pv {
    const PV: bool = true;
}

/// Off it, with a window that only says better or worse.
pub(super) struct NonPv;
impl NodeType for NonPv {
    const PV: bool = false;
}

/// The state of a node that its steps read and write.
pub(super) struct NodeState<M> {
    pub(super) alpha: i32,
    pub(super) beta: i32,
    pub(super) depth: i32,
    /// Whether a cut is expected here (Knuth and Moore's type 2).
    pub(super) cut: bool,
    pub(super) in_check: bool,
    pub(super) entry: Option<Entry>,
    pub(super) table_move: Option<M>,
    /// The move that a singular search leaves out.
    pub(super) excluded: Option<M>,
    /// Whether the table's move was found to be far better than all others.
    pub(super) singular: bool,
    /// The evaluator's own word, as tables store it.
    pub(super) raw_eval: Option<i32>,
    /// The static value, corrected; meaningless in check.
    pub(super) eval: i32,
    /// The static value, or the table's where that says more.
    pub(super) estimate: i32,
    /// Whether the static value rose since this side's last move.
    pub(super) improving: bool,
    /// Whether the position is or was on a principal variation.
    pub(super) on_pv: bool,
    /// Whether no margin may prune here, since the search is asked whether it would have agreed.
    pub(super) audited: bool,
}

/// The best that the loop over the moves has found.
struct Best<M> {
    value: i32,
    mv: Option<M>,
    /// Moves looked at.
    count: usize,
}

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// The value of the position for the side to move: exact inside (`alpha`, `beta`), else a bound (fail-soft).
    ///
    /// When the search is stopped meanwhile, the value means nothing.
    #[inline]
    pub(super) fn search<N: NodeType>(&mut self, alpha: i32, beta: i32, depth: i32, cut: bool) -> i32 {
        if self.mem.recorder.is_some() {
            return self.search_recorded::<N>(alpha, beta, depth, cut);
        }
        self.search_node::<N>(alpha, beta, depth, cut)
    }

    /// The steps of a node, in their order; called by [`Thread::search`], with or without a recorder.
    pub(super) fn search_node<N: NodeType>(&mut self, alpha: i32, beta: i32, depth: i32, cut: bool) -> i32 {
        if depth <= 0 {
            return self.quiesce::<N>(alpha, beta);
        }
        if self.must_stop() {
            return 0;
        }
        self.enter::<N>();
        // Before the table, which does not know the repetitions of this path.
        if let Some(value) = self.cut_by_rules() {
            return self.exit(Reason::Rules, value);
        }
        let (alpha, beta) = self.narrow_by_mate_distance(alpha, beta);
        if alpha >= beta {
            return self.exit(Reason::MateDistance, alpha);
        }
        let mut node = self.probe_node(alpha, beta, depth, cut, N::PV);
        if let Some(value) = self.cut_by_table::<N>(&node) {
            return self.exit(Reason::Table, value);
        }
        if let Some(value) = self.cut_by_endgame_table::<N>(&mut node) {
            return self.exit(Reason::Endgame, value);
        }
        if let Some(value) = self.cut_by_mate_at_once::<N>(node.entry.is_some(), depth) {
            return self.exit(Reason::MateAtOnce, value);
        }
        // After the cuts that need no static value: it is the dearest part of a node.
        self.evaluate_node(&mut node);
        self.judge_last_move(&mut node);
        if self.mem.audits.is_some() {
            return self.search_audited::<N>(node);
        }
        self.search_evaluated::<N>(node)
    }

    /// The rest of a node whose static value is known.
    #[inline]
    pub(super) fn search_evaluated<N: NodeType>(&mut self, mut node: NodeState<P::Move>) -> i32 {
        let prunable = !N::PV && !node.in_check && node.excluded.is_none();
        if self.counted(Step::Prunable, prunable)
            && let Some((reason, value)) = self.prune_before_moves(&node)
        {
            return self.exit(reason, value);
        }
        self.reduce_without_move::<N>(&mut node);
        self.search_moves::<N>(node)
    }

    /// Notes the path's length and begins an empty line.
    #[inline]
    pub(super) fn enter<N: NodeType>(&mut self) {
        if N::PV {
            self.mem.pv[self.ply].clear();
            self.deepest = self.deepest.max(self.ply);
        }
    }

    /// Principal variation search over the moves, best guess first.
    fn search_moves<N: NodeType>(&mut self, mut node: NodeState<P::Move>) -> i32 {
        let window_low = node.alpha;
        // One stack serves all nodes of the path: what this node adds goes off its end again.
        let from = self.mem.moves.len();
        let tried = [self.mem.tried[0].len(), self.mem.tried[1].len()];
        let mut best = Best { value: -INFINITE, mv: None, count: 0 };
        // Cousins share killers: those of a ply are forgotten where the path two plies above changes.
        self.frame_beyond().killers = [None; 2];
        // Counted anew for this node's children: after many cuts its late moves are reduced more.
        self.frame_ahead().cuts = 0;
        let mut picker = Picker::all(node.table_move, self.refutations(), from);
        let cut = self.try_moves::<N>(&mut node, &mut picker, &mut best);
        if !self.stopped && cut.is_none() {
            self.finish_node::<N>(&node, &best, tried, window_low);
        }
        self.mem.moves.truncate(from);
        self.mem.tried[0].truncate(tried[0]);
        self.mem.tried[1].truncate(tried[1]);
        cut.unwrap_or(best.value)
    }

    /// The loop itself; `Some`: the whole node is cut by what a move revealed.
    fn try_moves<N: NodeType>(
        &mut self,
        node: &mut NodeState<P::Move>,
        picker: &mut Picker<P::Move>,
        best: &mut Best<P::Move>,
    ) -> Option<i32> {
        let mut seen = self.seen_moves();
        while let Some(mv) = picker.next(self) {
            self.check_move(mv, &mut seen);
            // Generated moves are legal by the board; what the past forbids (superko) only `allows` knows.
            if Some(mv) == node.excluded || !self.pos.allows(mv, &self.past) {
                continue;
            }
            best.count += 1;
            let info = self.move_info(mv, best.count, picker.is_among_bad(), best.value);
            if !is_loss(best.value) && best.count > 1 && self.prune_move(node, &info, picker) {
                self.record_pruned(mv, node.alpha, node.beta, node.depth);
                continue;
            }
            self.expect(mv);
            let extension = match self.extend(node, &info) {
                Verdict::Extend(plies) => plies,
                Verdict::Singular(plies) => {
                    node.singular = true;
                    plies
                }
                Verdict::Cut(value) => return Some(self.exit(Reason::MultiCut, value)),
            };
            if self.stopped {
                return None;
            }
            let value = self.search_move::<N>(node, &info, extension)?;
            if node.audited {
                self.audit_move(node, &info, value);
            }
            if self.note::<N>(node, best, mv, value) {
                break;
            }
            // A move that raised alpha is no failure, whatever comes after it.
            if best.mv != Some(mv) {
                self.mem.tried[usize::from(info.noisy)].push(mv);
            }
        }
        if best.count == 0 && !self.stopped {
            // Mates and stalemates show here alone: nothing asks beforehand whether there is a move.
            best.value = self.without_moves(node);
        }
        None
    }

    /// Takes the value of a move into account; whether it cuts.
    fn note<N: NodeType>(
        &mut self,
        node: &mut NodeState<P::Move>,
        best: &mut Best<P::Move>,
        mv: P::Move,
        value: i32,
    ) -> bool {
        if value > best.value {
            best.value = value;
            if value > node.alpha {
                best.mv = Some(mv);
                if N::PV {
                    self.extend_pv(mv);
                }
                if value >= node.beta {
                    return true;
                }
                node.alpha = value;
                self.reduce_after_raise(node, value);
            }
        }
        false
    }

    /// Once a move raised alpha, the others only have to be shown worse: they are searched less deep (Stockfish, 2022).
    #[inline]
    fn reduce_after_raise(&self, node: &mut NodeState<P::Move>, value: i32) {
        if (3..=13).contains(&node.depth) && !is_decisive(value) {
            node.depth -= self.parameters.raised_alpha_plies.min(node.depth - 2);
        }
    }

    /// The line from here on: `mv` and the line of the child.
    pub(super) fn extend_pv(&mut self, mv: P::Move) {
        let (here, below) = self.mem.pv.split_at_mut(self.ply + 1);
        let line = &mut here[self.ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0]);
    }

    /// The value of a node without legal moves; in a singular search without other moves it fails low, since the excluded move is the only one.
    fn without_moves(&self, node: &NodeState<P::Move>) -> i32 {
        if node.excluded.is_some() {
            return node.alpha;
        }
        score::of_outcome(self.pos.no_legal_moves(), self.pos.side_to_move(), self.ply as i32)
    }

    /// Updates histories, correction history and transposition table with the result of a node.
    fn finish_node<N: NodeType>(
        &mut self,
        node: &NodeState<P::Move>,
        best: &Best<P::Move>,
        tried: [usize; 2],
        window_low: i32,
    ) {
        let cut = best.value >= node.beta;
        if cut {
            self.count_cutoff(best.count);
        }
        // A singular search is no sibling of the node that asked for it.
        if cut && node.excluded.is_none() {
            self.frame().cuts += 1;
        }
        if let (Some(mv), true) = (best.mv, cut) {
            self.update_histories(node, mv, tried);
        } else if best.mv.is_none() && best.count > 0 {
            self.reward_parent_move(node);
        }
        // The entry of a singular search would overwrite the one that it asks about.
        if node.excluded.is_some() || best.count == 0 {
            return;
        }
        let bound = if cut {
            Bound::Lower
        } else if N::PV && best.value > window_low {
            // A null window has no inside: what does not cut there is an upper bound.
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.update_correction(node, best.value, best.mv, bound);
        let entry = Entry {
            mv: best.mv.map(P::pack),
            value: Value::from_raw(best.value).to_table(self.ply as i32),
            eval: node.raw_eval.map(|e| e as i16),
            depth: node.depth,
            bound,
            pv: node.on_pv,
        };
        self.table.store(self.pos.key(), entry);
    }
}
