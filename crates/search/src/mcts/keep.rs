//! Tree reuse and pruning: copies the subtree below the moves played, or the most visited part where memory runs out, into a new tree.

use super::{
    node::{Block, Edge, Edges, Node, Rave},
    places::{EDGE_BYTES, NODE_BYTES},
    tree::Tree,
};
use std::collections::{HashMap, HashSet};
use tesuji_game::{Line, Position};

/// A node with children.
struct OpenNode {
    id: u32,
    visits: u32,
    /// The memory that its children take.
    bytes: usize,
}

impl<P: Position> Tree<P> {
    /// The node that `moves` lead to from the root, if it was visited.
    fn find(&self, moves: impl Iterator<Item = P::Move>) -> Option<u32> {
        let mut id = 0;
        for mv in moves {
            let Edges::Open(block) = self.node(id).edges() else { return None };
            let wanted = P::pack(mv);
            let word = self.edges_of(block).iter().map(Edge::load).find(|word| word.mv() == wanted)?;
            id = Some(word.child()).filter(|&child| child != 0)?;
        }
        Some(id)
    }

    /// The tree below the end of `line`, which goes on where this tree's root is; `None` if that was never visited. What does not
    /// fit into half the memory is left out, the least visited first. Its budget has no limit yet. No ticket may be out.
    pub fn below(&self, line: &Line<P>) -> Option<Tree<P>> {
        let id = self.find(line.moves().skip(self.root_plies()))?;
        Some(self.copy(line, id))
    }

    /// This tree without its least visited parts, in at most half the memory. A node whose children go keeps its
    /// visits and becomes a leaf again. `line` ends at the root. No ticket may be out.
    pub fn pruned(&self, line: &Line<P>) -> Tree<P> {
        let tree = self.copy(line, 0);
        tree.go_on(self);
        tree.restrict(self.is_restricted());
        tree.set_wishes(self.wishes());
        tree
    }

    fn copy(&self, line: &Line<P>, from: u32) -> Tree<P> {
        let (_, limit) = self.memory();
        let tree = Tree::new(line, &self.parameters, limit);
        // Half: the search that follows needs room at once.
        let kept = self.most_visited(from, limit / 2);
        tree.node(0).copy_counts(self.node(from));
        let mut copies = HashMap::new();
        // A proof of another line's children is one here, too: it holds for every way to the position below.
        let mut todo = vec![(from, 0)];
        while let Some((old, new)) = todo.pop() {
            let Edges::Open(block) = self.node(old).edges() else { continue };
            if kept.contains(&old) && self.copy_children(block, &tree, new, &mut todo, &mut copies).is_none() {
                break;
            }
        }
        tree
    }

    /// Copies the edges of `block` and the nodes that they lead to; `None` when the new tree is full.
    /// `copies`: where transpositions are one, which nodes were copied, and to what.
    fn copy_children(
        &self,
        block: Block,
        tree: &Tree<P>,
        new: u32,
        todo: &mut Vec<(u32, u32)>,
        copies: &mut HashMap<u32, u32>,
    ) -> Option<()> {
        let first = tree.take_edges(usize::from(block.len))?;
        let copied = Block { first, ..block };
        for (i, (from, to)) in self.edges_of(block).iter().zip(tree.edges_of(copied)).enumerate() {
            let word = from.load().barred(false);
            to.set(word.with_child(0));
            if tree.selection().uses_rave() {
                tree.rave_of(copied, i).copy_counts(self.rave_of(block, i));
            }
        }
        tree.node(new).publish(Edges::Open(copied));
        let shares = self.parameters.transpositions;
        for (i, (from, to)) in (0..).zip(self.edges_of(block).iter().zip(tree.edges_of(copied))) {
            let word = from.load();
            // A child that was made and never counted is not worth its memory.
            let Some(child) = self.child(word).filter(|child| child.visits() > 0) else { continue };
            if shares {
                tree.places.set_visits(copied.first + i, self.places.visits_of(block.first + i));
                if let Some(&copy) = copies.get(&word.child()) {
                    to.set(word.with_child(copy).barred(false));
                    continue;
                }
            }
            let id = if shares { self.copy_place(word.child(), tree)? } else { tree.take_node()? };
            if shares {
                copies.insert(word.child(), id);
            }
            tree.node(id).copy_counts(child);
            tree.node(id).set_parent(new);
            to.set(word.with_child(id).barred(false));
            todo.push((word.child(), id));
        }
        Some(())
    }

    /// A node of `tree` for what is the same place there.
    fn copy_place(&self, node: u32, tree: &Tree<P>) -> Option<u32> {
        tree.places.find_or(self.places.of(node), tree.allowance(), || tree.take_node())
    }

    /// The nodes below `from` whose children are kept if no more than `bytes` are to be used: by falling visits, so that
    /// parents come before their children.
    fn most_visited(&self, from: u32, bytes: usize) -> HashSet<u32> {
        let mut open: Vec<OpenNode> = Vec::new();
        let mut todo = std::collections::VecDeque::from([from]);
        let mut per_edge = size_of::<Edge>() + if self.selection().uses_rave() { size_of::<Rave>() } else { 0 };
        let mut per_node = size_of::<Node>();
        if self.parameters.transpositions {
            (per_edge, per_node) = (per_edge + EDGE_BYTES, per_node + NODE_BYTES);
        }
        let mut seen = HashSet::new();
        while let Some(id) = todo.pop_front() {
            if self.parameters.transpositions && !seen.insert(id) {
                continue;
            }
            if let Edges::Open(block) = self.node(id).edges() {
                let before = todo.len();
                todo.extend(self.children_of(id));
                let bytes = usize::from(block.len) * per_edge + (todo.len() - before) * per_node;
                open.push(OpenNode { visits: self.node(id).visits(), id, bytes });
            }
        }
        // Breadth first and a stable sort: of equal visits the one nearer to the root comes first.
        open.sort_by_key(|node| std::cmp::Reverse(node.visits));
        let mut used = 0;
        let fits = |node: &&OpenNode| {
            used += node.bytes;
            used <= bytes
        };
        open.iter().take_while(fits).map(|node| node.id).collect()
    }
}
