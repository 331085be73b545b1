//! Each kernel on the instructions that were asked for.

use super::{Finish, Isa, Job, scalar, swish, winograd};

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
