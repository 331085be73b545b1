//! The iterations of a search as anyone can see them from outside: what our players report, and what engines of UCI and USI write.

use super::split;
use crate::RequestError;
use serde::Serialize;
use std::time::{Duration, Instant};
use tesuji_engine::Player;
use tesuji_game::{Bound, Candidate, Choice, Limits, Report, Signal, Value, Watch};

/// The branching factor is measured from this iteration on: earlier ones are over before the search has learned an order.
const BRANCHING_FROM: u32 = 5;

/// A complete iteration, or the end of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Iteration {
    /// Plies.
    pub depth: u32,
    /// Plies of the longest path; 0 where that was not told.
    pub depth_max: u32,
    /// Nodes since the search began.
    pub nodes: u64,
    /// The lines, best first: first move and value for the side to move.
    pub lines: Vec<(String, Value)>,
}

impl Iteration {
    /// The best move.
    pub fn best(&self) -> Option<&str> {
        self.lines.first().map(|line| line.0.as_str())
    }

    /// The margin of the best move over the second best, in centipawns; `None` without a second line.
    pub fn margin_cp(&self) -> Option<i32> {
        Some(self.lines.first()?.1.raw() - self.lines.get(1)?.1.raw())
    }
}

/// A search of single positions, each from empty tables: by a player in this process, or by an engine process.
pub trait PositionSearch {
    /// The name in tables.
    fn name(&self) -> String;

    /// Searches `position` up to `nodes` nodes with `lines` lines. Every complete iteration goes to `each`, and at the end the move
    /// chosen with all nodes.
    ///
    /// # Errors
    /// When the position is refused, or the engine fails.
    fn search(
        &mut self,
        position: &str,
        nodes: u64,
        lines: usize,
        each: &mut dyn FnMut(&Iteration),
    ) -> Result<(), RequestError>;
}

/// A player of this process.
pub struct OwnSearch<'a> {
    /// The name in tables.
    pub name: String,
    /// The player.
    pub player: &'a mut dyn Player,
    /// Whether the search is to be broken off.
    pub stopped: &'a dyn Fn() -> bool,
}

impl PositionSearch for OwnSearch<'_> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn search(
        &mut self,
        position: &str,
        nodes: u64,
        lines: usize,
        each: &mut dyn FnMut(&Iteration),
    ) -> Result<(), RequestError> {
        // Families without this option search as they are.
        let set = self.player.options().set("MultiPV", &lines.to_string());
        if lines > 1 {
            set.map_err(RequestError::failed)?;
        }
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        search_player(self.player, position, &limits, self.stopped, each)?;
        Ok(())
    }
}

/// Searches a position from empty tables; every complete iteration and the end go to `each`.
pub(super) fn search_player(
    player: &mut dyn Player,
    position: &str,
    limits: &Limits,
    stopped: &dyn Fn() -> bool,
    each: &mut dyn FnMut(&Iteration),
) -> Result<Report<String>, RequestError> {
    player.new_game();
    let (start, moves) = split(position);
    player.set_position("", Some(start), &moves).map_err(RequestError::failed)?;
    let mut listener = Listener { began: Instant::now(), stopped, each, last: Iteration::default() };
    let report = player.go(limits, &[], &mut listener);
    let mut last = std::mem::take(&mut listener.last);
    last.nodes = report.nodes;
    if let Some(Choice::Play(mv)) = &report.choice
        && last.best() != Some(mv)
    {
        last.lines = lines_of(&report.lines);
    }
    each(&last);
    Ok(report)
}

/// First moves and values.
fn lines_of(lines: &[Candidate<String>]) -> Vec<(String, Value)> {
    lines.iter().filter_map(|line| Some((line.pv.first()?.clone(), line.value))).collect()
}

/// A watch that passes on the iterations.
struct Listener<'a> {
    began: Instant,
    stopped: &'a dyn Fn() -> bool,
    each: &'a mut dyn FnMut(&Iteration),
    last: Iteration,
}

impl Watch<String> for Listener<'_> {
    fn signal(&mut self) -> Signal {
        if (self.stopped)() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        let is_whole = report.lines.first().is_some_and(|line| line.bound == Bound::Exact && !line.pv.is_empty());
        // The last report repeats the last iteration with all nodes of the search.
        if is_whole && report.depth > self.last.depth {
            let lines = lines_of(&report.lines);
            self.last = Iteration { depth: report.depth, depth_max: report.depth_max, nodes: report.nodes, lines };
            (self.each)(&self.last);
        }
    }
}

/// Statistics of several searches: depths, and the growth of their nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Growth {
    searches: u32,
    depth_sum: u64,
    depth_max_sum: u64,
    /// The logarithm of the growth of nodes, and the iterations in which they grew.
    log_sum: f64,
    plies: u32,
}

/// [`Growth`] in figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct GrowthFigures {
    /// The last complete iteration, in plies, in the mean.
    pub depth: f64,
    /// The longest path that the search told in it, in plies, in the mean.
    pub depth_max: f64,
    /// By what factor one more ply multiplies the nodes of a search, from iteration 5 on; 0 where no search came so far.
    pub branching_factor: f64,
}

impl Growth {
    /// Adds the complete iterations of a search, up to the first that sees a mate: the ones behind it are over at once.
    pub fn add(&mut self, iterations: &[Iteration]) {
        let is_mate = |iteration: &Iteration| iteration.lines.first().is_some_and(|line| line.1.is_mate());
        let iterations = &iterations[..iterations.iter().position(is_mate).unwrap_or(iterations.len())];
        let Some(last) = iterations.last() else { return };
        self.searches += 1;
        self.depth_sum += u64::from(last.depth);
        self.depth_max_sum += u64::from(last.depth_max);
        if let Some(first) = iterations.iter().find(|iteration| iteration.depth >= BRANCHING_FROM)
            && last.depth > first.depth
        {
            self.log_sum += (last.nodes.max(1) as f64 / first.nodes.max(1) as f64).ln();
            self.plies += last.depth - first.depth;
        }
    }

    /// The figures.
    pub fn figures(&self) -> GrowthFigures {
        let searches = f64::from(self.searches.max(1));
        GrowthFigures {
            depth: self.depth_sum as f64 / searches,
            depth_max: self.depth_max_sum as f64 / searches,
            branching_factor: if self.plies == 0 { 0.0 } else { (self.log_sum / f64::from(self.plies)).exp() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_double_each_ply_branch_by_two() {
        let mut growth = Growth::default();
        let iteration =
            |depth: u32| Iteration { depth, depth_max: 2 * depth, nodes: 1 << depth.min(60), lines: Vec::new() };
        growth.add(&(1..=9).map(iteration).collect::<Vec<_>>());
        growth.add(&(1..=3).map(iteration).collect::<Vec<_>>());
        growth.add(&[]);
        let mate = Iteration { lines: vec![("a".to_string(), Value::mate_in(1))], ..iteration(1) };
        growth.add(&[mate, iteration(90)]);
        let figures = growth.figures();
        assert_eq!((figures.depth, figures.depth_max), (6.0, 12.0));
        assert!((figures.branching_factor - 2.0).abs() < 1e-9);
    }
}
