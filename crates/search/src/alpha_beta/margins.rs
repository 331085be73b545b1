//! Margins asked of the search itself: now and then a node is searched as if razoring, reverse futility and futility
//! pruning were switched off there, and what comes out is kept with how far the static value was from the window. What a
//! margin would have pruned, and how often wrongly, can then be counted for any margin.

use super::{
    late::{MoveInfo, PLY},
    node::{NodeState, NodeType, NonPv},
    score::{is_decisive, is_loss},
    thread::Thread,
};
use tesuji_game::{Evaluator, Tactical};

/// A pruning step that compares a margin with the distance between the static value and the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarginOf {
    /// A node so far below the window that only captures can help, and they do not.
    Razoring,
    /// A node so far above the window that it will hold.
    ReverseFutility,
    /// A quiet move at a node so far below the window that it cannot make up for it.
    Futility,
}

/// One question put to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audit {
    /// The step that could have pruned.
    pub margin: MarginOf,
    /// The depth that its margin grows with, in plies.
    pub depth: i32,
    /// The distance of the static value from the window, in centipawns; at least 0.
    pub slack_cp: i32,
    /// Whether the search came to what pruning would have said.
    pub agreed: bool,
}

/// Deepest node that is asked.
const DEPTH_MAX: i32 = 10;

/// The questions so far, and which nodes are asked.
#[derive(Debug, Clone)]
pub(super) struct Audits {
    /// One node in N is asked, by its key.
    pub(super) one_in: u64,
    pub(super) all: Vec<Audit>,
}

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// A node that is asked, where its key says so.
    #[cold]
    pub(super) fn search_audited<N: NodeType>(&mut self, mut node: NodeState<P::Move>) -> i32 {
        let one_in = self.mem.audits.as_ref().map_or(1, |a| a.one_in);
        // The upper bits: the lower ones choose a place in the table.
        node.audited = !N::PV
            && !node.in_check
            && node.excluded.is_none()
            && node.depth <= DEPTH_MAX
            && !is_decisive(node.alpha)
            && (self.pos.key().0 >> 32).is_multiple_of(one_in);
        if !node.audited {
            return self.search_evaluated::<N>(node);
        }
        let (alpha, beta, depth) = (node.alpha, node.beta, node.depth);
        let (below, above) = (alpha - node.estimate, node.estimate - beta);
        let high = above >= 0 && !node.on_pv && !is_loss(beta);
        let high_depth = depth - i32::from(node.improving);
        // Razoring prunes only what captures do not save either.
        let low = below >= 0 && self.quiesce_aside::<NonPv>(alpha, alpha + 1) <= alpha;
        // The node is searched whole, so that what pruning would have said can be compared with its value.
        let value = self.search_evaluated::<N>(node);
        if low {
            self.note_audit(MarginOf::Razoring, depth, below, value <= alpha);
        }
        if high {
            self.note_audit(MarginOf::ReverseFutility, high_depth, above, value >= beta);
        }
        value
    }

    /// A quiet move of such a node was searched.
    #[cold]
    pub(super) fn audit_move(&mut self, node: &NodeState<P::Move>, m: &MoveInfo<P::Move>, value: i32) {
        let slack = node.alpha - node.eval;
        if m.count > 1 && !m.noisy && !m.check && slack >= 0 {
            let left = (node.depth - 1 - self.reduction(node, m).max(0) / PLY).max(0);
            self.note_audit(MarginOf::Futility, left, slack, value <= node.alpha);
        }
    }

    fn note_audit(&mut self, margin: MarginOf, depth: i32, slack_cp: i32, agreed: bool) {
        if let Some(audits) = self.mem.audits.as_mut().filter(|_| !self.stopped) {
            audits.all.push(Audit { margin, depth, slack_cp, agreed });
        }
    }
}
