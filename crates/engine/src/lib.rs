//! An engine at work: a player drives a searcher in text, a session joins it to a protocol. Opens no files, names no game.
//!
//! [`Player`] is an engine without a protocol; [`Kit`] makes players of a game.

mod kit;
mod player;

pub use kit::{Kit, KitError};
pub use player::{Player, PlayerError};
