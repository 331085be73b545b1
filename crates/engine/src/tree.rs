//! A search tree copied out as text: what any family shows of its last search, bounded, parents before children.

use std::{cmp::Ordering, collections::BinaryHeap, sync::Arc};
use tesuji_game::{Game, NodeNote, Notation, Position, TreeRow, TreeView};

/// The bounds of the part of a tree that is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeBounds {
    /// The most nodes; those with the most effort come first.
    pub nodes_max: usize,
    /// The most plies below the root.
    pub plies_max: u32,
    /// The least effort of a node below the root.
    pub effort_min: u64,
}

/// One node of a copied tree.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeNode {
    /// The number of the node above; `None` at the root.
    pub parent: Option<u32>,
    /// The move that leads here, in the protocol's notation; empty at the root and for a pass.
    pub mv: String,
    /// Expected result for the side that moved here, in -1..=1; at the root for the side that moved last.
    pub value: f32,
    /// Nodes or visits below.
    pub effort: u64,
    /// The policy's share, in 0..=1, where there is one.
    pub prior: f32,
    /// Children in the search's own tree, copied or not.
    pub children: u32,
    /// Further information of the search.
    pub note: Option<NodeNote>,
    /// The key of the position: the same where the position is the same; 0 below a pass and in files of earlier versions.
    pub key: u64,
}

/// A search tree that can be copied while the search runs.
pub trait LiveTree: Send + Sync {
    /// The tree as it is now; `None` where there is none yet.
    fn copy(&self, bounds: &TreeBounds) -> Option<TreeCopy>;
}

/// The tree of a searcher at work at a position.
pub(crate) struct Growing<G: Game> {
    pub(crate) view: Arc<dyn TreeView<<G::Position as Position>::Move>>,
    pub(crate) here: G::Position,
}

impl<G: Game> LiveTree for Growing<G> {
    fn copy(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        copy_tree::<G>(self.view.as_ref(), &self.here, bounds)
    }
}

/// A copied tree. Node 0 is the root; parents stand before their children.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeCopy {
    /// The nodes.
    pub nodes: Vec<TreeNode>,
}

impl TreeCopy {
    /// The numbers of the children of each node, in the search's order.
    pub fn children(&self) -> Vec<Vec<u32>> {
        let mut below = vec![Vec::new(); self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            if let Some(list) = node.parent.and_then(|parent| below.get_mut(parent as usize)) {
                list.push(id as u32);
            }
        }
        below
    }
}

/// A node that waits to be copied: the one with the most effort first, of equals the one found first.
struct Waiting<M> {
    row: TreeRow<M>,
    parent: u32,
    plies: u32,
    order: usize,
}

impl<M> Waiting<M> {
    fn rank(&self) -> (u64, std::cmp::Reverse<usize>) {
        (self.row.effort, std::cmp::Reverse(self.order))
    }
}

impl<M> PartialEq for Waiting<M> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl<M> Eq for Waiting<M> {}

impl<M> PartialOrd for Waiting<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for Waiting<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// The queue of nodes to be copied.
struct Queue<M> {
    waiting: BinaryHeap<Waiting<M>>,
    /// The least effort with which a node may still be among those copied.
    effort_min: u64,
    order: usize,
    rows: Vec<TreeRow<M>>,
}

/// A node that was copied.
struct Copied {
    /// Its number in the tree.
    id: u32,
    /// Its index in the copy, which its children name as their parent.
    parent: u32,
    /// Plies from the root to its children.
    plies: u32,
}

impl<M: Copy> Queue<M> {
    /// Adds the children of a node, whose position is `pos`.
    fn add<G>(&mut self, view: &dyn TreeView<M>, Copied { id, parent, plies }: Copied, pos: &G::Position)
    where
        G: Game,
        G::Position: Position<Move = M>,
    {
        self.rows.clear();
        view.children_above(id, self.effort_min, &|word| pos.unpack(word), &mut self.rows);
        for &row in &self.rows {
            self.order += 1;
            self.waiting.push(Waiting { row, parent, plies, order: self.order });
        }
    }

    /// Drops what cannot be among the next `rest`, since as many with more effort wait; of equal effort the first found is taken,
    /// and so later ones need more. Most nodes of a big tree are leaves, which are not even read after this.
    fn thin(&mut self, rest: usize) {
        if self.waiting.len() <= rest + rest / 4 + SLACK {
            return;
        }
        let mut waiting = std::mem::take(&mut self.waiting).into_vec();
        let (_, last, _) = waiting.select_nth_unstable_by(rest - 1, |a, b| b.cmp(a));
        self.effort_min = self.effort_min.max(last.row.effort + 1);
        waiting.truncate(rest);
        self.waiting = waiting.into();
    }
}

/// Nodes that may wait beyond those that can be copied, however few these are.
const SLACK: usize = 64;

/// Copies a tree whose root is `here`; `None` where there is no root.
pub fn copy_tree<G: Game>(
    view: &dyn TreeView<<G::Position as Position>::Move>,
    here: &G::Position,
    bounds: &TreeBounds,
) -> Option<TreeCopy> {
    let pinned = view.pinned();
    let view = pinned.as_deref().unwrap_or(view);
    let root = view.row(0)?;
    let node = |row: &TreeRow<_>, parent, mv, key| TreeNode {
        parent,
        mv,
        value: row.value,
        effort: row.effort,
        prior: row.prior,
        children: row.children,
        note: view.note(row.node),
        key,
    };
    let mut copy = TreeCopy { nodes: vec![node(&root, None, String::new(), here.key().0)] };
    let mut queue = Queue { waiting: BinaryHeap::new(), effort_min: bounds.effort_min, order: 0, rows: Vec::new() };
    if bounds.plies_max > 0 {
        queue.add::<G>(view, Copied { id: 0, parent: 0, plies: 1 }, here);
    }
    // Of each node that is copied, not of each that waits: those are many more.
    let mut positions = vec![here.clone()];
    while let rest = bounds.nodes_max.saturating_sub(copy.nodes.len())
        && rest > 0
    {
        queue.thin(rest);
        let Some(next) = queue.waiting.pop() else { break };
        let mut mv = String::new();
        let mut pos = positions[next.parent as usize].clone();
        let mut key = 0;
        if let Some(played) = next.row.mv {
            let _ = G::Notation::write_move(&pos, played, &mut mv);
            pos.play(played);
            key = pos.key().0;
        }
        copy.nodes.push(node(&next.row, Some(next.parent), mv, key));
        // What follows a pass has no position to name its moves in.
        if next.plies < bounds.plies_max && next.row.mv.is_some() && next.row.children > 0 {
            let copied = Copied { id: next.row.node, parent: copy.nodes.len() as u32 - 1, plies: next.plies + 1 };
            queue.add::<G>(view, copied, &pos);
        }
        positions.push(pos);
    }
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;
    use tesuji_game::Random;
    use tesuji_testkit::four::{Four, FourPosition};

    /// A tree of made-up efforts: rows, and the numbers of the children of each.
    struct Fake {
        rows: Vec<TreeRow<Column>>,
        below: Vec<std::ops::Range<u32>>,
    }

    type Column = <FourPosition as Position>::Move;

    impl TreeView<Column> for Fake {
        fn row(&self, node: u32) -> Option<TreeRow<Column>> {
            self.rows.get(node as usize).copied()
        }

        fn children(&self, node: u32, out: &mut Vec<TreeRow<Column>>) {
            out.extend(self.below[node as usize].clone().map(|id| self.rows[id as usize]));
        }
    }

    fn fake(seed: u64, count: usize) -> Fake {
        let mut random = Random::new(seed);
        let row = |node, mv, effort| TreeRow { node, mv, value: 0.0, effort, prior: 0.0, children: 1 };
        let mut tree = Fake { rows: vec![row(0, None, 1000)], below: Vec::new() };
        let mut boards = vec![FourPosition::default()];
        while tree.below.len() < count {
            let board = boards[tree.below.len()];
            let first = tree.rows.len() as u32;
            let _ = board.for_each_move(|mv| {
                let effort = 1 + random.below(3) * random.below(9);
                tree.rows.push(row(tree.rows.len() as u32, Some(mv), effort as u64));
                let mut next = board;
                next.play(mv);
                boards.push(next);
                ControlFlow::<()>::Continue(())
            });
            tree.below.push(first..tree.rows.len() as u32);
        }
        let leaves = tree.rows.len() - tree.below.len();
        tree.below.extend(std::iter::repeat_n(0..0, leaves));
        tree
    }

    /// The expected copy with nothing dropped, made slowly: the numbers of the nodes in the order of the copy.
    fn slowly(tree: &Fake, count: usize) -> Vec<u32> {
        let mut waiting: Vec<u32> = tree.below[0].clone().collect();
        let mut copied = vec![0];
        while copied.len() < count && !waiting.is_empty() {
            let most = waiting.iter().map(|&id| tree.rows[id as usize].effort).max();
            let at = waiting.iter().position(|&id| Some(tree.rows[id as usize].effort) == most);
            let id = waiting.remove(at.unwrap_or_default());
            waiting.extend(tree.below[id as usize].clone());
            copied.push(id);
        }
        copied
    }

    #[test]
    fn what_is_dropped_would_not_have_been_copied() {
        for seed in 0..20 {
            let tree = fake(seed, 400);
            for count in [1, 2, 20, 300, 2000] {
                let bounds = TreeBounds { nodes_max: count, plies_max: 60, effort_min: 0 };
                let copy = copy_tree::<Four>(&tree, &FourPosition::default(), &bounds).expect("there is a root");
                let wanted = slowly(&tree, count);
                assert_eq!(copy.nodes.len(), wanted.len(), "seed {seed}, {count} nodes");
                for (node, &id) in copy.nodes.iter().zip(&wanted) {
                    let row = tree.rows[id as usize];
                    let above = node.parent.map(|parent| wanted[parent as usize]);
                    let is_below = above.is_none_or(|above| tree.below[above as usize].contains(&id));
                    assert!(node.effort == row.effort && is_below, "seed {seed}, {count} nodes: {node:?} for {row:?}");
                }
            }
        }
    }
}
