//! Searches over any position: `alpha_beta`, `mcts`, `best_first`, `mate`, and what searches share: the table, the clock, the pool of threads, endgame probes. Never names a game.
//!
//! A [`Searcher`] is asked through `&mut dyn`; it owns its table and threads as long as it lives. Only the thread that
//! calls [`Searcher::search`] talks to the world, through [`tesuji_game::Watch`].

pub mod alpha_beta;
pub mod best_first;
pub mod clock;
mod control;
pub mod mate;
pub mod mcts;
pub mod memory;
pub mod pool;
mod prefetch;
pub mod probe;
pub mod profile;
mod proof;
mod prover;
mod searcher;
mod settle;
mod shown;
pub mod table;

pub use probe::{EndgameProbe, Wdl5};
pub use prover::{Proof, Prover};
pub use searcher::Searcher;
