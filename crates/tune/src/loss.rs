//! The loss functions that learning minimises, row by row, with their slopes, and the logistic function they share, written so that
//! the compiler makes vector code of a block of rows.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use utoipa::ToSchema;

/// The loss function to minimise: the distance of the expected result `p` from the target `t`, both in 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub enum Loss {
    /// The squared error `(p - t)²`. Robust against results that the board does not explain.
    #[default]
    #[serde(rename = "mse")]
    Squared,
    /// The absolute error `|p - t|`: the median instead of the mean.
    #[serde(rename = "mae")]
    Absolute,
    /// The fourth power of the error: large errors count most.
    #[serde(rename = "l4")]
    Fourth,
    /// Cross entropy `-t ln p - (1 - t) ln (1 - p)`: the likelihood of the results, in nats.
    #[serde(rename = "cross-entropy")]
    CrossEntropy,
}

impl Loss {
    /// All of them.
    pub const ALL: [Loss; 4] = [Loss::Squared, Loss::Absolute, Loss::Fourth, Loss::CrossEntropy];
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Loss::Squared => "mse",
            Loss::Absolute => "mae",
            Loss::Fourth => "l4",
            Loss::CrossEntropy => "cross-entropy",
        })
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Loss::ALL.map(|l| l.to_string()).join(", ");
        Loss::ALL.into_iter().find(|l| l.to_string() == text).ok_or_else(|| format!("{text:?} is none of {}", known()))
    }
}

/// `e` to the power of `x`, within 2e-7 of it relatively; beyond ±86 it is that of ±86. Without branches and tables.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23: adding it leaves the nearest whole number in the low bits.
    // Within it the exponent below is that of a normal number.
    let x = x.clamp(-86.0, 86.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // The logarithm of 2 in two parts, the first exact in products with small whole numbers (Cody and Waite, 1980).
    let r = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4;
    let series = 1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0));
    let series = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * series))));
    // The low bits of the shifted number are the exponent; 0x3F80_0000 is 1.
    series * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3F80_0000))
}

/// The natural logarithm of `1 + u` for `u` in 0..=1, within 1e-7.
#[inline(always)]
fn ln_1p(u: f32) -> f32 {
    // ln(1 + u) = 2 artanh(u / (2 + u)), whose series needs half the terms.
    let s = u / (2.0 + u);
    let q = s * s;
    let series = 1.0 / 7.0 + q * (1.0 / 9.0 + q * (1.0 / 11.0 + q * (1.0 / 13.0)));
    2.0 * s * (1.0 + q * (1.0 / 3.0 + q * (0.2 + q * series)))
}

/// The logistic function.
#[inline(always)]
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The loss of one row and its derivative by x = value / K.
#[inline(always)]
pub(crate) fn squared(x: f32, target: f32) -> (f32, f32) {
    let p = sigmoid(x);
    let error = p - target;
    (error * error, 2.0 * error * p * (1.0 - p))
}

#[inline(always)]
fn absolute(x: f32, target: f32) -> (f32, f32) {
    let p = sigmoid(x);
    let error = p - target;
    // No slope where there is no error.
    let sign = if error > 0.0 { 1.0 } else { 0.0 } - if error < 0.0 { 1.0 } else { 0.0 };
    (error.abs(), sign * p * (1.0 - p))
}

#[inline(always)]
fn fourth(x: f32, target: f32) -> (f32, f32) {
    let p = sigmoid(x);
    let error = p - target;
    let square = error * error;
    (square * square, 4.0 * square * error * p * (1.0 - p))
}

#[inline(always)]
fn cross_entropy(x: f32, target: f32) -> (f32, f32) {
    // Without cancellation: ln(1 + e^x) - t x.
    let small = exp(-x.abs());
    let softplus = x.max(0.0) + ln_1p(small);
    // The exponential of the negative size serves both signs.
    let p = if x > 0.0 { 1.0 } else { small } / (1.0 + small);
    (softplus - target * x, p - target)
}

/// A block of rows between the two passes over its counts.
pub(crate) struct LossBlock<const N: usize> {
    /// In: value / K. Out: the slope of the loss by it.
    pub x: [f32; N],
    /// The targets: the expected results to be learned.
    pub targets: [f32; N],
    /// Out: the loss.
    pub losses: [f32; N],
}

impl<const N: usize> LossBlock<N> {
    pub const EMPTY: Self = LossBlock { x: [0.0; N], targets: [0.0; N], losses: [0.0; N] };

    /// Makes losses and slopes of the values.
    pub fn apply(&mut self, loss: Loss) {
        match loss {
            Loss::Squared => self.each(squared),
            Loss::Absolute => self.each(absolute),
            Loss::Fourth => self.each(fourth),
            Loss::CrossEntropy => self.each(cross_entropy),
        }
    }

    #[inline(always)]
    fn each(&mut self, of: impl Fn(f32, f32) -> (f32, f32)) {
        for ((x, &target), loss) in self.x.iter_mut().zip(&self.targets).zip(&mut self.losses) {
            (*loss, *x) = of(*x, target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_functions_are_the_slow_ones() {
        for i in -8600..=8600 {
            let x = i as f32 / 100.0;
            let (quick, slow) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((quick / slow - 1.0).abs() < 3e-7, "exp {x}: {quick} for {slow}");
        }
        for i in 0..=1000 {
            let u = i as f32 / 1000.0;
            assert!((f64::from(ln_1p(u)) - f64::from(u).ln_1p()).abs() < 2e-7, "ln_1p {u}");
        }
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn slopes_are_those_of_the_losses_and_far_out_there_are_no_holes() {
        for loss in Loss::ALL {
            assert_eq!(loss.to_string().parse(), Ok(loss));
            for x in [-200.0, -90.0, -3.0, -0.4, 0.0, 0.7, 2.0, 90.0, 200.0f32] {
                for target in [0.0, 0.3, 0.5, 1.0] {
                    let at = |x: f32| {
                        let mut block = LossBlock::<1> { x: [x], targets: [target], ..LossBlock::EMPTY };
                        block.apply(loss);
                        (block.losses[0], block.x[0])
                    };
                    let (value, slope) = at(x);
                    assert!(value.is_finite() && slope.is_finite() && value >= 0.0, "{loss} {x} {target}: {value}");
                    let numeric = (at(x + 0.01).0 - at(x - 0.01).0) / 0.02;
                    let kink = loss == Loss::Absolute && (sigmoid(x) - target).abs() < 0.01;
                    assert!(kink || (numeric - slope).abs() < 2e-3, "{loss} {x} {target}: {slope} for {numeric}");
                }
            }
        }
        assert!("huber".parse::<Loss>().unwrap_err().contains("mae"));
    }
}
