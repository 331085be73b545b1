//! The two sides of a game, numbers from the first side's point of view, and the keys that identify positions.

use std::ops::{Neg, Not};

/// One of the two players. `First` moves first in the usual start position (White in chess, Sente in shogi, Black in go).
///
/// # Examples
///
/// ```
/// use tesuji_game::Side;
/// assert_eq!(!Side::First, Side::Second);
/// assert_eq!(Side::ALL.map(Side::index), [0, 1]);
/// ```
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

/// A value, score or chance from the point of view of [`Side::First`]: what is good for it is positive.
///
/// Searches and evaluators speak of the side to move ([`Value`](crate::Value)); files, evaluations of a whole board and what people
/// read speak of the first side. Conversions from one to the other go through this type.
///
/// # Examples
/// ```
/// use tesuji_game::{FirstSide, Side, Value};
/// // Second is to move and stands 30 centipawns better.
/// let value = FirstSide::of(Side::Second, Value::cp(30));
/// assert_eq!(value, FirstSide(Value::cp(-30)));
/// assert_eq!(value.seen_by(Side::Second), Value::cp(30));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FirstSide<T>(pub T);

impl<T: Neg<Output = T>> FirstSide<T> {
    /// Turns `value`, as `side` sees it, to the first side.
    #[inline(always)]
    pub fn of(side: Side, value: T) -> FirstSide<T> {
        FirstSide(turned(side, value))
    }

    /// The value as `side` sees it.
    #[inline(always)]
    pub fn seen_by(self, side: Side) -> T {
        turned(side, self.0)
    }
}

/// The negative for the second side; turning twice gives the same again.
#[inline(always)]
fn turned<T: Neg<Output = T>>(side: Side, value: T) -> T {
    match side {
        Side::First => value,
        Side::Second => -value,
    }
}

/// A 64-bit hash of a position: equal positions have equal keys, different ones almost never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Key(pub u64);

impl Key {
    /// The key of what this one stands for, and of `word` behind it: for keys made when they are asked for, word by word.
    ///
    /// # Examples
    /// ```
    /// use tesuji_game::Key;
    /// let of = |words: &[u64]| words.iter().fold(Key::default(), |key, &word| key.with(word));
    /// assert_ne!(of(&[1, 2]), of(&[2, 1]));
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn with(self, word: u64) -> Key {
        // A step of a multiplicative hash (Knuth): 2^64 over the golden ratio.
        Key((self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
    }
}
