//! Numbers that make the keys of positions, fixed by a seed for ever: books and learned positions store keys.

use crate::{Piece, Square};
use tesuji_game::{Random, Side};

/// The key numbers.
struct ZobristTable {
    pieces: [[[u64; 64]; 6]; 2],
    // By file: in Chess960 a rook may castle from any.
    castling: [[u64; 8]; 2],
    en_passant: [u64; 8],
    side: u64,
}

const fn build() -> ZobristTable {
    let mut random = Random::new(0x7E5C_4E55);
    let mut t = ZobristTable { pieces: [[[0; 64]; 6]; 2], castling: [[0; 8]; 2], en_passant: [0; 8], side: 0 };
    let mut side = 0;
    while side < 2 {
        let mut piece = 0;
        while piece < 6 {
            let mut square = 0;
            while square < 64 {
                t.pieces[side][piece][square] = random.next_u64();
                square += 1;
            }
            piece += 1;
        }
        let mut file = 0;
        while file < 8 {
            t.castling[side][file] = random.next_u64();
            file += 1;
        }
        side += 1;
    }
    let mut file = 0;
    while file < 8 {
        t.en_passant[file] = random.next_u64();
        file += 1;
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

/// A right to castle with the rook on `file`.
#[inline(always)]
pub(crate) fn castling(side: Side, file: u8) -> u64 {
    TABLE.castling[side.index()][(file & 7) as usize]
}

/// A pawn on `file` that can be taken en passant.
#[inline(always)]
pub(crate) fn en_passant(file: u8) -> u64 {
    TABLE.en_passant[(file & 7) as usize]
}

/// Black to move.
#[inline(always)]
pub(crate) fn side() -> u64 {
    TABLE.side
}
