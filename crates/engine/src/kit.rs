//! The whole of a game: its rules as text, and players of it.

use crate::Player;
use tesuji_record::AnyGame;

/// A whole game: its door, and engines for it. The binary implements it once for each game.
pub trait Kit: AnyGame {
    /// The search families that can play it, the best first: `alpha-beta`, `mcts`, …
    fn families(&self) -> &'static [&'static str];

    /// A player with default options; `family` as in [`Kit::families`], empty for the best.
    ///
    /// # Errors
    /// When there is no such family, or the player cannot be made.
    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError>;
}

/// Why there is no player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KitError {
    /// The game is not played by this family.
    #[error("{game} has no search family {family:?}; there are {}", .known.join(", "))]
    Family {
        /// The game.
        game: &'static str,
        /// As given.
        family: String,
        /// Those there are.
        known: &'static [&'static str],
    },
    /// Something that the player needs is missing; the words say what.
    #[error("{0}")]
    Failed(String),
}
