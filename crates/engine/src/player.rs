//! An engine without a protocol: text in, text out.

use crate::{Account, LiveTree, TreeBounds, TreeCopy};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Limits, NotationError, Report, Side, Watch};
use tesuji_options::Options;
use tesuji_protocol::MateAnswer;
use tesuji_search::profile::Profile;

/// An engine without a protocol. Moves and positions are text in the notation of the game's protocol.
///
/// A player remembers its position between calls, and its tables until [`Player::new_game`]. Sessions drive it for
/// GUIs; matches and self-play in one process drive it themselves.
pub trait Player: Send {
    /// Everything that can be set.
    fn options(&mut self) -> Box<dyn Options + '_>;

    /// Starts a new game: tables are cleared.
    fn new_game(&mut self);

    /// Takes a position: `rules` as the game reads them (`""`: as the options say), `start` in the game's notation
    /// (`None`: the usual start), and the moves from there. Cheap when it goes on where the last call ended.
    ///
    /// # Errors
    /// When a part cannot be read or played; the position is as before then.
    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError>;

    /// Whether `text` is a move that may be played now.
    fn is_move(&self, text: &str) -> bool;

    /// Thinks. Only the moves of `only` are considered (empty: all; words that are no moves are left out, and if none
    /// remains, all moves are). Returns at the latest when `watch` says so, with a choice if there is any move, save where
    /// [`Report::fault`] says why there is none.
    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String>;

    /// Whether [`Player::go`] ends by [`Limits::soft_nodes`].
    fn obeys_soft_nodes(&self) -> bool {
        false
    }

    /// Looks for a mate by the side to move, and for nothing else, until `limits` or `watch` end it.
    fn solve(&mut self, _limits: &Limits, _watch: &mut dyn Watch<String>) -> MateAnswer {
        MateAnswer::Unable
    }

    /// The position for people, in several lines.
    fn show(&self) -> String;

    /// The static evaluation of the position, explained, in several lines; `None` where there is nothing to explain.
    fn explain(&self) -> Option<String> {
        None
    }

    /// The side to move, where the player knows it.
    fn side_to_move(&self) -> Option<Side> {
        None
    }

    /// The score of the position as if the game ended here, in the protocol's words; `None` where games have none.
    fn final_score(&self) -> Option<String> {
        None
    }

    /// The stones of a status (`dead`, `alive`, `seki`) if the game ended here, chain by chain; `None` where stones have none.
    fn final_status(&self, _status: &str) -> Option<Vec<Vec<String>>> {
        None
    }

    /// Predicted ownership of points: rows from the top, each in -1..=1, 1 for the first side; `None` where games have no
    /// ownership.
    fn owners(&self) -> Option<Vec<Vec<f32>>> {
        None
    }

    /// The rules in force, in the protocol's words; `None` where it has none.
    fn rules(&self) -> Option<String> {
        None
    }

    /// The points that the second side gets for moving second; `None` where games have no such points.
    fn compensation(&self) -> Option<f64> {
        None
    }

    /// The moves that may be played now.
    fn moves(&self) -> Vec<String> {
        Vec::new()
    }

    /// The usual start with handicap stones on it.
    ///
    /// # Errors
    /// When they cannot be placed so.
    fn handicap(&self, _stones: &Handicap) -> Result<Placed, HandicapError> {
        Err(HandicapError::Unknown)
    }

    /// The number of positions `depth` plies ahead, for each move; `None` if `stop` became true before the end.
    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>>;

    /// The tree of the last search as text; `None` where the search keeps none.
    fn tree(&self, _bounds: &TreeBounds) -> Option<TreeCopy> {
        None
    }

    /// A handle to the tree of the search that runs, taken after [`Player::set_position`] and before [`Player::go`]; what
    /// it shows is of that search only between the first question of its watch and its end.
    fn live_tree(&self) -> Option<Arc<dyn LiveTree>> {
        None
    }

    /// The raw output of the network for the position under one symmetry, or the mean over all (`None`), in KataGo's
    /// format.
    ///
    /// # Errors
    /// In one line: there is no network, or it does not answer.
    fn raw_net(&self, _symmetry: Option<u8>) -> Result<String, String> {
        Err("no network is loaded (NetFile)".into())
    }

    /// The static evaluation of the position as a sum; `None` where it is not one.
    fn account(&self) -> Option<Account> {
        None
    }

    /// The value of each piece on its square by the evaluation: the square, and the centipawns by which the value for the first side
    /// falls without the piece. `None` where the game or the evaluation does not support it.
    fn worths(&self) -> Option<Vec<(String, i32)>> {
        None
    }

    /// Gives up what is not needed until the next search, such as a process: nobody listens for a while.
    fn rest(&mut self) {}

    /// The counters of the last search, where counting was switched on (option `Profile` of alpha-beta).
    fn profile(&self) -> Option<Profile> {
        None
    }

    /// Probes and hits of tables and caches in the last search: name, probes, hits.
    fn counts(&self) -> Vec<CacheCounts> {
        Vec::new()
    }
}

/// Handicap stones that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handicap {
    /// This many at the traditional places.
    Fixed(usize),
    /// This many where the player likes.
    Free(usize),
    /// At these points.
    At(Vec<String>),
}

/// Handicap stones that were placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The start in the game's notation, without what rules say.
    pub start: String,
    /// The points.
    pub points: Vec<String>,
}

/// The reason why handicap stones were not placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HandicapError {
    /// Too few or too many for the board.
    #[error("invalid number of stones")]
    Number,
    /// Points off the board, or named twice.
    #[error("bad vertex list")]
    Points,
    /// The game has no handicap stones.
    #[error("this game has no handicap stones")]
    Unknown,
}

/// The reason why a player refused a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The rules cannot be read.
    #[error("rules {text:?}: {error}")]
    Rules {
        /// As given.
        text: String,
        /// The error in words.
        error: NotationError,
    },
    /// The position cannot be read or cannot be.
    #[error("position {text:?}: {error}")]
    Position {
        /// As given.
        text: String,
        /// The error in words.
        error: NotationError,
    },
    /// A move cannot be played.
    #[error("move {number} of the line: {error}")]
    Move {
        /// Its place in the line, from 1.
        number: usize,
        /// The error in words.
        error: NotationError,
    },
}
