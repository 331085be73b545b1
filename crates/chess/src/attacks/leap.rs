//! Attacks of pieces that jump: tables computed at compile time from offsets.

use crate::{Bitboard, Square};
use tesuji_game::Side;

const fn table<const N: usize>(offsets: [(i8, i8); N]) -> [Bitboard; 64] {
    let mut out = [Bitboard::EMPTY; 64];
    let mut from = 0;
    while from < 64 {
        let mut k = 0;
        while k < N {
            if let Some(to) = Square::from_index(from as u8).offset(offsets[k].0, offsets[k].1) {
                out[from].0 |= 1 << to.index();
            }
            k += 1;
        }
        from += 1;
    }
    out
}

static KNIGHT: [Bitboard; 64] = table([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: [Bitboard; 64] = table([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]);
static PAWN: [[Bitboard; 64]; 2] = [table([(-1, 1), (1, 1)]), table([(-1, -1), (1, -1)])];

/// The squares that a knight on `square` attacks.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares that a king on `square` attacks.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares that a pawn of `side` on `square` attacks.
#[inline(always)]
pub fn pawn(side: Side, square: Square) -> Bitboard {
    PAWN[side.index()][square.index()]
}

const _: () = {
    let (mut i, mut knights, mut kings) = (0, 0, 0);
    while i < 64 {
        knights += table([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)])[i].count();
        kings += table([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)])[i].count();
        i += 63;
    }
    assert!(knights == 4 && kings == 6, "a corner has two knight and three king steps");
};
