//! Time control and reports of the main thread during a search.

use super::{drive::Means, tree::Tree};
use crate::{clock::Settledness, control::Control};
use std::time::Duration;
use tesuji_game::{Choice, Position, Report};

/// Playouts before the first report; each later one comes when they have doubled, or after [`REPORT_EVERY`].
const REPORT_FIRST: u64 = 64;
const REPORT_EVERY: Duration = Duration::from_secs(1);
/// The part of the soft budget for a position with only one move.
const ONLY_MOVE_FACTOR: f64 = 0.1;
/// Playouts after which a root with unwanted moves is looked over for proofs.
const SOLVED_EVERY: u64 = 64;
/// Stability of the best move that is passed to [`Settledness`], in iterations: visits change slowly.
const STEADY: u32 = 4;
/// Sleep of the main thread between two checks when there is nothing left to search.
const IDLE: Duration = Duration::from_micros(500);

/// The caller's thread beside its tree.
pub(super) struct Thinker<'w, M> {
    control: Control<'w, M>,
    multi_pv: usize,
    /// Whether the search is over for good, and not only to make room.
    pub(super) is_over: bool,
    /// Playouts of this thread since the last look.
    since: u64,
    /// Playouts at which a root with unwanted moves is looked over again.
    solved_at: u64,
    report_at: u64,
    report_every: Duration,
    /// Whether reports come at their times only, and not whenever playouts have doubled.
    is_regular: bool,
    reported: Duration,
}

impl<'w, M: Copy> Thinker<'w, M> {
    pub(super) fn new(control: Control<'w, M>, multi_pv: usize) -> Self {
        let wants = control.watch.wants();
        Thinker {
            multi_pv: wants.lines.unwrap_or(multi_pv),
            is_over: false,
            since: 0,
            solved_at: 0,
            report_at: REPORT_FIRST,
            report_every: wants.every.unwrap_or(REPORT_EVERY),
            is_regular: wants.every.is_some(),
            reported: Duration::ZERO,
            control,
        }
    }

    /// Looks at tree and world after `done` playouts: whether to stop. The moves of the root are always waited for. `means`:
    /// what this thread saw.
    pub(super) fn look<P: Position<Move = M>>(&mut self, tree: &Tree<P>, done: u64, means: &Means) -> bool {
        self.is_over |= tree.is_open() && (self.is_found(tree) || self.is_called(tree, done, means));
        self.is_over
    }

    /// Whether there is nothing left to find. Asked after every round, so that it does not hang on the clock.
    fn is_found<P: Position<Move = M>>(&mut self, tree: &Tree<P>) -> bool {
        let limits = self.control.limits;
        if limits.depth.is_some_and(|depth| tree.depths().0 >= depth) {
            return !self.control.must_wait();
        }
        let solved = match tree.is_restricted() {
            false => tree.is_proven(),
            true if tree.playouts() < self.solved_at => false,
            true => {
                self.solved_at = tree.playouts() + SOLVED_EVERY;
                tree.is_solved()
            }
        };
        solved && !self.control.must_wait()
    }

    /// Whether signals or time say so.
    fn is_called<P: Position<Move = M>>(&mut self, tree: &Tree<P>, done: u64, means: &Means) -> bool {
        self.since += done;
        if self.since < self.control.look_nodes {
            return false;
        }
        self.since = 0;
        if self.control.look() {
            return true;
        }
        let now = self.control.watch.elapsed();
        let is_doubled = !self.is_regular && tree.playouts() >= self.report_at;
        if is_doubled || now.saturating_sub(self.reported) >= self.report_every {
            self.report_at = tree.playouts().max(self.report_at).saturating_mul(2);
            self.reported = now;
            let report = self.report(tree, means);
            self.control.watch.report(&report);
        }
        !self.control.limits.infinite && self.control.budget.is_some_and(|b| b.soft.is_some()) && self.is_timely(tree)
    }

    /// Whether more time is not worth it.
    fn is_timely<P: Position<Move = M>>(&mut self, tree: &Tree<P>) -> bool {
        let now = self.control.watch.elapsed();
        let (Some(spent), Some(budget)) = (self.control.counted(now), self.control.budget) else { return false };
        let moves = tree.root_moves();
        let first = moves.first().map_or(0, |m| m.visits);
        let second = moves.iter().skip(1).map(|m| m.visits).max().unwrap_or(0);
        if moves.len() == 1 {
            return self.control.soft_is_over(ONLY_MOVE_FACTOR);
        }
        let rest = budget.hard.saturating_sub(spent).as_secs_f64();
        let speed = tree.playouts() as f64 / now.as_secs_f64().max(1e-6);
        let is_ahead = tree.parameters.early_stop && tree.parameters.choose == "visits";
        if is_ahead && first.saturating_sub(second) as f64 > rest * speed {
            return true;
        }
        let node_share = first as f64 / tree.visits().max(1) as f64;
        self.control.soft_is_over(Settledness { node_share, stable: STEADY, fall_cp: 0 }.factor())
    }

    /// The state of the search.
    fn report<P: Position<Move = M>>(&self, tree: &Tree<P>, means: &Means) -> Report<M> {
        let (depth, depth_max) = tree.depths();
        let (used, limit) = tree.memory();
        let mut lines = tree.candidates(self.multi_pv);
        for line in &mut lines {
            line.margin = means.moves.get(&P::pack(line.pv[0])).map(|&(_, mean)| mean as f32);
        }
        Report {
            lines,
            margin: (means.scores > 0).then_some(means.score as f32),
            ownership: means.ownership.iter().map(|&owned| owned as f32).collect(),
            depth: depth.max(1),
            depth_max,
            nodes: tree.playouts(),
            time: self.control.watch.elapsed(),
            hash_full: (used as u64 * 1000 / limit.max(1) as u64) as u32,
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
    pub(super) fn tell_last<P: Position<Move = M>>(
        &mut self,
        tree: &Tree<P>,
        means: &Means,
        choice: Option<Choice<M>>,
    ) -> Report<M>
    where
        M: PartialEq,
    {
        let mut report = self.report(tree, means);
        report.choice = choice;
        let chosen = report.lines.iter().find(|l| Some(Choice::Play(l.pv[0])) == choice);
        report.ponder = chosen.and_then(|l| l.pv.get(1).copied());
        self.control.watch.report(&report);
        report
    }
}
