//! The loop that makes an engine stronger by itself: self-play in one process, paired matches of weights, `improve`, sweeps of tuning, SPSA, weights from tables of other programs; a folder per round with everything that made it.
//!
//! A game is known here only through its [`tesuji_kit::Kit`] and its [`tesuji_dataset::Features`]. Games are played
//! by players of this process, one thread each; the same seed gives the same games for any number of threads.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod batched;
mod dropped;
mod duel;
mod duel_board;
mod duel_unit;
mod duelist;
mod engine_scorer;
mod error;
pub mod fuzz;
mod game_file;
mod game_worker;
pub mod improve;
mod learn_request;
mod local_contestant;
mod opening;
mod packed_play;
mod pool;
mod rescore;
mod rescore_unit;
mod rivals;
pub mod rows;
mod selfplay;
mod selfplay_run;
mod selfplay_unit;
pub mod spsa;
pub mod sweep;
mod unit_order;

pub use batched::{BatchedPlan, BatchedPlayed, selfplay_batched};
pub use dropped::{DropRules, Dropped};
pub use duel::{Duel, DuelStanding, duel};
pub use duel_unit::DuelKind;
pub use duelist::Duelist;
pub use error::CircleError;
pub use game_file::origin_of;
pub use learn_request::LearnRequest;
pub use local_contestant::{LocalContestant, Setup, WEIGHTS_OPTION, conditions};
pub use opening::{Openings, Shuffled, start_positions};
pub use rescore::EngineDataKit;
pub use rescore_unit::RescoreKind;
pub use rivals::Opponents;
pub use selfplay::{Played, SelfplayPlan, export, selfplay};
pub use selfplay_run::{
    NetworkGames, PliesMax, RootNoise, SelfplayEnd, SelfplayGames, SelfplayNews, SelfplayRequest, SelfplayRun,
    run_selfplay,
};
pub use selfplay_unit::SelfplayKind;
