//! Benches: positions by class that are searched to a fixed depth, profiles of these searches, suites of positions with a best move, and timings of the rules themselves.

mod iterations;
mod profile;
mod search;
mod set;
mod suite;
mod suite_maker;
mod timing;

pub use iterations::{Growth, GrowthFigures, Iteration, OwnSearch, PositionSearch};
pub use profile::{DepthRow, KindRow, ProfileRequest, Profiled, StepRow, profile};
pub use search::{Hits, SearchCounts, Searched, Spent, bench_depth, bench_families, search_classes};
pub use set::{Class, classes, split};
pub use suite::{
    SuiteCase, SuiteCheckpoint, SuiteOutcome, SuiteProblem, SuiteRequest, parse_suite, read_suite, run_suite,
};
pub use suite_maker::{MakeSuiteRequest, SuiteNews, make_suite};
pub use timing::{Timing, generate, make_all, moves_of, per_item, per_item_with};

/// The benchmark of a game: positions, timings of the rules, playouts.
pub trait Benchmark: Sync {
    /// Its positions, by class, from games of random openings played on by an engine.
    fn classes(&self) -> Vec<Class>;

    /// The depth to which a search family searches them: plies of iterations, of the best line of a best-first tree, or the mean
    /// length of paths in a Monte-Carlo tree.
    fn depth(&self, family: &str) -> u32;

    /// The most nodes of a position, whatever the depth, for families whose depth says little about their time; `None`: no bound.
    fn nodes_max(&self, family: &str) -> Option<u64>;

    /// Options of a family in the bench, where they have their default values otherwise: its node counts must not hang on a
    /// processor's floating-point instructions, as those of networks do.
    fn options(&self, family: &str) -> &'static [(&'static str, &'static str)] {
        let _ = family;
        &[]
    }

    /// Times of single operations of the rules, by class of positions.
    fn timings(&self) -> Vec<Timing>;

    /// Lengths of random playouts from the positions; empty where the game has no playouts.
    fn playouts(&self) -> Vec<PlayoutPlies>;
}

/// The plies of all playouts of a set, after the name of what chooses their moves.
pub type PlayoutPlies = (&'static str, u64);
