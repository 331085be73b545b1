//! The games: each with its rules, its evaluation and its search joined into a kit. The one dispatch over games.

mod chess;
mod syzygy;
mod tree_search;

use anyhow::bail;
use tesuji_engine::Kit;
use tesuji_record::{AnyGame, Survey};

/// All games, in the order in which they are listed.
static GAMES: [&dyn Kit; 1] = [&chess::CHESS];

/// The game called `name`.
///
/// # Errors
/// When there is none; the words say which there are.
pub(crate) fn kit(name: &str) -> anyhow::Result<&'static dyn Kit> {
    match GAMES.into_iter().find(|kit| kit.name().eq_ignore_ascii_case(name)) {
        Some(kit) => Ok(kit),
        None => bail!("no game is called {name:?}; there are: {}", names().join(", ")),
    }
}

/// The openings that are built in for a game under these rules, one position a line, `#` before remarks.
pub(crate) fn openings(game: &str, rules: &str) -> Option<&'static str> {
    (game == chess::CHESS.name() && rules.is_empty()).then_some(chess::OPENINGS)
}

/// What is known about the positions of a game one by one, for work on data.
pub(crate) fn survey(game: &str) -> Option<&'static dyn Survey> {
    (game == chess::CHESS.name()).then_some(&chess::SURVEY)
}

/// The names of all games.
pub(crate) fn names() -> Vec<&'static str> {
    GAMES.iter().map(|kit| kit.name()).collect()
}
