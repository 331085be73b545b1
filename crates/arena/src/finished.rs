//! A game of a match that was played to its end.

use crate::{Fault, Used};
use std::time::Duration;
use tesuji_game::{Outcome, Side, Value};

/// A game that was played to its end, without its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Its number in the schedule.
    pub game: u64,
    /// The winner and the reason.
    pub outcome: Outcome,
    /// The fault that decided the game, if one did, with the side at fault.
    pub fault: Option<(Side, Fault)>,
    /// Moves, opening included.
    pub plies: u32,
    /// Its duration.
    pub duration: Duration,
    /// Time and nodes that each side used.
    pub used: [Used; 2],
    /// The moves.
    pub moves: Vec<String>,
    /// The value that each move's player found, for the side that moved; empty: a journal does not keep them.
    pub values: Vec<Option<Value>>,
}
