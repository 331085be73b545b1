//! Limits of a search: depth, nodes, time, clocks of both sides.

use std::time::Duration;

/// The limits of a search. It ends at the first that is reached; without any it runs until it is stopped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// Plies of iterative deepening. Depth 1 always completes.
    pub depth: Option<u32>,
    /// Nodes (playouts in Monte-Carlo search), exactly.
    pub nodes: Option<u64>,
    /// Begin no iteration after this many nodes: a soft limit, which searches without iterations do not know.
    pub soft_nodes: Option<u64>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clocks of [`crate::Side::First`] and [`crate::Side::Second`].
    pub clock: Option<[Clock; 2]>,
    /// Stop when a mate in this many plies is found.
    pub mate_plies: Option<u32>,
    /// Think until told to stop, whatever is found.
    pub infinite: bool,
    /// Think on the opponent's time: the limits count from [`crate::Signal::PonderHit`].
    pub ponder: bool,
}

/// One side's clock. Fields that a game's time control does not have are zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    /// Main time left.
    pub left: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Time of one byoyomi period.
    pub byoyomi: Duration,
    /// Byoyomi periods left.
    pub periods: u32,
    /// Stones to play in the present period (Canadian byoyomi).
    pub stones: u32,
}
