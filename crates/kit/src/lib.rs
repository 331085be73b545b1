//! What a game offers to the workshop: the trait `Kit` with all that every game must answer, its optional capabilities as traits, and
//! their implementations for any game. Names no game.

mod kit;
pub mod mates;
mod pasted;
pub mod regions;
mod rules_only;

pub use kit::{Kit, KitError};
pub use pasted::Pasted;
pub use rules_only::RulesOnly;

use tesuji_game::{Game, Position};

/// The moves of a game.
pub type MoveOf<G> = <<G as Game>::Position as Position>::Move;
