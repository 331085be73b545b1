//! A search tree copied out as text: what any family shows of its last search, bounded, parents before children.

use std::{cmp::Ordering, collections::BinaryHeap, sync::Arc};
use tesuji_game::{Game, Notation, Position, TreeRow, TreeView};

/// What of a tree is copied.
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
    /// What else the search knows, in a few words.
    pub note: String,
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
        note: view.note(row.node).unwrap_or_default(),
        key,
    };
    let mut copy = TreeCopy { nodes: vec![node(&root, None, String::new(), here.key().0)] };
    let mut waiting = BinaryHeap::new();
    let mut order = 0;
    let mut rows = Vec::new();
    let mut queue_children = |id: u32, parent: u32, plies: u32, waiting: &mut BinaryHeap<_>| {
        rows.clear();
        view.children(id, &mut rows);
        for &row in rows.iter().filter(|row| row.effort >= bounds.effort_min) {
            order += 1;
            waiting.push(Waiting { row, parent, plies, order });
        }
    };
    if bounds.plies_max > 0 {
        queue_children(0, 0, 1, &mut waiting);
    }
    // Of each node that is copied, not of each that waits: those are many more.
    let mut positions = vec![here.clone()];
    while copy.nodes.len() < bounds.nodes_max
        && let Some(next) = waiting.pop()
    {
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
        if next.plies < bounds.plies_max && next.row.mv.is_some() {
            queue_children(next.row.node, copy.nodes.len() as u32 - 1, next.plies + 1, &mut waiting);
        }
        positions.push(pos);
    }
    Some(copy)
}
