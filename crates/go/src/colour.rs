//! The contents of a cell: a stone of either colour, nothing, or the edge of the board.

use tesuji_game::Side;

/// The content of a cell: a stone, nothing, or the edge of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Colour {
    /// A black stone.
    Black = 0,
    /// A white stone.
    White = 1,
    /// A point without a stone.
    Empty = 2,
    /// No point at all.
    Edge = 3,
}

impl Colour {
    /// The colour of the stones of `side`.
    #[inline(always)]
    pub const fn of(side: Side) -> Colour {
        match side {
            Side::First => Colour::Black,
            Side::Second => Colour::White,
        }
    }

    /// The side of the stone, if there is one.
    #[inline(always)]
    pub const fn side(self) -> Option<Side> {
        match self {
            Colour::Black => Some(Side::First),
            Colour::White => Some(Side::Second),
            Colour::Empty | Colour::Edge => None,
        }
    }
}
