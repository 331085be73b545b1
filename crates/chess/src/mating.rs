//! The board interface for mate solvers: checking moves and interpositions. There are no hands.

use crate::{Board, Move};
use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{Key, Mating, Position, Side, Tactical};

impl Mating for Board {
    type Hand = ();

    #[inline(always)]
    fn board_key(&self) -> Key {
        self.key()
    }

    fn hand(&self, _side: Side) {}

    fn for_each_check<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.for_each_move(|mv| if self.gives_check(mv) { f(mv) } else { Continue(()) })
    }

    fn hand_before(&self, _mv: Move, _after: ()) {}

    fn hand_unblockable(&self, _attacker: Side, _hand: ()) {}

    fn hand_uncheckable(&self, _hand: ()) {}

    /// A pawn's promotions to different pieces are siblings.
    fn siblings(&self, mv: Move) -> Option<u32> {
        mv.promotion().map(|_| Move::normal(mv.from(), mv.to()).bits().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, UciNotation};
    use tesuji_game::Notation;

    /// The moves that a walk gives, in UCI's words.
    fn written(pos: &Board, keep: impl Fn(Move) -> bool) -> Vec<String> {
        let mut moves = Vec::new();
        let _: ControlFlow<()> = pos.for_each_move(|mv| {
            if keep(mv) {
                moves.push(format!("{}{}", mv.from(), mv.to()));
            }
            Continue(())
        });
        moves.sort();
        moves
    }

    #[track_caller]
    fn check(fen: &str, checks: &[&str]) {
        let pos = UciNotation::parse_position(&Rules::default(), fen).expect("a position");
        let mut given = Vec::new();
        let _: ControlFlow<()> = pos.for_each_check(|mv| {
            given.push(mv);
            Continue(())
        });
        assert_eq!(written(&pos, |mv| given.contains(&mv)), checks);
    }

    #[test]
    fn checks_are_those_of_the_rules() {
        check("4k3/8/8/8/8/8/4P3/R3K2R w KQ - 0 1", &["a1a8", "h1h8"]);
        check("5k2/8/8/8/8/8/8/4K2R w K - 0 1", &["e1h1", "h1f1", "h1h8"]);
        check("4k2R/4n3/8/8/8/8/1K6/8 b - - 0 1", &[]);
    }
}
