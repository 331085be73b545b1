//! Errors of self-play, matches of weights, `improve`, sweeps and SPSA.

use std::io;
use tesuji_arena::{EngineSpec, Fault};
use tesuji_dataset::{DatasetError, data::DataError};
use tesuji_engine::PlayerError;
use tesuji_game::NotationError;
use tesuji_kit::KitError;
use tesuji_options::OptionError;
use tesuji_record::RecordError;
use tesuji_tune::TuneError;
use thiserror::Error;

/// An error that stops the training loop.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CircleError {
    /// There is no such player.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// A player does not take an option.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A player does not take a position: a mistake of ours.
    #[error("a player refused its position: {0}")]
    Player(#[from] PlayerError),
    /// A player was at fault: a mistake of ours.
    #[error("game {number}: {what}")]
    Play {
        /// The game.
        number: u64,
        /// The player's fault.
        what: String,
    },
    /// An engine, a process of its own, does not work.
    #[error("{0}")]
    Engine(String),
    /// Rules or start position cannot be read.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// No random opening was balanced enough.
    #[error("no opening of {plies} random plies within {limit_cp} centipawns in {tries} tries; try fewer plies")]
    Opening {
        /// Random moves.
        plies: u32,
        /// Allowed for either side.
        limit_cp: i32,
        /// The number of openings that were tried.
        tries: u32,
    },
    /// The system gives no thread to work on.
    #[error("the system gives no thread to work on: {0}")]
    NoThread(io::Error),
    /// A file could not be read or written.
    #[error("{}", of_file(path, error))]
    File {
        /// The file.
        path: String,
        /// The error of the system.
        error: io::Error,
    },
    /// A file of games could not be read or written.
    #[error("{}", of_file(path, error))]
    Record {
        /// The file.
        path: String,
        /// The error in the record.
        error: RecordError,
    },
    /// A file of positions to start from could not be read.
    #[error(transparent)]
    Starts(#[from] DataError),
    /// A file was made with other settings.
    #[error("{path}: {reason}")]
    Mismatch {
        /// The file.
        path: String,
        /// The difference.
        reason: String,
    },
    /// Games could not be made into rows.
    #[error("{path}: {error}")]
    Dataset {
        /// The file of games.
        path: String,
        /// The error in words.
        error: DatasetError,
    },
    /// Nothing could be learned.
    #[error(transparent)]
    Tune(#[from] TuneError),
    /// The fleet carries nothing more, or cannot have such work.
    #[error("{0}")]
    Fleet(String),
    /// Work that no worker of the fleet could do, in the words of one of them.
    #[error("no worker could do it: {0}\n  What was done is kept; the same command goes on when the workers can")]
    Workers(String),
    /// A game's own way to learn failed; why, in one line.
    #[error("{0}")]
    Learning(String),
}

/// An error with its file, which it may name by itself.
fn of_file(path: &str, error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    if text.starts_with(path) { text } else { format!("{path}: {text}") }
}

impl CircleError {
    /// An engine that does not work, with the last lines that it wrote.
    pub(crate) fn engine(spec: &EngineSpec, fault: &Fault) -> CircleError {
        let name = spec.name.clone().unwrap_or_else(|| spec.command.display().to_string());
        let lines: String = fault.last_lines.iter().map(|line| format!("\n  {line}")).collect();
        CircleError::Engine(format!("{name} does not work: {}{lines}", fault.detail))
    }

    /// An error of the fleet.
    pub(crate) fn fleet(error: impl std::fmt::Display) -> CircleError {
        CircleError::Fleet(error.to_string())
    }

    /// An error of the file system at `path`.
    pub fn file(path: &std::path::Path, error: io::Error) -> CircleError {
        CircleError::File { path: path.display().to_string(), error }
    }
}
