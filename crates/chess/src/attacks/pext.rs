//! Sliding attacks by one table look-up: PEXT gathers the squares that matter into an index (BMI2, since Haswell and Zen 3).
//!
//! The table holds 107,648 sets (840 KiB), computed at compile time: counting through the subsets of a mask in rising
//! order is counting through the indices.
#![allow(unsafe_code)]
#![allow(long_running_const_eval)]

use super::rays;
use crate::{Bitboard, Square};
use std::arch::x86_64::_pext_u64;

/// Entries for all squares: 102,400 for rooks, 5,248 for bishops.
const ENTRIES: usize = 102_400 + 5_248;

/// A square's part of the table: its first entry and the mask of squares that matter.
#[derive(Clone, Copy)]
struct Part {
    mask: u64,
    first: u32,
}

/// The squares whose occupation matters: rays without their last squares.
const fn mask(square: Square, bishop: bool) -> u64 {
    let i = square.index() as u8;
    if bishop {
        return rays::bishop(square, Bitboard::EMPTY).0 & !Bitboard::RIM.0;
    }
    let (file, rank) = (Bitboard::file(i & 7).0, Bitboard::rank(i >> 3).0);
    // The last square of a ray is reached whether it is taken or not; a rook on the rim still needs the squares along it.
    let ends =
        (Bitboard::rank(0).0 | Bitboard::rank(7).0) & !rank | (Bitboard::file(0).0 | Bitboard::file(7).0) & !file;
    rays::rook(square, Bitboard::EMPTY).0 & !ends
}

const fn parts() -> ([[Part; 64]; 2], usize) {
    let mut out = [[Part { mask: 0, first: 0 }; 64]; 2];
    let (mut kind, mut first) = (0, 0);
    while kind < 2 {
        let mut i = 0;
        while i < 64 {
            let mask = mask(Square::from_index(i as u8), kind == 0);
            // Each square has a part of its own, one set for each subset of its mask.
            out[kind][i] = Part { mask, first: first as u32 };
            first += 1 << mask.count_ones();
            i += 1;
        }
        kind += 1;
    }
    (out, first)
}

static PARTS: [[Part; 64]; 2] = parts().0;
const _: () = assert!(parts().1 == ENTRIES, "the table is as large as its parts");

const fn build() -> [u64; ENTRIES] {
    let mut out = [0; ENTRIES];
    let parts = parts().0;
    let (mut kind, mut at) = (0, 0);
    while kind < 2 {
        let mut i = 0;
        while i < 64 {
            let square = Square::from_index(i as u8);
            let mask = parts[kind][i].mask;
            let mut subset = 0u64;
            loop {
                let set = Bitboard(subset);
                out[at] = if kind == 0 { rays::bishop(square, set).0 } else { rays::rook(square, set).0 };
                at += 1;
                // The carry-rippler: goes through all subsets of the mask and ends where it began, at none.
                subset = subset.wrapping_sub(mask) & mask;
                if subset == 0 {
                    break;
                }
            }
            i += 1;
        }
        kind += 1;
    }
    out
}

static TABLE: [u64; ENTRIES] = build();

#[inline(always)]
fn look_up(part: &Part, occupied: Bitboard) -> Bitboard {
    // SAFETY: this module is compiled only where the target has BMI2.
    let index = unsafe { _pext_u64(occupied.0, part.mask) };
    let at = part.first as usize + index as usize;
    debug_assert!(at < ENTRIES);
    // SAFETY: `index` is below two to the number of bits of `mask`, and `first` leaves that much room for each square;
    // the assertion on `ENTRIES` proves that the parts fill the table. The bounds check costs 1 % of perft and
    // 1.5 % of a search (medians of seven pairs).
    Bitboard(unsafe { *TABLE.get_unchecked(at) })
}

/// The squares that a bishop on `square` attacks when the squares in `occupied` hold pieces.
#[inline(always)]
pub(super) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&PARTS[0][square.index()], occupied)
}

/// The squares that a rook on `square` attacks when the squares in `occupied` hold pieces.
#[inline(always)]
pub(super) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&PARTS[1][square.index()], occupied)
}
