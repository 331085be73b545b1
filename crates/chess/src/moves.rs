//! A move in 16 bits.

use crate::{Piece, Square};
use std::fmt;

/// A move: from in bits 0 to 5, to in bits 6 to 11, kind in bits 12 to 15. Castling is the king taking its own rook.
///
/// A word is only a legal move where [`tesuji_game::Position::unpack`] returned it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

const CASTLING: u16 = 1;
const EN_PASSANT: u16 = 2;
/// Kinds 4 to 7 are promotions to knight, bishop, rook, queen.
const PROMOTION: u16 = 4;

impl Move {
    /// A move without anything special.
    #[inline(always)]
    pub const fn normal(from: Square, to: Square) -> Move {
        Move(from.index() as u16 | (to.index() as u16) << 6)
    }

    /// The king on `king` castles with the rook on `rook`.
    #[inline(always)]
    pub const fn castling(king: Square, rook: Square) -> Move {
        Move(Move::normal(king, rook).0 | CASTLING << 12)
    }

    /// A pawn takes en passant.
    #[inline(always)]
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move(Move::normal(from, to).0 | EN_PASSANT << 12)
    }

    /// A pawn becomes `piece`: knight, bishop, rook or queen.
    #[inline(always)]
    pub const fn promote(from: Square, to: Square, piece: Piece) -> Move {
        debug_assert!(matches!(piece, Piece::Knight | Piece::Bishop | Piece::Rook | Piece::Queen));
        Move(Move::normal(from, to).0 | (PROMOTION + piece as u16 - 1) << 12)
    }

    /// A word as a move, not checked in any way.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// The word.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The origin square.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_index(self.0 as u8)
    }

    /// The target square; for castling, the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 >> 6) as u8)
    }

    /// Whether the king castles.
    #[inline(always)]
    pub const fn is_castling(self) -> bool {
        self.0 >> 12 == CASTLING
    }

    /// Whether a pawn takes en passant.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0 >> 12 == EN_PASSANT
    }

    /// The piece that a pawn promotes to; `None` for other moves.
    #[inline(always)]
    pub const fn promotion(self) -> Option<Piece> {
        match self.0 >> 12 {
            4 => Some(Piece::Knight),
            5 => Some(Piece::Bishop),
            6 => Some(Piece::Rook),
            7 => Some(Piece::Queen),
            _ => None,
        }
    }

    /// Whether nothing is special: no castling, no en passant, no promotion.
    #[inline(always)]
    pub const fn is_normal(self) -> bool {
        self.0 >> 12 == 0
    }

    /// The king's target, for a castling move.
    #[inline(always)]
    pub const fn castling_king_to(self) -> Square {
        Square::new(if self.to().file() > self.from().file() { 6 } else { 2 }, self.from().rank())
    }

    /// The rook's target, for a castling move.
    #[inline(always)]
    pub const fn castling_rook_to(self) -> Square {
        Square::new(if self.to().file() > self.from().file() { 5 } else { 3 }, self.from().rank())
    }
}

/// King takes rook for castling, as Chess960 writes it.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(piece) => write!(f, "{}", piece.letter()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const _: () = {
    let mv = Move::promote(Square::new(0, 6), Square::new(1, 7), Piece::Rook);
    assert!(matches!(mv.promotion(), Some(Piece::Rook)) && mv.from().index() == 48 && mv.to().index() == 57);
    assert!(Move::castling(Square::new(4, 0), Square::new(7, 0)).castling_king_to().index() == 6);
    assert!(std::mem::size_of::<Move>() == 2);
};
