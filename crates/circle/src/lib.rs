//! The loop that makes an engine stronger by itself: self-play in one process, paired matches of weights, `improve`; a folder per round with everything that made it.
//!
//! A game is known here only through its [`tesuji_kit::Kit`] and its [`tesuji_dataset::Features`]. Games are played
//! by players of this process, one thread each; the same seed gives the same games for any number of threads.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod duel;
mod error;
mod herd;
pub mod improve;
mod opening;
mod pool;
mod rivals;
mod seat;
mod selfplay;

pub use duel::{Duel, Standing, duel};
pub use error::CircleError;
pub use herd::{HerdPlan, HerdPlayed, selfplay_herd};
pub use opening::Openings;
pub use rivals::Opponents;
pub use seat::{Seat, Setup, WEIGHTS_OPTION, conditions};
pub use selfplay::{Plan, Played, endings, export, origin_of, selfplay};
