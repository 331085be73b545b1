//! Reports of a search: candidate moves with values and principal variations while it runs, the chosen move at its end.

use crate::Value;
use std::time::Duration;

/// The decision of a search: a move, or to resign or claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice<M> {
    /// Play this move.
    Play(M),
    /// Declare what [`crate::Position::claim`] offers.
    Claim,
    /// Give up.
    Resign,
}

/// Whether a value is exact or only a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// The value itself.
    #[default]
    Exact,
    /// The true value is at least this (a fail high).
    Lower,
    /// The true value is at most this (a fail low).
    Upper,
}

/// Chances to win, draw and lose for the side to move, in thousandths; they sum to 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wdl {
    /// Win, in thousandths.
    pub win: u16,
    /// Draw, in thousandths.
    pub draw: u16,
    /// Loss, in thousandths.
    pub loss: u16,
}

/// The state of a search: sent while it runs, returned when it ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Report<M> {
    /// The decision. `None` while the search has none yet, or where there is no legal move.
    pub choice: Option<Choice<M>>,
    /// The answer expected, for thinking on the opponent's time.
    pub ponder: Option<M>,
    /// The lines looked at, best first. A report about the move being searched may have none.
    pub lines: Vec<Candidate<M>>,
    /// The move being searched at the root, with its number from 1.
    pub current: Option<(M, u32)>,
    /// Plies of the iteration.
    pub depth: u32,
    /// Plies of the longest path.
    pub depth_max: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Fill of the transposition table, in permille.
    pub hash_full: u32,
    /// Positions found in endgame tables.
    pub table_hits: u64,
    /// Expected margin in points for the side to move, where the game has points and the search saw them.
    pub margin: Option<f32>,
    /// `[points]`, each in -1..=1, 1 where a point ends as the side to move's; or empty.
    pub ownership: Vec<f32>,
    /// The failure of the configured evaluator. With a `choice`, a fallback evaluator has answered; without one, no move better
    /// than a random one is known. Reports of analysis, and games that count, are void then.
    pub fault: Option<String>,
}

impl<M> Default for Report<M> {
    fn default() -> Self {
        Report {
            choice: None,
            ponder: None,
            lines: Vec::new(),
            current: None,
            depth: 0,
            depth_max: 0,
            nodes: 0,
            time: Duration::ZERO,
            hash_full: 0,
            table_hits: 0,
            margin: None,
            ownership: Vec::new(),
            fault: None,
        }
    }
}

/// One root move with its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<M> {
    /// The line, root move first. Never empty.
    pub pv: Vec<M>,
    /// For the side to move at the root.
    pub value: Value,
    /// Whether the value is exact.
    pub bound: Bound,
    /// Chances, where the search knows them.
    pub wdl: Option<Wdl>,
    /// Nodes or visits spent on it.
    pub visits: u64,
    /// The policy's share, in 0..=1, where there is one.
    pub prior: f32,
    /// Expected result for the side to move at the root, in -1..=1, where the search counts results.
    pub expected: Option<f32>,
    /// Expected margin in points for the side to move at the root, where the search saw margins.
    pub margin: Option<f32>,
}

/// The amount of reporting that a [`Watch`] asks for while a search runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// The most lines in a report.
    pub lines: Option<usize>,
    /// Time between two reports.
    pub every: Option<Duration>,
}

/// A request to a running search: go on, ponder hit, stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Go on.
    Run,
    /// The expected move was played: from now on the limits count.
    PonderHit,
    /// Stop at once.
    Stop,
}

/// The world outside a search: what it is told, what time it is, where its reports go. Asked from one thread.
///
/// # Examples
///
/// A watch that stops a search after its first report:
///
/// ```
/// use std::time::{Duration, Instant};
/// use tesuji_game::{Report, Signal, Watch};
///
/// struct First {
///     began: Instant,
///     reports: u32,
/// }
///
/// impl<M> Watch<M> for First {
///     fn signal(&mut self) -> Signal {
///         if self.reports > 0 { Signal::Stop } else { Signal::Run }
///     }
///
///     fn elapsed(&self) -> Duration {
///         self.began.elapsed()
///     }
///
///     fn report(&mut self, _: &Report<M>) {
///         self.reports += 1;
///     }
/// }
///
/// let mut watch = First { began: Instant::now(), reports: 0 };
/// assert_eq!(Watch::<u8>::signal(&mut watch), Signal::Run);
/// watch.report(&Report::<u8>::default());
/// assert_eq!(Watch::<u8>::signal(&mut watch), Signal::Stop);
/// ```
pub trait Watch<M> {
    /// The present request. Once [`Signal::PonderHit`] or [`Signal::Stop`] was returned, later calls return it, too.
    fn signal(&mut self) -> Signal;
    /// Time since the search was asked for.
    fn elapsed(&self) -> Duration;
    /// Takes a report.
    fn report(&mut self, report: &Report<M>);
    /// The amount of reporting wanted, constant during a search. A search that cannot report so ignores it.
    fn wants(&self) -> Wants {
        Wants::default()
    }
}
