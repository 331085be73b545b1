//! The games that this program was started with, for every subcommand; and what of `kits` only the command line asks for.

use clap::builder::PossibleValuesParser;
use std::{path::Path, sync::OnceLock};
use tesuji_circle::improve::{Learner, Learns};
use tesuji_cuda::ComputeDevice;
use tesuji_kit::{Games, Kit, RequestError, tuning::Tuning};
use tesuji_kits::AnyWeights;
pub(crate) use tesuji_kits::{
    GoBoards, OpeningBook, convert_book, import_games, net_from_onnx, net_speed, open_nets, preset, read_foreign_net,
    read_net, read_packed,
};

static GAMES: OnceLock<Games> = OnceLock::new();

/// Takes the games of the program, before anybody asks for one.
pub(crate) fn start_with(games: Games) {
    // A second table would be another program's.
    let _ = GAMES.set(games);
}

/// All games: those that the program was started with, or all that we know.
pub(crate) fn games() -> Games {
    *GAMES.get_or_init(|| tesuji_kits::GAMES)
}

/// All games, in the order in which they are listed.
pub(crate) fn kits() -> &'static [&'static dyn Kit] {
    games().0
}

/// The game called `name`.
///
/// # Errors
/// When there is none; the words say which there are.
pub(crate) fn kit(name: &str) -> anyhow::Result<&'static dyn Kit> {
    games().kit(name)
}

/// Reads the name of a game; a file in its place is no game, and `instead` says what was meant.
fn no_file(text: &str, instead: impl FnOnce() -> String) -> Result<String, String> {
    let is_file = kit(text).is_err() && (text.contains(['.', '/', '\\']) || Path::new(text).is_file());
    match is_file {
        true => Err(format!("expected a game ({}), not a file: {}", names().join(", "), instead())),
        false => Ok(text.to_string()),
    }
}

/// Reads the name of a game that stands before a file.
///
/// # Errors
/// A file that stands in its place.
pub(crate) fn name_before_file(text: &str) -> Result<String, String> {
    no_file(text, || format!("the game comes first, as in `{} {text}`", usual()))
}

/// Reads the name of a game whose files are opened by `--open`.
///
/// # Errors
/// A file that stands in its place.
pub(crate) fn name_of_opened(text: &str) -> Result<String, String> {
    no_file(text, || format!("--open shows a file, as in `{} --open {text}`", usual()))
}

/// The names of all games.
pub(crate) fn names() -> Vec<&'static str> {
    games().names()
}

/// The names of the games that have something, in the order of the alphabet, for errors of the others.
pub(crate) fn with(has: impl Fn(&'static dyn Kit) -> bool) -> Vec<&'static str> {
    games().names_with(has)
}

/// The names of the games that have networks.
pub(crate) fn with_networks() -> Vec<&'static str> {
    with(|kit| kit.networks().is_some())
}

/// The game that is meant where none is named.
pub(crate) fn usual() -> &'static str {
    games().0.first().map_or("", |kit| kit.name())
}

/// The evaluation of the game called `name`, as learning sees it.
///
/// # Errors
/// When there is no such game, or none of its weights learn.
pub(crate) fn tuning(name: &str) -> anyhow::Result<&'static Tuning> {
    games().tuning(name)
}

/// The learner of a run of `improve`; `made_by` is this program with its version.
///
/// # Errors
/// When the game has nothing that learns so.
pub(crate) fn learner(
    kit: &'static dyn Kit,
    learns: Learns,
    device: ComputeDevice,
    made_by: String,
) -> Result<Box<dyn Learner>, RequestError> {
    tesuji_kits::learner(games(), kit, learns, device, made_by)
}

/// The weights that `name` means: builtin or material (of the usual game, of others as in `shogi:builtin`), or a file.
pub(crate) fn weights(name: &str) -> anyhow::Result<AnyWeights> {
    AnyWeights::load(games(), name)
}

/// The weights of a file.
pub(crate) fn weights_file(path: &Path) -> anyhow::Result<AnyWeights> {
    AnyWeights::load_file(games(), path)
}

/// Checks that weights may be written as `path`: what is there must be weights, too.
pub(crate) fn check_weights_target(path: &Path) -> anyhow::Result<()> {
    AnyWeights::check_target(games(), path)
}

/// Reads the name of a game on the command line.
pub(crate) fn parser() -> PossibleValuesParser {
    PossibleValuesParser::new(names())
}
