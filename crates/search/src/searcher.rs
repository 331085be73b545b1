//! The door to a search, whatever its family.

use crate::profile::Profile;
use std::sync::Arc;
use tesuji_game::{CacheCounts, Limits, Line, Position, Report, TreeView, Watch};
use tesuji_options::Options;

/// A search that keeps its table, threads and memory between moves.
pub trait Searcher<P: Position>: Send {
    /// Its options. A change counts from the next search on; tables are resized and cleared at once.
    fn options(&mut self) -> &mut dyn Options;

    /// Forgets all that was learned from earlier positions.
    fn new_game(&mut self);

    /// Thinks about the last position of `line` until `limits` or `watch` end it, and returns what to do.
    ///
    /// `only`: the root moves to look at, all if empty. Reports go to `watch` while it runs. The choice is `None` only
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

    /// What was counted of the last search, where it was asked to count (option `Profile` of alpha-beta).
    fn profile(&self) -> Option<&Profile> {
        None
    }

    /// What tables and caches did since [`Searcher::new_game`]: `(name, probes, hits)`.
    fn counts(&self) -> Vec<CacheCounts>;
}
