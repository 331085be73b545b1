//! A selection under way: it holds virtual loss along its path until it is backed up, cancelled or dropped, so that none can leak.

use super::{
    node::{Block, Edges, Proof},
    tree::{NO_EDGE, Step, Tree},
};
use tesuji_game::{Answer, AsFirst, Position, Query};

/// A visit under way. [`Ticket::backup`] brings its result home; [`Ticket::cancel`], or dropping it, undoes it.
#[must_use]
pub struct Ticket<'t, P: Position> {
    tree: &'t Tree<P>,
    /// From the root to the leaf.
    path: Vec<Step>,
    /// Whether the leaf waits for this ticket to bring its edges.
    pub(super) has_claim: bool,
    /// Whether it came to something.
    is_done: bool,
}

impl<P: Position> Drop for Ticket<'_, P> {
    fn drop(&mut self) {
        if let Some(leaf) = self.path.last()
            && self.has_claim
        {
            // Somebody else may bring the edges.
            self.tree.node(leaf.node).publish(Edges::None);
        }
        for step in &self.path {
            self.tree.node(step.node).leave();
        }
        if !self.is_done {
            self.tree.give_back();
        }
    }
}

impl<'t, P: Position> Ticket<'t, P> {
    pub(super) fn new(tree: &'t Tree<P>) -> Self {
        Ticket { tree, path: Vec::with_capacity(24), has_claim: false, is_done: false }
    }

    pub(super) fn enter(&mut self, step: Step) {
        self.tree.node(step.node).enter();
        self.path.push(step);
    }

    /// The length of the path in plies.
    pub fn depth(&self) -> usize {
        self.path.len() - 1
    }

    /// Takes the visit back, as if it had not been: also its share of the budget.
    pub fn cancel(self) {}

    /// Counts the answer of `query`, which is the one that was filled with this ticket, and opens the leaf if its policy was asked for.
    ///
    /// The statistics of moves in `query.answer.as_first` are completed by the moves of the path.
    pub fn backup(mut self, query: &mut Query<P>) {
        let leaf = self.leaf();
        if self.has_claim {
            self.tree.open(leaf, query);
            self.has_claim = false;
        }
        if !query.wants_value {
            // Only the moves were asked for: the playout is still to come.
            return;
        }
        let value = query.answer.value;
        // A value that is no number would spoil all sums up to the root.
        let value = if value.is_finite() { value.clamp(-1.0, 1.0) } else { 0.0 };
        let first = (query.line.here().side_to_move().index() + self.depth()) & 1;
        if let Some(plies) = query.answer.win_plies
            && self.tree.parameters.proofs
            && leaf != 0
        {
            self.tree.node(leaf).prove(Proof::Win(u32::from(plies)));
        }
        if self.tree.selection().uses_rave() {
            self.count_as_first(first, value, &mut query.answer);
        }
        self.end(value);
    }

    fn leaf(&self) -> u32 {
        self.path.last().map_or(0, |step| step.node)
    }

    /// Counts a visit that found no way along `edge`, which leaves the path's end. `value` is for the side to move there.
    pub(super) fn turn_back(self, edge: u32, value: f32) {
        self.tree.places.count(edge);
        self.end(value);
    }

    /// Ends the playout without a result.
    pub(super) fn rest(mut self) {
        self.is_done = true;
        self.tree.note_depth(self.depth());
    }

    /// Counts `value`, which is for the side to move at the leaf, along the path.
    pub(super) fn end(mut self, value: f32) {
        self.is_done = true;
        let tree = self.tree;
        tree.note_depth(self.depth());
        let mut value = value;
        let mut was_proven = false;
        for step in self.path.iter().rev() {
            let node = tree.node(step.node);
            let mut proof = node.proof();
            if tree.parameters.proofs && was_proven && proof == Proof::Unknown {
                proof = tree.deduce(step.node);
                node.prove(proof);
            }
            was_proven = proof != Proof::Unknown;
            // What is proven counts instead of what was estimated below.
            value = proof.value().unwrap_or(value);
            node.count(-value);
            if tree.parameters.transpositions && step.edge != NO_EDGE {
                tree.places.count(step.edge);
            }
            value = -value;
        }
    }

    /// Tells every node of the path how its moves did: those of the playouts behind the answer, and those of the path itself.
    /// `first`: the side to move at the root, as an index.
    fn count_as_first(&self, first: usize, value: f32, answer: &mut Answer) {
        let side_at = |depth: usize| (first + depth) & 1;
        // For the side to move at the leaf, which is `self.depth()` plies below the root.
        let value_for = |side: usize| if side == side_at(self.depth()) { value } else { -value };
        // Moves of the path that the answer has no place for, such as passes, by side; few.
        let mut others: [Vec<(u16, AsFirst)>; 2] = Default::default();
        for depth in (0..self.path.len()).rev() {
            let side = side_at(depth);
            if let Edges::Open(block) = self.tree.node(self.path[depth].node).edges() {
                self.count_edges(block, &answer.as_first[side], &others[side]);
            }
            // The move that led here was played before all that the playouts did.
            if depth > 0 {
                let (mover, mv) = (side_at(depth - 1), self.path[depth].mv);
                let now = AsFirst { weight: 1.0, value: value_for(mover) };
                match answer.as_first[mover].get_mut(usize::from(mv)) {
                    Some(seen) => *seen = now,
                    None => {
                        others[mover].retain(|(known, _)| *known != mv);
                        others[mover].push((mv, now));
                    }
                }
                // The other side came later there: for nodes further up it did not play there first.
                match answer.as_first[1 - mover].get_mut(usize::from(mv)) {
                    Some(other) => other.weight = 0.0,
                    None => others[1 - mover].retain(|(known, _)| *known != mv),
                }
            }
        }
    }

    fn count_edges(&self, block: Block, seen: &[AsFirst], others: &[(u16, AsFirst)]) {
        if seen.is_empty() && others.is_empty() {
            return;
        }
        for (i, edge) in self.tree.edges_of(block).iter().enumerate() {
            let mv = edge.load().mv();
            let other = || others.iter().find(|(known, _)| *known == mv).map(|(_, first)| first);
            if let Some(seen) = seen.get(usize::from(mv)).or_else(other).filter(|s| s.weight > 0.0) {
                self.tree.rave_of(block, i).add(seen.weight, seen.value);
            }
        }
    }
}

impl<P: Position> Tree<P> {
    /// The proof of a node that follows from its children.
    fn deduce(&self, id: u32) -> Proof {
        let Edges::Open(block) = self.node(id).edges() else { return Proof::Unknown };
        let (mut win, mut draw, mut loss) = (None::<u32>, None::<u32>, 0);
        let mut all = block.complete;
        for edge in self.edges_of(block) {
            match self.child(edge.load()).map_or(Proof::Unknown, |child| child.proof()) {
                Proof::Loss(plies) => win = Some(win.map_or(plies, |w| w.min(plies))),
                Proof::Draw(plies) => draw = Some(draw.map_or(plies, |d| d.max(plies))),
                Proof::Win(plies) => loss = loss.max(plies),
                Proof::Unknown => all = false,
            }
        }
        // One move is enough for a win; a draw or a loss needs the proof of all.
        match (win, draw) {
            (Some(plies), _) => Proof::Win(plies + 1),
            (None, Some(plies)) if all => Proof::Draw(plies + 1),
            (None, None) if all => Proof::Loss(loss + 1),
            _ => Proof::Unknown,
        }
    }
}
