//! A checker of what a search says of a problem: plain rules on a plain grid, told every move of one side, trying all moves of
//! the other. It shares nothing with the board that searches play on.

use super::{
    Goal, Problem,
    grid::{Grid, number},
};
use crate::{Move, Vertex};
use std::{collections::HashSet, fmt};
use tesuji_game::Side;

/// A position that the checker came to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Seen {
    grid: Grid,
    second_moves: bool,
    ko: Option<usize>,
    passes: u8,
}

impl Seen {
    /// All stones.
    pub fn stones(&self) -> Vec<(Vertex, Side)> {
        let side = |p: u8| if p == 1 { Side::First } else { Side::Second };
        let all = self.grid.points.iter().enumerate().filter(|(_, p)| **p != 0);
        all.map(|(at, &p)| (self.grid.vertex(at), side(p))).collect()
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        if self.second_moves { Side::Second } else { Side::First }
    }

    /// The point that simple ko forbids.
    pub fn ko(&self) -> Option<Vertex> {
        self.ko.map(|at| self.grid.vertex(at))
    }

    /// Passes that just came.
    pub fn passes(&self) -> u8 {
        self.passes
    }
}

/// The reason why a claim does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofFault {
    /// No move is given where one is needed.
    Silent,
    /// The move that is given is not allowed.
    Illegal(Move),
    /// The winner goes round in a circle.
    Circle,
    /// The other side has reached its goal.
    Lost,
}

impl fmt::Display for ProofFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofFault::Silent => write!(f, "no move is given where one is needed"),
            ProofFault::Illegal(mv) => write!(f, "the move {mv} is not allowed"),
            ProofFault::Circle => write!(f, "it goes round in a circle"),
            ProofFault::Lost => write!(f, "the other side reaches its goal"),
        }
    }
}

impl std::error::Error for ProofFault {}

/// The claim to check: that `prover` wins, or that it cannot.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// The side that proves something, with ko and repetition against it.
    pub prover: Side,
    /// Whether it wins.
    pub wins: bool,
}

impl Check<'_> {
    /// Follows the moves that `answer` gives for the side whose success is claimed, against all moves of the other; returns the
    /// number of positions.
    ///
    /// # Errors
    /// The first fault found in the claim.
    pub fn run(&self, answer: &mut dyn FnMut(&Seen) -> Option<Move>) -> Result<usize, ProofFault> {
        let problem = self.problem;
        let first = Seen {
            grid: Grid::of(problem.size(), problem.stones()),
            second_moves: problem.first() == Side::Second,
            ko: None,
            passes: 0,
        };
        let target = first.grid.index(problem.target());
        let is_safe = problem.goal() != Goal::Ladder && first.grid.is_safe(target);
        let mut walk = Walk { check: *self, target, answer, done: HashSet::new(), open: HashSet::new() };
        walk.visit(first, is_safe)?;
        Ok(walk.done.len())
    }
}

/// A walk through all that the other side may try.
struct Walk<'a, 'b> {
    check: Check<'a>,
    target: usize,
    answer: &'b mut dyn FnMut(&Seen) -> Option<Move>,
    done: HashSet<Seen>,
    open: HashSet<Seen>,
}

impl Walk<'_, '_> {
    /// The side that has reached its goal. `is_safe`: the defender's last move, or the beginning, made the target unconditionally
    /// alive.
    fn winner(&self, seen: &Seen, is_safe: bool) -> Option<Side> {
        let defender = self.check.problem.defender();
        if seen.grid.points[self.target] != number(defender) {
            return Some(!defender);
        }
        if self.check.problem.goal() == Goal::Ladder {
            let gets_out = seen.side() == defender && seen.grid.liberties(self.target).len() > 1;
            return gets_out.then_some(defender);
        }
        (seen.passes >= 2 || is_safe).then_some(defender)
    }

    /// The position after a move, and whether the target is safe then; `None` where the move is not allowed.
    fn after(&self, seen: &Seen, mv: Move) -> Option<(Seen, bool)> {
        let problem = self.check.problem;
        let (side, is_ladder) = (seen.side(), problem.goal() == Goal::Ladder);
        let second_moves = !seen.second_moves;
        let Some(vertex) = mv.vertex() else {
            let next = Seen { grid: seen.grid.clone(), second_moves, ko: None, passes: (seen.passes + 1).min(2) };
            return (!is_ladder).then_some((next, false));
        };
        let at = seen.grid.index(vertex);
        if seen.ko == Some(at) || !problem.region().contains(&vertex) {
            return None;
        }
        let (grid, ko) = seen.grid.play(side, at)?;
        if is_ladder {
            let stands = grid.points[self.target] == number(problem.defender());
            let liberties = if stands { grid.liberties(self.target).len() } else { 0 };
            let helps = match side == problem.defender() {
                true => liberties > 1,
                false => liberties <= 1 && seen.grid.liberties(self.target).contains(&at),
            };
            if !helps {
                return None;
            }
        }
        // Anyone who proves nothing may retake at once.
        let ko = ko.filter(|_| side != self.check.prover);
        let is_safe = !is_ladder
            && side == problem.defender()
            && grid.points[self.target] == number(side)
            && grid.is_safe(self.target);
        Some((Seen { grid, second_moves, ko, passes: 0 }, is_safe))
    }

    /// Visits everything below the first position. The way to the position at hand lies in a list: it may be as long as there
    /// are positions, longer than a call stack is deep.
    fn visit(&mut self, first: Seen, is_safe: bool) -> Result<(), ProofFault> {
        let claimed = self.claimed();
        let moves = self.enter(&first, is_safe)?;
        let mut path = vec![(first, moves.into_iter())];
        while let Some((here, moves)) = path.last_mut() {
            let Some(mv) = moves.next() else {
                self.open.remove(here);
                self.done.extend(path.pop().map(|(here, _)| here));
                continue;
            };
            let is_given = here.side() == claimed;
            match self.after(here, mv) {
                None if is_given => return Err(ProofFault::Illegal(mv)),
                None => {}
                Some((next, is_safe)) => {
                    let moves = self.enter(&next, is_safe)?;
                    if !moves.is_empty() {
                        path.push((next, moves.into_iter()));
                    }
                }
            }
        }
        Ok(())
    }

    /// The side whose success is claimed.
    fn claimed(&self) -> Side {
        let Check { prover, wins, .. } = self.check;
        if wins { prover } else { !prover }
    }

    /// Comes to a position: the moves to follow from there, none where it needs no look.
    fn enter(&mut self, seen: &Seen, is_safe: bool) -> Result<Vec<Move>, ProofFault> {
        let claimed = self.claimed();
        if self.done.contains(seen) {
            return Ok(Vec::new());
        }
        if let Some(winner) = self.winner(seen, is_safe) {
            if winner != claimed {
                return Err(ProofFault::Lost);
            }
            self.done.insert(seen.clone());
            return Ok(Vec::new());
        }
        if !self.open.insert(seen.clone()) {
            // Going round is enough to keep the prover from winning.
            return if self.check.wins { Err(ProofFault::Circle) } else { Ok(Vec::new()) };
        }
        if seen.side() != claimed {
            let points = self.check.problem.region().iter().map(|&v| Move::at(v));
            return Ok(points.chain([Move::PASS]).collect());
        }
        // A chain in a ladder that nothing helps is taken; an attacker without an atari has failed.
        if !self.has_moves(seen) {
            return Err(ProofFault::Lost);
        }
        Ok(vec![(self.answer)(seen).ok_or(ProofFault::Silent)?])
    }

    fn has_moves(&self, seen: &Seen) -> bool {
        let mut points = self.check.problem.region().iter().map(|&v| Move::at(v)).chain([Move::PASS]);
        points.any(|mv| self.after(seen, mv).is_some())
    }
}
