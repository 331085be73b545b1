//! Numbers that make the keys of positions, fixed by a seed for ever: books and learned positions store keys.

use crate::{Hand, Piece, Square};
use tesuji_game::{Random, Side};

/// The key numbers.
struct ZobristTable {
    pieces: [[[u64; 81]; 14]; 2],
    /// Odd multipliers, one for each side and kind: a hand's part of the key is the sum of count times multiplier.
    hands: [[u64; 7]; 2],
    side: u64,
}

const fn build() -> ZobristTable {
    let mut random = Random::new(0x5109_1733);
    let mut t = ZobristTable { pieces: [[[0; 81]; 14]; 2], hands: [[0; 7]; 2], side: 0 };
    let mut side = 0;
    while side < 2 {
        let mut piece = 0;
        while piece < 14 {
            let mut square = 0;
            while square < 81 {
                t.pieces[side][piece][square] = random.next_u64();
                square += 1;
            }
            piece += 1;
        }
        let mut piece = 0;
        while piece < 7 {
            t.hands[side][piece] = random.next_u64() | 1;
            piece += 1;
        }
        side += 1;
    }
    t.side = random.next_u64();
    t
}

static TABLE: ZobristTable = build();

/// A piece on a square.
#[inline(always)]
pub(crate) fn piece(side: Side, piece: Piece, square: Square) -> u64 {
    TABLE.pieces[side.index()][piece.index()][square.index()]
}

/// The Zobrist key that one more `piece` in the hand of `side` adds to the sum of the hands. Kinds that no hand holds add nothing.
#[inline(always)]
pub(crate) fn in_hand(side: Side, piece: Piece) -> u64 {
    if piece.is_droppable() { TABLE.hands[side.index()][piece.index()] } else { 0 }
}

/// The sum of a whole hand.
pub(crate) fn hand(side: Side, hand: Hand) -> u64 {
    hand.iter().fold(0, |sum, (piece, n)| sum.wrapping_add(in_hand(side, piece).wrapping_mul(n.into())))
}

/// The second side to move.
#[inline(always)]
pub(crate) fn side() -> u64 {
    TABLE.side
}
