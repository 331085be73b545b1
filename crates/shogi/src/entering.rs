//! Entering kings: declarations by points, and the try rule.

use crate::{Bitboard, Board, Declaration, Piece, Square};
use tesuji_game::{By, Outcome, Side};

/// The number of pieces besides the king that must stand in the opponent's camp.
const MEN_MIN: u32 = 10;

impl Board {
    /// Points of `side` for a declaration: its pieces in the opponent's camp and in hand, 5 for bishops and rooks, 1 for
    /// others, nothing for the king.
    pub fn entering_points(&self, side: Side) -> u32 {
        let camp = self.entered(side);
        let big = (camp & (self.diagonal_sliders() | self.straight_sliders())).count();
        let hand = self.hand(side);
        let big_in_hand = u32::from(hand.count(Piece::Bishop) + hand.count(Piece::Rook));
        camp.count() + hand.total() + 4 * (big + big_in_hand)
    }

    /// The pieces of `side` in the opponent's camp, without the king.
    pub fn entered(&self, side: Side) -> Bitboard {
        (self.side(side) & Bitboard::zone(side)).without(self.class(Piece::King))
    }

    /// Whether `side` could declare but for the points: its king and ten more of its pieces are in the opponent's camp.
    pub fn has_entered(&self, side: Side) -> bool {
        self.king(side).is_some_and(|king| king.in_zone(side)) && self.entered(side).count() >= MEN_MIN
    }

    /// The outcome for the side to move if it declares now; `None` where it may not.
    pub(crate) fn declared(&self) -> Option<Outcome> {
        let me = self.side;
        let by_points = matches!(self.declaration, Declaration::Points27 | Declaration::Points24);
        if !by_points || self.checkers.any() || !self.has_entered(me) {
            return None;
        }
        let points = self.entering_points(me);
        let (win, draw) = match (self.declaration, me) {
            (Declaration::Points24, _) => (31, 24),
            (_, Side::First) => (28, 28),
            (_, Side::Second) => (27, 27),
        };
        if points >= win {
            Some(Outcome::win(me, By::Declaration))
        } else {
            (points >= draw).then_some(Outcome::draw(By::Declaration))
        }
    }

    /// The end of the game when the last move brought a king to the start square of the other one, under that rule.
    #[inline(always)]
    pub(crate) fn tried(&self) -> Option<Outcome> {
        if self.declaration != Declaration::Try {
            return None;
        }
        let mover = !self.side;
        let arrived = self.king(mover).is_some_and(|king| king.relative(mover) == Square::new(4, 0));
        arrived.then_some(Outcome::win(mover, By::Declaration))
    }
}
