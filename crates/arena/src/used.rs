//! Time and nodes used by a side in a game.

use std::time::Duration;

/// Time, nodes and depths of a side in a game.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::Used;
/// let game = Used { moves: 20, nodes: 10_000, depths: 160, time: Duration::from_secs(2), ..Used::default() };
/// let mut all = game;
/// all.add(&game);
/// assert_eq!((all.moves, all.depth(), all.speed()), (40, Some(8.0), Some(5000.0)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    /// Moves that it thought about.
    pub moves: u32,
    /// Time as the runner measured it.
    pub time: Duration,
    /// The longest move.
    pub longest: Duration,
    /// Nodes it reported.
    pub nodes: u64,
    /// Depths it reported, summed.
    pub depths: u64,
    /// The most by which a move overstepped the time that was left or allowed, margin not counted.
    pub overrun: Duration,
    /// Time for its moves by an even division of its time, see [`Allowance::share`](crate::Allowance::share); zero where nodes or depths limit it.
    pub given: Duration,
    /// Moves about which it told nothing, though its protocol has words for that.
    pub silent: u32,
    /// Moves in which it told clearly more nodes than it was allowed.
    pub excess_moves: u32,
    /// The most nodes that it reported of a move.
    pub nodes_most: u64,
    /// Moves for which it used hardly any of the time given for them.
    pub idle_moves: u32,
    /// Time in which it could have run and had no processor, as far as the system tells.
    pub starved: Duration,
}
