//! A recorder for searches under test: its clock moves only when it is looked at, its signals come at set times.

use std::time::Duration;
use tesuji_game::{Limits, Line, Random, Report, Signal, Watch};
use tesuji_search::{Searcher, alpha_beta::AlphaBeta};
use tesuji_testkit::four::{Drop, FourEval, FourPosition};

pub type Four = AlphaBeta<FourPosition, FourEval>;

/// A searcher with small tables.
pub fn searcher() -> Four {
    let mut search = AlphaBeta::new(FourEval::default());
    search.options().set("Hash", "1").expect("an option");
    search
}

/// A recorder whose clock ticks a microsecond at each look.
#[derive(Default)]
pub struct Recorder {
    pub ticks: std::cell::Cell<u64>,
    /// Look at which the signal comes.
    pub hit_at: Option<u64>,
    pub stop_at: Option<u64>,
    pub reports: Vec<Report<Drop>>,
}

impl Watch<Drop> for Recorder {
    fn signal(&mut self) -> Signal {
        let now = self.ticks.get();
        if self.stop_at.is_some_and(|t| now >= t) {
            Signal::Stop
        } else if self.hit_at.is_some_and(|t| now >= t) {
            Signal::PonderHit
        } else {
            Signal::Run
        }
    }

    fn elapsed(&self) -> Duration {
        self.ticks.set(self.ticks.get() + 1);
        Duration::from_micros(self.ticks.get())
    }

    fn report(&mut self, report: &Report<Drop>) {
        self.reports.push(report.clone());
    }
}

/// Searches in a recorder where nothing happens.
pub fn think(search: &mut Four, line: &Line<FourPosition>, limits: &Limits) -> Report<Drop> {
    search.search(line, limits, &[], &mut Recorder::default())
}

pub fn depth(plies: u32) -> Limits {
    Limits { depth: Some(plies), ..Limits::default() }
}

pub fn nodes(count: u64) -> Limits {
    Limits { nodes: Some(count), ..Limits::default() }
}

/// A random unfinished line of `plies` moves.
pub fn random_line(random: &mut Random, plies: usize) -> Line<FourPosition> {
    loop {
        let mut line = Line::new(FourPosition::default());
        let mut moves = Vec::new();
        while line.len() < plies && line.outcome().is_none() {
            line.legal_moves(&mut moves);
            line.push(moves[random.below(moves.len())]);
        }
        if line.outcome().is_none() {
            return line;
        }
    }
}
