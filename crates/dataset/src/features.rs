//! The door through which a game turns its records into rows.

use crate::{Filter, Rows};
use std::fmt;
use tesuji_record::{Fault, GameRecord, Sample};
use tesuji_tally::Term;

/// Converts a game's records into rows of feature counts. Object-safe; `cli` implements it over a game and its evaluation.
pub trait Features: Sync {
    /// The game's name on the command line.
    fn game(&self) -> &'static str;

    /// The terms of the evaluation, in the order of its features.
    fn terms(&self) -> &'static [Term];

    /// Appends the rows of the boards of `game` that `filter` keeps, as game `number`. Returns how many boards the game
    /// has. A game without a result must not be given.
    ///
    /// # Errors
    /// The first board or move of the record that cannot be read. `out` may then hold some rows of the game.
    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError>;

    /// Appends the rows of the positions `samples` that have a result and that `filter` keeps, each of the game that `number`
    /// says; it is asked once for every position, in order. `fault` hears of the index of positions and moves that cannot be
    /// read, and why. Returns how many positions have a result and could be read. By default none can.
    fn positions(
        &self,
        samples: &[Sample],
        _number: &mut dyn FnMut(&Sample) -> u32,
        _filter: &Filter,
        _out: &mut Rows,
        fault: &mut dyn FnMut(usize, Fault),
    ) -> usize {
        for index in 0..samples.len() {
            fault(index, Fault::Unsupported("positions without their games"));
        }
        0
    }
}

/// A game record that does not fit the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleError {
    /// The move at fault, from 1; 0 for the start position.
    pub ply: usize,
    /// The error in words.
    pub reason: String,
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ply {
            0 => write!(f, "start position: {}", self.reason),
            ply => write!(f, "move {ply}: {}", self.reason),
        }
    }
}

impl std::error::Error for SampleError {}
