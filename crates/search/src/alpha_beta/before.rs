//! The steps that may cut a node before any of its moves is looked at.

use super::{
    node::{NodeState, NodeType, NonPv},
    picker::Picker,
    root::score_of_wdl,
    score::{DECISIVE, EVAL_MAX, INFINITE, PLIES_MAX, is_decisive, is_loss, mate_in, mated_in},
    thread::Thread,
};
use crate::{probe::Wdl5, profile::Step, table::Entry};
use tesuji_game::{Bound, Evaluator, Reason, Tactical, Value};

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// The rules: repetition, wins on the board, declarations; and the end of the path.
    #[inline]
    pub(super) fn cut_by_rules(&mut self) -> Option<i32> {
        if let Some(value) = self.decided() {
            return Some(value);
        }
        // In check the static value means nothing.
        (self.ply >= PLIES_MAX).then(|| if self.pos.in_check() { 0 } else { self.evaluate() })
    }

    /// Mate-distance pruning (Gerbil, Bruce Moreland, 2001): no mate found here can be shorter than the way here.
    #[inline]
    pub(super) fn narrow_by_mate_distance(&self, alpha: i32, beta: i32) -> (i32, i32) {
        if !self.parameters.mate_distance {
            return (alpha, beta);
        }
        let ply = self.ply as i32;
        (alpha.max(mated_in(ply)), beta.min(mate_in(ply + 1)))
    }

    /// A mate in one, where nothing is known yet of the position and the game sees it quickly. `seen`: it is in the table.
    /// `depth`: that of the node.
    #[inline]
    pub(super) fn cut_by_mate_at_once<N: NodeType>(&mut self, seen: bool, depth: i32) -> Option<i32> {
        if seen || !self.parameters.mate_at_once || self.frame().excluded.is_some() {
            return None;
        }
        let mv = self.pos.mate_at_once()?;
        let value = mate_in(self.ply as i32 + 1);
        if N::PV {
            // The line of a child searched earlier may still stand there.
            self.mem.pv[self.ply + 1].clear();
            self.extend_pv(mv);
        }
        let entry = Entry {
            mv: Some(P::pack(mv)),
            value: Value::from_raw(value).to_table(self.ply as i32),
            eval: None,
            depth,
            bound: Bound::Exact,
            pv: N::PV,
        };
        self.table.store(self.pos.key(), entry);
        Some(value)
    }

    /// Probes the transposition table and fills in what is known of the node before its static evaluation.
    #[inline]
    pub(super) fn probe_node(&mut self, alpha: i32, beta: i32, depth: i32, cut: bool, pv: bool) -> NodeState<P::Move> {
        let entry = self.look_up();
        NodeState {
            alpha,
            beta,
            depth,
            cut,
            in_check: self.pos.in_check(),
            table_move: entry.and_then(|e| self.pos.unpack(e.mv?)),
            excluded: self.frame().excluded,
            singular: false,
            raw_eval: None,
            eval: 0,
            estimate: 0,
            improving: false,
            on_pv: pv || entry.is_some_and(|e| e.pv),
            entry,
            audited: false,
        }
    }

    /// Probes the transposition table, counting probes and hits.
    #[inline]
    pub(super) fn look_up(&mut self) -> Option<Entry> {
        let entry = self.table.probe(self.pos.key());
        self.mem.probes += 1;
        self.mem.hits += u64::from(entry.is_some());
        entry
    }

    /// A cut by the transposition table (Greenblatt, Eastlake and Crocker, 1967). Never on the principal variation, so that
    /// repetitions are seen and lines are whole.
    #[inline]
    pub(super) fn cut_by_table<N: NodeType>(&mut self, node: &NodeState<P::Move>) -> Option<i32> {
        if N::PV || !self.parameters.table_cuts || node.excluded.is_some() {
            return None;
        }
        let entry = node.entry.filter(|e| e.depth >= node.depth)?;
        let value = entry.value_at(self.ply as i32).raw();
        if !bound_decides(entry.bound, value, node.alpha, node.beta) {
            return None;
        }
        if let Some(mv) = node.table_move {
            self.update_table_move(node, mv, value);
        }
        Some(value)
    }

    /// A cut by endgame tables (Thompson's bases, 1986; asked inside the search since the nineties).
    #[inline]
    pub(super) fn cut_by_endgame_table<N: NodeType>(&mut self, node: &mut NodeState<P::Move>) -> Option<i32> {
        if self.probe.is_none() || !self.parameters.endgame_probes || node.excluded.is_some() || self.root_is_known() {
            return None;
        }
        self.probe_endgame::<N>(node)
    }

    fn probe_endgame<N: NodeType>(&mut self, node: &mut NodeState<P::Move>) -> Option<i32> {
        if node.depth < self.parameters.endgame_probe_depth {
            return None;
        }
        self.count(Step::EndgameProbe);
        let result = self.probe.as_ref()?.wdl(&self.pos)?;
        self.table_hits += 1;
        let value = score_of_wdl(result, self.ply as i32);
        let bound = match result {
            // The table knows no distance: a mate that the search finds is worth more than a known win.
            Wdl5::Win => Bound::Lower,
            Wdl5::Loss => Bound::Upper,
            _ => Bound::Exact,
        };
        if bound_decides(bound, value, node.alpha, node.beta) {
            // The result is no guess of this depth: as a deeper entry it cuts more nodes, and stays longer.
            let depth = (node.depth + self.parameters.endgame_probe_bonus).min(PLIES_MAX as i32);
            let entry = Entry {
                mv: None,
                value: Value::from_raw(value).to_table(self.ply as i32),
                eval: None,
                depth,
                bound,
                pv: node.on_pv,
            };
            self.table.store(self.pos.key(), entry);
            return Some(value);
        }
        // On the principal variation the result narrows the window: a win is at least a win.
        if N::PV && bound == Bound::Lower {
            node.alpha = node.alpha.max(value);
        }
        None
    }

    /// Static evaluation: the evaluator's value, corrected by the correction histories; and whether it improved since the side's last move.
    #[inline]
    pub(super) fn evaluate_node(&mut self, node: &mut NodeState<P::Move>) {
        if node.in_check {
            self.frame().eval = None;
            return;
        }
        if node.excluded.is_some() {
            // The node was judged before the singular search came.
            node.eval = self.frame().eval.unwrap_or(0);
        } else {
            let stored = node.entry.and_then(|e| e.eval);
            let raw = stored.map_or_else(|| self.evaluate(), i32::from);
            node.raw_eval = Some(raw);
            node.eval = self.corrected(raw);
            self.frame().eval = Some(node.eval);
        }
        node.estimate = match node.entry {
            Some(entry) if node.excluded.is_none() => better_estimate(entry, self.ply as i32, node.eval),
            _ => node.eval,
        };
        // The side's last move; where it was in check there is no static value, and the move before counts.
        let before = self.frame_back(2).eval.or(self.frame_back(4).eval);
        node.improving = before.is_none_or(|b| node.eval > b);
    }

    /// What the opponent's last move cost it by the static values before and after it, in centipawns: below 0 where it gained.
    #[inline]
    fn cost_of_last_move(&self, node: &NodeState<P::Move>) -> Option<i32> {
        // Each is from the view of the side to move there.
        let before = self.frame_back(1).eval.filter(|_| !node.in_check && node.excluded.is_none())?;
        Some(before + node.eval)
    }

    /// Updates the butterfly history of the opponent's quiet move by what it did to the static value (Stockfish, 2020).
    #[inline]
    fn update_by_evaluation(&mut self, cost_cp: i32) {
        let k = &self.parameters;
        let last = self.frame_back(1);
        if k.eval_history > 0 && last.quiet && last.count > 0 {
            let (index, most) = (last.from_to, k.history_bonus_max / 2);
            let bonus = (-k.eval_history * cost_cp).clamp(-most, most);
            self.mem.hist.update_from_to(index, bonus);
        }
    }

    /// Corrects the reduction of the opponent's move in hindsight (Stockfish, 2024): a ply more where the move was not bad by the static
    /// values after all, a ply less where it was as bad as expected.
    #[inline]
    fn correct_reduction(&self, node: &mut NodeState<P::Move>, cost_cp: i32) {
        let k = &self.parameters;
        let reduced = self.frame_back(1).reduction;
        if k.hindsight_deeper > 0 && reduced >= k.hindsight_deeper && cost_cp <= 0 {
            node.depth += 1;
        } else if k.hindsight_shallower_cp > 0 && reduced > 0 && node.depth >= 2 && cost_cp > k.hindsight_shallower_cp {
            node.depth -= 1;
        }
    }

    /// What the static value of a node says of the move that led to it: for its history, and for its reduction.
    #[inline]
    pub(super) fn judge_last_move(&mut self, node: &mut NodeState<P::Move>) {
        if let Some(cost_cp) = self.cost_of_last_move(node) {
            self.update_by_evaluation(cost_cp);
            self.correct_reduction(node, cost_cp);
        }
    }

    /// The evaluator's value corrected by the correction histories.
    #[inline]
    pub(super) fn corrected(&self, raw: i32) -> i32 {
        let k = &self.parameters;
        let moves = [1, 2].map(|back| self.continuation_index(back));
        if k.correction { self.mem.hist.corrected(&self.pos, moves, k, raw) } else { raw }
    }

    /// The pruning steps off the principal variation, out of check and outside singular searches, in their order, each with its
    /// reason; cheap ones first, since each sees what those before it left.
    #[inline]
    pub(super) fn prune_before_moves(&mut self, node: &NodeState<P::Move>) -> Option<(Reason, i32)> {
        if let Some(value) = self.cut_by_razoring(node) {
            return Some((Reason::Razoring, value));
        }
        if let Some(value) = self.cut_by_reverse_futility(node) {
            return Some((Reason::ReverseFutility, value));
        }
        if let Some(value) = self.cut_by_null_move(node) {
            return Some((Reason::NullMove, value));
        }
        if let Some(value) = self.cut_by_table_probcut(node) {
            return Some((Reason::Probcut, value));
        }
        self.cut_by_probcut(node).map(|value| (Reason::Probcut, value))
    }

    /// Razoring (Birmingham and Kent, 1977; in this form Stockfish): far below alpha only captures can help.
    #[inline]
    fn cut_by_razoring(&mut self, node: &NodeState<P::Move>) -> Option<i32> {
        let k = &self.parameters;
        let hopeless = node.estimate + k.razoring_cp * node.depth <= node.alpha;
        if !k.razoring || node.audited || node.depth > k.razoring_depth || !hopeless || is_decisive(node.alpha) {
            return None;
        }
        self.count(Step::Razoring);
        // A null window: only whether alpha is reached matters.
        let value = self.quiesce_aside::<NonPv>(node.alpha, node.alpha + 1);
        (value <= node.alpha || self.stopped).then_some(value)
    }

    /// Reverse futility pruning (static null move: Heinz, 1998): so far above beta that a margin for each ply will not be lost.
    fn cut_by_reverse_futility(&mut self, node: &NodeState<P::Move>) -> Option<i32> {
        let k = &self.parameters;
        if !k.reverse_futility
            || node.audited
            || node.depth > k.reverse_futility_depth
            || node.on_pv
            || is_loss(node.beta)
        {
            return None;
        }
        // Where the value rises, the opponent has a ply less to turn it.
        let margin = k.reverse_futility_cp * (node.depth - i32::from(node.improving));
        // The mean of both is returned: the static value may be too good by as much as the margin.
        (node.estimate - margin >= node.beta && node.estimate < DECISIVE).then_some((node.estimate + node.beta) / 2)
    }

    /// Null-move pruning (Beal, 1989; Donninger, 1993): if passing still holds beta, moving will. Not without pieces, where
    /// passing may be best (zugzwang), and at high depth only if a search without null moves agrees (Tabibi and Netanyahu, 2002).
    #[inline]
    fn cut_by_null_move(&mut self, node: &NodeState<P::Move>) -> Option<i32> {
        let k = &self.parameters;
        // Without a move before there was a pass: two in a row would search the same position again.
        let wanted = k.null_move
            && self.ply >= self.null_from
            && self.continuation_index(1).is_some()
            && node.estimate >= node.beta
            && node.eval >= node.beta + k.null_move_margin_cp - k.null_move_margin_ply_cp * node.depth
            && !is_loss(node.beta)
            && self.pos.has_pieces();
        if !wanted {
            return None;
        }
        // Far above beta a shallower search shows it, too.
        let surplus = ((node.estimate - node.beta) / k.null_move_surplus_cp).min(k.null_move_surplus_max);
        // At 0 and below the answer is quiescence's.
        let reduced = node.depth - (k.null_move_base + node.depth / k.null_move_divisor + surplus);
        let verify = node.depth >= k.null_move_verify_depth;
        let undo = self.play_null()?;
        self.count(Step::NullMove);
        let value = -self.search::<NonPv>(-node.beta, 1 - node.beta, reduced, !node.cut);
        self.undo_null(undo);
        if self.stopped {
            return Some(0);
        }
        if value < node.beta {
            return None;
        }
        // A mate found by passing proves nothing.
        let value = if is_decisive(value) { node.beta } else { value };
        if !verify || self.null_from > 0 {
            return Some(value);
        }
        self.count(Step::Verification);
        // Null moves stay off for most of the verification only: deeper down zugzwang no longer decides its root.
        self.null_from = self.ply + (self.parameters.null_move_verify_share * reduced.max(0) / 16) as usize;
        // The verification is a search of this same node: its cuts are no cuts of a sibling.
        let cuts = self.frame().cuts;
        let checked = self.search::<NonPv>(node.beta - 1, node.beta, reduced, false);
        self.frame().cuts = cuts;
        // Verifications are not nested: below one, `null_from` is above 0 and the value is taken as it is.
        self.null_from = 0;
        self.counted(Step::VerificationFailed, checked < node.beta && !self.stopped);
        (checked >= node.beta || self.stopped).then_some(value)
    }

    /// Probcut (Buro, 1995; with captures only as in Stockfish): a capture that holds far more than beta at low depth would
    /// almost surely hold beta at full depth.
    #[inline]
    fn cut_by_probcut(&mut self, node: &NodeState<P::Move>) -> Option<i32> {
        let k = &self.parameters;
        if !k.probcut || node.depth < k.probcut_depth || is_decisive(node.beta) {
            return None;
        }
        let high = (node.beta + k.probcut_cp - if node.improving { k.probcut_improving_cp } else { 0 }).min(EVAL_MAX);
        // The table has looked about as deep as this try would, and found less.
        let doubtful = |e: Entry| e.depth > node.depth - k.probcut_plies && e.value_at(self.ply as i32).raw() < high;
        if node.entry.is_some_and(doubtful) {
            return None;
        }
        let from = self.mem.moves.len();
        let value = self.try_probcut(node, high, from);
        self.mem.moves.truncate(from);
        value
    }

    /// Probcut by the table alone (Stockfish, 2020): a search little less deep found far more than beta.
    #[inline]
    fn cut_by_table_probcut(&self, node: &NodeState<P::Move>) -> Option<i32> {
        let margin = self.parameters.table_probcut_cp;
        let entry = node.entry.filter(|_| margin > 0)?;
        let value = entry.value_at(self.ply as i32).raw();
        let high = node.beta + margin;
        let holds = entry.bound != Bound::Upper && entry.depth >= node.depth - 4 && value >= high;
        (holds && !is_decisive(value) && !is_decisive(node.beta)).then_some(high)
    }

    fn try_probcut(&mut self, node: &NodeState<P::Move>, high: i32, from: usize) -> Option<i32> {
        self.count(Step::Probcut);
        let depth = node.depth - self.parameters.probcut_plies;
        // Captures that win less than what is missing can hardly reach the bound.
        let needed = high - node.eval;
        let table_move = node.table_move.filter(|&mv| self.pos.is_noisy(mv) && self.pos.see_ge(mv, needed));
        let mut picker = Picker::winning(table_move, needed, from);
        while let Some(mv) = picker.next(self) {
            if !self.pos.allows(mv, &self.past) {
                continue;
            }
            let frame = self.frame();
            // What an earlier node of this ply left there would pass for this capture's.
            (frame.quiet, frame.count, frame.history) = (false, 0, 0);
            let undo = self.play(mv)?;
            self.count(Step::ProbcutMove);
            // Quiescence refutes most of them, at a fraction of the cost.
            let mut value = -self.quiesce_aside::<NonPv>(-high, 1 - high);
            if value >= high && !self.stopped {
                self.count(Step::ProbcutSearch);
                value = -self.search::<NonPv>(-high, 1 - high, depth, !node.cut);
            }
            self.undo(mv, undo);
            if self.stopped {
                return Some(0);
            }
            if value >= high {
                let entry = Entry {
                    mv: Some(P::pack(mv)),
                    value: Value::from_raw(value).to_table(self.ply as i32),
                    eval: node.raw_eval.map(|e| e as i16),
                    // The move took a ply on top of its search.
                    depth: depth + 1,
                    bound: Bound::Lower,
                    pv: node.on_pv,
                };
                self.table.store(self.pos.key(), entry);
                // It was found against a raised bound: what was added is taken off again.
                return Some(if is_decisive(value) { value } else { value - (high - node.beta) });
            }
        }
        None
    }

    /// Internal iterative reduction (Schröder, 2020): a node whose best move nobody knows is not worth its full depth.
    #[inline]
    pub(super) fn reduce_without_move<N: NodeType>(&self, node: &mut NodeState<P::Move>) {
        let k = &self.parameters;
        let unknown = node.table_move.is_none() && node.excluded.is_none();
        if k.iterative_reduction && unknown && node.depth >= k.iterative_reduction_depth && (N::PV || node.cut) {
            self.count(Step::IterativeReduction);
            node.depth -= 1;
        }
    }
}

/// Whether a value with its bound decides the window (`alpha`, `beta`).
#[inline]
pub(super) fn bound_decides(bound: Bound, value: i32, alpha: i32, beta: i32) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value <= alpha,
    }
}

/// The table's value where it says more than the static one.
#[inline]
pub(super) fn better_estimate(entry: Entry, ply: i32, eval: i32) -> i32 {
    let value = entry.value_at(ply).raw();
    let better = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => value > eval,
        Bound::Upper => value < eval,
    };
    if better && value.abs() < INFINITE { value } else { eval }
}
