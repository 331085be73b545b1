//! Squares that pieces attack: tables computed at compile time, sliders by PEXT where the processor has it.

mod leap;
mod lines;
#[cfg(target_feature = "bmi2")]
mod pext;
pub mod rays;

pub use leap::{king, knight, pawn};
pub use lines::{between, line};

use crate::{Bitboard, Piece, Square};
use tesuji_game::Side;

/// The squares that a bishop on `square` attacks when the squares in `occupied` hold pieces.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    #[cfg(target_feature = "bmi2")]
    return pext::bishop(square, occupied);
    #[cfg(not(target_feature = "bmi2"))]
    return rays::bishop(square, occupied);
}

/// The squares that a rook on `square` attacks when the squares in `occupied` hold pieces.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    #[cfg(target_feature = "bmi2")]
    return pext::rook(square, occupied);
    #[cfg(not(target_feature = "bmi2"))]
    return rays::rook(square, occupied);
}

/// The squares that a queen on `square` attacks when the squares in `occupied` hold pieces.
#[inline(always)]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares that a bishop on `square` attacks on an empty board.
#[inline(always)]
pub fn bishop_rays(square: Square) -> Bitboard {
    lines::BISHOP_RAYS[square.index()]
}

/// The squares that a rook on `square` attacks on an empty board.
#[inline(always)]
pub fn rook_rays(square: Square) -> Bitboard {
    lines::ROOK_RAYS[square.index()]
}

/// The squares that `piece` of `side` on `square` attacks when the squares in `occupied` hold pieces.
#[inline]
pub fn of(piece: Piece, side: Side, square: Square, occupied: Bitboard) -> Bitboard {
    match piece {
        Piece::Pawn => pawn(side, square),
        Piece::Knight => knight(square),
        Piece::Bishop => bishop(square, occupied),
        Piece::Rook => rook(square, occupied),
        Piece::Queen => queen(square, occupied),
        Piece::King => king(square),
    }
}

/// Everything that `pawns` of `side` attack.
#[inline(always)]
pub const fn by_pawns(pawns: Bitboard, side: Side) -> Bitboard {
    let ahead = pawns.forward(side);
    Bitboard(ahead.left().0 | ahead.right().0)
}
