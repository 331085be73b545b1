//! The whole of a game: its rules as text, players of it, and what generic code must know about it.

use crate::{RulesTest, bench::Benchmark, books::Books, console::Consoles, networks::Networks};
use crate::{
    explain::Explain, features::FeatureTables, mates::Mates, nnue::NnueNetworks, nnue_training::NnueTraining,
    playouts::Playouts, regions::Regions, shuffled::ShuffledStarts, tuning::Tuning,
};
use tesuji_dataset::searched::MoveWords;
use tesuji_engine::{Player, Scale};
use tesuji_game::NotationError;
use tesuji_protocol::EngineEnd;
use tesuji_record::{AnyGame, Survey};

/// A whole game: its rules as text, engines for it, and its customs. A crate `kits-<game>` implements it for each game, and the
/// crate `kits` lists them.
///
/// No method has a default: a new game answers each of them, and the compiler names those that it forgot.
pub trait Kit: AnyGame {
    /// The search families that can play it, the best first: `alpha-beta`, `mcts`, …
    fn families(&self) -> &'static [&'static str];

    /// A player with default options; `family` as in [`Kit::families`], empty for the best.
    ///
    /// # Errors
    /// When there is no such family, or the player cannot be made.
    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError>;

    /// The engine's end of the protocol that engines of this game speak.
    fn protocol(&self) -> Box<dyn EngineEnd>;

    /// The tags that name the players in records, the side that moves first before the other: `White` and `Black` in chess.
    fn side_tags(&self) -> [&'static str; 2];

    /// The scale on which the moves of a reviewed game are judged.
    fn scale(&self) -> Scale;

    /// The unit of losses and values on that scale, as texts for people name it: `centipawns`.
    fn unit(&self) -> &'static str;

    /// `rules` in full, for engines whose defaults differ; as given where the defaults are the same everywhere.
    ///
    /// # Errors
    /// When they are no rules of the game.
    fn full_rules(&self, rules: &str) -> Result<String, NotationError>;

    /// The built-in openings under `rules`, one position a line, `#` before remarks; `None`: there are none for these rules.
    fn openings(&self, rules: &str) -> Option<&'static str>;

    /// The start positions of its variant with shuffled pieces; `None`: it has none.
    fn shuffled_starts(&self) -> Option<&'static ShuffledStarts>;

    /// A filter of moves for random openings; `None`: all.
    fn opening_moves(&self, rules: &str) -> Option<fn(&str) -> bool>;

    /// One text for all positions that differ only by a symmetry of the board; `None` where the board has none, or where
    /// `position` is no position.
    fn symmetry_key(&self, position: &str) -> Option<String>;

    /// Its opening books: formats of other programs, and the names of positions in books of text.
    fn books(&self) -> &'static Books;

    /// Properties of single positions, for work on data; `None`: data of this game are whole games.
    fn survey(&self) -> Option<&'static dyn Survey>;

    /// The notation of packed moves without a board; `None` where they need one.
    fn move_words(&self) -> Option<MoveWords>;

    /// Its mates by checks; `None`: the game has none.
    fn mates(&self) -> Option<&'static dyn Mates>;

    /// Its problems of regions; `None`: the game is not decided region by region.
    fn regions(&self) -> Option<&'static dyn Regions>;

    /// The tests of the rules.
    fn rules_test(&self) -> &dyn RulesTest;

    /// Its benchmark; `None`: it has none yet.
    fn benchmark(&self) -> Option<&'static dyn Benchmark>;

    /// Its networks; `None`: it has none.
    fn networks(&self) -> Option<&'static dyn Networks>;

    /// Its efficiently updatable networks; `None`: it has none.
    fn nnue(&self) -> Option<&'static dyn NnueNetworks>;

    /// The training of its efficiently updatable networks; `None`: they are not trained.
    fn nnue_training(&self) -> Option<&'static dyn NnueTraining>;

    /// Its evaluation as learning sees it; `None`: no weights of it learn.
    fn tuning(&self) -> Option<&'static Tuning>;

    /// Explanations of its evaluation; `None`: it has none.
    fn explain(&self) -> Option<&'static dyn Explain>;

    /// Its features as tables; `None`: they are not written so.
    fn feature_tables(&self) -> Option<&'static dyn FeatureTables>;

    /// Its playouts; `None`: it is not searched by playouts.
    fn playouts(&self) -> Option<&'static dyn Playouts>;

    /// A console of its own; `None`: it has the one of all games, where moves are text.
    fn consoles(&self) -> Option<&'static dyn Consoles>;
}

/// The reason why a player cannot be made.
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

impl KitError {
    /// The error of a search family that `kit` does not have.
    pub fn unknown_family(kit: &dyn Kit, family: &str) -> KitError {
        KitError::Family { game: kit.name(), family: family.into(), known: kit.families() }
    }
}
