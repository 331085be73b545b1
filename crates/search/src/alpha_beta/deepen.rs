//! Iterative deepening: one depth after the other, windows around the last value, several lines, and when to stop.

use super::{
    root::{RootMove, shown},
    score::{self, INFINITE, is_decisive},
    thread::{Memory, Thread},
};
use crate::{clock::Settledness, table::TranspositionTable};
use std::time::Duration;
use tesuji_game::{Bound, Candidate, Choice, Evaluator, Line, Report, Tactical, Value};

/// Depth from which windows are tried.
const ASPIRATION_DEPTH: i32 = 5;
/// Running longer than this, the search tells about values outside its window.
const BOUNDS_AFTER: Duration = Duration::from_secs(2);
/// A mate is believed when the iteration is this many plies deeper than it is far: what is pruned might hide a shorter one.
const MATE_SURE_PLIES: i32 = 8;
/// Iterations over which the fall of the value is measured.
const FALL_ITERATIONS: usize = 3;
/// The part of the soft budget for a position with only one move.
const ONLY_MOVE_FACTOR: f64 = 0.1;
/// The time to sleep between looks when there is nothing left to search.
const IDLE: Duration = Duration::from_micros(500);

/// The result of one thread.
pub(super) struct Found<M> {
    /// Best first.
    roots: Vec<RootMove<M>>,
    /// The last complete iteration.
    depth: i32,
    lines: usize,
    deepest: usize,
    /// Moves made.
    pub(super) nodes: u64,
    table_hits: u64,
}

impl<M> Found<M> {
    /// The value of the best move, from the last iteration in which it was searched.
    fn score(&self) -> i32 {
        self.roots.first().map_or(-INFINITE, last_score)
    }
}

/// The course of the iterations, for the decision when to stop.
struct Pace<M> {
    best: Option<M>,
    stable: u32,
    scores: Vec<i32>,
}

impl<P: Tactical, E: Evaluator<P>> Thread<'_, P, E> {
    /// Searches deeper and deeper until something ends it; returns what was found and the memory for the next time.
    pub(super) fn deepen(mut self) -> (Found<P::Move>, Memory<P, E>) {
        let key = self.pos.key();
        let depth = self.iterate();
        self.check_restored(key);
        self.check_rest();
        self.wait();
        self.shared.publish(self.number, self.nodes);
        let deepest = self.roots.first().map_or(0, |r| r.deepest);
        let found = Found {
            lines: self.lines(),
            roots: self.roots,
            depth,
            deepest,
            nodes: self.nodes,
            table_hits: self.table_hits,
        };
        (found, self.mem)
    }

    /// Iterations until the end; returns the last complete depth.
    fn iterate(&mut self) -> i32 {
        let mut pace = Pace { best: None, stable: 0, scores: Vec::new() };
        let mut complete = 0;
        // Every other helper begins a ply deeper, so that threads spread over depths.
        let start = 1 + (self.number & 1) as i32;
        for depth in start..=self.depth_max.max(start) {
            self.root_depth = depth;
            self.first_iteration = depth == 1 && self.control.is_some();
            // Several lines are compared: all values must come from the same depth, and none be a bound of a search that was stopped.
            let compared = (self.lines() > 1).then(|| self.roots.clone());
            self.roots.iter_mut().for_each(|r| r.previous = r.score);
            // Line by line: each leaves out the root moves that the lines before it took.
            for first in 0..self.lines() {
                self.deepest = 0;
                self.search_window(depth, first);
                // A later line may turn out better than an earlier one.
                self.roots[..=first].sort_by_key(|r| -last_score(r));
                if self.stopped {
                    if let Some(roots) = compared.filter(|_| complete > 0) {
                        self.roots = roots;
                    }
                    return complete;
                }
            }
            self.first_iteration = false;
            complete = depth;
            self.tell(depth);
            if self.hurry || self.is_enough(&mut pace, depth) {
                break;
            }
        }
        complete
    }

    /// The number of lines wanted and possible.
    pub(super) fn lines(&self) -> usize {
        self.multi_pv.min(self.roots.len())
    }

    /// Aspiration windows (Slate and Atkin's Chess 4.5, 1977; widening steps as in Stockfish): searches the root moves from
    /// `first` on with a window around the last value, and widens it until the value is inside.
    fn search_window(&mut self, depth: i32, first: usize) {
        let last = self.roots[first].previous;
        // Large values move more from one iteration to the next.
        let mut half = self.parameters.aspiration_cp + last.abs() / 128;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if self.parameters.aspiration && depth >= ASPIRATION_DEPTH && !is_decisive(last) {
            (alpha, beta) = (last - half, last + half);
        }
        let mut highs = 0;
        loop {
            // After a fail high a shallower search mostly confirms the move, at a fraction of the cost.
            let value = self.search_root(alpha, beta, (depth - highs).max(1), first);
            // A stable sort: moves that were not searched or not better keep their order.
            self.roots[first..].sort_by_key(|r| -r.score);
            if self.stopped || (value > alpha && value < beta) {
                break;
            }
            self.tell_bound(depth, first);
            if value <= alpha {
                // The value is low: the upper half of the window is of no use any more.
                beta = (alpha + beta) / 2;
                alpha = (value - half).max(-INFINITE);
                highs = 0;
            } else {
                beta = (value + half).min(INFINITE);
                highs += 1;
            }
            half += half / 2;
            // Mates lie far from all windows: widening step by step would cost a search for each.
            if is_decisive(value) {
                (alpha, beta) = if value > 0 { (alpha, INFINITE) } else { (-INFINITE, beta) };
            }
        }
    }

    /// Whether the iterations so far are enough.
    fn is_enough(&mut self, pace: &mut Pace<P::Move>, depth: i32) -> bool {
        let only = self.roots.len() == 1;
        let (best, score, nodes) = (self.roots[0].mv, self.roots[0].score, self.roots[0].nodes);
        let known = self.root_is_known();
        let Some(control) = &mut self.control else { return false };
        pace.stable = if pace.best == Some(best) { pace.stable + 1 } else { 0 };
        pace.best = Some(best);
        pace.scores.push(score);
        if control.limits.infinite {
            return false;
        }
        if control.limits.soft_nodes.is_some_and(|soft| self.shared.nodes() >= soft) {
            return true;
        }
        let mate = Value::from_raw(score).mate_plies();
        let wanted = control.limits.mate_plies;
        if mate.zip(wanted).is_some_and(|(plies, wanted)| plies > 0 && plies <= wanted as i32) {
            return true;
        }
        let earlier = pace.scores[pace.scores.len().saturating_sub(1 + FALL_ITERATIONS)];
        let settled = Settledness {
            node_share: nodes as f64 / self.nodes.max(1) as f64,
            stable: pace.stable,
            // The distance between a mate and an estimate is no fall in centipawns.
            fall_cp: if is_decisive(score) || is_decisive(earlier) { 0 } else { earlier - score },
        };
        let sure =
            mate.is_some_and(|plies| depth >= plies.abs() + MATE_SURE_PLIES) || known && depth >= MATE_SURE_PLIES;
        let factor = if only || sure { ONLY_MOVE_FACTOR } else { settled.factor() };
        control.soft_is_over(factor)
    }

    /// With nothing left to search, some callers still want to be waited for: an infinite search ends when it is stopped.
    fn wait(&mut self) {
        if let Some(control) = &mut self.control {
            while control.must_wait() {
                std::thread::sleep(IDLE);
            }
        }
    }

    fn tell(&mut self, depth: i32) {
        if self.control.is_some() {
            let report = self.report(depth, Bound::Exact);
            if let Some(control) = &mut self.control {
                control.watch.report(&report);
            }
        }
    }

    fn tell_bound(&mut self, depth: i32, first: usize) {
        let late = self.control.as_ref().is_some_and(|c| c.watch.elapsed() >= BOUNDS_AFTER);
        if late && first == 0 && self.multi_pv == 1 {
            let bound = self.roots[0].bound;
            let report = self.report(depth, bound);
            if let Some(control) = &mut self.control {
                control.watch.report(&report);
            }
        }
    }

    fn report(&self, depth: i32, bound: Bound) -> Report<P::Move> {
        self.shared.publish(self.number, self.nodes);
        let mut lines = candidates(&self.roots, self.lines());
        lines.iter_mut().take(1).for_each(|l| l.bound = bound);
        Report {
            lines,
            depth: depth as u32,
            depth_max: self.roots[0].deepest as u32,
            nodes: self.shared.nodes(),
            time: self.control.as_ref().map_or(Duration::ZERO, |c| c.watch.elapsed()),
            hash_full: self.table.hash_full(),
            table_hits: self.table_hits,
            ..Report::default()
        }
    }
}

/// The score of a root move from the last iteration in which it was searched.
fn last_score<M>(root: &RootMove<M>) -> i32 {
    if root.score > -INFINITE { root.score } else { root.previous }
}

fn candidates<M: Copy>(roots: &[RootMove<M>], lines: usize) -> Vec<Candidate<M>> {
    let candidate = |r: &RootMove<M>| Candidate {
        pv: r.pv.clone(),
        value: Value::from_raw(shown(r, last_score(r)).clamp(-score::MATE, score::MATE)),
        bound: if r.score > -INFINITE { r.bound } else { Bound::Exact },
        wdl: None,
        visits: r.nodes,
        prior: 0.0,
        expected: None,
        margin: None,
    };
    roots.iter().take(lines).map(candidate).collect()
}

/// Chooses among what the threads found: each votes for its best move, the heavier the deeper and better it is
/// (as Stockfish does since 2018). The first thread's word counts where lines were asked for.
pub(super) fn vote<M: Copy + PartialEq>(found: Vec<Found<M>>) -> Report<M> {
    // The root is a node that nobody moved to.
    let nodes = 1 + found.iter().map(|f| f.nodes).sum::<u64>();
    let table_hits = found.iter().map(|f| f.table_hits).sum();
    let worst = found.iter().filter(|f| f.depth > 0).map(Found::score).min().unwrap_or(0);
    // The constant lets the worst thread vote, too.
    let weight = |f: &Found<M>| i64::from(f.score() - worst + 12) * i64::from(f.depth);
    let votes = |mv: M| {
        let same = found.iter().filter(|f| f.depth > 0 && f.roots.first().is_some_and(|r| r.mv == mv));
        same.map(weight).sum::<i64>()
    };
    let mut chosen = &found[0];
    if chosen.lines == 1 {
        for other in found.iter().skip(1).filter(|f| f.depth > 0) {
            let (Some(now), Some(new)) = (chosen.roots.first(), other.roots.first()) else { continue };
            let better = match (is_decisive(chosen.score()), is_decisive(other.score())) {
                (false, false) => votes(new.mv) > votes(now.mv),
                // Where a mate is in sight the shorter one, or the later loss, counts for more than votes.
                _ => other.score() > chosen.score(),
            };
            if better {
                chosen = other;
            }
        }
    }
    let lines = candidates(&chosen.roots, chosen.lines);
    Report {
        choice: lines.first().map(|l| Choice::Play(l.pv[0])),
        lines,
        depth: chosen.depth as u32,
        depth_max: chosen.deepest as u32,
        nodes,
        table_hits,
        ..Report::default()
    }
}

/// The answer that the table expects after the chosen move, where the line does not say.
pub(super) fn expected<P: Tactical>(
    line: &Line<P>,
    report: &Report<P::Move>,
    table: &TranspositionTable,
) -> Option<P::Move> {
    let Some(Choice::Play(mv)) = report.choice else { return None };
    let mut after = line.here().clone();
    after.play(mv);
    after.unpack(table.probe(after.key())?.mv?)
}
