//! Sets of squares in 64 bits.

use crate::Square;
use std::{
    fmt,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not},
};
use tesuji_game::Side;

/// A set of squares; bit 0 is a1, bit 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    pub const ALL: Bitboard = Bitboard(!0);
    /// The light squares.
    pub const LIGHT: Bitboard = Bitboard(0x55AA_55AA_55AA_55AA);
    /// The dark squares.
    pub const DARK: Bitboard = Bitboard(!0x55AA_55AA_55AA_55AA);
    /// The rim of the board.
    pub const RIM: Bitboard = Bitboard(0xFF81_8181_8181_81FF);

    /// The squares of `file`, 0 to 7.
    #[inline(always)]
    pub const fn file(file: u8) -> Bitboard {
        Bitboard(0x0101_0101_0101_0101 << (file & 7))
    }

    /// The squares of `rank`, 0 to 7.
    #[inline(always)]
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard(0xFF << (8 * (rank & 7)))
    }

    /// The squares of the rank that `side` counts as `rank`, from 0.
    #[inline(always)]
    pub const fn relative_rank(rank: u8, side: Side) -> Bitboard {
        // The rank counted from the other end for Black, without a branch.
        Bitboard::rank((rank & 7) ^ (7 * side as u8))
    }

    /// One square.
    #[inline(always)]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// The number of squares in the set.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is any.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether there are two or more.
    #[inline(always)]
    pub const fn several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether `square` is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The lowest square, if any.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros() as u8)) }
    }

    /// The highest square, if any.
    #[inline(always)]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(63 - self.0.leading_zeros() as u8)) }
    }

    /// Takes the lowest square out.
    #[inline(always)]
    pub const fn pop(&mut self) -> Option<Square> {
        let square = self.first();
        self.0 &= self.0.wrapping_sub(1);
        square
    }

    /// The set without `other`.
    #[inline(always)]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// One rank up the board for White, down for Black.
    #[inline(always)]
    pub const fn forward(self, side: Side) -> Bitboard {
        match side {
            Side::First => Bitboard(self.0 << 8),
            Side::Second => Bitboard(self.0 >> 8),
        }
    }

    /// One file towards the h-file; squares that would leave the board vanish.
    #[inline(always)]
    pub const fn right(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::file(7).0) << 1)
    }

    /// One file towards the a-file; squares that would leave the board vanish.
    #[inline(always)]
    pub const fn left(self) -> Bitboard {
        Bitboard((self.0 & !Bitboard::file(0).0) >> 1)
    }

    /// The set seen from the other side: ranks flipped.
    #[inline(always)]
    pub const fn flip(self) -> Bitboard {
        Bitboard(self.0.swap_bytes())
    }

    /// The set as `side` sees the board.
    #[inline(always)]
    pub const fn relative(self, side: Side) -> Bitboard {
        match side {
            Side::First => self,
            Side::Second => self.flip(),
        }
    }
}

macro_rules! operator {
    ($($trait:ident $name:ident $assign:ident $assign_name:ident $op:tt),*) => { $(
        impl $trait for Bitboard {
            type Output = Bitboard;
            #[inline(always)]
            fn $name(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0 $op other.0)
            }
        }
        impl $assign for Bitboard {
            #[inline(always)]
            fn $assign_name(&mut self, other: Bitboard) {
                self.0 = self.0 $op other.0;
            }
        }
    )* };
}
operator!(BitAnd bitand BitAndAssign bitand_assign &, BitOr bitor BitOrAssign bitor_assign |, BitXor bitxor BitXorAssign bitxor_assign ^);

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Bitboard {
        Bitboard::of(square)
    }
}

/// The squares of a set, lowest first.
impl Iterator for Bitboard {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        self.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count() as usize, Some(self.count() as usize))
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<T: IntoIterator<Item = Square>>(squares: T) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
    }
}

/// Draws the board, eighth rank first.
impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            writeln!(f)?;
            for file in 0..8 {
                f.write_str(if self.contains(Square::new(file, rank)) { "X " } else { ". " })?;
            }
        }
        Ok(())
    }
}

/// A set drawn as a board, eighth rank first: `X` for a square that is in it, `.` for one that is not.
#[macro_export]
macro_rules! bitboard {
    ($($cell:tt)*) => {
        const { $crate::Bitboard($crate::bitboard_of(&[$(stringify!($cell)),*])) }
    };
}

/// The bits of a drawing, for [`bitboard!`].
#[doc(hidden)]
pub const fn bitboard_of(cells: &[&str]) -> u64 {
    assert!(cells.len() == 64, "a drawing has 64 cells");
    let (mut bits, mut i) = (0, 0);
    while i < 64 {
        match cells[i].as_bytes() {
            b"X" => bits |= 1 << ((7 - i / 8) * 8 + i % 8),
            b"." => {}
            _ => panic!("a cell is X or ."),
        }
        i += 1;
    }
    bits
}

const _: () = {
    let drawn = bitboard! {
        X . . . . . . .
        . X . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . X X
    };
    assert!(drawn.0 == 1 << 56 | 1 << 49 | 1 << 6 | 1 << 7);
    assert!(Bitboard::LIGHT.0 & 1 == 0 && Bitboard::LIGHT.count() == 32, "a1 is dark");
};
