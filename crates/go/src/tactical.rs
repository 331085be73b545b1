//! The board interface for depth-first search: captures apart from other moves, indices of moves, a second
//! key. Nothing is check in go, and a pass is a move like others, never a way to leave a turn out.

use crate::{Area, Board, Cell, GoPosition, Move, Scoring, Undo};
use std::ops::ControlFlow;
use tesuji_game::{Key, Position, Side, Tactical};

/// Points of the largest board, and the pass.
const PLACES: usize = 32 * 32 + 1;
/// Stones taken by one move that are told apart; more count as these.
const TAKEN_MAX: usize = 15;
/// The value of a captured stone in centipawns for move ordering: its point and the stone itself.
const STONE_CP: i32 = 200;

impl<A: Area> Board<A> {
    /// Stones that a legal move of `side` at the empty point `cell` takes off the other side.
    pub fn would_take(&self, side: Side, cell: Cell) -> usize {
        let mut heads = [Cell::NONE; 4];
        let mut taken = 0;
        for (i, n) in A::around(cell).into_iter().enumerate() {
            if self.colour(n).side() != Some(!side) || self.liberties(n) != 1 {
                continue;
            }
            let head = self.chain(n);
            if !heads[..i].contains(&head) {
                heads[i] = head;
                taken += self.stones_in_chain(n);
            }
        }
        taken
    }
}

/// The number of a move: 0 for a pass.
fn place(mv: Move) -> usize {
    if mv.is_pass() { 0 } else { usize::from(mv.bits()) }
}

impl<A: Area> GoPosition<A> {
    fn taken_by(&self, mv: Move) -> usize {
        mv.vertex().map_or(0, |vertex| self.board().would_take(self.side_to_move(), A::cell(vertex)))
    }
}

impl<A: Area> Tactical for GoPosition<A> {
    const PIECE_TO_MAX: usize = 2 * PLACES;
    const FROM_TO_MAX: usize = 2 * PLACES;
    const VICTIM_MAX: usize = TAKEN_MAX + 1;

    fn for_each_noisy<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.for_each_move(|mv| if self.is_noisy(mv) { f(mv) } else { ControlFlow::Continue(()) })
    }

    fn for_each_quiet<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.for_each_move(|mv| if self.is_noisy(mv) { ControlFlow::Continue(()) } else { f(mv) })
    }

    fn in_check(&self) -> bool {
        false
    }

    fn is_noisy(&self, mv: Move) -> bool {
        self.taken_by(mv) > 0
    }

    fn gives_check(&self, _mv: Move) -> bool {
        false
    }

    /// A stone that was put down costs nothing, so that no capture loses material on the spot.
    fn see_ge(&self, mv: Move, threshold_cp: i32) -> bool {
        self.gain_cp(mv) >= threshold_cp
    }

    type Threats = ();

    fn threats(&self) {}

    fn threat_change_cp(&self, (): &(), _: Move) -> i32 {
        0
    }

    /// Stones do not move.
    fn escapes(&self, _mv: Move) -> bool {
        false
    }

    fn piece_to(&self, mv: Move) -> usize {
        self.side_to_move().index() * PLACES + place(mv)
    }

    fn from_to(&self, mv: Move) -> usize {
        self.piece_to(mv)
    }

    fn victim(&self, mv: Move) -> usize {
        self.taken_by(mv).min(TAKEN_MAX)
    }

    fn gain_cp(&self, mv: Move) -> i32 {
        STONE_CP * self.taken_by(mv) as i32
    }

    fn has_pieces(&self) -> bool {
        true
    }

    /// A key of the state that the position's key leaves out: the rules in force, and the difference of prisoners.
    fn structure_key(&self) -> Key {
        let rules = self.rules();
        let flags = [rules.scoring == Scoring::Territory, rules.suicide, rules.button].map(u64::from);
        let [black, white] = Side::ALL.map(|side| self.board().captured(side) as u64);
        let words = [
            rules.komi_halves as u64,
            flags[0] | flags[1] << 1 | flags[2] << 2 | (rules.ko as u64) << 8 | (rules.tax as u64) << 16,
            rules.bonus as u64 | (self.handicap() as u64) << 8,
            black.wrapping_sub(white),
        ];
        words.into_iter().fold(Key::default(), Key::with)
    }

    /// All stones are alike.
    fn piece_keys(&self) -> [Key; 2] {
        [Key(0); 2]
    }

    fn play_null(&mut self) -> Option<Undo> {
        None
    }

    fn undo_null(&mut self, undo: Undo) {
        self.undo(Move::PASS, undo);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GtpNotation, Rules, Small, Vertex};
    use tesuji_game::Notation;

    /// The stones that a move would take are counted correctly, compared with the board itself.
    #[test]
    fn captures_are_counted() {
        let rules: Rules = "5".parse().unwrap();
        // White's two chains at A1-B1 and C2 have one liberty, C1.
        let pos = GtpNotation::parse_position(&rules, "5/5/2X2/XXOX1/OO1X1 b");
        let pos: GoPosition<Small> = pos.unwrap();
        let at = |text: &str| Move::at(Vertex::parse(text, pos.size()).unwrap());
        let mut after = pos.clone();
        after.play(at("C1"));
        assert_eq!(after.board().captured(Side::Second), 3);
        assert_eq!((pos.victim(at("C1")), pos.gain_cp(at("C1"))), (3, 600));
        assert_eq!(pos.victim(at("E5")), 0);
        assert_eq!(pos.victim(Move::PASS), 0);
        // The rules are a part of the second key.
        let other: Rules = "5 komi 0.5".parse().unwrap();
        let (a, b) = (GoPosition::<Small>::start(&rules).unwrap(), GoPosition::<Small>::start(&other).unwrap());
        assert_eq!(a.key(), b.key());
        assert_ne!(a.structure_key(), b.structure_key());
    }
}
