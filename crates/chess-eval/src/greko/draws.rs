//! What GreKo tells from material alone: the phase, and endings that are drawn or that one side cannot win.

use crate::geometry::{Black, Us, White, any, distance, file, n};
use tesuji_chess::{Board, LIGHT, Piece, Square};
use tesuji_game::Side;

/// GreKo's verdict on the material of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Its value is 0.
    Drawn,
    /// Its value counts half.
    NearlyDrawn,
    /// This side cannot win: its value is 0 at best.
    CannotWin(Side),
    /// Any other.
    Open,
}

/// The material of a side by which middlegame and endgame are told apart: minor pieces 3, rooks 5, queens 10.
pub(super) fn index(board: &Board, side: Side) -> i32 {
    let of = |piece| n(board.of(side, piece));
    3 * (of(Piece::Knight) + of(Piece::Bishop)) + 5 * of(Piece::Rook) + 10 * of(Piece::Queen)
}

/// The verdict on `board`.
pub(super) fn ending(board: &Board) -> Ending {
    let indices = [index(board, White::SIDE), index(board, Black::SIDE)];
    let of = |side: usize, piece: Piece| board.of(Side::ALL[side], piece);
    let pawns = [of(0, Piece::Pawn), of(1, Piece::Pawn)];
    if wrong_corner::<White>(board, indices) || wrong_corner::<Black>(board, indices) {
        return Ending::Drawn;
    }
    if indices == [3, 3] {
        let bishops = [of(0, Piece::Bishop), of(1, Piece::Bishop)];
        if bishops.iter().all(|set| n(*set) == 1) && any(bishops[0] & LIGHT) != any(bishops[1] & LIGHT) {
            return Ending::NearlyDrawn;
        }
    }
    if !any(pawns[0] | pawns[1]) && indices[0] + indices[1] <= 3 {
        return Ending::Drawn;
    }
    let weak = [0, 1].map(|side: usize| !any(pawns[side]) && indices[side] < 5);
    match weak {
        [true, true] => Ending::Drawn,
        [true, false] => Ending::CannotWin(White::SIDE),
        [false, true] => Ending::CannotWin(Black::SIDE),
        [false, false] => Ending::Open,
    }
}

/// Whether `U` has a rook's pawn and a minor piece against the king in its corner, which the piece does not control.
fn wrong_corner<U: Us>(board: &Board, indices: [i32; 2]) -> bool {
    let (pawns, king) = (board.of(U::SIDE, Piece::Pawn), board.king(!U::SIDE));
    let alone = indices[1 - U::INDEX] == 0 && !any(board.of(!U::SIDE, Piece::Pawn));
    if indices[U::INDEX] != 3 || n(pawns) != 1 || !alone {
        return false;
    }
    let Some(pawn) = pawns.first().filter(|&pawn| matches!(file(pawn), 0 | 7)) else { return false };
    let corner = Square::ALL[file(pawn) + 56 * (1 - U::INDEX)];
    // GreKo asks for a bishop even where the piece is a knight, and then finds it on a8.
    let bishop = board.of(U::SIDE, Piece::Bishop).first().unwrap_or(Square::ALL[56]);
    let is_light = |square| LIGHT.contains(square);
    is_light(corner) != is_light(bishop) && distance(king, corner) <= 1
}
