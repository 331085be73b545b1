//! Moves in 16 bits as Apery and YaneuraOu write them. Apery's word is that of [`Move`] itself.

use super::{Coding, PackedError};
use crate::{Board, Move, Piece, Square};
use tesuji_game::Position;

/// YaneuraOu's bit of a drop.
const DROP: u16 = 1 << 14;
/// YaneuraOu's bit of a promotion.
const PROMOTION: u16 = 1 << 15;

/// The word of a move.
///
/// ```
/// use tesuji_shogi::{packed::{Coding, move_word}, parse_usi};
/// let mv = parse_usi("8h2b+")?;
/// assert_eq!((move_word(mv, Coding::Apery), move_word(mv, Coding::Yaneuraou)), (0x630A, 0xA30A));
/// # Ok::<(), tesuji_game::NotationError>(())
/// ```
#[inline]
pub fn move_word(mv: Move, coding: Coding) -> u16 {
    match (coding, mv.dropped()) {
        (Coding::Apery, _) => mv.bits(),
        (Coding::Yaneuraou, Some(piece)) => mv.to().index() as u16 | (piece as u16 + 1) << 7 | DROP,
        (Coding::Yaneuraou, None) => (mv.bits() & 0x3FFF) | if mv.is_promotion() { PROMOTION } else { 0 },
    }
}

/// The move of a word; `None` where its squares or kind do not exist, and for the words of no move at all (none, null,
/// resignation, win). Whether it is legal is not asked.
#[inline]
pub fn move_of(word: u16, coding: Coding) -> Option<Move> {
    if coding == Coding::Apery {
        return Move::from_bits(word).filter(|mv| mv.from() != Some(mv.to()));
    }
    let (to, from) = (Square::from_index((word & 127) as u8)?, word >> 7 & 127);
    match (word & DROP != 0, word & PROMOTION != 0) {
        (true, true) => None,
        (true, false) => {
            Some(Move::drop(Piece::from_index(from.checked_sub(1)? as usize).filter(|p| p.is_droppable())?, to))
        }
        (false, promotes) => {
            let from = Square::from_index(from as u8).filter(|&from| from != to)?;
            Some(if promotes { Move::promote(from, to) } else { Move::normal(from, to) })
        }
    }
}

/// The word in the other coding; 0, which is no move, stays 0, and so does what is no move in either.
#[inline]
pub(super) fn turn_word(word: u16, from: Coding, to: Coding) -> Option<u16> {
    if word == 0 { Some(0) } else { Some(move_word(move_of(word, from)?, to)) }
}

/// The legal move of a word at byte `byte` of a record; 0 is none.
pub(super) fn legal_move(board: &Board, word: u16, coding: Coding, byte: u32) -> Result<Option<Move>, PackedError> {
    if word == 0 {
        return Ok(None);
    }
    let mv = move_of(word, coding).and_then(|mv| board.unpack(mv.bits()));
    mv.map(Some).ok_or(PackedError::Move { byte, word })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words published for cshogi, Apery and YaneuraOu.
    #[test]
    fn words_are_those_of_others() {
        let published = [
            ("7g7f", 0x1E3B, 0x1E3B),
            ("8h2b+", 0x630A, 0xA30A),
            ("P*5e", 0x28A8, 0x40A8),
            ("R*5e", 0x2B28, 0x4328),
            ("G*8b", 0x2BC0, 0x43C0),
            ("2g2f", 0x078E, 0x078E),
            ("3c3d", 0x0A15, 0x0A15),
        ];
        for (text, apery, yaneuraou) in published {
            let mv = crate::parse_usi(text).expect("a move");
            assert_eq!((move_word(mv, Coding::Apery), move_word(mv, Coding::Yaneuraou)), (apery, yaneuraou), "{text}");
        }
    }

    #[test]
    fn every_move_comes_back_and_nothing_else_is_one() {
        for coding in [Coding::Apery, Coding::Yaneuraou] {
            let words = (0..=u16::MAX).filter(|&word| move_of(word, coding).is_some());
            let n =
                words.inspect(|&word| assert_eq!(move_of(word, coding).map(|mv| move_word(mv, coding)), Some(word)));
            assert_eq!(n.count(), 81 * 80 * 2 + 7 * 81, "{coding:?}");
        }
        // None, null, resignation and win.
        for special in [0, 0x81, 0x102, 0x183] {
            assert_eq!(move_of(special, Coding::Yaneuraou), None);
        }
    }
}
