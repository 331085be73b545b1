//! The tree of a search for onlookers, whatever tree it is by now.

use std::sync::{Arc, PoisonError, RwLock};
use tesuji_game::{NodeNote, TreeRow, TreeView};

/// A place where a search puts the tree that onlookers see. Rows keep to the tree of the moment; who needs one tree for longer
/// pins it.
pub(crate) struct Shown<T>(RwLock<Option<Arc<T>>>);

impl<T> Default for Shown<T> {
    fn default() -> Self {
        Shown(RwLock::new(None))
    }
}

impl<T> Shown<T> {
    /// Shows another tree, or none.
    pub(crate) fn show(&self, tree: Option<Arc<T>>) {
        // A poisoned lock is taken all the same: what lies behind it is replaced as a whole.
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = tree;
    }

    fn tree(&self) -> Option<Arc<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<M, T: TreeView<M> + 'static> TreeView<M> for Shown<T> {
    fn pinned(&self) -> Option<Arc<dyn TreeView<M>>> {
        Some(self.tree()?)
    }

    fn row(&self, node: u32) -> Option<TreeRow<M>> {
        self.tree()?.row(node)
    }

    fn children(&self, node: u32, out: &mut Vec<TreeRow<M>>) {
        if let Some(tree) = self.tree() {
            tree.children(node, out);
        }
    }

    fn children_above(&self, node: u32, effort_min: u64, read: &dyn Fn(u16) -> Option<M>, out: &mut Vec<TreeRow<M>>) {
        if let Some(tree) = self.tree() {
            tree.children_above(node, effort_min, read, out);
        }
    }

    fn note(&self, node: u32) -> Option<NodeNote> {
        self.tree()?.note(node)
    }
}
