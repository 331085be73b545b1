//! Kernels that training needs beyond inference: gradients of weights. Convolutions forwards, and backwards with rotated
//! weights, are those of `nn`, whose layout this shares.
//!
//! A batch of images or of vectors is a list of rows, each of a multiple of [`BLOCK`] floats. A convolution adds rows at
//! fixed distances (its taps), so that one kernel serves 3x3 and 1x1 convolutions and linear layers.
#![allow(unsafe_code)]

mod tile;
mod vector;

use tesuji_nn::kernels::{BLOCK, Isa};

/// The arguments of the kernel for weight gradients.
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

/// Rows of floats inside a longer slice.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Floats before the first row.
    pub start: usize,
    /// Floats between the beginnings of rows: the padded number of channels.
    pub stride: usize,
}

/// Checks that the taps of `taps`, seen from `rows` rows at `at`, lie in `len` floats.
fn check_reach(at: Rows, rows: usize, taps: &[isize], len: usize) {
    let low = taps.iter().min().copied().unwrap_or(0) * at.stride as isize + at.start as isize;
    let high = taps.iter().max().copied().unwrap_or(0) * at.stride as isize + (at.start + rows * at.stride) as isize;
    assert!(low >= 0 && high <= len as isize, "the taps reach outside the tensor: {low}..{high} of {len}");
}

/// `weights[.][t][i][.] += sum over rows r of x[r + t][i] * y[r]`: the gradient of a convolution's weights, packed as `[outputs / BLOCK][taps][inputs][BLOCK]`, where `y` holds the
/// gradient of its output.
///
/// # Panics
/// When the rows, seen through the taps, reach outside their slices.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::{BLOCK, Isa};
/// use tesuji_train::kernels::{Rows, unpack_add, weight_gradient};
/// // A linear layer from 2 numbers to 1, on a batch of 2: rows are padded to a block.
/// let (mut x, mut y) = ([0.0; 2 * BLOCK], [0.0; 2 * BLOCK]);
/// (x[0], x[1], y[0]) = (1.0, 2.0, 0.5);
/// (x[BLOCK], x[BLOCK + 1], y[BLOCK]) = (3.0, -1.0, 1.0);
/// let at = Rows { start: 0, stride: BLOCK };
/// let mut packed = [0.0; 2 * BLOCK];
/// weight_gradient(Isa::best(), (&x, at), 2, &[0], (&y, at), 2, &mut packed);
/// let mut gradient = [0.0; 2];
/// unpack_add(&packed, 1, 2, 1, &mut gradient);
/// assert_eq!(gradient, [3.5, 0.0]);
/// ```
pub fn weight_gradient(
    with: Isa,
    (x, x_at): (&[f32], Rows),
    inputs: usize,
    taps: &[isize],
    (y, y_at): (&[f32], Rows),
    rows: usize,
    weights: &mut [f32],
) {
    check_reach(x_at, rows, taps, x.len());
    check_reach(y_at, rows, &[0], y.len());
    assert!(inputs <= x_at.stride && y_at.stride.is_multiple_of(BLOCK) && with <= Isa::best());
    assert_eq!(weights.len(), y_at.stride * taps.len() * inputs, "the weights have another shape");
    let call = GradientCall {
        x: x.as_ptr().wrapping_add(x_at.start),
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
            Isa::Scalar => tile::gradient::<vector::Plain, 4>(&call),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => gradient_avx2(&call),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => gradient_avx512(&call),
            #[cfg(not(target_arch = "x86_64"))]
            _ => tile::gradient::<vector::Plain, 4>(&call),
        }
    }
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

/// Adds a packed gradient to that of weights `[outputs][inputs][taps]`, which is how `nn` has them.
///
/// # Examples
///
/// ```
/// use tesuji_nn::kernels::BLOCK;
/// use tesuji_train::kernels::unpack_add;
/// // Two outputs of one input are neighbours when packed.
/// let mut packed = [0.0; BLOCK];
/// (packed[0], packed[1]) = (0.25, 0.5);
/// let mut gradient = [1.0, 1.0];
/// unpack_add(&packed, 2, 1, 1, &mut gradient);
/// assert_eq!(gradient, [1.25, 1.5]);
/// ```
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
