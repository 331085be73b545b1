//! A middlegame and an endgame number in one 32-bit word: one addition or multiplication serves both.

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
};

/// Two numbers of 16 bits in one word, middlegame low, endgame high (Tord Romstad's trick, Stockfish, 2008).
///
/// Arithmetic wraps; partial sums may leave ±32,767, the final ones may not.
///
/// # Examples
///
/// ```
/// use tesuji_tally::Packed;
/// let sum = Packed::new(120, -80) + Packed::new(-20, 15);
/// assert_eq!((sum.mg(), sum.eg()), (100, -65));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Packed(i32);

impl Packed {
    /// Nothing.
    pub const ZERO: Packed = Packed(0);

    /// Packs both halves.
    #[inline]
    pub const fn new(mg: i16, eg: i16) -> Packed {
        Packed(((eg as i32) << 16).wrapping_add(mg as i32))
    }

    /// The middlegame half.
    #[inline]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame half; the low half lends it its sign, hence the rounding.
    #[inline]
    pub const fn eg(self) -> i32 {
        (self.0.wrapping_add(0x8000) >> 16) as i16 as i32
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.mg(), self.eg())
    }
}

impl Add for Packed {
    type Output = Packed;
    #[inline(always)]
    fn add(self, other: Packed) -> Packed {
        Packed(self.0.wrapping_add(other.0))
    }
}

impl Sub for Packed {
    type Output = Packed;
    #[inline(always)]
    fn sub(self, other: Packed) -> Packed {
        Packed(self.0.wrapping_sub(other.0))
    }
}

impl AddAssign for Packed {
    #[inline(always)]
    fn add_assign(&mut self, other: Packed) {
        *self = *self + other;
    }
}

impl SubAssign for Packed {
    #[inline(always)]
    fn sub_assign(&mut self, other: Packed) {
        *self = *self - other;
    }
}

impl Neg for Packed {
    type Output = Packed;
    #[inline(always)]
    fn neg(self) -> Packed {
        Packed(self.0.wrapping_neg())
    }
}

impl Mul<i32> for Packed {
    type Output = Packed;
    #[inline(always)]
    fn mul(self, count: i32) -> Packed {
        Packed(self.0.wrapping_mul(count))
    }
}

impl Sum for Packed {
    fn sum<I: Iterator<Item = Packed>>(items: I) -> Packed {
        items.fold(Packed::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_disturb_each_other() {
        for (mg, eg) in [(0, 0), (1, -1), (-1, 1), (-32768, 32767), (32767, -32768), (-5, -7), (1234, -4321)] {
            let p = Packed::new(mg, eg);
            assert_eq!((p.mg(), p.eg()), (i32::from(mg), i32::from(eg)));
        }
        let (a, b) = (Packed::new(-100, 250), Packed::new(333, -40));
        let c = a * 7 - b * 3 + -a;
        assert_eq!((c.mg(), c.eg()), (-600 - 999, 1500 + 120));
    }
}
