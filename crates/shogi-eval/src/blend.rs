//! The phase of a position between middlegame and endgame: shogi grows sharper as pieces come into hand and into the camps.

use tesuji_game::Side;
use tesuji_shogi::{Bitboard, Board, Piece};
use tesuji_tally::{Blend, PHASE_MAX, phase_of};

/// Points at which nothing is left of the middlegame. Castles take about ten more to fall.
const ENDGAME: i32 = 32;

/// The phase of a position: a point for every pawn in hand, two for every other piece in hand and for every piece in the
/// enemy camp; a game starts with none.
#[inline]
pub(crate) fn of(board: &Board) -> Blend {
    let points = |side: Side| {
        let hand = board.hand(side);
        let in_hand = 2 * hand.total() as i32 - i32::from(hand.count(Piece::Pawn));
        in_hand + 2 * (board.side(side) & Bitboard::zone(side)).count() as i32
    };
    let points: i32 = Side::ALL.into_iter().map(points).sum();
    Blend::of_phase(PHASE_MAX - phase_of(points, ENDGAME))
}
