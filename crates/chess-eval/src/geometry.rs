//! Boards as one side sees them: sides as types, so that directions and signs fold away, and sets of squares moved and filled.

use tesuji_chess::{BLACK, Bitboard, Square, WHITE};
use tesuji_game::Side;
use tesuji_tally::Tally;

/// A side as a type: the evaluation is written once and compiled twice.
pub(crate) trait Us {
    /// The side.
    const SIDE: Side;
    /// Its index.
    const INDEX: usize;
    /// Its sign in counts.
    const SIGN: i32;
    /// The other side.
    type Them: Us<Them = Self>;
}

/// The first side.
pub(crate) struct White;
/// The second side.
pub(crate) struct Black;

impl Us for White {
    const SIDE: Side = WHITE;
    const INDEX: usize = 0;
    const SIGN: i32 = 1;
    type Them = Black;
}

impl Us for Black {
    const SIDE: Side = BLACK;
    const INDEX: usize = 1;
    const SIGN: i32 = -1;
    type Them = White;
}

/// Adds a count of `U`'s.
#[inline(always)]
pub(crate) fn put<U: Us>(t: &mut impl Tally, feature: usize, count: i32) {
    t.add_for(U::SIGN, feature, count);
}

pub(crate) const EMPTY: Bitboard = Bitboard(0);
const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_1: u64 = 0xFF;

/// The squares of `U`'s rank `rank`, from 0.
#[inline(always)]
pub(crate) const fn rank_of<U: Us>(rank: u32) -> Bitboard {
    Bitboard(RANK_1 << (8 * if U::INDEX == 0 { rank } else { 7 - rank }))
}

/// The squares of a file.
#[inline(always)]
pub(crate) const fn file_of(file: u32) -> Bitboard {
    Bitboard(FILE_A << file)
}

/// The number of squares.
#[inline(always)]
pub(crate) const fn n(set: Bitboard) -> i32 {
    set.0.count_ones() as i32
}

/// Whether there is any square.
#[inline(always)]
pub(crate) const fn any(set: Bitboard) -> bool {
    set.0 != 0
}

/// The set of one square.
#[inline(always)]
pub(crate) fn one(square: Square) -> Bitboard {
    Bitboard(1 << square.index())
}

/// File of a square, 0 for a.
#[inline(always)]
pub(crate) fn file(square: Square) -> usize {
    square.index() & 7
}

/// Rank of a square as `U` counts it, from 0.
#[inline(always)]
pub(crate) fn rank<U: Us>(square: Square) -> usize {
    (square.index() >> 3) ^ (7 * U::INDEX)
}

/// Place of a square in a table that runs from a8 to h1 as `U` sees the board.
#[inline(always)]
pub(crate) const fn place<U: Us>(square: usize) -> usize {
    if U::INDEX == 0 { square ^ 56 } else { square }
}

/// Distance of a file from the edge, 0 to 3.
#[inline(always)]
pub(crate) const fn from_edge(file: usize) -> usize {
    if file < 4 { file } else { 7 - file }
}

/// Moves of a king from one square to the other.
#[inline(always)]
pub(crate) fn distance(a: Square, b: Square) -> usize {
    let (a, b) = (a.index(), b.index());
    (a & 7).abs_diff(b & 7).max((a >> 3).abs_diff(b >> 3))
}

/// One rank ahead.
#[inline(always)]
pub(crate) const fn ahead<U: Us>(set: Bitboard) -> Bitboard {
    Bitboard(if U::INDEX == 0 { set.0 << 8 } else { set.0 >> 8 })
}

/// One rank back.
#[inline(always)]
pub(crate) const fn back<U: Us>(set: Bitboard) -> Bitboard {
    ahead::<U::Them>(set)
}

/// The neighbours left and right.
#[inline(always)]
pub(crate) const fn beside(set: Bitboard) -> Bitboard {
    Bitboard(((set.0 & !(FILE_A << 7)) << 1) | ((set.0 & !FILE_A) >> 1))
}

/// The squares that pawns attack.
#[inline(always)]
pub(crate) const fn pawn_attacks<U: Us>(pawns: Bitboard) -> Bitboard {
    ahead::<U>(beside(pawns))
}

/// The squares that two pawns attack.
#[inline(always)]
pub(crate) const fn pawn_attacks_twice<U: Us>(pawns: Bitboard) -> Bitboard {
    ahead::<U>(Bitboard(((pawns.0 & !(FILE_A << 7)) << 1) & ((pawns.0 & !FILE_A) >> 1)))
}

/// All squares ahead on the same file.
#[inline(always)]
pub(crate) const fn front<U: Us>(set: Bitboard) -> Bitboard {
    let mut s = set.0;
    if U::INDEX == 0 {
        s <<= 8;
        s |= s << 8;
        s |= s << 16;
        s |= s << 32;
    } else {
        s >>= 8;
        s |= s >> 8;
        s |= s >> 16;
        s |= s >> 32;
    }
    Bitboard(s)
}

/// All squares behind on the same file.
#[inline(always)]
pub(crate) const fn rear<U: Us>(set: Bitboard) -> Bitboard {
    front::<U::Them>(set)
}

/// Whole files.
#[inline(always)]
pub(crate) const fn files(set: Bitboard) -> Bitboard {
    Bitboard(set.0 | front::<White>(set).0 | front::<Black>(set).0)
}

/// The squares at distance 1, 2 and 3 from each square.
pub(crate) static RINGS: [[Bitboard; 3]; 64] = rings();

const fn rings() -> [[Bitboard; 3]; 64] {
    let mut rings = [[EMPTY; 3]; 64];
    let mut i = 0;
    while i < 64 * 64 {
        let (a, b) = (i / 64, i % 64);
        let (files, ranks) = ((a % 8usize).abs_diff(b % 8), (a / 8).abs_diff(b / 8));
        let distance = if files > ranks { files } else { ranks };
        if distance >= 1 && distance <= 3 {
            rings[a][distance - 1].0 |= 1 << b;
        }
        i += 1;
    }
    rings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_move_as_each_side_sees_them() {
        let e4 = Bitboard(1 << 28);
        assert_eq!((ahead::<White>(e4), ahead::<Black>(e4)), (Bitboard(1 << 36), Bitboard(1 << 20)));
        assert_eq!(pawn_attacks::<White>(e4), Bitboard(1 << 35 | 1 << 37));
        assert_eq!(pawn_attacks::<Black>(Bitboard(1 << 8)), Bitboard(1 << 1));
        assert_eq!(front::<White>(e4), Bitboard(1 << 36 | 1 << 44 | 1 << 52 | 1 << 60));
        assert_eq!(rear::<White>(e4), Bitboard(1 << 20 | 1 << 12 | 1 << 4));
        assert_eq!(files(e4), file_of(4));
        assert_eq!(RINGS[0].map(n), [3, 5, 7]);
        assert_eq!(RINGS[27].map(n), [8, 16, 24]);
        assert_eq!((place::<White>(0), place::<Black>(0)), (56, 0));
    }
}
