//! The interface that all search families share.

use crate::profile::Profile;
use std::sync::Arc;
use tesuji_game::{CacheCounts, Limits, Line, Position, Report, TreeView, Watch};
use tesuji_options::Options;

/// A search that keeps its table, threads and memory between moves.
pub trait Searcher<P: Position>: Send {
    /// Its options. A change counts from the next search on; tables are resized and cleared at once.
    fn options(&mut self) -> &mut dyn Options;

    /// Starts a new game: clears tables and trees.
    fn new_game(&mut self);

    /// Searches the last position of `line` until `limits` or `watch` end the search, and returns the final report.
    ///
    /// `only`: the root moves to search, all if empty. Reports go to `watch` while it runs. The choice is `None` only
    /// where there is no legal move; one iteration always completes.
    fn search(
        &mut self,
        line: &Line<P>,
        limits: &Limits,
        only: &[P::Move],
        watch: &mut dyn Watch<P::Move>,
    ) -> Report<P::Move>;

    /// The tree, where the search keeps one.
    fn tree(&self) -> Option<Arc<dyn TreeView<P::Move>>> {
        None
    }

    /// The counters of the last search, where counting was switched on (option `Profile` of alpha-beta).
    fn profile(&self) -> Option<&Profile> {
        None
    }

    /// Whether the search ends by [`Limits::soft_nodes`].
    fn obeys_soft_nodes(&self) -> bool {
        false
    }

    /// Probes and hits of tables and caches since [`Searcher::new_game`].
    fn counts(&self) -> Vec<CacheCounts>;
}
