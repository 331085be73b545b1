//! Is a chain captured, no matter who defends it? A problem as a game that one side must win in finitely many moves, for a search of
//! proofs, and a checker of what such a search claims.
//!
//! Ko and repetition are decided against the prover: the other side may retake a ko at once, as if it had a threat for every
//! turn, and a position that comes back proves nothing. So what either side proves is true whatever threats there are; where
//! neither proves anything the problem hangs on a ko.

mod check;
mod grid;
mod problem;

pub use check::{Check, ProofFault, Seen};
pub use problem::{Goal, Problem, ProblemError};

use crate::{Area, Board, Cell, CellSet, Colour, Move, life};
use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{Key, Mating, Outcome, Position, Random, Side};

/// A position of a problem, as the side that proves something sees it.
#[derive(Clone)]
pub struct Reading<A: Area> {
    board: Board<A>,
    side: Side,
    passes: u8,
    target: Cell,
    /// The side of the target.
    defender: Side,
    /// The points on which both sides may play.
    region: A::Set,
    prover: Side,
    is_ladder: bool,
    /// The side that has reached its goal, if one has.
    decided: Option<Side>,
    /// The problem in a number: the same board is another position of another problem.
    salt: u64,
}

/// Of the keys of sides, passes and kos.
const SEED: u64 = 0x601_7ead;

/// A number for all that positions of a problem do not tell themselves.
fn salt(problem: &Problem, prover: Side) -> u64 {
    let of = |key: u64, word: u64| Random::for_item(key, word).next_u64();
    let begin = of(SEED, (problem.goal() as u64) << 1 | prover.index() as u64);
    let points = std::iter::once(problem.target()).chain(problem.region().iter().copied());
    points.map(|v| u64::from(Move::at(v).bits())).fold(begin, of)
}

impl<A: Area> Reading<A> {
    /// `problem` for `prover`, at its beginning.
    pub fn new(problem: &Problem, prover: Side) -> Reading<A> {
        let stones = problem.stones().iter().copied();
        // A problem is only made of boards that are legal.
        let board = Board::with_stones(problem.size(), stones).unwrap_or_else(|| Board::new(problem.size()));
        let mut reading = Reading {
            board,
            side: problem.first(),
            passes: 0,
            target: A::cell(problem.target()),
            defender: problem.defender(),
            region: A::Set::of(problem.region().iter().map(|&v| A::cell(v))),
            prover,
            is_ladder: problem.goal() == Goal::Ladder,
            decided: None,
            salt: salt(problem, prover),
        };
        reading.decided = reading.decide(true);
        reading
    }

    /// The position of `problem` for `prover` that `seen` describes.
    pub fn at(problem: &Problem, prover: Side, seen: &Seen) -> Option<Reading<A>> {
        let mut reading = Reading::new(problem, prover);
        reading.board = Board::with_stones(problem.size(), seen.stones())?;
        reading.board.ko = seen.ko().map_or(Cell::NONE, A::cell);
        (reading.side, reading.passes) = (seen.side(), seen.passes());
        // As on the way there: only a stone of the defender's makes the chain safe.
        reading.decided = reading.decide(reading.side != reading.defender && reading.passes == 0);
        Some(reading)
    }

    /// Whether somebody has reached the goal.
    pub fn is_decided(&self) -> bool {
        self.decided.is_some()
    }

    /// The side that has reached its goal: the attacker once the target is gone, the defender after two passes or when no move
    /// can take it any more; in a ladder, when it is not in atari on its own turn. `may_be_safe`: the defender
    /// has just moved, or nobody has looked yet.
    fn decide(&self, may_be_safe: bool) -> Option<Side> {
        if self.board.colour(self.target) != Colour::of(self.defender) {
            return Some(!self.defender);
        }
        if self.is_ladder {
            let gets_out = self.side == self.defender && self.board.liberties(self.target) > 1;
            return gets_out.then_some(self.defender);
        }
        if self.passes >= 2 {
            return Some(self.defender);
        }
        (may_be_safe && self.is_safe()).then_some(self.defender)
    }

    /// Whether the target is unconditionally alive (Benson 1976).
    fn is_safe(&self) -> bool {
        if self.board.liberties(self.target) < 2 {
            return false;
        }
        life::unconditional(&self.board, self.defender, false).alive.contains(self.target)
    }

    /// Calls `f` with all moves, passes last.
    fn for_each<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if let Some(winner) = self.decided {
            // The other side shall be to move where the prover has won, so that it has none.
            return if winner == self.prover && self.side == self.prover { f(Move::PASS) } else { Continue(()) };
        }
        if self.is_ladder {
            return self.for_each_of_ladder(f);
        }
        for &cell in self.board.empties() {
            if self.region.contains(cell) && self.board.is_legal(self.side, cell) {
                f(Move::at(A::vertex(cell)))?;
            }
        }
        f(Move::PASS)
    }

    /// Calls `f` for the moves of a ladder: ataris of the attacker; moves that give the chain in atari more liberties.
    fn for_each_of_ladder<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let (board, target) = (&self.board, self.target);
        let mut found: Vec<Cell> = Vec::new();
        if self.side != self.defender {
            if board.liberties(target) <= 2 {
                found.extend(board.liberty_set(target).iter());
            }
        } else {
            found.extend(board.liberty_set(target).iter());
            for n in board.chain_stones(target).flat_map(A::around) {
                if board.colour(n) == Colour::of(!self.defender) && board.liberties(n) == 1 {
                    found.extend(board.liberty_set(n).first());
                }
            }
        }
        found.sort_unstable_by_key(|cell| cell.index());
        found.dedup();
        for cell in found {
            if board.is_legal(self.side, cell) && self.region.contains(cell) {
                f(Move::at(A::vertex(cell)))?;
            }
        }
        Continue(())
    }
}

impl<A: Area> Position for Reading<A> {
    type Move = Move;
    type Undo = Box<Reading<A>>;
    type Change = ();
    type Mark = ();

    fn side_to_move(&self) -> Side {
        self.side
    }

    fn key(&self) -> Key {
        let state = u64::from(self.passes) << 1 | self.side.index() as u64 | (self.board.ko.index() as u64) << 8;
        let decided = self.decided.map_or(0, |side| 1 + side.index() as u64) << 40;
        Key(self.board.key() ^ self.salt ^ Random::for_item(SEED, state | decided).next_u64())
    }

    fn mark(&self, _past: &[()]) {}

    fn for_each_move<B>(&self, f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.for_each(f)
    }

    fn pack(mv: Move) -> u16 {
        mv.bits()
    }

    fn unpack(&self, bits: u16) -> Option<Move> {
        let mut found = None;
        let _ = self.for_each(|mv| {
            if mv.bits() == bits {
                found = Some(mv);
                return ControlFlow::Break(());
            }
            Continue(())
        });
        found
    }

    fn play_seen(&mut self, mv: Move, _seen: impl FnMut(())) -> Box<Reading<A>> {
        let before = Box::new(self.clone());
        self.play(mv);
        before
    }

    fn play(&mut self, mv: Move) {
        match mv.vertex() {
            Some(vertex) => {
                self.board.play(self.side, A::cell(vertex));
                self.passes = 0;
                if self.side == self.prover {
                    // Anyone who does not prove anything may retake at once.
                    self.board.pass();
                }
            }
            None => {
                self.board.pass();
                self.passes = (self.passes + 1).min(2);
            }
        }
        let is_defenders = self.side == self.defender && !mv.is_pass();
        self.side = !self.side;
        self.decided = self.decided.or_else(|| self.decide(is_defenders));
    }

    fn undo(&mut self, _mv: Move, undo: Box<Reading<A>>) {
        *self = *undo;
    }

    fn ended(&self, _past: &[()], _root: usize) -> Option<Outcome> {
        None
    }

    /// Without a move the problem is decided; an attacker without an atari has failed, and a chain in a ladder that nothing
    /// helps is taken.
    fn no_legal_moves(&self) -> Outcome {
        let winner = self.decided.unwrap_or(!self.side);
        Outcome::win(winner, tesuji_game::By::Agreement)
    }
}

impl<A: Area> Mating for Reading<A> {
    type Hand = ();

    fn board_key(&self) -> Key {
        self.key()
    }

    fn hand(&self, _side: Side) {}

    fn for_each_check<B>(&self, f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.for_each(f)
    }

    fn hand_before(&self, _mv: Move, _after: ()) {}

    fn hand_unblockable(&self, _attacker: Side, _hand: ()) {}

    fn hand_uncheckable(&self, _hand: ()) {}
}
