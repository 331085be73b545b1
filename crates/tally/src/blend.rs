//! From a middlegame and an endgame sum to one value.

use crate::Packed;

/// [`Blend::phase`] with all pieces on the board.
pub const PHASE_MAX: i32 = 256;

/// [`Blend::scale`] of an ordinary ending.
pub const SCALE_MAX: i32 = 64;

/// The weights that mix the two sums of an evaluation. Depends on the position alone, never on the weights.
///
/// # Examples
///
/// ```
/// use tesuji_tally::{Blend, Packed};
/// let half = Blend::of_phase(128);
/// assert_eq!(half.value(Packed::new(100, 40)), 70);
/// assert_eq!(half.shares(), [0.5, 0.5]);
/// // A drawish ending counts a quarter of the endgame sum.
/// assert_eq!(Blend { phase: 0, scale: 16 }.value_of(100, 40), 10);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blend {
    /// The share of the middlegame sum, in `0..=256`; 256 with all pieces on the board.
    pub phase: i32,
    /// The factor on the endgame sum in drawish endings, in `0..=64`; 64 where nothing is drawish.
    pub scale: i32,
}

impl Blend {
    /// A blend without scaling.
    pub const fn of_phase(phase: i32) -> Blend {
        Blend { phase, scale: SCALE_MAX }
    }

    /// The value of a pair of sums. Rounds towards 0, so that exchanged sides give exactly the opposite value.
    #[inline]
    pub const fn value(self, sum: Packed) -> i32 {
        self.value_of(sum.mg(), sum.eg())
    }

    /// The value of a middlegame and an endgame sum; see [`Blend::value`].
    #[inline]
    pub const fn value_of(self, mg: i32, eg: i32) -> i32 {
        (mg * self.phase * SCALE_MAX + eg * (PHASE_MAX - self.phase) * self.scale) / (PHASE_MAX * SCALE_MAX)
    }

    /// The value of one unit of the middlegame and of the endgame sum: the gradient of [`Blend::value_of`].
    #[inline]
    pub fn shares(self) -> [f32; 2] {
        let mg = self.phase as f32 / PHASE_MAX as f32;
        [mg, (1.0 - mg) * self.scale as f32 / SCALE_MAX as f32]
    }
}

/// The phase of `raw` points of material out of `all`, rounded to the nearest of `0..=256`.
///
/// With `all = 24` and knight 1, bishop 1, rook 2, queen 4 this is SoFCheck's stage: `min(256, (256 * raw + 12) / 24)`.
///
/// # Examples
/// ```
/// use tesuji_tally::phase_of;
/// assert_eq!([phase_of(0, 24), phase_of(12, 24), phase_of(24, 24), phase_of(30, 24)], [0, 128, 256, 256]);
/// ```
#[inline]
pub const fn phase_of(raw: i32, all: i32) -> i32 {
    let phase = (PHASE_MAX * raw + all / 2) / all;
    if phase > PHASE_MAX { PHASE_MAX } else { phase }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_rounded_and_clamped() {
        assert_eq!((phase_of(0, 24), phase_of(24, 24), phase_of(30, 24)), (0, 256, 256));
        assert_eq!((phase_of(1, 24), phase_of(2, 24), phase_of(12, 24)), (11, 21, 128));
    }

    #[test]
    fn exchanged_sides_give_the_opposite_value() {
        for phase in 0..=256 {
            for (mg, eg) in [(1, 0), (101, -77), (-3, 5), (3000, 2999)] {
                let blend = Blend { phase, scale: 17 };
                assert_eq!(blend.value_of(mg, eg), -blend.value_of(-mg, -eg));
            }
        }
        assert_eq!(Blend::of_phase(128).value_of(100, 50), 75);
        assert_eq!(Blend { phase: 0, scale: 32 }.value_of(100, 50), 25);
    }

    #[test]
    fn shares_are_the_gradient() {
        let blend = Blend { phase: 64, scale: 16 };
        let [mg, eg] = blend.shares();
        let v = blend.value_of(8000, -4000) as f32;
        assert!((8000.0 * mg - 4000.0 * eg - v).abs() < 1.0);
    }
}
