//! Quiescence search: captures and promotions until nothing hangs, evasions in check.

use super::{
    before::{better_estimate, bound_decides},
    node::NodeType,
    picker::Picker,
    score::{self, INFINITE, is_decisive, is_loss},
    thread::Thread,
};
use crate::{profile::Step, table::Entry};
use tesuji_game::{Bound, Evaluator, Reason, Tactical, Value};

/// The depth under which quiescence stores its entries where it looks at quiet checks, too: at its first ply.
const DEPTH_CHECKS: i32 = 0;
/// The depth of its other plies.
const DEPTH: i32 = -1;
/// Quiet evasions looked at once one that does not lose is known.
const QUIET_EVASIONS: usize = 2;

/// A node of quiescence.
struct Quiescent<M> {
    alpha: i32,
    beta: i32,
    /// Under which it is stored.
    depth: i32,
    in_check: bool,
    /// Static value plus margin: what delta pruning adds the gain of a noisy move to.
    futility: i32,
    best: i32,
    mv: Option<M>,
    count: usize,
}

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// The value with only forcing moves (Shannon, 1950; with standing pat): never less than the static value unless in check.
    #[inline]
    pub(super) fn quiesce<N: NodeType>(&mut self, alpha: i32, beta: i32) -> i32 {
        let depth = if self.parameters.quiet_checks { DEPTH_CHECKS } else { DEPTH };
        self.quiesce_from::<N>(alpha, beta, depth)
    }

    #[inline]
    fn quiesce_from<N: NodeType>(&mut self, alpha: i32, beta: i32, depth: i32) -> i32 {
        if self.mem.recorder.is_some() {
            return self.quiesce_recorded::<N>(alpha, beta, depth);
        }
        self.quiesce_node::<N>(alpha, beta, depth)
    }

    /// The steps of a quiescence node, in their order.
    pub(super) fn quiesce_node<N: NodeType>(&mut self, alpha: i32, beta: i32, depth: i32) -> i32 {
        if self.must_stop() {
            return 0;
        }
        self.enter::<N>();
        if let Some(value) = self.cut_by_rules() {
            return self.exit(Reason::Rules, value);
        }
        if self.hurry || !self.parameters.quiescence {
            return self.rest_value();
        }
        let entry = self.look_up();
        let ply = self.ply as i32;
        if let Some(e) = entry
            && !N::PV
            && self.parameters.table_cuts
            // Any entry of the main search is deep enough; of quiescence, one without checks is not enough where checks count.
            && e.depth >= depth
            && bound_decides(e.bound, e.value_at(ply).raw(), alpha, beta)
        {
            return self.exit(Reason::Table, e.value_at(ply).raw());
        }
        if let Some(value) = self.cut_by_mate_at_once::<N>(entry.is_some(), depth) {
            return self.exit(Reason::MateAtOnce, value);
        }
        let in_check = self.pos.in_check();
        // In check all evasions are looked at, so that the entry holds for the first ply as well.
        let depth = if in_check { DEPTH_CHECKS } else { depth };
        let mut node =
            Quiescent { alpha, beta, depth, in_check, futility: -INFINITE, best: -INFINITE, mv: None, count: 0 };
        let raw = self.stand_pat(&mut node, entry);
        if node.best >= beta {
            // An entry that is there was searched at least as deep.
            if entry.is_none() {
                self.store_quiescent(&node, raw, N::PV);
            }
            return node.best;
        }
        // A quiet move of the main search has no place among captures.
        let table_move = entry.and_then(|e| self.pos.unpack(e.mv?)).filter(|&mv| in_check || self.pos.is_noisy(mv));
        let from = self.mem.moves.len();
        let mut picker = match depth {
            _ if in_check => Picker::all(table_move, [None; 3], from),
            DEPTH_CHECKS => Picker::noisy_and_checks(table_move, from),
            _ => Picker::noisy(table_move, from),
        };
        let whole = self.try_noisy::<N>(&mut node, &mut picker);
        self.mem.moves.truncate(from);
        if whole.is_none() {
            return 0;
        }
        if in_check && node.count == 0 {
            return score::of_outcome(self.pos.no_legal_moves(), self.pos.side_to_move(), ply);
        }
        self.store_quiescent(&node, raw, N::PV);
        // Why positions below were left says nothing of this one.
        self.exit(Reason::Searched, node.best)
    }

    /// Quiescence inside a step of another node (razoring, probcut): keeps the recorded reason of that node unset.
    pub(super) fn quiesce_aside<N: NodeType>(&mut self, alpha: i32, beta: i32) -> i32 {
        let value = self.quiesce::<N>(alpha, beta);
        self.exit(Reason::Searched, value)
    }

    /// A value without search. Without quiescence a position without moves must still be told from others.
    fn rest_value(&mut self) -> i32 {
        if !self.pos.has_moves() {
            return score::of_outcome(self.pos.no_legal_moves(), self.pos.side_to_move(), self.ply as i32);
        }
        self.evaluate()
    }

    /// Standing pat: the static value is a lower bound where one may leave things as they are. Returns the evaluator's word.
    fn stand_pat(&mut self, node: &mut Quiescent<P::Move>, entry: Option<Entry>) -> Option<i32> {
        if node.in_check {
            self.frame().eval = None;
            return None;
        }
        let stored = entry.and_then(|e| e.eval);
        let raw = stored.map_or_else(|| self.evaluate(), i32::from);
        let eval = self.corrected(raw);
        node.best = entry.map_or(eval, |e| better_estimate(e, self.ply as i32, eval));
        node.alpha = node.alpha.max(node.best);
        node.futility = eval + self.parameters.delta_cp;
        Some(raw)
    }

    /// The loop over the moves; `None` when the search was stopped.
    fn try_noisy<N: NodeType>(&mut self, node: &mut Quiescent<P::Move>, picker: &mut Picker<P::Move>) -> Option<()> {
        let mut seen = self.seen_moves();
        let mut quiet = 0;
        let low = node.alpha;
        while let Some(mv) = picker.next(self) {
            self.check_move(mv, &mut seen);
            if !self.pos.allows(mv, &self.past) {
                continue;
            }
            node.count += 1;
            // Until something better than a loss is known, every move may be the way out.
            if !is_loss(node.best) && self.is_pointless(node, mv, &mut quiet) {
                self.count(Step::QuiescencePruning);
                continue;
            }
            self.expect(mv);
            let key = self.pos.key();
            let undo = self.play(mv)?;
            // Quiet checks belong to the first ply alone.
            let value = -self.quiesce_from::<N>(-node.beta, -node.alpha, DEPTH);
            self.undo(mv, undo);
            self.check_restored(key);
            if self.stopped {
                return None;
            }
            if value > node.best {
                node.best = value;
                if value > node.alpha {
                    node.mv = Some(mv);
                    if N::PV {
                        self.extend_pv(mv);
                    }
                    node.alpha = value;
                    if value >= node.beta {
                        self.count_cutoff(node.count);
                        break;
                    }
                }
            }
        }
        // What is stored is a bound by the window that the node was asked with.
        node.alpha = low;
        Some(())
    }

    /// Whether a move cannot help: delta pruning, losing exchanges, and in check the third quiet evasion.
    fn is_pointless(&self, node: &mut Quiescent<P::Move>, mv: P::Move, quiet: &mut usize) -> bool {
        if node.in_check {
            // Captures out of check are always looked at.
            *quiet += usize::from(!self.pos.is_noisy(mv));
            return *quiet > QUIET_EVASIONS;
        }
        if self.parameters.delta && !is_decisive(node.alpha) && !self.pos.gives_check(mv) {
            // Delta pruning (Schaeffer; Slate): what is won at once, with a margin, does not reach alpha.
            let most = node.futility + self.pos.gain_cp(mv);
            if most <= node.alpha {
                node.best = node.best.max(most);
                return true;
            }
            // Even with the margin it would have to win something, and it wins nothing.
            if node.futility <= node.alpha && !self.pos.see_ge(mv, 1) {
                node.best = node.best.max(node.futility);
                return true;
            }
        }
        self.parameters.quiescence_see && !self.pos.see_ge(mv, 0)
    }

    fn store_quiescent(&mut self, node: &Quiescent<P::Move>, raw: Option<i32>, pv: bool) {
        // Never exact: moves were left out.
        let bound = if node.best >= node.beta { Bound::Lower } else { Bound::Upper };
        let entry = Entry {
            mv: node.mv.map(P::pack),
            value: Value::from_raw(node.best).to_table(self.ply as i32),
            eval: raw.map(|e| e as i16),
            depth: node.depth,
            bound,
            pv,
        };
        self.table.store(self.pos.key(), entry);
    }
}
