//! Sliding attacks by subtraction along rays: no tables beyond the rays, right on every processor, usable at compile time.
//!
//! Along a ray of rising squares, `occupied - 2 * slider` flips the bits up to the first blocker (hyperbola
//! quintessence, Leorik and Tord Romstad, 2007); falling rays are the same with the bits reversed.

use crate::{Bitboard, Square};

/// Attacks along one line through `square`, the line without the square itself.
const fn along(square: Square, occupied: Bitboard, line: u64) -> u64 {
    let slider = 1u64 << square.index();
    let blockers = occupied.0 & line;
    // Subtracting borrows up to the first blocker, so that exactly the squares in between and the blocker change (o^(o-2r)).
    let up = blockers.wrapping_sub(slider << 1);
    let slider_back = slider.reverse_bits();
    // The same seen from the other end of the board, for the other direction.
    let down = blockers.reverse_bits().wrapping_sub(slider_back << 1).reverse_bits();
    (up ^ down) & line
}

/// The line through `square` in a direction, without the square.
const fn through(square: Square, files: i8, ranks: i8) -> u64 {
    let mut out = 0;
    let mut sign = 1;
    loop {
        let mut at = square;
        while let Some(next) = at.offset(sign * files, sign * ranks) {
            out |= 1 << next.index();
            at = next;
        }
        if sign < 0 {
            return out;
        }
        sign = -1;
    }
}

const fn lines(files: i8, ranks: i8) -> [u64; 64] {
    let mut out = [0; 64];
    let mut i = 0;
    while i < 64 {
        out[i] = through(Square::from_index(i as u8), files, ranks);
        i += 1;
    }
    out
}

const FILES: [u64; 64] = lines(0, 1);
const RANKS: [u64; 64] = lines(1, 0);
const RISING: [u64; 64] = lines(1, 1);
const FALLING: [u64; 64] = lines(1, -1);

/// The squares that a bishop on `square` attacks when the squares in `occupied` hold pieces.
pub const fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let i = square.index();
    Bitboard(along(square, occupied, RISING[i]) | along(square, occupied, FALLING[i]))
}

/// The squares that a rook on `square` attacks when the squares in `occupied` hold pieces.
pub const fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let i = square.index();
    Bitboard(along(square, occupied, FILES[i]) | along(square, occupied, RANKS[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks square by square until something stands in the way.
    pub(crate) fn walk(square: Square, occupied: Bitboard, steps: [(i8, i8); 4]) -> Bitboard {
        let mut out = Bitboard::EMPTY;
        for (files, ranks) in steps {
            let mut at = square;
            while let Some(next) = at.offset(files, ranks) {
                out |= next.into();
                at = next;
                if occupied.contains(next) {
                    break;
                }
            }
        }
        out
    }

    /// Every subset of the squares that matter, for every square, on both paths.
    #[test]
    fn sliders_equal_walking_on_every_subset() {
        let bishop_steps = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        let rook_steps = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        for square in Square::all() {
            for (steps, attack, table) in [
                (bishop_steps, bishop as fn(Square, Bitboard) -> Bitboard, super::super::bishop as fn(_, _) -> _),
                (rook_steps, rook, super::super::rook),
            ] {
                let mask = attack(square, Bitboard::EMPTY).0;
                let mut subset = 0u64;
                loop {
                    let expected = walk(square, Bitboard(subset), steps);
                    assert_eq!(attack(square, Bitboard(subset)), expected);
                    assert_eq!(table(square, Bitboard(subset | !mask)), expected);
                    subset = subset.wrapping_sub(mask) & mask;
                    if subset == 0 {
                        break;
                    }
                }
            }
        }
    }
}
