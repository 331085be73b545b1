//! Attacks of pieces: step tables and rays, all built by the compiler.

use crate::{Bitboard, Piece, Square};
use tesuji_game::Side;

/// The eight directions, as files and ranks: first the four whose indices grow, then their opposites in the same order.
const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)];
/// Down the file, towards rank i.
const SOUTH: usize = 0;
/// Up the file, towards rank a.
const NORTH: usize = 4;
/// The direction of two squares on no common line: its rays are empty.
const NOWHERE: u8 = 8;

/// All squares from each square in each direction; the last row is empty.
static RAYS: [[Bitboard; 81]; 9] = {
    let mut rays = [[Bitboard::EMPTY; 81]; 9];
    let mut d = 0;
    while d < 8 {
        let mut i = 0;
        while i < 81 {
            let (files, ranks) = DIRECTIONS[d];
            let mut here = Square::ALL[i];
            while let Some(next) = here.offset(files, ranks) {
                rays[d][i].0 |= Bitboard::of(next).0;
                here = next;
            }
            i += 1;
        }
        d += 1;
    }
    rays
};

/// The direction from the first square to the second.
static DIRECTION: [[u8; 81]; 81] = {
    // A direction for pairs that share no line, too, so that callers index [`RAYS`] without a branch.
    let mut table = [[NOWHERE; 81]; 81];
    let mut d = 0;
    while d < 8 {
        let mut i = 0;
        while i < 81 {
            let (files, ranks) = DIRECTIONS[d];
            let mut here = Square::ALL[i];
            while let Some(next) = here.offset(files, ranks) {
                table[i][next.index()] = d as u8;
                here = next;
            }
            i += 1;
        }
        d += 1;
    }
    table
};

/// All squares of this index and above.
static FROM: [u128; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        table[i] = u128::MAX << i;
        i += 1;
    }
    table
};

const PAWN_STEPS: &[(i8, i8)] = &[(0, -1)];
const KNIGHT_STEPS: &[(i8, i8)] = &[(-1, -2), (1, -2)];
const SILVER_STEPS: &[(i8, i8)] = &[(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)];
const GOLD_STEPS: &[(i8, i8)] = &[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];

/// The targets of a piece of each side with `steps`, given for the first side, from each square.
const fn leaps(steps: &[(i8, i8)]) -> [[Bitboard; 81]; 2] {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut i = 0;
    while i < 81 {
        let mut s = 0;
        while s < steps.len() {
            let (files, ranks) = steps[s];
            if let Some(to) = Square::ALL[i].offset(files, ranks) {
                table[0][i].0 |= Bitboard::of(to).0;
            }
            // The second side sees the board turned by half.
            if let Some(to) = Square::ALL[i].offset(-files, -ranks) {
                table[1][i].0 |= Bitboard::of(to).0;
            }
            s += 1;
        }
        i += 1;
    }
    table
}

static PAWN: [[Bitboard; 81]; 2] = leaps(PAWN_STEPS);
static KNIGHT: [[Bitboard; 81]; 2] = leaps(KNIGHT_STEPS);
static SILVER: [[Bitboard; 81]; 2] = leaps(SILVER_STEPS);
static GOLD: [[Bitboard; 81]; 2] = leaps(GOLD_STEPS);
static KING: [Bitboard; 81] = leaps(&DIRECTIONS)[0];

/// Attacks of a pawn of `side`.
#[inline(always)]
pub fn pawn(side: Side, square: Square) -> Bitboard {
    PAWN[side.index()][square.index()]
}

/// Attacks of a knight of `side`.
#[inline(always)]
pub fn knight(side: Side, square: Square) -> Bitboard {
    KNIGHT[side.index()][square.index()]
}

/// Attacks of a silver of `side`.
#[inline(always)]
pub fn silver(side: Side, square: Square) -> Bitboard {
    SILVER[side.index()][square.index()]
}

/// Attacks of a gold of `side`.
#[inline(always)]
pub fn gold(side: Side, square: Square) -> Bitboard {
    GOLD[side.index()][square.index()]
}

/// Attacks of a king.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// A ray whose indices grow, up to and with the first occupied square.
#[inline(always)]
fn ray_up(d: usize, square: Square, occupied: Bitboard) -> u128 {
    let ray = RAYS[d][square.index()].0;
    let blockers = ray & occupied.0;
    // Subtracting 1 flips the lowest blocker and all bits below it: up to and with it the ray is open (all of it without blockers).
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// A ray whose indices shrink, up to and with the first occupied square.
#[inline(always)]
fn ray_down(d: usize, square: Square, occupied: Bitboard) -> u128 {
    let ray = RAYS[d][square.index()].0;
    // The highest blocker; bit 0 stands in where there is none, and the ray from there up is all of it.
    let nearest = 127 - (ray & occupied.0 | 1).leading_zeros();
    ray & FROM[(nearest & 127) as usize]
}

/// Attacks of a lance of `side`.
#[inline(always)]
pub fn lance(side: Side, square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(match side {
        Side::First => ray_down(NORTH, square, occupied),
        Side::Second => ray_up(SOUTH, square, occupied),
    })
}

/// Attacks of a bishop.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let up = ray_up(1, square, occupied) | ray_up(3, square, occupied);
    Bitboard(up | ray_down(5, square, occupied) | ray_down(7, square, occupied))
}

/// Attacks of a rook.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let up = ray_up(0, square, occupied) | ray_up(2, square, occupied);
    Bitboard(up | ray_down(4, square, occupied) | ray_down(6, square, occupied))
}

/// Attacks of a lance of `side` on an empty board.
#[inline(always)]
pub fn lance_ray(side: Side, square: Square) -> Bitboard {
    RAYS[if side as u8 == 0 { NORTH } else { SOUTH }][square.index()]
}

/// Attacks of a bishop on an empty board.
#[inline(always)]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// Attacks of a rook on an empty board.
#[inline(always)]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

static BISHOP_RAYS: [Bitboard; 81] = union([1, 3, 5, 7]);
static ROOK_RAYS: [Bitboard; 81] = union([0, 2, 4, 6]);

const fn union(directions: [usize; 4]) -> [Bitboard; 81] {
    let mut table = [Bitboard::EMPTY; 81];
    let mut i = 0;
    while i < 81 {
        let mut d = 0;
        while d < 4 {
            table[i].0 |= RAYS[directions[d]][i].0;
            d += 1;
        }
        i += 1;
    }
    table
}

/// Attacks of `piece` of `side` from `square` when the squares of `occupied` are taken: the first of them on a line included.
#[inline]
pub fn of(piece: Piece, side: Side, square: Square, occupied: Bitboard) -> Bitboard {
    match piece {
        Piece::Pawn => pawn(side, square),
        Piece::Lance => lance(side, square, occupied),
        Piece::Knight => knight(side, square),
        Piece::Silver => silver(side, square),
        Piece::Gold | Piece::ProPawn | Piece::ProLance | Piece::ProKnight | Piece::ProSilver => gold(side, square),
        Piece::Bishop => bishop(square, occupied),
        Piece::Rook => rook(square, occupied),
        Piece::King => king(square),
        Piece::Horse => bishop(square, occupied) | king(square),
        Piece::Dragon => rook(square, occupied) | king(square),
    }
}

/// The squares strictly between two squares of one line; empty for others.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    let d = DIRECTION[a.index()][b.index()] as usize;
    // Rays from both ends towards each other share just what lies between; pairs without a line have the empty ray.
    let back = DIRECTION[b.index()][a.index()] as usize;
    RAYS[d][a.index()] & RAYS[back][b.index()]
}

/// All squares beyond `a` towards `b` and further; empty where they share no line.
#[inline(always)]
pub fn ray_through(a: Square, b: Square) -> Bitboard {
    RAYS[DIRECTION[a.index()][b.index()] as usize][a.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Random;

    /// Walks square by square.
    fn walk(square: Square, occupied: Bitboard, directions: &[(i8, i8)]) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for &(files, ranks) in directions {
            let mut here = square;
            while let Some(next) = here.offset(files, ranks) {
                set |= next.into();
                if occupied.contains(next) {
                    break;
                }
                here = next;
            }
        }
        set
    }

    #[test]
    fn sliders_agree_with_walking() {
        let mut random = Random::new(11);
        for round in 0..400 {
            let dense = |square: &Square| square.index() % 97 < 81 && random.below(8) < 1 + round % 7;
            let occupied: Bitboard = Square::all().filter(dense).collect();
            for square in Square::all() {
                let straight = [(0, 1), (1, 0), (0, -1), (-1, 0)];
                let diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
                assert_eq!(rook(square, occupied), walk(square, occupied, &straight));
                assert_eq!(bishop(square, occupied), walk(square, occupied, &diagonal));
                assert_eq!(lance(Side::First, square, occupied), walk(square, occupied, &[(0, -1)]));
                assert_eq!(lance(Side::Second, square, occupied), walk(square, occupied, &[(0, 1)]));
            }
        }
    }

    #[test]
    fn between_is_what_two_sliders_share() {
        for a in Square::all() {
            for b in Square::all() {
                let ends = Bitboard::of(a) | b.into();
                let straight = rook_rays(a).contains(b).then(|| rook(a, ends) & rook(b, ends));
                let diagonal = bishop_rays(a).contains(b).then(|| bishop(a, ends) & bishop(b, ends));
                let slow = straight.or(diagonal).unwrap_or_default().without(ends);
                assert_eq!(between(a, b), slow, "{a} {b}");
                assert_eq!(ray_through(a, b).contains(b), straight.is_some() || diagonal.is_some());
            }
        }
    }

    #[test]
    fn steps_of_the_second_side_are_turned_round() {
        for piece in Piece::ALL {
            for square in Square::all() {
                let turned = of(piece, Side::First, square.relative(Side::Second), Bitboard::EMPTY);
                let turned: Bitboard = turned.map(|s| s.relative(Side::Second)).collect();
                assert_eq!(of(piece, Side::Second, square, Bitboard::EMPTY), turned, "{piece:?} {square}");
            }
        }
    }
}
