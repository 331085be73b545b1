//! The tree in memory: hanging what was worked out, and rating it, that is minimax and quality from the leaves to the root.

use super::{
    leaf::{Found, Job},
    node::{ESTIMATE_MAX, Node, Nodes, flag, from_below},
    options::Parameters,
    queue::Queue,
};
use std::collections::HashMap;
use tesuji_game::{Line, Position};

/// Plies below the root at which nothing grows any more.
pub(super) const PLIES_MAX: u16 = 200;
/// The part of what it is based on that a position keeps for itself: quality halves with each ply.
const QUALITY_SHARE: f32 = 0.5;
/// Tenths of a ply that a learned value must be worth looking behind.
const LEARNED_WEIGHT: i16 = 12;

/// A tree that grows best first. Node 0 is the root.
///
/// It holds no boards: a position is reached by the moves from the root.
pub struct Tree<P: Position> {
    pub(super) root: P,
    /// Moves from the start of the game to the root.
    pub(super) root_plies: usize,
    pub(super) nodes: Nodes,
    /// Worked out positions by their keys.
    pub(super) index: HashMap<u64, u32>,
    /// Nodes that stand for the same position elsewhere.
    pub(super) links: Vec<u32>,
    /// The most nodes.
    pub(super) limit: usize,
    /// The packed root moves that were wanted; empty: all.
    pub(super) only: Vec<u16>,
    pub(super) parameters: Parameters,
    /// Passes over the tree that selected leaves to expand.
    pub(super) stages: u32,
    /// The longest path.
    pub(super) plies_max: u16,
}

impl<P: Position> Tree<P> {
    /// A tree of the last position of `line` alone, for at most `bytes`.
    pub(super) fn new(line: &Line<P>, parameters: &Parameters, bytes: usize) -> Self {
        let mut nodes = Nodes::new();
        nodes.push(Node::leaf(0, 0, 0.0, parameters.base, 0));
        Tree {
            root: line.here().clone(),
            root_plies: line.len(),
            nodes,
            index: HashMap::new(),
            links: Vec::new(),
            // Nodes are numbered in 32 bits.
            limit: (bytes / size_of::<Node>()).clamp(1024, u32::MAX as usize),
            only: Vec::new(),
            parameters: parameters.clone(),
            stages: 0,
            plies_max: 0,
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the root was not yet worked out.
    pub fn is_empty(&self) -> bool {
        !self.nodes.at(0).has(flag::OPEN)
    }

    /// Bytes of the nodes.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>()
    }

    /// Whether this many more nodes may be too many.
    pub(super) fn is_full(&self, more: usize) -> bool {
        // A quarter at most, or one wide node would keep a small tree full for ever.
        self.nodes.len() + more.min(self.limit / 4) > self.limit
    }

    /// The packed moves from the root to a node.
    pub(super) fn path(&self, mut id: u32) -> Vec<u16> {
        let mut path = Vec::new();
        while id != 0 {
            let node = self.nodes.at(id);
            path.push(node.mv);
            id = node.parent;
        }
        path.reverse();
        path
    }

    /// The node with the children of `id`: itself, or where its link leads.
    pub(super) fn target(&self, id: u32) -> u32 {
        let node = self.nodes.at(id);
        if node.has(flag::LINK) { node.first } else { id }
    }

    /// The children of `id`, by its link if it is one.
    pub(super) fn children_of(&self, id: u32) -> std::ops::Range<u32> {
        let node = self.nodes.at(self.target(id));
        if node.has(flag::OPEN) { node.first..node.first + u32::from(node.len) } else { 0..0 }
    }

    /// Marks the way from the root to `id` for the next rating.
    fn touch(&mut self, mut id: u32) {
        while !self.nodes.at(id).has(flag::TOUCHED) {
            let node = self.nodes.at_mut(id);
            node.flags |= flag::TOUCHED;
            id = node.parent;
        }
    }

    /// Takes up to `count` positions from the queue, no two of them the same.
    pub(super) fn take_jobs(&self, queue: &mut Queue, count: usize, nodes_left: u64) -> Vec<Job> {
        let mut jobs: Vec<Job> = Vec::with_capacity(count);
        while jobs.len() < count
            && let Some(id) = queue.pop()
        {
            let node = self.nodes.at(id);
            // Queued twice, or beside a move that already decides the matter.
            let is_needed = node.is_leaf() && (id == 0 || !self.nodes.at(node.parent).is_decided());
            if is_needed && jobs.iter().all(|job| job.id != id) {
                let moves_max = usize::try_from(nodes_left).unwrap_or(usize::MAX);
                jobs.push(Job { id, path: self.path(id), moves_max });
            }
        }
        jobs
    }

    /// Hangs what was worked out below its node, and puts what is heavy enough into the queue.
    pub(super) fn hang(&mut self, found: &Found, queue: &mut Queue) {
        let id = found.id;
        self.touch(id);
        let node = self.nodes.at_mut(id);
        if let Some(value) = found.end {
            node.value = value;
            node.flags |= flag::OVER;
            return;
        }
        node.flags = (node.flags | flag::OPEN) & !flag::LEARNED;
        if self.parameters.merge && id != 0 {
            // The position stands elsewhere: its node keeps the children, this one becomes a link.
            if let Some(&same) = self.index.get(&found.key) {
                self.link(id, same);
                return;
            }
            self.index.insert(found.key, id);
        }
        let (weight, plies) = (self.nodes.at(id).weight, self.nodes.at(id).plies + 1);
        let first = self.nodes.len() as u32;
        for child in &found.children {
            let weight = weight.saturating_sub(child.cost);
            let mut node = Node::leaf(id, child.mv, child.value, weight, child.flags);
            (node.plies, node.quality) = (plies, child.quality);
            let at = self.nodes.push(node);
            let is_wanted = !node.has(flag::LEARNED) || weight >= LEARNED_WEIGHT;
            if node.is_leaf() && is_wanted && plies < PLIES_MAX {
                queue.push(at, weight);
            }
        }
        self.plies_max = self.plies_max.max(plies);
        let node = self.nodes.at_mut(id);
        (node.first, node.len) = (first, found.children.len() as u16);
    }

    fn link(&mut self, id: u32, same: u32) {
        let value = self.nodes.at(same).value;
        let node = self.nodes.at_mut(id);
        (node.first, node.len, node.value) = (same, 0, value);
        node.flags |= flag::LINK;
        self.links.push(id);
    }

    /// Brings values and qualities up to date.
    pub(super) fn rate(&mut self) {
        // A link does not hear of changes below its node, so all are compared before the pass.
        for i in 0..self.links.len() {
            let id = self.links[i];
            let same = self.nodes.at(self.nodes.at(id).first);
            if (same.value, same.quality) != (self.nodes.at(id).value, self.nodes.at(id).quality) {
                self.touch(id);
            }
        }
        if self.nodes.at(0).has(flag::TOUCHED) {
            self.rate_below(0);
        }
    }

    /// Rates a node and returns what it adds to the quality above.
    fn rate_below(&mut self, id: u32) -> f32 {
        let node = *self.nodes.at(id);
        let fresh = if node.has(flag::FRESH) { node.quality } else { 0.0 };
        let mut new = Node { flags: node.flags & !(flag::FRESH | flag::TOUCHED), ..node };
        let mut added = 0.0;
        if node.has(flag::LINK) {
            let same = *self.nodes.at(node.first);
            (new.value, new.quality, new.count) = (same.value, same.quality.max(node.quality), same.count);
        } else if node.has(flag::OPEN) && node.len > 0 {
            let mut best = f32::NEG_INFINITY;
            new.count = 1;
            for child in node.first..node.first + u32::from(node.len) {
                // Only the marked ways are walked; the rest of a large tree stands as it was rated.
                if self.nodes.at(child).has(flag::FRESH | flag::TOUCHED) {
                    added += QUALITY_SHARE * self.rate_below(child);
                }
                let child = self.nodes.at(child);
                // A child's value is for the other side.
                best = best.max(from_below(child.value, self.parameters.decay));
                // A link counts as one node: what is below it is counted where it hangs.
                new.count = new.count.saturating_add(if child.has(flag::LINK) { 1 } else { child.count });
            }
            new.value = best;
            new.quality += added;
        }
        *self.nodes.at_mut(id) = new;
        fresh + added
    }

    /// Plies of the line of best moves.
    pub(super) fn depth(&self) -> u32 {
        let value = |&id: &u32| self.nodes.at(id).value;
        let mut id = 0;
        for plies in 0..u32::from(PLIES_MAX) {
            match self.children_of(id).min_by(|a, b| value(a).total_cmp(&value(b))) {
                Some(child) => id = child,
                None => return plies,
            }
        }
        u32::from(PLIES_MAX)
    }

    /// Whether the result at the root is known.
    pub(super) fn is_solved(&self) -> bool {
        self.nodes.at(0).value.abs() > ESTIMATE_MAX || self.nodes.at(0).has(flag::OVER)
    }
}
