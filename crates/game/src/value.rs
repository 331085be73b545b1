//! Search values in sixteen bits: centipawn-like scores, proven wins and losses with their distance.

use std::ops::Neg;

/// A search value for the side to move. Wins and losses count their distance from the root in plies.
///
/// Sixteen bits, as tables store it. Up to [`Value::ESTIMATE_MAX`] it is an estimate; around [`Value::KNOWN_WIN`] a win whose way is not
/// known; beyond [`Value::CP_MAX`] a win with its distance. Losses are the negatives.
///
/// # Examples
///
/// ```
/// use tesuji_game::Value;
/// let mate = Value::mate_in(5);
/// assert!(mate > Value::cp(20_000) && mate.is_mate() && !Value::cp(350).is_mate());
/// assert_eq!(((-mate).mate_plies(), Value::cp(350).mate_plies()), (Some(-5), None));
/// // Found 2 plies below the root, it is a mate in 3 for the table, which another root may read 4 plies below.
/// let stored = mate.to_table(2);
/// assert_eq!(Value::from_table(stored, 4), Value::mate_in(7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Value(i16);

impl Value {
    /// The value of having won on the spot; a win in `n` plies is worth `MATE - n`.
    pub const MATE: i16 = 32_000;
    /// The largest estimate. Beyond it a value is a proof, and no margin may be added to it.
    pub const ESTIMATE_MAX: i16 = Self::KNOWN_WIN - 501;
    /// A win that is known without its way: by endgame tables, by superiority. Plies and table ranks move it by less than 500.
    pub const KNOWN_WIN: i16 = 30_000;
    /// The largest value without a distance to mate.
    pub const CP_MAX: i16 = 30_999;
    /// A draw.
    pub const DRAW: Value = Value(0);
    /// Above every value a search can return.
    pub const INFINITE: Value = Value(32_001);

    /// A value in hundredths of a pawn (or the game's own unit of the same size), clamped to ±[`Value::CP_MAX`].
    #[inline]
    pub const fn cp(v: i32) -> Value {
        let max = Self::CP_MAX as i32;
        Value(if v > max {
            Self::CP_MAX
        } else if v < -max {
            -Self::CP_MAX
        } else {
            v as i16
        })
    }

    /// The side to move is mated in `plies` plies from the root.
    #[inline]
    pub const fn mated_in(plies: i32) -> Value {
        Value(plies as i16 - Self::MATE)
    }

    /// The side to move mates in `plies` plies from the root.
    #[inline]
    pub const fn mate_in(plies: i32) -> Value {
        Value(Self::MATE - plies as i16)
    }

    /// Takes a raw number as a value; the inverse of [`Value::raw`].
    ///
    /// # Panics
    /// In debug builds when `v` is outside ±[`Value::INFINITE`].
    #[inline]
    pub const fn from_raw(v: i32) -> Value {
        debug_assert!(v.abs() <= Self::INFINITE.0 as i32);
        Value(v as i16)
    }

    /// The number inside.
    #[inline(always)]
    pub const fn raw(self) -> i32 {
        self.0 as i32
    }

    /// Whether this is a proven win or loss.
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0 > Self::CP_MAX || self.0 < -Self::CP_MAX
    }

    /// Plies to the mate: positive when the side to move mates, zero or negative when it is mated; `None` for estimates.
    #[inline]
    pub const fn mate_plies(self) -> Option<i32> {
        if self.0 > Self::CP_MAX {
            Some(Self::MATE as i32 - self.0 as i32)
        } else if self.0 < -Self::CP_MAX {
            Some(-(Self::MATE as i32 + self.0 as i32))
        } else {
            None
        }
    }

    /// The value as a table stores it at `ply` plies from the root: mates count from the node instead of the root.
    #[inline]
    pub const fn to_table(self, ply: i32) -> i16 {
        if self.0 > Self::CP_MAX {
            self.0 + ply as i16
        } else if self.0 < -Self::CP_MAX {
            self.0 - ply as i16
        } else {
            self.0
        }
    }

    /// The inverse of [`Value::to_table`].
    #[inline]
    pub const fn from_table(stored: i16, ply: i32) -> Value {
        if stored > Self::CP_MAX {
            Value(stored - ply as i16)
        } else if stored < -Self::CP_MAX {
            Value(stored + ply as i16)
        } else {
            Value(stored)
        }
    }
}

impl Neg for Value {
    type Output = Value;

    #[inline(always)]
    fn neg(self) -> Value {
        Value(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_survive_the_table() {
        for ply in 0..200 {
            for distance in ply..400 {
                let v = Value::mate_in(distance);
                assert_eq!(Value::from_table(v.to_table(ply), ply), v);
                assert_eq!(Value::from_table((-v).to_table(ply), ply), -v);
                assert_eq!(v.to_table(ply), Value::mate_in(distance - ply).0);
            }
        }
    }

    #[test]
    fn mates_know_their_distance() {
        assert_eq!(Value::mate_in(3).mate_plies(), Some(3));
        assert_eq!(Value::mated_in(4).mate_plies(), Some(-4));
        assert_eq!(Value::mated_in(0).mate_plies(), Some(0));
        assert_eq!(Value::cp(99_999).mate_plies(), None);
        assert_eq!(Value::cp(-99_999).raw(), -30_999);
    }
}
