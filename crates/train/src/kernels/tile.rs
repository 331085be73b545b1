//! The inner loop of a weight gradient, written once for all instruction sets.
#![allow(unsafe_code)]

use super::vector::Vector;
use super::{BLOCK, GradientCall};

/// Calls `$body` with the constant `$M` equal to `$count`, which is in 1..=14.
macro_rules! with_constant {
    ($count:expr, $run:ident::<$V:ty, _, $N:ident>($($arg:expr),*)) => {
        match $count {
            1 => $run::<$V, 1, $N>($($arg),*),
            2 => $run::<$V, 2, $N>($($arg),*),
            3 => $run::<$V, 3, $N>($($arg),*),
            4 => $run::<$V, 4, $N>($($arg),*),
            5 => $run::<$V, 5, $N>($($arg),*),
            6 => $run::<$V, 6, $N>($($arg),*),
            7 => $run::<$V, 7, $N>($($arg),*),
            8 => $run::<$V, 8, $N>($($arg),*),
            9 => $run::<$V, 9, $N>($($arg),*),
            10 => $run::<$V, 10, $N>($($arg),*),
            11 => $run::<$V, 11, $N>($($arg),*),
            12 => $run::<$V, 12, $N>($($arg),*),
            13 => $run::<$V, 13, $N>($($arg),*),
            _ => $run::<$V, 14, $N>($($arg),*),
        }
    };
}

/// Offsets of the `N` vectors of a tile, counted in floats, where blocks of 16 channels are `block` floats apart.
#[inline(always)]
fn offsets<V: Vector, const N: usize>(block: usize) -> [usize; N] {
    std::array::from_fn(|j| (j * V::LANES) / BLOCK * block + (j * V::LANES) % BLOCK)
}

/// The first weight of a tile.
#[derive(Clone, Copy)]
struct TileStart {
    tap: usize,
    input: usize,
    block: usize,
}

/// One tile of the gradient of the weights: `M` inputs times `N` vectors of outputs, over some rows.
#[inline(always)]
unsafe fn gradient_tile<V: Vector, const M: usize, const N: usize>(
    g: &GradientCall,
    (first, count): (usize, usize),
    TileStart { tap, input, block }: TileStart,
) {
    // SAFETY: the caller of `gradient` vouches for all rows, taps and blocks; a tile is a part of them.
    unsafe {
        let weights_block = g.taps.len() * g.inputs * BLOCK;
        let weight_offsets = offsets::<V, N>(weights_block);
        let w = g.weights.add(block * weights_block + (tap * g.inputs + input) * BLOCK);
        let mut sums: [[V; N]; M] =
            std::array::from_fn(|m| std::array::from_fn(|j| V::load(w.add(weight_offsets[j] + m * BLOCK))));
        let mut x = g.x.offset((first as isize + g.taps[tap]) * g.x_stride as isize).add(input);
        let mut y = g.y.add(first * g.y_stride + block * BLOCK);
        for _ in 0..count {
            let d: [V; N] = std::array::from_fn(|j| V::load(y.add(j * V::LANES)));
            for (m, sums) in sums.iter_mut().enumerate() {
                let value = V::splat(*x.add(m));
                for (sum, d) in sums.iter_mut().zip(d) {
                    *sum = sum.add_product(value, d);
                }
            }
            x = x.add(g.x_stride);
            y = y.add(g.y_stride);
        }
        for (m, sums) in sums.into_iter().enumerate() {
            for (j, sum) in sums.into_iter().enumerate() {
                sum.store(w.add(weight_offsets[j] + m * BLOCK));
            }
        }
    }
}

/// Rows looked at before the next tile of weights: their values stay in the first cache.
const ROWS_AT_ONCE: usize = 80;

/// All taps and inputs of `N` vectors of outputs.
#[inline(always)]
unsafe fn gradient_block<V: Vector, const M: usize, const N: usize>(
    g: &GradientCall,
    rows: (usize, usize),
    block: usize,
) {
    for tap in 0..g.taps.len() {
        let mut input = 0;
        while input < g.inputs {
            // As even as possible: 64 inputs are five tiles of about 13, not four of 14 and one of 8.
            let tiles_left = (g.inputs - input).div_ceil(M);
            let count = (g.inputs - input).div_ceil(tiles_left);
            // SAFETY: `input + count <= inputs`.
            unsafe { with_constant!(count, gradient_tile::<V, _, N>(g, rows, TileStart { tap, input, block })) };
            input += count;
        }
    }
}

/// `weights[t][i] += sum over rows r of x[r + t][i] * y[r]`.
///
/// # Safety
/// The processor has the instructions of `V`; the pointers of `g` are good for what its fields say.
#[inline(always)]
pub(super) unsafe fn gradient<V: Vector, const M: usize>(g: &GradientCall) {
    let blocks = g.y_channels / BLOCK;
    let mut first = 0;
    while first < g.rows {
        let rows = (first, (g.rows - first).min(ROWS_AT_ONCE));
        let mut block = 0;
        while block < blocks {
            // SAFETY: the blocks lie below `y_channels`, the rows below `rows`.
            unsafe {
                // Two vectors each time: a value of x in all lanes serves both.
                if V::LANES == BLOCK && block + 2 <= blocks {
                    gradient_block::<V, M, 2>(g, rows, block);
                    block += 2;
                } else if V::LANES == BLOCK {
                    gradient_block::<V, M, 1>(g, rows, block);
                    block += 1;
                } else {
                    gradient_block::<V, M, 2>(g, rows, block);
                    block += 1;
                }
            }
        }
        first += rows.1;
    }
}
