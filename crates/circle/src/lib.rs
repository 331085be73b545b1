//! The loop that makes an engine stronger by itself: self-play in one process, paired matches of weights, `improve`, sweeps of tuning, SPSA, weights from tables of other programs; a folder per round with everything that made it.
//!
//! A game is known here only through its [`tesuji_kit::Kit`] and its [`tesuji_dataset::Features`]. Games are played
//! by players of this process, one thread each; the same seed gives the same games for any number of threads.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod batched;
mod dropped;
mod duel;
mod duelist;
mod error;
pub mod fuzz;
mod game_file;
pub mod improve;
mod learn_request;
mod local_contestant;
mod opening;
mod pool;
mod rescore;
mod rivals;
pub mod rows;
mod selfplay;
mod selfplay_run;
pub mod spsa;
pub mod sweep;

pub use batched::{BatchedPlan, BatchedPlayed, selfplay_batched};
pub use dropped::{DropRules, Dropped};
pub use duel::{Duel, DuelStanding, duel};
pub use duelist::Duelist;
pub use error::CircleError;
pub use game_file::origin_of;
pub use learn_request::LearnRequest;
pub use local_contestant::{LocalContestant, Setup, WEIGHTS_OPTION, conditions};
pub use opening::{Openings, Shuffled, start_positions};
pub use rescore::EngineDataKit;
pub use rivals::Opponents;
pub use selfplay::{Played, SelfplayPlan, export, selfplay};
pub use selfplay_run::{
    NetworkGames, PliesMax, RootNoise, SelfplayEnd, SelfplayGames, SelfplayNews, SelfplayRequest, SelfplayRun,
    run_selfplay,
};
