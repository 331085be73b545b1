//! A read-only view of a search tree: rows copied out while the search runs.

use crate::NodeNote;
use std::sync::Arc;

/// One node of a search tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeRow<M> {
    /// Its number in the tree.
    pub node: u32,
    /// The move that leads to it; `None` at the root.
    pub mv: Option<M>,
    /// Expected result for the side that moved into it, in -1..=1.
    pub value: f32,
    /// Nodes or visits below it.
    pub effort: u64,
    /// The policy's share, in 0..=1.
    pub prior: f32,
    /// The number of its children.
    pub children: u32,
}

/// A handle to a search tree that can be read while the search runs.
///
/// # Examples
///
/// A root with two children:
///
/// ```
/// use tesuji_game::{TreeRow, TreeView};
///
/// struct Fixed([TreeRow<char>; 3]);
///
/// impl TreeView<char> for Fixed {
///     fn row(&self, node: u32) -> Option<TreeRow<char>> {
///         self.0.get(node as usize).copied()
///     }
///     fn children(&self, node: u32, out: &mut Vec<TreeRow<char>>) {
///         out.extend_from_slice(if node == 0 { &self.0[1..] } else { &[] });
///     }
/// }
///
/// let row = |node, mv, effort, children| TreeRow { node, mv, value: 0.0, effort, prior: 0.5, children };
/// let tree = Fixed([row(0, None, 100, 2), row(1, Some('a'), 90, 0), row(2, Some('b'), 10, 0)]);
/// let mut rows = Vec::new();
/// tree.children_above(0, 50, &|_| None, &mut rows);
/// assert_eq!(rows.iter().map(|row| row.mv).collect::<Vec<_>>(), [Some('a')]);
/// assert!(tree.row(3).is_none());
/// ```
pub trait TreeView<M>: Send + Sync {
    /// A handle to the present tree, whose nodes keep their numbers and moves while the search goes on; their values may change.
    /// `None`: this handle is such a tree itself.
    fn pinned(&self) -> Option<Arc<dyn TreeView<M>>> {
        None
    }
    /// The row of `node`, if there is such a node.
    fn row(&self, node: u32) -> Option<TreeRow<M>>;
    /// Appends the rows of the children of `node`.
    fn children(&self, node: u32, out: &mut Vec<TreeRow<M>>);
    /// Appends the rows of those children of `node` that have `effort_min` effort or more. `read` reads a packed move in the
    /// position of `node`: a tree that holds packed moves alone need not play its way there, nor read the moves of others.
    fn children_above(&self, node: u32, effort_min: u64, _read: &dyn Fn(u16) -> Option<M>, out: &mut Vec<TreeRow<M>>) {
        let mut rows = Vec::new();
        self.children(node, &mut rows);
        out.extend(rows.into_iter().filter(|row| row.effort >= effort_min));
    }
    /// Further information about `node`: quality, proof, reason of a cutoff.
    fn note(&self, _node: u32) -> Option<NodeNote> {
        None
    }
}
