//! Tree reuse and pruning: copies the subtree below the moves played, or the most important part where memory runs out, into a new tree.

use super::{
    leaf::of_outcome,
    node::{Node, flag},
    queue::Queue,
    tree::Tree,
};
use std::{collections::HashMap, time::Duration};
use tesuji_game::{Line, Position};

/// Moves of a position that are never forgotten as its worst.
const KEPT_MIN: usize = 3;
/// Plies below a new root within which returns are judged again: one's own moves and the answers to them.
const JUDGED_PLIES: usize = 2;
/// No copied number.
const NONE: u32 = u32::MAX;
/// Time to copy a node of a large tree, and to rate and queue it again: 33 million took 3.5 s.
const COPY_TIME: Duration = Duration::from_nanos(100);

/// Nodes that can be copied in so much time, about.
pub(super) fn copied_in(time: Duration) -> usize {
    usize::try_from(time.as_nanos() / COPY_TIME.as_nanos()).unwrap_or(usize::MAX)
}

impl<P: Position> Tree<P> {
    /// The node that `moves` lead to from the root, if there is one.
    fn find(&self, moves: impl Iterator<Item = P::Move>) -> Option<u32> {
        let mut id = 0;
        for mv in moves {
            let wanted = P::pack(mv);
            id = self.children_of(id).find(|&child| self.nodes.at(child).mv == wanted)?;
        }
        (!self.nodes.at(id).has(flag::OVER)).then_some(id)
    }

    /// The tree below the end of `line`, which goes on where this tree's root is, of this many nodes at most; `None` where that
    /// is not in the tree.
    pub(super) fn below(&mut self, line: &Line<P>, room: usize) -> Option<Tree<P>> {
        let id = self.find(line.moves().skip(self.root_plies))?;
        self.judge_returns(id, &mut line.clone(), line.len());
        let played = line.len() - self.root_plies;
        let gain = self.parameters.kept_growth.saturating_mul(played.min(100) as i16);
        let mut tree = self.copy(line, id, gain, self.kept_by_quality(id, room), usize::MAX);
        tree.stages = 0;
        Some(tree)
    }

    /// Judges again, near the new root, whether positions that come back end the game: what was played meanwhile counts now, and
    /// what lay between the old root and the new one is no longer searched.
    fn judge_returns(&mut self, id: u32, line: &mut Line<P>, root: usize) {
        for child in self.children_of(id) {
            let Some(mv) = line.here().unpack(self.nodes.at(child).mv) else { continue };
            line.push(mv);
            let here = line.here();
            let node = self.nodes.at_mut(child);
            if let Some(outcome) = line.ended(root) {
                close(node);
                (node.value, node.flags) = (of_outcome(outcome, here.side_to_move()), node.flags | flag::OVER);
            } else if node.has(flag::OVER) && node.value == 0.0 && here.has_moves() {
                node.flags &= !flag::OVER;
            }
            if line.len() - root < JUDGED_PLIES {
                self.judge_returns(child, line, root);
            }
            line.pop();
        }
    }

    /// Forgets half of the tree, and queues what is left. `line` ends at the root.
    pub(super) fn make_room(&mut self, line: &Line<P>, queue: &mut Queue) {
        self.rate();
        *self = self.trimmed(line);
        self.rate();
        self.requeue(queue);
    }

    /// This tree in at most half its memory.
    fn trimmed(&self, line: &Line<P>) -> Tree<P> {
        let mut tree = if self.parameters.trim == "worst" {
            // Halved each time: a tree that is trimmed again and again gets narrower, not shallower.
            let children_max = KEPT_MIN.max(self.widest() / 2);
            self.copy(line, 0, 0, None, children_max)
        } else {
            self.copy(line, 0, 0, self.kept_by_quality(0, usize::MAX), usize::MAX)
        };
        // Narrower was not enough: room is made at the bottom, too.
        if tree.len() > self.limit / 2 {
            tree = tree.copy(line, 0, 0, tree.kept_by_quality(0, usize::MAX), usize::MAX);
        }
        (tree.stages, tree.only) = (self.stages, self.only.clone());
        tree
    }

    /// The number of moves at the root.
    fn widest(&self) -> usize {
        self.children_of(0).len()
    }

    /// For each position whether its children are kept below `from`: those of the highest quality first, so that no more than half
    /// of the memory is used and no more than `room` nodes; `None` where all fit.
    fn kept_by_quality(&self, from: u32, room: usize) -> Option<Vec<bool>> {
        let from = self.target(from);
        let room = room.min(self.limit / 2);
        if (self.nodes.at(from).count as usize) < room && self.len() < room {
            return None;
        }
        let open = (0..self.len() as u32).map(|id| (id, self.nodes.at(id)));
        let mut open: Vec<(u32, &Node)> = open.filter(|(_, n)| n.has(flag::OPEN)).collect();
        open.sort_by(|a, b| b.1.quality.total_cmp(&a.1.quality).then(a.0.cmp(&b.0)));
        let mut used = 0;
        let fits = |(_, node): &&(u32, &Node)| {
            used += usize::from(node.len);
            used < room
        };
        let mut kept = vec![false; self.len()];
        open.iter().take_while(fits).for_each(|&(id, _)| kept[id as usize] = true);
        // The root's moves stay, whatever they take.
        kept[from as usize] = true;
        Some(kept)
    }

    /// A copy of what lies below `from`: children of the positions that are `kept` (`None`: of all), of each the `children_max` best.
    fn copy(&self, line: &Line<P>, from: u32, gain: i16, kept: Option<Vec<bool>>, children_max: usize) -> Tree<P> {
        let from = self.target(from);
        let mut tree = Tree::new(line, &self.parameters, self.limit * size_of::<Node>());
        let root = *self.nodes.at(from);
        *tree.nodes.at_mut(0) = Node { parent: 0, mv: 0, plies: 0, stamp: 0, flags: root.flags & !flag::LINK, ..root };
        let mut numbers = vec![NONE; self.len()];
        numbers[from as usize] = 0;
        let mut copying = Copying { old: self, tree, gain, kept, children_max, numbers, todo: Vec::new() };
        copying.all_below(from);
        let Copying { mut tree, numbers, .. } = copying;
        debug_assert!(tree.len() <= self.len(), "{} nodes became {}", self.len(), tree.len());
        self.copy_index(&mut tree, &numbers);
        tree.touch_all();
        tree
    }

    /// Numbers of what is still worked out, and links that have lost their other end.
    fn copy_index(&self, tree: &mut Tree<P>, numbers: &[u32]) {
        let mut index = HashMap::with_capacity(self.index.len());
        for (&key, &old) in &self.index {
            let new = numbers[old as usize];
            if new != NONE && tree.nodes.at(new).has(flag::OPEN) && !tree.nodes.at(new).has(flag::LINK) {
                index.insert(key, new);
            }
        }
        tree.index = index;
        let mut links = std::mem::take(&mut tree.links);
        links.retain(|&id| {
            let is_whole = tree.nodes.at(tree.nodes.at(id).first).has(flag::OPEN);
            if !is_whole {
                close(tree.nodes.at_mut(id));
            }
            is_whole
        });
        tree.links = links;
    }

    /// Marks everything for the next rating.
    fn touch_all(&mut self) {
        for id in 0..self.len() as u32 {
            let node = self.nodes.at_mut(id);
            if node.has(flag::OPEN) {
                node.flags |= flag::TOUCHED;
            }
        }
    }

    /// Queues every leaf that is heavy enough.
    pub(super) fn requeue(&self, queue: &mut Queue) {
        queue.clear();
        for id in 0..self.len() as u32 {
            let node = self.nodes.at(id);
            if node.is_leaf() {
                queue.push(id, node.weight);
            }
        }
    }
}

/// A copy on its way.
struct Copying<'t, P: Position> {
    old: &'t Tree<P>,
    tree: Tree<P>,
    /// The increment of every weight.
    gain: i16,
    kept: Option<Vec<bool>>,
    children_max: usize,
    /// The copy's number of each node.
    numbers: Vec<u32>,
    /// Positions that were worked out, and their copies, without children yet.
    todo: Vec<(u32, u32)>,
}

impl<P: Position> Copying<'_, P> {
    /// Copies what lies below `from`, whose copy is the root.
    fn all_below(&mut self, from: u32) {
        self.come_to(from, 0);
        let mut links = Vec::new();
        loop {
            while let Some((old, new)) = self.todo.pop() {
                if self.old.nodes.at(old).has(flag::LINK) {
                    links.push((old, new));
                } else if self.kept.as_ref().is_none_or(|kept| kept[old as usize]) {
                    self.children(old, new);
                } else {
                    close(self.tree.nodes.at_mut(new));
                }
            }
            // A link whose other end was not copied takes its place.
            let Some((old, new)) = links.pop() else { break };
            let target = self.old.nodes.at(old).first;
            let other = self.numbers[target as usize];
            if other == NONE {
                self.numbers[target as usize] = new;
                self.tree.nodes.at_mut(new).flags &= !flag::LINK;
                self.tree.nodes.at_mut(new).weight = self.old.nodes.at(target).weight;
                self.come_to(target, new);
            } else {
                self.link(new, other);
            }
        }
    }

    /// Makes a copied node a link to another one.
    fn link(&mut self, new: u32, other: u32) {
        let node = self.tree.nodes.at_mut(new);
        (node.first, node.len) = (other, 0);
        node.flags |= flag::LINK;
        self.tree.links.push(new);
    }

    /// Gives a copied node its weight, and notes it if it was worked out.
    fn come_to(&mut self, old: u32, new: u32) {
        let node = self.tree.nodes.at_mut(new);
        node.weight = node.weight.saturating_add(self.gain);
        if node.has(flag::OPEN) {
            self.todo.push((old, new));
        }
    }

    fn children(&mut self, old: u32, new: u32) {
        let nodes = &self.old.nodes;
        let mut children: Vec<u32> = self.old.children_of(old).collect();
        if children.len() > self.children_max {
            // The worst for the mover are the best for the side that moves there.
            children.sort_by(|&a, &b| nodes.at(a).value.total_cmp(&nodes.at(b).value));
            children.truncate(self.children_max);
            // Back into the game's order, which counts among equals.
            children.sort_unstable();
        }
        let first = self.tree.len() as u32;
        let plies = self.tree.nodes.at(new).plies + 1;
        for (i, &child) in children.iter().enumerate() {
            let id = first + i as u32;
            self.tree.nodes.push(Node { parent: new, plies, stamp: 0, ..*nodes.at(child) });
            match self.numbers[child as usize] {
                NONE => {
                    self.numbers[child as usize] = id;
                    self.come_to(child, id);
                }
                // It was copied where a link led to it, and all below with it.
                other => self.link(id, other),
            }
        }
        let node = self.tree.nodes.at_mut(new);
        (node.first, node.len) = (first, children.len() as u16);
        node.flags |= flag::OPEN;
        self.tree.plies_max = self.tree.plies_max.max(plies);
    }
}

/// Makes a position a leaf again; it keeps its value and quality and grows only when it is chosen.
fn close(node: &mut Node) {
    node.flags &= !(flag::OPEN | flag::LINK);
    (node.first, node.len, node.count) = (0, 0, 1);
    node.weight = node.weight.min(0);
}
