//! Squares of the board, numbered file by file: 0 is 1a, 8 is 1i, 9 is 2a, 80 is 9i, as packed formats want them.

use std::fmt;
use tesuji_game::Side;

/// One of the 81 squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 81;

    /// The square on `file` (0: file 1, on the right as the first side sees it) and `rank` (0: rank a, at the top).
    ///
    /// # Panics
    /// When one is above 8.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Square {
        assert!(file < 9 && rank < 9);
        Square(file * 9 + rank)
    }

    /// The square of `index`; `None` above 80.
    #[inline(always)]
    pub const fn from_index(index: u8) -> Option<Square> {
        if index < 81 { Some(Square(index)) } else { None }
    }

    /// The square of an index that is known to be below 81; larger ones are taken as 80.
    #[inline(always)]
    pub(crate) const fn at(index: u32) -> Square {
        debug_assert!(index < 81);
        Square(if index < 81 { index as u8 } else { 80 })
    }

    /// 0 for 1a to 80 for 9i.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 for file 1 to 8 for file 9.
    #[inline(always)]
    pub const fn file(self) -> u8 {
        self.0 / 9
    }

    /// 0 for rank a to 8 for rank i.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        self.0 % 9
    }

    /// The square as `side` sees it: the board is turned round for the second side.
    #[inline(always)]
    pub const fn relative(self, side: Side) -> Square {
        match side {
            Side::First => self,
            Side::Second => Square(80 - self.0),
        }
    }

    /// The square on the same rank with the file mirrored left to right.
    #[inline]
    pub const fn mirrored(self) -> Square {
        Square::new(8 - self.file(), self.rank())
    }

    /// The rank as `side` counts it, 0 the farthest from its camp: promotion happens on 0 to 2.
    #[inline(always)]
    pub const fn relative_rank(self, side: Side) -> u8 {
        self.relative(side).rank()
    }

    /// Whether `side` may promote here.
    #[inline(always)]
    pub const fn in_zone(self, side: Side) -> bool {
        self.relative_rank(side) < 3
    }

    /// The square `files` further (towards file 9) and `ranks` further (towards rank i), if it is on the board.
    #[inline]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Square> {
        let (file, rank) = (self.file() as i8 + files, self.rank() as i8 + ranks);
        if file >= 0 && file < 9 && rank >= 0 && rank < 9 { Some(Square((file * 9 + rank) as u8)) } else { None }
    }

    /// Steps of a king between two squares (Chebyshev distance).
    #[inline]
    pub const fn distance(self, other: Square) -> u8 {
        let (files, ranks) = (self.file().abs_diff(other.file()), self.rank().abs_diff(other.rank()));
        if files > ranks { files } else { ranks }
    }

    /// All squares, 1a to 9i, as an array.
    pub const ALL: [Square; 81] = {
        let mut all = [Square(0); 81];
        let mut i = 0;
        while i < 81 {
            all[i] = Square(i as u8);
            i += 1;
        }
        all
    };

    /// All squares, 1a to 9i.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..81).map(Square)
    }

    /// Reads `7g`.
    pub fn parse(text: &str) -> Option<Square> {
        match text.as_bytes() {
            [file @ b'1'..=b'9', rank @ b'a'..=b'i'] => Some(Square::new(file - b'1', rank - b'a')),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'1' + self.file()) as char, (b'a' + self.rank()) as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const _: () = {
    assert!(Square::new(1, 6).index() == 15 && Square::new(8, 8).index() == 80);
    assert!(Square::new(0, 0).relative(Side::Second).index() == 80);
    assert!(Square::new(6, 6).distance(Square::new(6, 0)) == 6);
};
