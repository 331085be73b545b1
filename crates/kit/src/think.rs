//! One search that somebody asks for, without a runner: all moves told, nothing on the way.

use std::time::{Duration, Instant};
use tesuji_engine::Player;
use tesuji_game::{Candidate, FirstSide, Limits, Report, Side, Signal, Wants, Watch};
use tesuji_jobs::Interrupt;

/// The most moves that are told: all.
const LINES: usize = 1000;

/// Searches the player's position with this many nodes; Ctrl-C ends it early.
pub fn think(player: &mut dyn Player, nodes: u64) -> Report<String> {
    let limits = Limits { nodes: Some(nodes.max(1)), ..Limits::default() };
    let mut watch = Unwatched { lines: Some(LINES), ..Unwatched::until(Interrupt::of_process()) };
    player.go(&limits, &[], &mut watch)
}

/// The chance of the first side, in 0..=1, after the best move of `report`, where `mover` moves.
pub fn chance(report: &Report<String>, mover: Side) -> f64 {
    report.lines.first().map_or(0.5, |line| chance_of(line, mover))
}

/// The chance of the first side, in 0..=1, after a move of `mover`.
pub fn chance_of(line: &Candidate<String>, mover: Side) -> f64 {
    FirstSide::of(mover, f64::from(line.expected.unwrap_or(0.0))).0.mul_add(0.5, 0.5)
}

/// The margin of a move of `mover`, where one is told.
pub fn lead_of(margin: Option<f32>, mover: Side) -> Option<FirstSide<f64>> {
    margin.map(|margin| FirstSide::of(mover, f64::from(margin)))
}

/// A search whose reports nobody reads: all that its caller wants is the last one.
#[derive(Debug)]
pub struct Unwatched {
    began: Instant,
    stop: Option<Interrupt>,
    lines: Option<usize>,
}

impl Unwatched {
    /// A search that begins now and ends at its limits.
    pub fn new() -> Unwatched {
        Unwatched { began: Instant::now(), stop: None, lines: None }
    }

    /// An [`Unwatched`] that `stop` stops, too.
    pub fn until(stop: Interrupt) -> Unwatched {
        Unwatched { stop: Some(stop), ..Unwatched::new() }
    }
}

impl Default for Unwatched {
    fn default() -> Unwatched {
        Unwatched::new()
    }
}

impl<M> Watch<M> for Unwatched {
    fn signal(&mut self) -> Signal {
        if self.stop.as_ref().is_some_and(Interrupt::is_raised) { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<M>) {}

    fn wants(&self) -> Wants {
        match self.lines {
            // Of this many lines none is made before the end.
            Some(lines) => Wants { lines: Some(lines), every: Some(Duration::MAX) },
            None => Wants::default(),
        }
    }
}
