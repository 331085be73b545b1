//! `x / (1 + exp(-x))` over boards in memory, with an exponential that the compiler turns into vectors.

use super::BLOCK;

/// Applies it to the points' pixels of `[pixels][channels]`, channels in whole blocks.
#[inline(always)]
pub(super) fn apply(points: &[u32], buffer: &mut [f32], channels: usize) {
    for &point in points {
        let pixel = &mut buffer[point as usize * channels..][..channels];
        for lanes in pixel.as_chunks_mut::<BLOCK>().0 {
            for number in lanes {
                // One division: the logistic function is never needed by itself.
                *number /= 1.0 + exponential(-*number);
            }
        }
    }
}

/// `exp(x)` to three units in the last place for -87 to 88, beyond that the value at the end: by a power of two and a
/// polynomial on what is left (coefficients of Cephes' `expf`, Moshier 1984).
#[inline(always)]
#[allow(clippy::excessive_precision)]
pub(super) fn exponential(x: f32) -> f32 {
    // Beyond these the power of two below would leave the exponents of a float.
    let x = x.clamp(-87.0, 88.0);
    let power = (x * std::f32::consts::LOG2_E + 0.5).floor();
    // ln 2 in two parts, so that the difference is exact.
    let rest = x - power * 0.693_359_375 + power * 2.121_944_4e-4;
    let mut sum = 1.987_569_150e-4;
    for coefficient in [1.398_199_950e-3, 8.333_451_907e-3, 4.166_579_589e-2, 1.666_666_546e-1, 5.000_000_120e-1] {
        sum = sum * rest + coefficient;
    }
    let fraction = sum * rest * rest + rest + 1.0;
    // The power of two is written straight into the exponent, whose bias is 127.
    fraction * f32::from_bits(((power as i32 + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_everywhere() {
        for step in -8700..=8800 {
            let x = step as f32 * 0.01;
            let (found, expected) = (f64::from(exponential(x)), f64::from(x).exp());
            assert!((found / expected - 1.0).abs() < 4e-7, "{x}: {found}, expected {expected}");
        }
        assert!(exponential(-1e30) > 0.0 && exponential(1e30).is_finite());
    }

    #[test]
    fn it_leaves_pads_alone() {
        let mut buffer = vec![1.0; 3 * BLOCK];
        apply(&[1], &mut buffer, BLOCK);
        assert!(buffer[..BLOCK].iter().chain(&buffer[2 * BLOCK..]).all(|&number| number == 1.0));
        assert!((buffer[BLOCK] - 0.731_058_6).abs() < 1e-6);
    }
}
