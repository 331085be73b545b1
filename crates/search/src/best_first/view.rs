//! Reading a tree: root moves with principal variations, and rows for viewers.

use super::{
    node::{ESTIMATE_MAX, Node, flag, to_value},
    tree::Tree,
};
use crate::mcts::expected;
use tesuji_game::{BestFirstNote, Bound, Candidate, NodeNote, Position, TreeRow, TreeView};

/// A move at the root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// For the side to move at the root, in centipawns; beyond ±30,999 a proven result.
    pub value: f32,
    /// The quality of the value: the amount of search behind it.
    pub quality: f32,
    /// Positions below it, its own included.
    pub count: u32,
    pub(super) id: u32,
}

impl<P: Position> Tree<P> {
    /// The root moves, the best first; of equals the one with more work behind it.
    pub fn root_moves(&self) -> Vec<RootMove<P::Move>> {
        let of = |id: u32| {
            let node = self.nodes.at(id);
            let value = super::node::from_below(node.value, 1.0);
            Some(RootMove { mv: self.root.unpack(node.mv)?, value, quality: node.quality, count: node.count, id })
        };
        let mut moves: Vec<_> = self.children_of(0).filter_map(of).collect();
        moves.sort_by(|a, b| b.value.total_cmp(&a.value).then(b.quality.total_cmp(&a.quality)));
        moves
    }

    /// The value of the root, in centipawns for its side to move.
    pub fn value(&self) -> f32 {
        self.nodes.at(0).value
    }

    /// The quality of the root's value: the amount of search behind it.
    pub fn quality(&self) -> f32 {
        self.nodes.at(0).quality
    }

    /// The line that is expected after a child of the root, as packed moves.
    fn line_from(&self, first: u32) -> Vec<P::Move> {
        let mut pos = self.root.clone();
        let mut line = Vec::new();
        let mut next = Some(first);
        while let Some(id) = next
            && line.len() < 128
            && let Some(mv) = pos.unpack(self.nodes.at(id).mv)
        {
            line.push(mv);
            pos.play(mv);
            next = self.children_of(id).min_by(|&a, &b| {
                let (a, b) = (self.nodes.at(a), self.nodes.at(b));
                a.value.total_cmp(&b.value).then(b.quality.total_cmp(&a.quality))
            });
        }
        line
    }

    /// The best lines, as a report shows them.
    pub(super) fn candidates(&self, count: usize) -> Vec<Candidate<P::Move>> {
        let candidate = |m: &RootMove<P::Move>| Candidate {
            pv: self.line_from(m.id),
            value: to_value(m.value, 0),
            bound: Bound::Exact,
            wdl: None,
            visits: u64::from(m.count),
            prior: 0.0,
            expected: None,
            margin: None,
        };
        self.root_moves().iter().take(count).map(candidate).collect()
    }

    /// The position of a node; `None` where a move on the way cannot be played.
    fn position_at(&self, id: u32) -> Option<P> {
        let mut pos = self.root.clone();
        for word in self.path(id) {
            pos.play(pos.unpack(word)?);
        }
        Some(pos)
    }

    fn row_of(&self, id: u32, mv: Option<P::Move>) -> TreeRow<P::Move> {
        let node = self.nodes.at(id);
        let value = -expected(to_value(node.value, 0), self.parameters.scale_cp);
        let children = self.children_of(id).len() as u32;
        TreeRow { node: id, mv, value, effort: u64::from(node.count), prior: 0.0, children }
    }
}

/// The note of a node: quality, proof, link to a transposition.
fn note(node: &Node) -> NodeNote {
    NodeNote::BestFirst(BestFirstNote {
        quality: node.quality,
        is_capture: node.has(flag::CAPTURE),
        is_check: node.has(flag::CHECK),
        is_over: node.has(flag::OVER),
        is_learned: node.has(flag::LEARNED),
        is_elsewhere: node.has(flag::LINK),
        is_proven: node.value.abs() > ESTIMATE_MAX,
    })
}

/// Rows are copied out between two batches of the search. Node 0 is the root.
impl<P: Position> TreeView<P::Move> for Tree<P> {
    fn row(&self, node: u32) -> Option<TreeRow<P::Move>> {
        if node as usize >= self.len() {
            return None;
        }
        let parent = (node != 0).then(|| self.position_at(self.nodes.at(node).parent));
        let mv = parent.and_then(|pos| pos?.unpack(self.nodes.at(node).mv));
        Some(self.row_of(node, mv))
    }

    fn children(&self, node: u32, out: &mut Vec<TreeRow<P::Move>>) {
        if node as usize >= self.len() {
            return;
        }
        let Some(pos) = self.position_at(self.target(node)) else { return };
        self.children_above(node, 0, &|word| pos.unpack(word), out);
    }

    fn children_above(
        &self,
        node: u32,
        effort_min: u64,
        read: &dyn Fn(u16) -> Option<P::Move>,
        out: &mut Vec<TreeRow<P::Move>>,
    ) {
        if node as usize >= self.len() {
            return;
        }
        for id in self.children_of(node) {
            let child = self.nodes.at(id);
            // Most children are leaves: they are not even read where more is asked for.
            if u64::from(child.count) >= effort_min
                && let Some(mv) = read(child.mv)
            {
                out.push(self.row_of(id, Some(mv)));
            }
        }
    }

    fn note(&self, id: u32) -> Option<NodeNote> {
        ((id as usize) < self.len()).then(|| note(self.nodes.at(id)))
    }
}

/// Positions for learning.
impl<P: Position> Tree<P> {
    /// The positions whose values rest on a quality of at least `quality_min`: each with its value for the side to move, in
    /// centipawns, and its quality. Proven results are left out: they are found again.
    pub fn worked_out(&self, quality_min: f32) -> Vec<(P, f32, f32)> {
        let mut out = Vec::new();
        let mut todo = vec![(0, self.root.clone())];
        while let Some((id, pos)) = todo.pop() {
            let node = self.nodes.at(id);
            if node.quality < quality_min || !node.has(flag::OPEN) || node.has(flag::LINK) || node.is_decided() {
                continue;
            }
            for child in self.children_of(id) {
                if self.nodes.at(child).quality >= quality_min
                    && let Some(mv) = pos.unpack(self.nodes.at(child).mv)
                {
                    let mut next = pos.clone();
                    next.play(mv);
                    todo.push((child, next));
                }
            }
            out.push((pos, node.value, node.quality));
        }
        out
    }
}
