//! One who plays: an engine process or a player in this process.

use crate::Fault;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tesuji_game::{Choice, Limits, Side, Value};

/// One who plays. Kept for many games by one thread; after a fault that [`breaks`](crate::FaultKind::breaks) it is
/// dropped and a new one is made.
pub trait Contestant: Send {
    /// The name in tables and records.
    fn name(&self) -> &str;

    /// A new game begins, under these rules (empty: the usual ones).
    ///
    /// # Errors
    /// When it does not get ready.
    fn new_game(&mut self, rules: &str) -> Result<(), Fault>;

    /// Thinks about one move. The referee judges move and time.
    ///
    /// # Errors
    /// When no choice was made; [`FaultKind::Stopped`](crate::FaultKind::Stopped) when `turn.stop` was raised.
    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Fault>;

    /// Ends it. Called once, at the end; must not take longer than a few seconds.
    fn quit(&mut self) {}
}

/// What a contestant is asked.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// The start position; `None` for the usual one.
    pub start: Option<&'a str>,
    /// The moves from there to the position in question.
    pub moves: &'a [String],
    /// Who is to move.
    pub side: Side,
    /// What ends the search.
    pub limits: &'a Limits,
    /// After this time the game is lost; `None` without a clock.
    pub deadline: Option<Duration>,
    /// After this time it is given up as hung. Guards games without a clock too.
    pub patience: Duration,
    /// Raised when the match is stopped: give up thinking at once.
    pub stop: &'a AtomicBool,
}

/// What a contestant decided, and what it said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Thought {
    /// The decision.
    pub choice: Choice<String>,
    /// The value of the position for the side that moved, if told.
    pub value: Option<Value>,
    /// Plies searched.
    pub depth: u32,
    /// Plies of the longest line.
    pub depth_max: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time used, as the runner measured it: from the write of the question to the arrival of the answer.
    pub spent: Duration,
    /// Time used as the contestant tells it.
    pub told: Option<Duration>,
    /// Time within `spent` in which it wanted a processor and had none, where the system tells. Measured only when
    /// `spent` exceeds the deadline.
    pub starved: Option<Duration>,
    /// The line expected, own move first.
    pub pv: Vec<String>,
}

impl Thought {
    /// A decision without a word about it.
    pub fn new(choice: Choice<String>, spent: Duration) -> Thought {
        Thought {
            choice,
            value: None,
            depth: 0,
            depth_max: 0,
            nodes: 0,
            spent,
            told: None,
            starved: None,
            pv: Vec::new(),
        }
    }
}
