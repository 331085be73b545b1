//! What the selftest needs of each game: its positions, its entries, its laws, its protocol.

use tesuji_chess::{
    Chess,
    selftest::{self as chess, Style},
};
use tesuji_game::{Game, NotationError, Tactical};
use tesuji_shogi::{Shogi, selftest as shogi};

/// A game with a transcript.
pub(super) trait Transcribed: Game<Position: Tactical> {
    /// What walks trees.
    type Dumper: Default;
    /// The first word to an engine, and what it ends its answer with.
    const GREETING: [&'static str; 2];
    /// What stands before a position.
    const POSITION: &'static str;

    /// The position of a line.
    fn load(line: &str, style: Style) -> Result<Self::Position, NotationError>;

    /// Checks all laws; the one that does not hold.
    fn laws(board: &Self::Position) -> Result<(), String>;

    /// Appends the entry of a position.
    fn write_entry(line: &str, board: &Self::Position, style: Style, dumper: &mut Self::Dumper, out: &mut String);

    /// Our own set of positions.
    fn our_set(positions: usize, seed: u64) -> String;
}

impl Transcribed for Chess {
    type Dumper = chess::Dumper;

    const GREETING: [&'static str; 2] = ["uci", "uciok"];
    const POSITION: &'static str = "position fen";

    fn load(line: &str, style: Style) -> Result<Self::Position, NotationError> {
        chess::load(line, style)
    }

    fn laws(board: &Self::Position) -> Result<(), String> {
        chess::check(board).map_err(|broken| broken.to_string())
    }

    fn write_entry(line: &str, board: &Self::Position, style: Style, dumper: &mut chess::Dumper, out: &mut String) {
        chess::write_entry(line, board, style, dumper, out);
    }

    fn our_set(positions: usize, seed: u64) -> String {
        chess::our_set(positions, seed)
    }
}

impl Transcribed for Shogi {
    type Dumper = ();

    const GREETING: [&'static str; 2] = ["usi", "usiok"];
    const POSITION: &'static str = "position sfen";

    fn load(line: &str, _: Style) -> Result<Self::Position, NotationError> {
        shogi::load(line)
    }

    fn laws(board: &Self::Position) -> Result<(), String> {
        shogi::check(board).map_err(|broken| broken.to_string())
    }

    fn write_entry(line: &str, board: &Self::Position, style: Style, (): &mut (), out: &mut String) {
        shogi::write_entry(line, board, style.depth, out);
    }

    fn our_set(positions: usize, seed: u64) -> String {
        shogi::our_set(positions, seed)
    }
}
