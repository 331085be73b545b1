//! Squares, files and ranks of the board: 0 is a1, 7 is h1, 63 is h8.

use std::fmt;
use tesuji_game::Side;

/// One of the 64 squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// a1.
    pub const A1: Square = Square(0);
    /// h8.
    pub const H8: Square = Square(63);

    /// The square on `file` and `rank`, both counted from 0.
    ///
    /// # Panics
    /// When one is above 7.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Square {
        assert!(file < 8 && rank < 8);
        Square(rank * 8 + file)
    }

    /// The square of `index`; the index is taken modulo 64.
    #[inline(always)]
    pub const fn from_index(index: u8) -> Square {
        Square(index & 63)
    }

    /// 0 for a1 to 63 for h8.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// 0 for the a-file to 7 for the h-file.
    #[inline(always)]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 for the first rank to 7 for the eighth.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The square as `side` sees it: ranks are flipped for the second side.
    #[inline(always)]
    pub const fn relative(self, side: Side) -> Square {
        Square(self.0 ^ (56 * side as u8))
    }

    /// The rank as `side` counts it, from 0.
    #[inline(always)]
    pub const fn relative_rank(self, side: Side) -> u8 {
        self.relative(side).rank()
    }

    /// The square `files` to the right and `ranks` up, if it is on the board.
    #[inline]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Square> {
        let (file, rank) = (self.file() as i8 + files, self.rank() as i8 + ranks);
        if file >= 0 && file < 8 && rank >= 0 && rank < 8 { Some(Square((rank * 8 + file) as u8)) } else { None }
    }

    /// Steps of a king between two squares (Chebyshev distance).
    #[inline]
    pub const fn distance(self, other: Square) -> u8 {
        let (files, ranks) = (self.file().abs_diff(other.file()), self.rank().abs_diff(other.rank()));
        if files > ranks { files } else { ranks }
    }

    /// All squares, a1 to h8, as an array.
    pub const ALL: [Square; 64] = {
        let mut all = [Square(0); 64];
        let mut i = 0;
        while i < 64 {
            all[i] = Square(i as u8);
            i += 1;
        }
        all
    };

    /// All squares, a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64).map(Square)
    }

    /// Reads `e4`.
    pub fn parse(text: &str) -> Option<Square> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(Square::new(file - b'a', rank - b'1')),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, (b'1' + self.rank()) as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const _: () = {
    assert!(Square::new(4, 3).index() == 28 && Square::H8.index() == 63);
    assert!(Square::A1.relative(Side::Second).index() == 56 && Square::A1.distance(Square::H8) == 7);
};
