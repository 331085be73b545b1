//! The steps that look at one move of a node: leaving it out, extending it, reducing it, and learning from how it went.

use super::{
    history::CONTINUATIONS,
    node::{NodeState, NodeType, NonPv, Pv},
    picker::Picker,
    score::{is_decisive, is_loss},
    thread::Thread,
};
use crate::{profile::Step, table::Entry};
use tesuji_game::{Bound, Evaluator, Tactical};

/// A ply in the units of reductions.
pub(super) const PLY: i32 = 1024;

/// Properties of a move that pruning, extensions and reductions read, computed before it is played.
pub(super) struct MoveInfo<M> {
    pub(super) mv: M,
    /// Its number among the moves looked at, from 1.
    pub(super) count: usize,
    pub(super) noisy: bool,
    /// Noisy, and loses material by exchange.
    pub(super) bad: bool,
    pub(super) check: bool,
    /// Its score in the histories.
    pub(super) history: i32,
    /// The best value of the moves before it.
    pub(super) best: i32,
}

/// The result of the extension step for a move.
pub(super) enum Verdict {
    /// Search the move this many plies deeper.
    Extend(i32),
    /// Search the table move this many plies deeper: it is singular.
    Singular(i32),
    /// The node is decided.
    Cut(i32),
}

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    pub(super) fn move_info(&self, mv: P::Move, count: usize, bad: bool, best: i32) -> MoveInfo<P::Move> {
        let noisy = self.pos.is_noisy(mv);
        let history = if noisy { self.mem.hist.of_noisy(&self.pos, mv) } else { self.quiet_history(mv) };
        MoveInfo { mv, count, noisy, bad, check: self.pos.gives_check(mv), history, best }
    }

    /// What an exchange must be worth for a noisy move to come among the good ones: less where its history is good.
    pub(super) fn exchange_needed(&self, mv: P::Move) -> i32 {
        match self.parameters.noisy_exchange_history {
            0 => 0,
            hundreds => -self.mem.hist.of_noisy(&self.pos, mv) / (100 * hundreds),
        }
    }

    fn quiet_history(&self, mv: P::Move) -> i32 {
        let to = self.pos.piece_to(mv);
        let hist = &self.mem.hist;
        hist.of_quiet(&self.pos, mv)
            + hist.of_continuation(self.continuation_index(1), to)
            + hist.of_continuation(self.continuation_index(2), to)
    }

    /// Killers (Huberman, 1968) and the counter move, to be tried before other quiet moves.
    pub(super) fn refutations(&self) -> [Option<P::Move>; 3] {
        let killers = if self.parameters.killers { self.frame_back(0).killers } else { [None; 2] };
        let counter =
            if self.parameters.counter_moves { self.mem.hist.counter(self.continuation_index(1)) } else { None };
        [killers[0], killers[1], counter]
    }

    /// Whether a move can be left out of a node that is not lost so far.
    pub(super) fn prune_move(
        &self,
        node: &NodeState<P::Move>,
        m: &MoveInfo<P::Move>,
        picker: &mut Picker<P::Move>,
    ) -> bool {
        // With a bare king and pawns every tempo counts, and there is little to search anyway.
        if !self.pos.has_pieces() {
            return false;
        }
        if m.noisy {
            return self.prune_noisy(node, m);
        }
        if m.check {
            return self.counted(Step::NoisyExchange, self.loses_exchange(node, m, node.depth));
        }
        if self.counted(Step::LateMovePruning, self.is_too_late(node, m)) {
            picker.skip_quiets();
            return true;
        }
        // What is left after reduction tells how much the search could still find.
        let left = (node.depth - 1 - self.reduction(node, m).max(0) / PLY).max(0);
        // The reduction, and with it `left`, is this move's own: others may do better.
        if self.counted(Step::Futility, self.is_futile(node, left)) {
            return true;
        }
        let k = &self.parameters;
        let ill =
            k.history_pruning && left <= k.history_pruning_depth && m.history < -k.history_pruning_score * node.depth;
        self.counted(Step::HistoryPruning, ill) || self.counted(Step::QuietExchange, self.loses_exchange(node, m, left))
    }

    /// Late move pruning (Fruit's history pruning, 2005; move counts in Stockfish): good order puts good moves first.
    #[inline]
    fn is_too_late(&self, node: &NodeState<P::Move>, m: &MoveInfo<P::Move>) -> bool {
        let k = &self.parameters;
        let divisor = if node.improving { 1 } else { k.late_move_falling };
        let allowed = (k.late_move_base + node.depth * node.depth) / divisor;
        k.late_move_pruning && node.depth <= k.late_move_depth && m.count as i32 > allowed
    }

    /// Futility pruning (Schaeffer, 1986; Heinz, 1998): a quiet move cannot make up for so much.
    #[inline]
    fn is_futile(&self, node: &NodeState<P::Move>, left: i32) -> bool {
        let k = &self.parameters;
        k.futility
            && !node.audited
            && !node.in_check
            && left <= k.futility_depth
            && !is_decisive(node.alpha)
            && node.eval + k.futility_base_cp + k.futility_cp * left <= node.alpha
    }

    /// Pruning by exchanges (static exchange evaluation: Slate and Atkin, 1977).
    #[inline]
    fn loses_exchange(&self, node: &NodeState<P::Move>, m: &MoveInfo<P::Move>, left: i32) -> bool {
        let k = &self.parameters;
        let may_lose = if m.noisy { k.see_noisy_cp } else { k.see_quiet_cp } * left.max(1);
        k.see_pruning && node.depth <= k.see_depth && !self.pos.see_ge(m.mv, -may_lose)
    }

    fn prune_noisy(&self, node: &NodeState<P::Move>, m: &MoveInfo<P::Move>) -> bool {
        let k = &self.parameters;
        let futile = k.futility
            && !m.check
            && !node.in_check
            && node.depth <= k.noisy_futility_depth
            && !is_decisive(node.alpha)
            && node.eval
                + k.noisy_futility_factor * (k.futility_base_cp + k.futility_cp * node.depth)
                + self.pos.gain_cp(m.mv)
                + m.history / k.noisy_futility_history
                <= node.alpha;
        self.counted(Step::NoisyFutility, futile)
            // The picker has shown that the others lose little or nothing: a second exchange would find the same.
            || m.bad && self.counted(Step::NoisyExchange, self.loses_exchange(node, m, node.depth))
    }

    /// Extensions: a singular move and checks that lose nothing.
    #[inline(always)]
    pub(super) fn extend(&mut self, node: &NodeState<P::Move>, m: &MoveInfo<P::Move>) -> Verdict {
        // Without this bound chains of extensions would keep a branch from ever losing depth.
        if self.ply as i32 >= 2 * self.root_depth {
            return Verdict::Extend(0);
        }
        if self.parameters.singular
            && Some(m.mv) == node.table_move
            && node.excluded.is_none()
            && node.depth >= self.parameters.singular_depth
        {
            return self.extend_singular(node, m);
        }
        let k = &self.parameters;
        let extended =
            k.check_extensions && m.check && node.depth <= k.check_extension_depth && self.pos.see_ge(m.mv, 0);
        self.counted(Step::CheckExtension, extended);
        Verdict::Extend(i32::from(extended))
    }

    /// Singular extension (Anantharaman, Campbell and Hsu, 1988; with the table's move as in Stockfish): a move that alone is good is
    /// searched deeper, doubly when all others fail far. If others are good as well and hold beta, the node is cut (multicut:
    /// Björnsson and Marsland, 1998).
    #[inline(never)]
    fn extend_singular(&mut self, node: &NodeState<P::Move>, m: &MoveInfo<P::Move>) -> Verdict {
        let Some(entry) = node.entry else { return Verdict::Extend(0) };
        let value = entry.value_at(self.ply as i32).raw();
        // Too shallow to trust, no proof that the move is good, or a win that margins say nothing about.
        if entry.depth < node.depth - self.parameters.singular_plies
            || entry.bound == Bound::Upper
            || is_decisive(value)
        {
            return Verdict::Extend(0);
        }
        // The deeper the search, the surer its value, and the farther the others must fall behind.
        let margin = self.parameters.singular_margin * node.depth / 16;
        let low = value - margin;
        self.count(Step::Singular);
        self.frame().excluded = Some(m.mv);
        // A null window: only whether any other move comes near matters.
        let others = self.search::<NonPv>(low - 1, low, (node.depth - 1) / self.parameters.singular_divisor, node.cut);
        self.frame().excluded = None;
        // The children of the singular search are not those of this node.
        self.frame_ahead().cuts = 0;
        if self.stopped {
            return Verdict::Extend(0);
        }
        if others < low {
            let k = &self.parameters;
            let far = others < low - k.double_extension_cp && !node.on_pv;
            let doubled = far && self.frame_back(0).doubles < k.double_extensions_max;
            self.count(if doubled { Step::DoubleExtension } else { Step::SingularExtension });
            return Verdict::Singular(if doubled { 2 } else { 1 });
        }
        if low >= node.beta && !is_decisive(low) {
            return Verdict::Cut(low);
        }
        let is_less = self.counted(Step::NegativeExtension, value >= node.beta || node.cut);
        Verdict::Extend(if is_less { -1 } else { 0 })
    }

    /// Late move reduction (Fruit and others, 2005), in 1024ths of a ply: late moves are searched less deep, and again if they surprise.
    pub(super) fn reduction(&self, node: &NodeState<P::Move>, m: &MoveInfo<P::Move>) -> i32 {
        let k = &self.parameters;
        let mut r = self.reductions.of(node.depth, m.count);
        if m.noisy {
            r = r / k.reduction_noisy_divisor - m.history * PLY / (k.reduction_noisy_divisor * k.reduction_history);
        } else {
            r -= m.history * PLY / k.reduction_history;
            r += if node.improving { 0 } else { k.reduction_falling };
            r += if node.table_move.is_some_and(|mv| self.pos.is_noisy(mv)) { k.reduction_noisy_table } else { 0 };
            let before = self.frame_back(0);
            r -= if before.killers.contains(&Some(m.mv)) { k.reduction_killer } else { 0 };
            // A move that does better elsewhere than the opponent's last one (Stockfish, 2016), or that saves its piece.
            r += k.reduction_parent_history * (self.frame_back(1).history.signum() - m.history.signum()) / 2;
            let escapes = k.reduction_escape > 0 && !node.cut && self.pos.escapes(m.mv);
            r -= if escapes { k.reduction_escape } else { 0 };
        }
        r -= if node.singular { k.reduction_singular } else { 0 };
        // The opponent's move came late: most of what it could do was worse.
        r -=
            if self.frame_back(1).count > k.reduction_parent_late_count as usize { k.reduction_parent_late } else { 0 };
        r += if node.cut { k.reduction_cut } else { 0 };
        r += if node.cut && node.table_move.is_none() { k.reduction_no_move } else { 0 };
        let promising = |e: Entry| e.value_at(self.ply as i32).raw() > node.alpha;
        r -= if node.on_pv && node.entry.is_some_and(promising) { k.reduction_pv_value } else { 0 };
        r -= if node.on_pv { k.reduction_pv } else { 0 };
        r -= if m.check { k.reduction_check } else { 0 };
        r
    }

    /// Plays a move, searches it and takes it back; `None` when the search was stopped.
    pub(super) fn search_move<N: NodeType>(
        &mut self,
        node: &NodeState<P::Move>,
        m: &MoveInfo<P::Move>,
        extension: i32,
    ) -> Option<i32> {
        // The child has a ply less, whatever is added or taken away.
        let depth = node.depth - 1 + extension;
        let k = &self.parameters;
        let reduces = k.late_move_reductions
            && node.depth >= k.reduction_depth
            && m.count > k.reduction_count + usize::from(N::PV);
        let r = if reduces {
            let (many, plus) = (k.reduction_many_cuts_count, k.reduction_many_cuts);
            // Siblings that were cut at once tell that the opponent has an answer to most moves here.
            let many_cuts = self.frame_ahead().cuts > many;
            self.reduction(node, m) + if many_cuts { plus } else { 0 } - if N::PV { PLY } else { 0 }
        } else {
            0
        };
        let doubles = self.frame().doubles + i32::from(extension > 1);
        self.frame_ahead().doubles = doubles;
        let frame = self.frame();
        (frame.quiet, frame.count, frame.history) = (!m.noisy, m.count, if m.noisy { 0 } else { m.history });
        let key = self.pos.key();
        let undo = self.play(m.mv)?;
        let value = self.search_child::<N>(node, m, depth, r);
        self.undo(m.mv, undo);
        self.check_restored(key);
        (!self.stopped).then_some(value)
    }

    /// The value of the child for the mover: reduced, with a null window, with an open one, as far as needed.
    fn search_child<N: NodeType>(
        &mut self,
        node: &NodeState<P::Move>,
        m: &MoveInfo<P::Move>,
        depth: i32,
        r: i32,
    ) -> i32 {
        let alpha = node.alpha;
        let mut value = alpha + 1;
        let mut known = false;
        if r >= PLY && depth > 1 {
            self.count(Step::Reduction);
            // Never down to quiescence, which would judge a quiet move by captures alone.
            let reduced = (depth - r / PLY).max(1);
            self.frame_before().reduction = depth - reduced;
            // A reduced move is expected to be refuted, so that its child is a cut node.
            value = -self.search::<NonPv>(-alpha - 1, -alpha, reduced, true);
            self.frame_before().reduction = 0;
            known = true;
            if self.counted(Step::ReductionFailed, value > alpha && reduced < depth && !self.stopped) {
                // Far better than all before: look deeper; hardly better: less deep.
                let k = &self.parameters;
                let far = k.deeper_cp + k.deeper_ply_cp * depth;
                let again =
                    depth + i32::from(value > m.best + far) - i32::from(value < m.best + k.shallower_ply_cp * depth);
                // With a ply less it may be no deeper than before, and would find the same.
                if again > reduced {
                    self.count(Step::ReSearch);
                    value = -self.search::<NonPv>(-alpha - 1, -alpha, again, !node.cut);
                }
                if !m.noisy && !self.stopped {
                    let bonus = self.bonus_of(depth);
                    self.update_last_move(if value > alpha { bonus } else { -bonus });
                }
            }
        } else if !N::PV || m.count > 1 {
            self.count(Step::FullDepth);
            // The child of a cut node is an all node, and the other way round (Knuth and Moore, 1975).
            value = -self.search::<NonPv>(-alpha - 1, -alpha, depth, !node.cut);
            known = true;
        }
        if N::PV && (!known || value > alpha) && !self.stopped {
            self.count(if known { Step::PvReSearch } else { Step::FullDepth });
            // The first move, or one that a null window could not show to be no better.
            value = -self.search::<Pv>(-node.beta, -alpha, depth, false);
        }
        value
    }

    /// Updates the histories after a cut by `best`: a bonus for it, a malus for the moves tried before it and for the opponent's
    /// first move that it refutes. `tried`: where this node's tried moves begin.
    pub(super) fn update_histories(&mut self, node: &NodeState<P::Move>, best: P::Move, tried: [usize; 2]) {
        // A cut that the static value did not foresee teaches more.
        let bonus = self.bonus_of(node.depth + i32::from(node.estimate <= node.alpha && !node.in_check));
        if self.pos.is_noisy(best) {
            self.mem.hist.update_noisy(&self.pos, best, bonus);
        } else {
            self.remember_refutation(best);
            self.update_quiet(best, bonus);
            // By index, since updating borrows the whole thread.
            for i in tried[0]..self.mem.tried[0].len() {
                let mv = self.mem.tried[0][i];
                self.update_quiet(mv, -bonus);
            }
        }
        for i in tried[1]..self.mem.tried[1].len() {
            let mv = self.mem.tried[1][i];
            self.mem.hist.update_noisy(&self.pos, mv, -bonus);
        }
        if self.was_first_choice() {
            self.update_last_move(-bonus);
        }
    }

    /// Whether the move that led here was quiet, and the first or a killer there.
    fn was_first_choice(&self) -> bool {
        let last = self.frame_back(1);
        last.quiet && (last.count == 1 || last.mv.is_some() && last.mv == last.killers[0])
    }

    /// Updates the continuation histories of the move that led here.
    fn update_last_move(&mut self, bonus: i32) {
        if let Some(to) = self.continuation_index(1) {
            for back in CONTINUATIONS {
                let before = self.continuation_index(1 + back);
                self.mem.hist.update_continuation(before, to as usize, bonus);
            }
        }
    }

    fn remember_refutation(&mut self, mv: P::Move) {
        let before = self.continuation_index(1);
        self.mem.hist.set_counter(before, mv);
        let killers = &mut self.frame().killers;
        // Twice the same move would push the other killer out.
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }

    fn update_quiet(&mut self, mv: P::Move, bonus: i32) {
        let to = self.pos.piece_to(mv);
        self.mem.hist.update_quiet(&self.pos, mv, bonus);
        for back in CONTINUATIONS {
            let before = self.continuation_index(back);
            self.mem.hist.update_continuation(before, to, bonus);
        }
    }

    /// Updates the histories of a node that the table cut as if its move had been searched: a bonus where it holds beta, with a
    /// malus for the early quiet move that it refutes; a malus where it fails low.
    pub(super) fn update_table_move(&mut self, node: &NodeState<P::Move>, mv: P::Move, value: i32) {
        let bonus = self.bonus_of(node.depth);
        let high = value >= node.beta;
        if !self.pos.is_noisy(mv) {
            self.update_quiet(mv, if high { bonus } else { -bonus });
        }
        let last = self.frame_back(1);
        if high && last.quiet && last.count <= self.parameters.table_malus_count {
            self.update_last_move(-bonus);
        }
    }

    /// No move here was good enough: the quiet move that led here deserves a bonus (Stockfish, 2016).
    pub(super) fn reward_parent_move(&mut self, node: &NodeState<P::Move>) {
        if self.ply == 0 || !self.frame_back(1).quiet || node.depth < self.parameters.parent_bonus_depth {
            return;
        }
        let bonus = self.bonus_of(node.depth);
        self.update_last_move(bonus);
        if self.parameters.parent_bonus_history {
            let index = self.frame_back(1).from_to;
            self.mem.hist.update_from_to(index, bonus);
        }
    }

    /// Updates the correction histories with the difference between search result and static evaluation, unless a noisy move was best:
    /// its gain is no error of the evaluation.
    pub(super) fn update_correction(
        &mut self,
        node: &NodeState<P::Move>,
        value: i32,
        best: Option<P::Move>,
        bound: Bound,
    ) {
        if !self.parameters.correction || node.in_check || is_decisive(value) || is_loss(value) {
            return;
        }
        if best.is_some_and(|mv| self.pos.is_noisy(mv)) {
            return;
        }
        let error = value - node.eval;
        // A bound on the side of the static value does not show how far that was off.
        let says_nothing = bound == Bound::Lower && error < 0 || bound == Bound::Upper && error > 0;
        if !says_nothing {
            let moves = [1, 2].map(|back| self.continuation_index(back));
            self.mem.hist.update_correction(&self.pos, moves, node.depth, error);
        }
    }

    /// The history bonus of a beta cutoff at `depth`: linear, a third of a ply below it, so that shallow cuts are worth little.
    fn bonus_of(&self, depth: i32) -> i32 {
        (self.parameters.history_bonus * (3 * depth - 1) / 3).min(self.parameters.history_bonus_max)
    }
}
