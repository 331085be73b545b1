//! Facts about a position that follow from the rules, for work on data.

use crate::{Bitboard, Board, Move, Piece};
use tesuji_game::{Position, Side};
use tesuji_record::Facts;

/// The usual piece values in pawns.
const PAWNS: [i16; 6] = [1, 3, 3, 5, 9, 0];

/// The facts that the rules determine about `board`, and about the move played there.
pub(crate) fn facts(board: &Board, mv: Option<Move>) -> Facts {
    let of =
        |side: Side| Piece::ALL.into_iter().map(|p| board.of(side, p).count() as i16 * PAWNS[p.index()]).sum::<i16>();
    let (first, second) = (of(Side::First), of(Side::Second));
    Facts {
        key: board.key().0,
        pieces: board.occupied().count() as u16,
        balance: first - second,
        material: (first + second) as u16,
        check: board.checkers() != Bitboard::EMPTY,
        noisy: mv.is_some_and(|mv| is_noisy(board, mv)),
        after_noisy: None,
        after_check: None,
    }
}

/// Whether `mv` takes or promotes.
fn is_noisy(board: &Board, mv: Move) -> bool {
    board.is_capture(mv) || mv.promotion().is_some()
}
