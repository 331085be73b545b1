//! The games: each with its rules, its evaluation and its search joined into a kit. The one room that dispatches over games.
//!
//! A module for each game, and `shared` for what several of them are made of.

#[cfg(test)]
mod bench;
mod chess;
mod go;
mod shared;
mod shogi;

pub use chess::{lessons::ChessTaught, quiescence};
pub use go::GoBoards;
pub use go::study;
pub use shared::{
    architecture::{encodings, foreign_encoding, preset},
    herd::PLAYOUTS,
    net::{net_file, open_net},
    net_files::{net_from_onnx, read_net, read_packed},
    net_speed::{NetSpeed, net_speed},
    opening_book,
};
pub use shogi::{CsaFailed, CsaRequest, CsaScore, play_on_server};

use anyhow::bail;
use tesuji_kit::{Kit, tuning::Tuning};

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

/// The names of all games.
pub fn names() -> Vec<&'static str> {
    GAMES.iter().map(|kit| kit.name()).collect()
}

/// The evaluation of the game called `name`, as learning sees it.
///
/// # Errors
/// When there is no such game, or none of its weights learn; the words say which games have some.
pub fn tuning(name: &str) -> anyhow::Result<&'static Tuning> {
    let known = || GAMES.iter().filter_map(|kit| kit.tuning()).map(|tuning| tuning.game());
    match GAMES.iter().filter_map(|kit| kit.tuning()).find(|tuning| tuning.game().eq_ignore_ascii_case(name)) {
        Some(tuning) => Ok(tuning),
        None => bail!("{name} has no weights that learn; these games have: {}", known().collect::<Vec<_>>().join(", ")),
    }
}
