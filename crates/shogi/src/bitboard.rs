//! Sets of squares as 81 bits of a 128-bit word.

use crate::Square;
use std::{
    fmt,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not},
};
use tesuji_game::Side;

/// A set of squares; bit `n` is the square of index `n`. Bits above 80 are never set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub(crate) u128);

/// One bit on rank a of every file.
const RANK_A: u128 = {
    let (mut set, mut file) = (0, 0);
    while file < 9 {
        set |= 1 << (9 * file);
        file += 1;
    }
    set
};

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All squares.
    pub const FULL: Bitboard = Bitboard((1 << 81) - 1);

    /// One square.
    #[inline(always)]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// A rank, 0 for rank a.
    ///
    /// # Panics
    /// When `rank` is above 8.
    #[inline(always)]
    pub const fn rank(rank: u8) -> Bitboard {
        assert!(rank < 9);
        Bitboard(RANK_A << rank)
    }

    /// A file, 0 for file 1.
    ///
    /// # Panics
    /// When `file` is above 8.
    #[inline(always)]
    pub const fn file(file: u8) -> Bitboard {
        assert!(file < 9);
        Bitboard(0x1FF << (file * 9))
    }

    /// The `count` ranks farthest from the camp of `side`: 3 is its promotion zone.
    ///
    /// # Panics
    /// When `count` is above 9.
    #[inline(always)]
    pub const fn far_ranks(side: Side, count: u8) -> Bitboard {
        assert!(count <= 9);
        let near_a = RANK_A * ((1 << count) - 1);
        Bitboard(match side {
            Side::First => near_a,
            Side::Second => near_a << (9 - count),
        })
    }

    /// The promotion zone of `side`.
    #[inline(always)]
    pub const fn zone(side: Side) -> Bitboard {
        Bitboard::far_ranks(side, 3)
    }

    /// Whether there is no square.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is any square.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether there are two squares or more.
    #[inline(always)]
    pub const fn several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The number of squares.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `square` is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The square with the lowest index.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::at(self.0.trailing_zeros())) }
    }

    /// This set without the squares of `other`.
    #[inline(always)]
    #[must_use]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// Every square moved one rank forward, as `side` sees it; those of the last rank leave.
    #[inline(always)]
    #[must_use]
    pub const fn forward(self, side: Side) -> Bitboard {
        match side {
            Side::First => Bitboard((self.0 & !RANK_A) >> 1),
            Side::Second => Bitboard((self.0 & !(RANK_A << 8)) << 1),
        }
    }

    /// All squares of the files on which none of these squares lies. Right only with at most one square on a file.
    #[inline(always)]
    #[must_use]
    pub(crate) const fn free_files(self) -> Bitboard {
        const TOP: u128 = RANK_A << 8;
        // With a bit in a file, the subtraction clears its top bit; no file borrows from the next.
        let free = (TOP - self.0) & TOP;
        Bitboard(free | (free - (free >> 8)))
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn not(self) -> Bitboard {
        // The bits above 81 are no squares.
        Bitboard(!self.0 & Bitboard::FULL.0)
    }
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Bitboard {
        Bitboard::of(square)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | square.into())
    }
}

/// The squares of the set, lowest index first.
impl Iterator for Bitboard {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0.wrapping_sub(1);
        Some(square)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.count() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Bitboard {}

/// Nine rows as Black sees the board, file 9 on the left.
impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 0..9 {
            let row = (0..9).rev().map(|file| if self.contains(Square::new(file, rank)) { 'X' } else { '.' });
            writeln!(f, "{}", row.collect::<String>())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_files_and_zones() {
        for square in Square::all() {
            assert!(Bitboard::rank(square.rank()).contains(square) && Bitboard::file(square.file()).contains(square));
            for side in Side::ALL {
                assert_eq!(Bitboard::zone(side).contains(square), square.in_zone(side));
                let ahead = square.relative(side).offset(0, -1).map(|s| s.relative(side));
                assert_eq!(Bitboard::of(square).forward(side), ahead.map_or(Bitboard::EMPTY, Bitboard::of));
            }
        }
        assert_eq!((0..9).map(|r| Bitboard::rank(r).count()).sum::<u32>(), 81);
    }

    #[test]
    fn free_files_are_those_without_a_square() {
        let mut random = tesuji_game::Random::new(3);
        for _ in 0..2_000 {
            let squares = (0..9).filter_map(|file| {
                let rank = random.below(12) as u8;
                (rank < 9).then(|| Square::new(file, rank))
            });
            let set: Bitboard = squares.collect();
            let free = |file: &u8| (set & Bitboard::file(*file)).is_empty();
            let slow = (0..9).filter(free).fold(Bitboard::EMPTY, |all, file| all | Bitboard::file(file));
            assert_eq!(set.free_files(), slow);
        }
    }
}
