//! What a search tells: candidates with values and lines while it runs, a choice at its end.

use crate::Value;
use std::time::Duration;

/// What a search decides to do.
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
    /// What to do. `None` while the search runs without one, or where there is no move.
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
    /// How full the table is, in thousandths.
    pub hash_full: u32,
    /// Positions found in endgame tables.
    pub table_hits: u64,
    /// Expected margin in points for the side to move, where the game has points and the search saw them.
    pub margin: Option<f32>,
    /// `[points]`, each in -1..=1, 1 where a point ends as the side to move's; or empty.
    pub ownership: Vec<f32>,
    /// Why the evaluator that was asked for gave no answer. With a `choice`, another one answered in its place; without, nobody
    /// knows a move that is better than chance. A report of analysis, and a game that is to count, is void then.
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

/// How much a [`Watch`] wants to be told while a search runs; the usual where nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// The most lines in a report.
    pub lines: Option<usize>,
    /// Time between two reports.
    pub every: Option<Duration>,
}

/// What the world asks of a running search.
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
    /// What is asked now. [`Signal::PonderHit`] and [`Signal::Stop`] stay once given.
    fn signal(&mut self) -> Signal;
    /// Time since the search was asked for.
    fn elapsed(&self) -> Duration;
    /// Takes a report.
    fn report(&mut self, report: &Report<M>);
    /// How much it wants to be told; the same for a whole search. Searches that cannot do as they are asked do what they do.
    fn wants(&self) -> Wants {
        Wants::default()
    }
}
