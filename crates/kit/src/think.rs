//! One search that somebody asks for, without a runner: all moves told, nothing on the way.

use std::time::{Duration, Instant};
use tesuji_engine::Player;
use tesuji_game::{Candidate, Limits, Report, Side, Signal, Wants, Watch};
use tesuji_jobs::Interrupt;

/// The most moves that are told: all.
const LINES: usize = 1000;

/// Searches the player's position with so many nodes; Ctrl-C ends it early.
pub fn think(player: &mut dyn Player, nodes: u64) -> Report<String> {
    let limits = Limits { nodes: Some(nodes.max(1)), ..Limits::default() };
    player.go(&limits, &[], &mut Alone { since: Instant::now(), stop: Interrupt::of_process() })
}

/// The chance of the first side, in 0..=1, after the best move of `report`, where `mover` moves.
pub fn chance(report: &Report<String>, mover: Side) -> f64 {
    report.lines.first().map_or(0.5, |line| chance_of(line, mover))
}

/// The chance of the first side, in 0..=1, after a move of `mover`.
pub fn chance_of(line: &Candidate<String>, mover: Side) -> f64 {
    f64::from(line.expected.unwrap_or(0.0)).mul_add(0.5 * sign(mover), 0.5)
}

/// 1 for the first side, -1 for the second.
pub fn sign(mover: Side) -> f64 {
    if mover == Side::First { 1.0 } else { -1.0 }
}

struct Alone {
    since: Instant,
    stop: Interrupt,
}

impl Watch<String> for Alone {
    fn signal(&mut self) -> Signal {
        if self.stop.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}

    fn wants(&self) -> Wants {
        Wants { lines: Some(LINES), every: Some(Duration::MAX) }
    }
}
