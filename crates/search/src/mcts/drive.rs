//! The work of one thread at one tree: select, ask, back up, again and again.

use super::tree::{Selected, Tree};
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use tesuji_game::{Answer, Line, Oracle, OracleError, Position, Query};

/// Collisions after which a thread evaluates what it has.
const COLLISIONS_MAX: usize = 8;
/// Known results after which a round ends, so that someone looks at the clock.
const ENDED_MAX: u64 = 64;

/// The reason why a thread ended its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The budget of playouts is used up.
    Spent,
    /// The memory is used up.
    Full,
    /// Someone said so.
    Stopped,
    /// The oracle gave no answer.
    Failed(OracleError),
}

/// Means over all evaluations of a search of what playouts say about the end of the game (score, ownership), for the side to move at
/// the root.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Means {
    /// Evaluations that told a margin.
    pub scores: u64,
    /// Their mean margin in points.
    pub score: f64,
    /// Evaluations that told ownership.
    pub ownerships: u64,
    /// `[points]`, their mean, each in -1..=1; empty if there was none.
    pub ownership: Vec<f64>,
    /// For each root move, packed: how many of the evaluations that told a margin were below it, and their mean margin.
    pub moves: BTreeMap<u16, (u64, f64)>,
}

impl Means {
    /// `below`: the root move that led there, packed; `None` at the root.
    fn add(&mut self, answer: &Answer, sign: f64, below: Option<u16>) {
        if let Some(score) = answer.score {
            let score = sign * f64::from(score);
            self.scores += 1;
            self.score += (score - self.score) / self.scores as f64;
            if let Some(below) = below {
                let (count, mean) = self.moves.entry(below).or_default();
                *count += 1;
                *mean += (score - *mean) / *count as f64;
            }
        }
        if !answer.ownership.is_empty() {
            self.ownerships += 1;
            self.ownership.resize(answer.ownership.len(), 0.0);
            for (mean, &one) in self.ownership.iter_mut().zip(&answer.ownership) {
                *mean += (sign * f64::from(one) - *mean) / self.ownerships as f64;
            }
        }
    }

    /// Takes in what another thread saw.
    pub(super) fn join(&mut self, other: &Means) {
        let scores = self.scores + other.scores;
        if other.scores > 0 {
            self.score += (other.score - self.score) * other.scores as f64 / scores as f64;
            self.scores = scores;
        }
        let ownerships = self.ownerships + other.ownerships;
        if other.ownerships > 0 {
            self.ownership.resize(other.ownership.len(), 0.0);
            for (mean, one) in self.ownership.iter_mut().zip(&other.ownership) {
                *mean += (one - *mean) * other.ownerships as f64 / ownerships as f64;
            }
            self.ownerships = ownerships;
        }
        for (&mv, &(more, mean)) in &other.moves {
            let (count, known) = self.moves.entry(mv).or_default();
            *count += more;
            *known += (mean - *known) * more as f64 / (*count).max(1) as f64;
        }
    }
}

/// A thread's own: its oracle, and queries that it uses again.
pub(super) struct TreeWorker<P: Position, O> {
    pub(super) oracle: O,
    queries: Vec<Query<P>>,
    means: Means,
}

impl<P: Position, O: Oracle<P>> TreeWorker<P, O> {
    pub(super) fn new(oracle: O) -> Self {
        TreeWorker { oracle, queries: Vec::new(), means: Means::default() }
    }

    /// Takes the means since the last call.
    pub(super) fn take_means(&mut self) -> Means {
        std::mem::take(&mut self.means)
    }

    /// Grows `tree`, whose root is at the end of `line`, until something ends it. `look` is told after each round how many
    /// playouts it had and what this thread saw so far, and says whether to stop.
    pub(super) fn grow(
        &mut self,
        tree: &Tree<P>,
        line: &Line<P>,
        stop: &AtomicBool,
        mut look: impl FnMut(u64, &Means) -> bool,
    ) -> End {
        let batch = tree.parameters.batch.min(self.oracle.batch_max()).max(1);
        loop {
            let (done, end) = self.round(tree, line, batch);
            let is_over = stop.load(Relaxed) || look(done, &self.means);
            match end {
                Some(end) => return end,
                None if is_over => return End::Stopped,
                None => {}
            }
        }
    }

    /// One batch: the number of playouts that it came to, and what ended it, if anything did.
    fn round(&mut self, tree: &Tree<P>, line: &Line<P>, batch: usize) -> (u64, Option<End>) {
        let (mut tickets, mut held) = (Vec::with_capacity(batch), Vec::new());
        let (mut done, mut end) = (0, None);
        while tickets.len() < batch && held.len() < COLLISIONS_MAX && done < ENDED_MAX {
            if self.queries.len() == tickets.len() {
                self.queries.push(Query::new(line.clone()));
            }
            match tree.select(line, &mut self.queries[tickets.len()]) {
                Selected::Leaf(ticket) => tickets.push(ticket),
                Selected::Ended => done += 1,
                // Held, it drives the next selections elsewhere.
                Selected::Collision(ticket) if batch > 1 => held.push(ticket),
                Selected::Collision(ticket) => {
                    ticket.cancel();
                    std::thread::yield_now();
                    break;
                }
                Selected::Full => {
                    end = Some(End::Full);
                    break;
                }
                Selected::Spent => {
                    // Playouts that collisions hold come back to the budget.
                    end = held.is_empty().then_some(End::Spent);
                    break;
                }
            }
        }
        if tickets.is_empty() {
            if !held.is_empty() {
                std::thread::yield_now();
            }
            return (done, end);
        }
        let asked = &mut self.queries[..tickets.len()];
        if let Err(error) = self.oracle.ask(asked) {
            return (done, Some(End::Failed(error)));
        }
        let side = line.here().side_to_move();
        for (ticket, query) in tickets.into_iter().zip(asked) {
            let sign = if query.line.here().side_to_move() == side { 1.0 } else { -1.0 };
            if query.wants_value {
                let below = query.line.moves().nth(line.len()).map(P::pack);
                self.means.add(&query.answer, sign, below);
            }
            ticket.backup(query);
            done += 1;
            if !query.wants_value && end == Some(End::Spent) {
                // Its playout came back to the budget.
                end = None;
            }
        }
        (done, end)
    }
}
