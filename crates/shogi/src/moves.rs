//! A move in 16 bits, the same word that Apery's formats store.

use crate::{Piece, Square};
use std::fmt;

/// A move: to in bits 0 to 6, from in bits 7 to 13 (81 and the kind of piece for a drop), promotion in bit 14.
///
/// A word is only a legal move where [`tesuji_game::Position::unpack`] returned it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

const PROMOTION: u16 = 1 << 14;
/// `from` of a dropped pawn; the other kinds follow in the order of [`Piece::HAND`].
const DROP: u16 = 81;

impl Move {
    /// A piece goes from one square to another and stays what it is.
    #[inline(always)]
    pub const fn normal(from: Square, to: Square) -> Move {
        Move(to.index() as u16 | (from.index() as u16) << 7)
    }

    /// A piece goes from one square to another and promotes.
    #[inline(always)]
    pub const fn promote(from: Square, to: Square) -> Move {
        Move(Move::normal(from, to).0 | PROMOTION)
    }

    /// A piece from the hand is put on a square. Kinds that no hand holds give a word that is never legal.
    #[inline(always)]
    pub const fn drop(piece: Piece, to: Square) -> Move {
        debug_assert!(piece.is_droppable());
        Move(to.index() as u16 | (DROP + piece as u16) << 7)
    }

    /// A word as a move; `None` where its squares or kind do not exist. Nothing else is checked.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        let (to, from) = (bits & 127, bits >> 7 & 127);
        let drop_fits = from < DROP || (from < DROP + 7 && bits & PROMOTION == 0);
        if to < 81 && drop_fits && bits >> 15 == 0 && bits != 0 { Some(Move(bits)) } else { None }
    }

    /// The word. Never 0 for a legal move.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The target square.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::at((self.0 & 127) as u32)
    }

    /// The origin square; `None` for a drop.
    #[inline(always)]
    pub const fn from(self) -> Option<Square> {
        Square::from_index((self.0 >> 7 & 127) as u8)
    }

    /// The piece that is dropped; `None` for a move on the board.
    #[inline(always)]
    pub const fn dropped(self) -> Option<Piece> {
        let from = self.0 >> 7 & 127;
        if from >= DROP { Piece::from_index((from - DROP) as usize) } else { None }
    }

    /// Whether a piece from the hand is put on the board.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.0 >> 7 & 127 >= DROP
    }

    /// Whether the piece promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTION != 0
    }

    /// 0 to 80 for the square a piece comes from, 81 to 87 for a drop, by kind.
    #[inline(always)]
    pub const fn origin(self) -> usize {
        (self.0 >> 7 & 127) as usize
    }
}

/// As USI writes it: `7g7f`, `8h2b+`, `P*5e`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = self.to();
        match (self.from(), self.dropped()) {
            (Some(from), _) => write!(f, "{from}{to}{}", if self.is_promotion() { "+" } else { "" }),
            (None, Some(piece)) => write!(f, "{}*{to}", piece.letter().to_ascii_uppercase()),
            (None, None) => write!(f, "?*{to}"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mv: Move, bits: u16, text: &str) {
        assert_eq!((mv.bits(), mv.to_string().as_str()), (bits, text));
        assert_eq!(Move::from_bits(bits), Some(mv));
    }

    /// Words published for cshogi and Apery.
    #[test]
    fn words_are_those_of_apery() {
        let sq = |text| Square::parse(text).expect("a square");
        check(Move::normal(sq("7g"), sq("7f")), 0x1e3b, "7g7f");
        check(Move::promote(sq("8h"), sq("2b")), 0x630a, "8h2b+");
        check(Move::drop(Piece::Pawn, sq("5e")), 0x28a8, "P*5e");
        check(Move::drop(Piece::Rook, sq("5e")), 0x2b28, "R*5e");
        check(Move::drop(Piece::Gold, sq("8b")), 0x2bc0, "G*8b");
        check(Move::normal(sq("2g"), sq("2f")), 0x078e, "2g2f");
    }

    #[test]
    fn words_that_name_nothing_are_refused() {
        let good = (0..=u16::MAX).filter(|&bits| Move::from_bits(bits).is_some()).count();
        assert_eq!(good, 81 * 81 * 2 + 7 * 81 - 1);
    }
}
