//! The two sides of a game and the keys that identify positions.

use std::ops::Not;

/// One of the two players. `First` moves first in the usual start position (White in chess, Sente in shogi, Black in go).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The player who moves first from the usual start position.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Both sides, in order.
    pub const ALL: [Side; 2] = [Side::First, Side::Second];

    /// 0 for [`Side::First`], 1 for [`Side::Second`].
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Side {
    type Output = Side;

    #[inline(always)]
    fn not(self) -> Side {
        if self as u8 == 0 { Side::Second } else { Side::First }
    }
}

/// A 64-bit hash of a position: equal positions have equal keys, different ones almost never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Key(pub u64);
