//! The games: each with its rules, its evaluation and its search joined into a kit. The one room that dispatches over games.
//!
//! A module for each game, and `shared` for what several of them are made of.

mod chess;
mod go;
pub mod lessons;
mod shared;
mod shogi;

pub use chess::quiescence;
pub use shared::{
    architecture::architecture,
    herded::{Herded, Nets, PLAYOUTS, herded},
    net::{net_at, net_file, open_net},
    opening_book,
};

use anyhow::{Context, bail};
use tesuji_dataset::searched::MoveWords;
use tesuji_engine::Kit;
use tesuji_protocol::{EngineEnd, gtp::GtpEngine, uci::UciEngine, usi::UsiEngine};
use tesuji_record::{AnyGame, Survey};

/// All games, in the order in which they are listed.
static GAMES: [&dyn Kit; 3] = [&chess::CHESS, &shogi::SHOGI, &go::GO];

/// All games, for rooms that ask which there are.
pub fn kits() -> &'static [&'static dyn Kit] {
    &GAMES
}

/// The game called `name`.
///
/// # Errors
/// When there is none; the words say which there are.
pub fn kit(name: &str) -> anyhow::Result<&'static dyn Kit> {
    match GAMES.into_iter().find(|kit| kit.name().eq_ignore_ascii_case(name)) {
        Some(kit) => Ok(kit),
        None => bail!("no game is called {name:?}; there are: {}", names().join(", ")),
    }
}

/// The openings that are built in for a game under these rules, one position a line, `#` before remarks.
pub fn openings(game: &str, rules: &str) -> Option<&'static str> {
    match game {
        _ if game == go::GO.name() => Some(go::openings(rules)),
        _ if !rules.is_empty() => None,
        _ if game == chess::CHESS.name() => Some(chess::OPENINGS),
        _ if game == shogi::SHOGI.name() => Some(shogi::OPENINGS),
        _ => None,
    }
}

/// Rules of a game in full: what engines must be told, since theirs differ where nothing is said. Empty where the usual
/// ones are the same for all.
///
/// # Errors
/// When they are no rules of the game.
pub fn rules_text(game: &str, rules: &str) -> anyhow::Result<String> {
    match game {
        _ if game == go::GO.name() => Ok(go::full_rules(rules).with_context(|| format!("--rules {rules:?}"))?),
        _ => Ok(rules.to_string()),
    }
}

/// Which moves random openings are made of; `None`: all.
pub fn opening_moves(game: &str, rules: &str) -> Option<fn(&str) -> bool> {
    if game == go::GO.name() { go::opening_moves(rules) } else { None }
}

/// What decides whether two positions of a game are the same but for turning the board; `None` where boards cannot be turned.
pub fn place_turned(game: &str, position: &str) -> Option<String> {
    if game == go::GO.name() { go::place_turned(position) } else { None }
}

/// What is known about the positions of a game one by one, for work on data.
pub fn survey(game: &str) -> Option<&'static dyn Survey> {
    match game {
        _ if game == chess::CHESS.name() => Some(&chess::SURVEY),
        _ if game == shogi::SHOGI.name() => Some(&shogi::SURVEY),
        _ => None,
    }
}

/// How the packed moves of a game are written without a board; `None` where its moves need one.
pub fn move_words(game: &str) -> Option<MoveWords> {
    match game {
        _ if game == go::GO.name() => Some(go::WORDS),
        _ if game == shogi::SHOGI.name() => Some(shogi::WORDS),
        _ => None,
    }
}

/// The engine's end of the protocol in which engines of a game are spoken to.
pub fn protocol(game: &str) -> Box<dyn EngineEnd> {
    match game {
        _ if game == go::GO.name() => Box::new(GtpEngine::default()),
        _ if game == shogi::SHOGI.name() => Box::new(UsiEngine),
        _ => Box::new(UciEngine),
    }
}

/// The names of all games.
pub fn names() -> Vec<&'static str> {
    GAMES.iter().map(|kit| kit.name()).collect()
}

/// The tags that name the players in records, whoever moves first before the other: White in chess, Black elsewhere.
pub fn side_tags(game: &str) -> [&'static str; 2] {
    if game == chess::CHESS.name() { ["White", "Black"] } else { ["Black", "White"] }
}
