//! The networks of a game: encodings, architectures, training.

mod batched;
mod request;
mod speed;

pub use batched::{
    BatchedAnswer, BatchedFault, BatchedGame, BatchedGames, BatchedNets, BatchedOf, BatchedOpening, BatchedOracles,
    BatchedPlayer, BatchedRivals,
};
pub use request::{OptimiserRule, RateSchedule, TrainRequest, ValueLoss};
pub use speed::NetSpeedRequest;

use crate::RequestError;
use std::{borrow::Cow, path::Path};
use tesuji_jobs::{Interrupt, Show};
use tesuji_nn::Architecture;
use tesuji_train::learn::Outcome;

/// Why `game`, whose kit is `kit` where it is known, has no policy and value networks to train; `others` have some.
pub fn no_networks(kit: Option<&dyn crate::Kit>, game: &str, others: &[&str]) -> String {
    let nnue = match kit.and_then(crate::Kit::nnue_training) {
        Some(_) => format!("; an NNUE: tesuji train nnue --game {game}"),
        None => String::new(),
    };
    format!("{game} has no policy and value nets to train; these games have: {}{nnue}", others.join(", "))
}

/// The networks of a game.
pub trait Networks: Sync {
    /// The ways in which positions are shown to nets.
    fn encodings(&self) -> Vec<EncodingName>;

    /// The encoding of nets of other programs (ONNX) that read this many planes.
    fn foreign_encoding(&self, planes: usize) -> Option<&'static str>;

    /// The side of the board under `rules`.
    ///
    /// # Errors
    /// When they are no rules of the game, or the board is not square.
    fn lines(&self, rules: &str) -> Result<usize, RequestError>;

    /// The rules under which nets learn from games of their own where none are asked for; empty: the game's usual ones.
    fn learning_rules(&self) -> &'static str;

    /// The bytes of a net's file, or of a net that comes with the program where no file is called so.
    ///
    /// # Errors
    /// When it is neither.
    fn net_file(&self, name: &str) -> std::io::Result<Cow<'static, [u8]>>;

    /// A net that learns from games.
    ///
    /// # Errors
    /// When the shape or the encoding is none of the game's.
    fn architecture(&self, shape: &NetShape<'_>) -> Result<Architecture, RequestError>;

    /// The name of a net in the origin of games that it plays: its file with the beginning of the checksum, the address of its
    /// server, or the name of a net that comes with the program.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn net_name(&self, file: &Path) -> Result<String, RequestError>;

    /// Batched games of nets under `rules`.
    ///
    /// # Errors
    /// When they are no rules of the game.
    fn batched(&self, rules: &str) -> Result<Box<dyn BatchedGames>, RequestError>;

    /// Trains a net and writes it.
    ///
    /// # Errors
    /// When the request cannot be carried out.
    fn train(&self, request: &TrainRequest, run: &mut TrainRun<'_>) -> Result<Outcome, RequestError>;
}

/// A way in which positions are shown to nets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodingName {
    /// Its name in files of nets.
    pub name: &'static str,
    /// Its planes.
    pub planes: usize,
}

/// The shape of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetShape<'a> {
    /// Residual blocks and channels: `6x64`.
    pub tower: &'a str,
    /// The encoding of positions; the game's usual one if not given.
    pub features: Option<&'a str>,
    /// The side of the board; the game's usual one if not given.
    pub lines: Option<usize>,
}

/// The environment of a training run: what does not change its numbers.
pub struct TrainRun<'a> {
    /// The program that makes the net, with its version, for the net's origin.
    pub made_by: String,
    /// The command that makes it, for the same.
    pub command: String,
    /// Whether the log begins with a validation of what the run begins with.
    pub judges_start: bool,
    /// The display of progress.
    pub show: Show,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// Is told what happens.
    pub news: &'a mut dyn FnMut(TrainNews<'_>),
}

/// Progress on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainNews<'a> {
    /// A description of the samples.
    Samples(&'a str),
    /// A run is gone on with.
    GoingOn {
        /// Its checkpoint.
        checkpoint: &'a Path,
        /// Positions that it has seen.
        positions: u64,
    },
}
