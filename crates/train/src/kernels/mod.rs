//! The arithmetic that training spends its time on, for the instructions that the processor has.
//!
//! Rows of channels: a batch of images or of vectors is a list of rows, each of a multiple of [`BLOCK`] floats. A
//! convolution adds rows at fixed distances (its taps), so that one kernel serves 3x3 and 1x1 convolutions and fully
//! connected layers, forwards, and backwards with turned weights.
#![allow(unsafe_code)]

mod tile;
mod vector;

use std::sync::OnceLock;

/// Channels come in blocks of so many; what a layer lacks is zero.
pub const BLOCK: usize = 16;

/// `channels`, rounded up to whole blocks.
pub const fn padded(channels: usize) -> usize {
    channels.div_ceil(BLOCK) * BLOCK
}

/// What a convolution kernel is asked. Pointers, since shares of a tensor overlap in their pads.
struct ConvCall<'a> {
    /// Row 0 of the input; `rows` rows, and all rows at the taps' distances from them, are readable.
    x: *const f32,
    x_stride: usize,
    /// Inputs that are looked at, at most `x_stride`.
    inputs: usize,
    taps: &'a [isize],
    /// `[y_channels / BLOCK][taps][inputs][BLOCK]`.
    weights: *const f32,
    y: *mut f32,
    y_stride: usize,
    y_channels: usize,
    rows: usize,
    accumulate: bool,
}

/// What the kernel of a weight gradient is asked.
struct GradientCall<'a> {
    x: *const f32,
    x_stride: usize,
    inputs: usize,
    taps: &'a [isize],
    y: *const f32,
    y_stride: usize,
    y_channels: usize,
    rows: usize,
    weights: *mut f32,
}

/// Which instructions are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instructions {
    /// Those that every processor has.
    Plain,
    /// AVX2 with FMA.
    Avx2,
    /// AVX-512.
    Avx512,
}

impl Instructions {
    /// The best that this processor has.
    pub fn best() -> Instructions {
        static BEST: OnceLock<Instructions> = OnceLock::new();
        *BEST.get_or_init(|| *Instructions::all().last().unwrap_or(&Instructions::Plain))
    }

    /// All that this processor has, the best last.
    pub fn all() -> Vec<Instructions> {
        let mut all = vec![Instructions::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Instructions::Avx2);
                if is_x86_feature_detected!("avx512f") {
                    all.push(Instructions::Avx512);
                }
            }
        }
        all
    }
}

/// Rows of floats inside a longer slice.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Floats before the first row.
    pub start: usize,
    /// Floats between the beginnings of rows: the padded number of channels.
    pub stride: usize,
}

/// Where the taps of `taps` reach from `rows` rows at `at`: checked to lie in `len` floats.
fn check_reach(at: Rows, rows: usize, taps: &[isize], len: usize) {
    let low = taps.iter().min().copied().unwrap_or(0) * at.stride as isize + at.start as isize;
    let high = taps.iter().max().copied().unwrap_or(0) * at.stride as isize + (at.start + rows * at.stride) as isize;
    assert!(low >= 0 && high <= len as isize, "the taps reach outside the tensor: {low}..{high} of {len}");
}

/// `y[r] (+)= sum over taps t, inputs i of x[r + t][first + i] * weights[.][t][i][.]`, for `rows` rows.
///
/// `weights`: `[y.stride / BLOCK][taps][inputs][BLOCK]`. With `accumulate` it adds to `y`, else it overwrites.
///
/// # Panics
/// When the rows, seen through the taps, reach outside their slices.
#[allow(clippy::too_many_arguments)]
pub fn conv(
    with: Instructions,
    (x, x_at): (&[f32], Rows),
    (first, inputs): (usize, usize),
    taps: &[isize],
    weights: &[f32],
    (y, y_at): (&mut [f32], Rows),
    rows: usize,
    accumulate: bool,
) {
    check_reach(x_at, rows, taps, x.len());
    check_reach(y_at, rows, &[0], y.len());
    assert!(first + inputs <= x_at.stride && y_at.stride.is_multiple_of(BLOCK) && with <= Instructions::best());
    assert_eq!(weights.len(), y_at.stride * taps.len() * inputs, "the weights have another shape");
    let call = ConvCall {
        x: x.as_ptr().wrapping_add(x_at.start + first),
        x_stride: x_at.stride,
        inputs,
        taps,
        weights: weights.as_ptr(),
        y: y.as_mut_ptr().wrapping_add(y_at.start),
        y_stride: y_at.stride,
        y_channels: y_at.stride,
        rows,
        accumulate,
    };
    // SAFETY: the reach was checked above, and so was that the processor has the instructions.
    unsafe {
        match with {
            Instructions::Plain => tile::conv::<vector::Plain, 4>(&call),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => conv_avx2(&call),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => conv_avx512(&call),
            #[cfg(not(target_arch = "x86_64"))]
            _ => tile::conv::<vector::Plain, 4>(&call),
        }
    }
}

/// `weights[.][t][i][.] += sum over rows r of x[r + t][first + i] * y[r]`: the gradient of [`conv`]'s weights, where `y` holds the
/// gradient of its output.
///
/// # Panics
/// When the rows, seen through the taps, reach outside their slices.
pub fn weight_gradient(
    with: Instructions,
    (x, x_at): (&[f32], Rows),
    (first, inputs): (usize, usize),
    taps: &[isize],
    (y, y_at): (&[f32], Rows),
    rows: usize,
    weights: &mut [f32],
) {
    check_reach(x_at, rows, taps, x.len());
    check_reach(y_at, rows, &[0], y.len());
    assert!(first + inputs <= x_at.stride && y_at.stride.is_multiple_of(BLOCK) && with <= Instructions::best());
    assert_eq!(weights.len(), y_at.stride * taps.len() * inputs, "the weights have another shape");
    let call = GradientCall {
        x: x.as_ptr().wrapping_add(x_at.start + first),
        x_stride: x_at.stride,
        inputs,
        taps,
        y: y.as_ptr().wrapping_add(y_at.start),
        y_stride: y_at.stride,
        y_channels: y_at.stride,
        rows,
        weights: weights.as_mut_ptr(),
    };
    // SAFETY: the reach was checked above, and so was that the processor has the instructions.
    unsafe {
        match with {
            Instructions::Plain => tile::gradient::<vector::Plain, 4>(&call),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => gradient_avx2(&call),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => gradient_avx512(&call),
            #[cfg(not(target_arch = "x86_64"))]
            _ => tile::gradient::<vector::Plain, 4>(&call),
        }
    }
}

/// [`tile::conv`] with six rows times two vectors in registers.
///
/// # Safety
/// As [`tile::conv`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn conv_avx2(call: &ConvCall) {
    // SAFETY: the caller's promise.
    unsafe { tile::conv::<vector::Avx2, 6>(call) }
}

/// [`tile::conv`] with fourteen rows times two vectors in registers.
///
/// # Safety
/// As [`tile::conv`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn conv_avx512(call: &ConvCall) {
    // SAFETY: the caller's promise.
    unsafe { tile::conv::<vector::Avx512, 14>(call) }
}

/// [`tile::gradient`] with six inputs times two vectors in registers.
///
/// # Safety
/// As [`tile::gradient`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn gradient_avx2(call: &GradientCall) {
    // SAFETY: the caller's promise.
    unsafe { tile::gradient::<vector::Avx2, 6>(call) }
}

/// [`tile::gradient`] with fourteen inputs times two vectors in registers.
///
/// # Safety
/// As [`tile::gradient`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn gradient_avx512(call: &GradientCall) {
    // SAFETY: the caller's promise.
    unsafe { tile::gradient::<vector::Avx512, 14>(call) }
}

/// Packs weights `[outputs][inputs][taps]` (PyTorch's layout) as [`conv`] reads them; outputs beyond are zero.
pub fn pack(weights: &[f32], outputs: usize, inputs: usize, taps: usize, packed: &mut Vec<f32>) {
    packed.clear();
    packed.resize(padded(outputs) * inputs * taps, 0.0);
    for o in 0..outputs {
        for i in 0..inputs {
            for t in 0..taps {
                packed[((o / BLOCK * taps + t) * inputs + i) * BLOCK + o % BLOCK] =
                    weights[(o * inputs + i) * taps + t];
            }
        }
    }
}

/// Packs the same weights for the way back, where outputs come in and inputs go out, through the taps in reverse order.
pub fn pack_turned(weights: &[f32], outputs: usize, inputs: usize, taps: usize, packed: &mut Vec<f32>) {
    packed.clear();
    packed.resize(padded(inputs) * outputs * taps, 0.0);
    for o in 0..outputs {
        for i in 0..inputs {
            for t in 0..taps {
                packed[((i / BLOCK * taps + taps - 1 - t) * outputs + o) * BLOCK + i % BLOCK] =
                    weights[(o * inputs + i) * taps + t];
            }
        }
    }
}

/// The reverse of [`pack`], adding to `weights`.
pub fn unpack_add(packed: &[f32], outputs: usize, inputs: usize, taps: usize, weights: &mut [f32]) {
    for o in 0..outputs {
        for i in 0..inputs {
            for t in 0..taps {
                weights[(o * inputs + i) * taps + t] +=
                    packed[((o / BLOCK * taps + t) * inputs + i) * BLOCK + o % BLOCK];
            }
        }
    }
}

#[cfg(test)]
mod tests;
