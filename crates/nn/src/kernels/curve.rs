//! Scale, shift and activation of each channel over boards in memory, as a normalisation before a convolution needs them.

use super::{BLOCK, Grid, Isa, run, swish::exponential};

/// The function behind a normalisation.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::Curve;
/// assert_eq!([Curve::Relu.at(-2.0), Curve::Identity.at(-2.0)], [0.0, -2.0]);
/// assert!((Curve::Mish.at(1.0) - 0.865_098_4).abs() < 1e-6 && (Curve::Silu.at(1.0) - 0.731_058_6).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// `x`.
    Identity,
    /// `max(x, 0)`.
    Relu,
    /// `x * tanh(ln(1 + exp(x)))` (Misra, 2019).
    Mish,
    /// `x / (1 + exp(-x))`, also called Swish.
    Silu,
}

impl Curve {
    /// Its value.
    #[inline(always)]
    pub fn at(self, x: f32) -> f32 {
        match self {
            Curve::Identity => x,
            Curve::Relu => x.max(0.0),
            Curve::Mish => mish(x),
            Curve::Silu => x / (1.0 + exponential(-x)),
        }
    }
}

/// With `e = exp(x)`, the tanh of the softplus is `(e² + 2e) / (e² + 2e + 2)`, which needs no logarithm.
#[inline(always)]
fn mish(x: f32) -> f32 {
    // Beyond 20 the quotient is 1 in single precision, and e² might overflow.
    let e = exponential(x.min(20.0));
    let sum = e * (e + 2.0);
    x * (sum / (sum + 2.0))
}

/// One pass over points: `to = curve(from * scale + shift)` for each channel.
pub(super) struct Pass<'a> {
    /// The pixels of the points.
    pub(super) points: &'a [u32],
    /// `[channels]`, whole blocks; `None`: the numbers stay as they are.
    pub(super) scale: Option<&'a [f32]>,
    /// `[channels]`.
    pub(super) shift: &'a [f32],
    /// The function.
    pub(super) curve: Curve,
}

/// From one buffer into another.
#[inline(always)]
pub(super) fn apply(pass: &Pass<'_>, from: &[f32], to: &mut [f32]) {
    match pass.curve {
        Curve::Identity => each(pass, from, to, |x| x),
        Curve::Relu => each(pass, from, to, |x| x.max(0.0)),
        Curve::Mish => each(pass, from, to, mish),
        Curve::Silu => each(pass, from, to, |x| x / (1.0 + exponential(-x))),
    }
}

#[inline(always)]
fn each(pass: &Pass<'_>, from: &[f32], to: &mut [f32], curve: impl Fn(f32) -> f32) {
    let channels = pass.shift.len();
    let shifts = pass.shift.as_chunks::<BLOCK>().0;
    for &point in pass.points {
        let at = point as usize * channels;
        let from = from[at..at + channels].as_chunks::<BLOCK>().0;
        let to = to[at..at + channels].as_chunks_mut::<BLOCK>().0;
        for (block, (from, to)) in from.iter().zip(to).enumerate() {
            let shift = &shifts[block];
            match pass.scale {
                Some(scale) => {
                    let scale = scale[block * BLOCK..].first_chunk::<BLOCK>().expect("whole blocks");
                    for lane in 0..BLOCK {
                        to[lane] = curve(from[lane] * scale[lane] + shift[lane]);
                    }
                }
                None => {
                    for lane in 0..BLOCK {
                        to[lane] = curve(from[lane] + shift[lane]);
                    }
                }
            }
        }
    }
}

/// In place.
#[inline(always)]
pub(super) fn apply_here(pass: &Pass<'_>, buffer: &mut [f32]) {
    match pass.curve {
        Curve::Identity => each_here(pass, buffer, |x| x),
        Curve::Relu => each_here(pass, buffer, |x| x.max(0.0)),
        Curve::Mish => each_here(pass, buffer, mish),
        Curve::Silu => each_here(pass, buffer, |x| x / (1.0 + exponential(-x))),
    }
}

#[inline(always)]
fn each_here(pass: &Pass<'_>, buffer: &mut [f32], curve: impl Fn(f32) -> f32) {
    let channels = pass.shift.len();
    let shifts = pass.shift.as_chunks::<BLOCK>().0;
    for &point in pass.points {
        let at = point as usize * channels;
        for (numbers, shift) in buffer[at..at + channels].as_chunks_mut::<BLOCK>().0.iter_mut().zip(shifts) {
            for lane in 0..BLOCK {
                numbers[lane] = curve(numbers[lane] + shift[lane]);
            }
        }
    }
}

/// Makes a softmax of each row of `length` numbers after multiplying them by `factor`.
#[inline(always)]
pub(super) fn softmax(rows: &mut [f32], stride: usize, length: usize, factor: f32) {
    for row in rows.chunks_exact_mut(stride) {
        let row = &mut row[..length];
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sums = [0f32; BLOCK];
        let (whole, rest) = row.as_chunks_mut::<BLOCK>();
        for lanes in whole {
            for (number, sum) in lanes.iter_mut().zip(&mut sums) {
                *number = exponential((*number - most) * factor);
                *sum += *number;
            }
        }
        let mut sum: f32 = sums.iter().sum();
        for number in rest {
            *number = exponential((*number - most) * factor);
            sum += *number;
        }
        let share = 1.0 / sum;
        row.iter_mut().for_each(|number| *number *= share);
    }
}

/// `to = curve(from * scale + shift)` at the points of `boards` boards from `first` on; `scale` and `shift` have the buffers' channels, in whole
/// blocks. Pads are not written.
///
/// # Panics
/// When a length does not fit, or the machine lacks the instructions.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Curve, Grid, Isa, scale_on};
/// let grid = Grid::flat(1);
/// let mut to = vec![0.0; BLOCK];
/// scale_on(Isa::best(), &grid, 1, (&[2.0; BLOCK], &[-1.0; BLOCK]), Curve::Relu, &[0.75; BLOCK], &mut to);
/// assert_eq!(to, [0.5; BLOCK]);
/// ```
pub fn scale_on(
    isa: Isa,
    grid: &Grid,
    boards: usize,
    (scale, shift): (&[f32], &[f32]),
    curve: Curve,
    from: &[f32],
    to: &mut [f32],
) {
    let channels = shift.len();
    assert!(isa <= Isa::best(), "the machine lacks {isa:?}");
    assert!(channels.is_multiple_of(BLOCK) && scale.len() == channels, "no whole blocks");
    assert!(from.len() == grid.pixels() * channels && to.len() == from.len(), "the buffers do not fit");
    run::scale(isa, &Pass { points: grid.points(boards), scale: Some(scale), shift, curve }, from, to);
}

/// `curve(x + shift)` in place at the points of one board. Pads are not written.
///
/// # Panics
/// When a length does not fit, or the machine lacks the instructions.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Curve, Grid, Isa, shift_on};
/// let grid = Grid::flat(2);
/// let mut numbers = vec![1.0; 2 * BLOCK];
/// // The second of two vectors.
/// shift_on(Isa::best(), &grid, 1, &[-3.0; BLOCK], Curve::Relu, &mut numbers);
/// assert_eq!((numbers[0], numbers[BLOCK]), (1.0, 0.0));
/// ```
pub fn shift_on(isa: Isa, grid: &Grid, board: usize, shift: &[f32], curve: Curve, buffer: &mut [f32]) {
    let channels = shift.len();
    assert!(isa <= Isa::best(), "the machine lacks {isa:?}");
    assert!(channels.is_multiple_of(BLOCK) && buffer.len() == grid.pixels() * channels, "the buffer does not fit");
    let area = grid.height() * grid.width();
    let points = &grid.points(board + 1)[board * area..];
    run::shift(isa, &Pass { points, scale: None, shift, curve }, buffer);
}

/// Makes a softmax of the first `length` numbers of each row of `stride`, multiplied by `factor` before.
///
/// # Panics
/// When a length does not fit, or the machine lacks the instructions.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{Isa, softmax_on};
/// let mut row = [1.0, 1.0, 5.0];
/// softmax_on(Isa::best(), &mut row, 3, 2, 2.0);
/// assert_eq!(row, [0.5, 0.5, 5.0]);
/// ```
pub fn softmax_on(isa: Isa, rows: &mut [f32], stride: usize, length: usize, factor: f32) {
    assert!(isa <= Isa::best(), "the machine lacks {isa:?}");
    assert!((1..=stride).contains(&length) && rows.len().is_multiple_of(stride), "the rows do not fit");
    run::softmax(isa, rows, (stride, length), factor);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_right_everywhere() {
        for step in -6000..=6000 {
            let x = step as f32 * 0.01;
            let wide = f64::from(x);
            let mish = wide * wide.exp().ln_1p().tanh();
            let silu = wide / (1.0 + (-wide).exp());
            for (found, expected) in [(Curve::Mish.at(x), mish), (Curve::Silu.at(x), silu)] {
                let found = f64::from(found);
                assert!(
                    (found - expected).abs() <= 2e-6 * expected.abs().max(1e-6),
                    "{x}: {found}, expected {expected}"
                );
            }
        }
    }

    #[test]
    fn instructions_agree() {
        let grid = Grid::new(3, 4, 2);
        let numbers = |seed: usize, count: usize| -> Vec<f32> {
            (0..count).map(|n| ((n * 7919 + seed) % 41) as f32 / 8.0 - 2.5).collect()
        };
        let (from, scale, shift) =
            (numbers(1, grid.pixels() * 2 * BLOCK), numbers(2, 2 * BLOCK), numbers(3, 2 * BLOCK));
        for curve in [Curve::Identity, Curve::Relu, Curve::Mish, Curve::Silu] {
            let run = |isa: Isa| {
                let mut to = grid.buffer(2 * BLOCK);
                scale_on(isa, &grid, 2, (&scale, &shift), curve, &from, &mut to);
                shift_on(isa, &grid, 1, &shift, curve, &mut to);
                softmax_on(isa, &mut to, 2 * BLOCK, 21, 0.5);
                to
            };
            let (plain, best) = (run(Isa::Scalar), run(Isa::best()));
            assert!(plain.iter().zip(&best).all(|(a, b)| (a - b).abs() < 1e-5), "{curve:?}");
        }
    }
}
