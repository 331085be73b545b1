//! Squares between two squares and on the line through them.

use super::rays;
use crate::{Bitboard, Square};

/// Bishop attacks on the empty board.
pub(super) static BISHOP_RAYS: [Bitboard; 64] = empty_board(true);
/// Rook attacks on the empty board.
pub(super) static ROOK_RAYS: [Bitboard; 64] = empty_board(false);

const fn empty_board(bishop: bool) -> [Bitboard; 64] {
    let mut out = [Bitboard::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        let square = Square::from_index(i as u8);
        let none = Bitboard::EMPTY;
        out[i] = if bishop { rays::bishop(square, none) } else { rays::rook(square, none) };
        i += 1;
    }
    out
}

static BETWEEN: [[Bitboard; 64]; 64] = pairs(false);
static LINE: [[Bitboard; 64]; 64] = pairs(true);

// Loops by index: `for` does not work in `const fn`.
const fn pairs(whole: bool) -> [[Bitboard; 64]; 64] {
    let mut out = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let (from, to) = (Square::from_index(a as u8), Square::from_index(b as u8));
            let ends = 1 << a | 1 << b;
            let none = Bitboard::EMPTY;
            if a != b && rays::rook(from, none).contains(to) {
                // Rays from both ends, each stopped by the other end, share just the squares between them.
                out[a][b].0 = if whole {
                    rays::rook(from, none).0 & rays::rook(to, none).0 | ends
                } else {
                    rays::rook(from, Bitboard::of(to)).0 & rays::rook(to, Bitboard::of(from)).0
                };
            } else if a != b && rays::bishop(from, none).contains(to) {
                out[a][b].0 = if whole {
                    rays::bishop(from, none).0 & rays::bishop(to, none).0 | ends
                } else {
                    rays::bishop(from, Bitboard::of(to)).0 & rays::bishop(to, Bitboard::of(from)).0
                };
            }
            b += 1;
        }
        a += 1;
    }
    out
}

/// The squares strictly between two squares of one line; none where they share no line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole line through two squares, both included; none where they share no line or are the same.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_gaps_equal_walking() {
        for a in Square::all() {
            for b in Square::all() {
                let (df, dr) = (b.file() as i8 - a.file() as i8, b.rank() as i8 - a.rank() as i8);
                let aligned = a != b && (df == 0 || dr == 0 || df.abs() == dr.abs());
                let (mut gap, mut whole) = (Bitboard::EMPTY, Bitboard::EMPTY);
                if aligned {
                    let (sf, sr) = (df.signum(), dr.signum());
                    let mut at = a.offset(sf, sr);
                    while at != Some(b) {
                        gap |= at.map_or(Bitboard::EMPTY, Bitboard::of);
                        at = at.and_then(|s| s.offset(sf, sr));
                    }
                    for sign in [1, -1] {
                        let mut at = Some(a);
                        while let Some(square) = at {
                            whole |= square.into();
                            at = square.offset(sign * sf, sign * sr);
                        }
                    }
                }
                assert_eq!((between(a, b), line(a, b)), (gap, whole), "{a} {b}");
            }
        }
    }
}
