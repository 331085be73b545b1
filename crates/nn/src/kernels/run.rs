//! Each kernel on the instructions that were asked for.

use super::{Finish, Isa, Job, curve, scalar, swish, winograd};

#[cfg(target_arch = "x86_64")]
use super::x86;

/// One convolution.
pub fn convolve(isa: Isa, job: &Job<'_>, out: &mut [f32]) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::convolve_avx2(job, out),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::convolve_avx512(job, out),
        _ => scalar::convolve(job, out),
    }
}

/// The first step of a convolution by squares.
pub fn read_squares<const N: usize>(isa: Isa, reads: &[u32], input: &[f32], inputs: usize, before: &mut [f32]) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::read_squares_avx2::<N>(reads, input, inputs, before),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::read_squares_avx512::<N>(reads, input, inputs, before),
        _ => winograd::read_squares::<N>(reads, input, inputs, before),
    }
}

/// Its last step.
pub fn write_squares<const N: usize, const M: usize>(
    isa: Isa,
    writes: &[Option<u32>],
    after: &[f32],
    bias: &[f32],
    finish: Finish,
    out: &mut [f32],
) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::write_squares_avx2::<N, M>(writes, after, bias, finish, out),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::write_squares_avx512::<N, M>(writes, after, bias, finish, out),
        _ => winograd::write_squares::<N, M>(writes, after, bias, finish, out),
    }
}

/// Swish over points.
pub fn activate(isa: Isa, points: &[u32], buffer: &mut [f32], channels: usize) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::swish_avx2(points, buffer, channels),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::swish_avx512(points, buffer, channels),
        _ => swish::apply(points, buffer, channels),
    }
}

/// Scale, shift and activation from one buffer into another.
pub fn scale(isa: Isa, pass: &curve::Pass<'_>, from: &[f32], to: &mut [f32]) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::scale_avx2(pass, from, to),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::scale_avx512(pass, from, to),
        _ => curve::apply(pass, from, to),
    }
}

/// Shift and activation in place.
pub fn shift(isa: Isa, pass: &curve::Pass<'_>, buffer: &mut [f32]) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::shift_avx2(pass, buffer),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::shift_avx512(pass, buffer),
        _ => curve::apply_here(pass, buffer),
    }
}

/// Softmax of rows.
pub fn softmax(isa: Isa, rows: &mut [f32], (stride, length): (usize, usize), factor: f32) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => x86::softmax_avx2(rows, stride, length, factor),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => x86::softmax_avx512(rows, stride, length, factor),
        _ => curve::softmax(rows, stride, length, factor),
    }
}
