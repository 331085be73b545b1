//! Time control and reports of the main thread during a search.

use super::{keep, node::ESTIMATE_MAX, options::Parameters, tree::Tree, view::RootMove};
use crate::{clock::Settledness, control::Control};
use std::time::Duration;
use tesuji_game::{Choice, Position, Report};

/// Nodes before the tree is first rated between stages; each later time comes when they have doubled, or after this many.
/// Only nodes are counted: merged parts make the values hang on when they are rated, and the clock must not decide that.
const RATE_FIRST: u64 = 256;
const RATE_EVERY: u64 = 1 << 16;
/// A report comes when the nodes have doubled, and at least so often.
const REPORT_EVERY: Duration = Duration::from_secs(1);
/// The part of the soft budget for a position with only one move.
const ONLY_MOVE_FACTOR: f64 = 0.1;
/// Stability of the best move that is passed to [`Settledness`], in iterations.
const STEADY: u32 = 4;
/// Sleep of the main thread between two checks when there is nothing left to search.
const IDLE: Duration = Duration::from_micros(500);

/// The rules of decision of one level of "Chess in Delphi": what is enough quality for the best move alone and for it and
/// the root together, and how long a move may take.
struct Level {
    alone: f32,
    root: f32,
    time: Duration,
}

const LEVELS: [Level; 4] = [
    Level { alone: 200.0, root: 12_000.0, time: Duration::from_secs(3) },
    Level { alone: 300.0, root: 28_000.0, time: Duration::from_secs(5) },
    Level { alone: 500.0, root: 50_000.0, time: Duration::from_secs(10) },
    Level { alone: 1000.0, root: 100_000.0, time: Duration::from_secs(20) },
];
/// Centipawns by which the best move must stand out to be played without more ado.
const AHEAD_CP: f32 = 1000.0;
/// A better best move needs less quality, a worse one more: `(centipawns, factor)`.
const BY_VALUE: [(f32, f32); 4] = [(300.0, 0.9), (600.0, 0.8), (-300.0, 1.1), (-600.0, 1.2)];
/// Factors by the change against the root's value when the search began.
const BY_CHANGE: [(f32, f32); 4] = [(20.0, 0.8), (50.0, 0.8), (-20.0, 1.2), (-50.0, 1.2)];

/// The caller's thread beside its tree.
pub(super) struct Thinker<'w, M> {
    pub(super) control: Control<'w, M>,
    multi_pv: usize,
    level: usize,
    /// The value of the root when the search began.
    before: Option<f32>,
    /// Nodes of this search.
    pub(super) nodes: u64,
    since: u64,
    /// Nodes at which the tree is rated next.
    rate_at: u64,
    /// Nodes at which a report is due, whatever the time.
    report_at: u64,
    reported: Duration,
    /// Time between two reports.
    every: Duration,
}

impl<'w, M: Copy + PartialEq> Thinker<'w, M> {
    pub(super) fn new(control: Control<'w, M>, multi_pv: usize, parameters: &Parameters) -> Self {
        let (level, reported) = (parameters.level, Duration::ZERO);
        let every = control.watch.wants().every.unwrap_or(REPORT_EVERY);
        let (rate_at, report_at) = (RATE_FIRST, RATE_FIRST);
        Thinker { control, multi_pv, level, before: None, nodes: 0, since: 0, rate_at, report_at, reported, every }
    }

    /// Nodes that the limits still allow.
    pub(super) fn nodes_left(&self) -> u64 {
        self.control.limits.nodes.map_or(u64::MAX, |limit| limit.max(1).saturating_sub(self.nodes))
    }

    /// Whether a copy of this many nodes would outlast the time for the move.
    pub(super) fn lacks_time_to_copy(&self, nodes: usize) -> bool {
        let Some(spent) = self.control.counted(self.control.watch.elapsed()) else { return false };
        let left = self.control.budget.map(|budget| budget.hard.saturating_sub(spent));
        left.is_some_and(|left| nodes > keep::copied_in(left))
    }

    /// Counts nodes; whether signals or clock say stop at once. Positions where the game is over cost time, though no nodes.
    pub(super) fn is_called(&mut self, done: u64, positions: usize) -> bool {
        self.nodes += done;
        self.since += done.max(positions as u64);
        if self.since < self.control.look_nodes {
            return false;
        }
        self.since = 0;
        self.control.look()
    }

    /// Whether the tree is to be rated now; if so, it counts as rated.
    pub(super) fn rates_now(&mut self) -> bool {
        let is_due = self.nodes >= self.rate_at;
        if is_due {
            self.rate_at = self.nodes + self.nodes.min(RATE_EVERY);
        }
        is_due
    }

    /// Whether a report is due.
    pub(super) fn is_due(&self) -> bool {
        self.nodes >= self.report_at || self.control.watch.elapsed() >= self.reported + self.every
    }

    /// Reports the state of the tree as last rated.
    pub(super) fn tell<P: Position<Move = M>>(&mut self, tree: &Tree<P>) {
        self.report_at = self.nodes.max(self.report_at).saturating_mul(2);
        self.reported = self.control.watch.elapsed();
        let report = self.report(tree);
        self.control.watch.report(&report);
    }

    /// Whether the rated tree says enough, by what is found, the limits or the time.
    pub(super) fn is_enough<P: Position<Move = M>>(&mut self, tree: &Tree<P>) -> bool {
        let limits = self.control.limits;
        let is_deep = limits.depth.is_some_and(|depth| tree.depth() >= depth);
        if tree.is_solved() || is_deep {
            return !self.control.must_wait();
        }
        let before = *self.before.get_or_insert(tree.value());
        if limits.infinite || limits.nodes.is_some() || self.control.budget.is_none() {
            return false;
        }
        let moves = tree.root_moves();
        self.is_decided(&moves, tree.quality(), before) || self.is_timely(&moves, tree)
    }

    /// The rules of decision of the level, if there is one.
    fn is_decided(&self, moves: &[RootMove<M>], quality: f32, before: f32) -> bool {
        let Some(level) = self.level.checked_sub(1).and_then(|i| LEVELS.get(i)) else { return false };
        let Some(spent) = self.control.counted(self.control.watch.elapsed()) else { return false };
        let Some(best) = moves.first() else { return false };
        let Some(second) = moves.get(1) else { return true };
        let passes = |(limit, _): &&(f32, f32), value: f32| if *limit > 0.0 { value > *limit } else { value < *limit };
        let by_value: f32 = BY_VALUE.iter().filter(|rule| passes(rule, best.value)).map(|rule| rule.1).product();
        let change = best.value - before;
        let by_change: f32 = BY_CHANGE.iter().filter(|rule| passes(rule, change)).map(|rule| rule.1).product();
        let (alone, root) = (level.alone * by_value * by_change, level.root * by_value * by_change);
        best.value > ESTIMATE_MAX
            || best.quality > alone && best.value - second.value > AHEAD_CP
            || best.quality > alone && quality > root
            || spent >= level.time
    }

    /// Whether more time is not worth it.
    fn is_timely<P: Position<Move = M>>(&self, moves: &[RootMove<M>], tree: &Tree<P>) -> bool {
        if moves.len() == 1 {
            return self.control.soft_is_over(ONLY_MOVE_FACTOR);
        }
        let best = moves.first().map_or(0, |m| m.count);
        let node_share = f64::from(best) / tree.len().max(1) as f64;
        self.control.soft_is_over(Settledness { node_share, stable: STEADY, fall_cp: 0 }.factor())
    }

    /// The state of the search.
    fn report<P: Position<Move = M>>(&self, tree: &Tree<P>) -> Report<M> {
        Report {
            lines: tree.candidates(self.multi_pv),
            depth: tree.depth().max(1),
            depth_max: u32::from(tree.plies_max),
            nodes: self.nodes,
            time: self.control.watch.elapsed(),
            hash_full: (tree.len() as u64 * 1000 / tree.limit.max(1) as u64) as u32,
            ..Report::default()
        }
    }

    /// With nothing left to search, some callers still want to be waited for.
    pub(super) fn wait(&mut self) {
        while self.control.must_wait() {
            std::thread::sleep(IDLE);
        }
    }

    /// Sends the last report, with the choice.
    pub(super) fn tell_last<P: Position<Move = M>>(&mut self, tree: &Tree<P>, choice: Choice<M>) -> Report<M> {
        let mut report = self.report(tree);
        report.choice = Some(choice);
        // What is played stands first, though another move may be a little better.
        if let Choice::Play(mv) = choice {
            let all = tree.candidates(usize::MAX);
            if let Some(line) = all.into_iter().find(|line| line.pv[0] == mv) {
                report.ponder = line.pv.get(1).copied();
                report.lines.retain(|other| other.pv[0] != mv);
                report.lines.insert(0, line);
                report.lines.truncate(self.multi_pv);
            }
        }
        self.control.watch.report(&report);
        report
    }
}
