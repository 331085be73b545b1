//! The convolution on x86-64: AVX2 with FMA, and AVX-512. Tiles of points by output channels stay in registers while
//! taps and inputs pass by (a direct convolution, as in oneDNN's blocked forms). The plain form is ten times slower.
#![allow(unsafe_code)]

use super::{BLOCK, Finish, Job, curve, swish, winograd};
use std::arch::x86_64::*;

/// Runs `job` with AVX2 and FMA: 6 points by 16 channels are 12 of 16 registers.
pub fn convolve_avx2(job: &Job<'_>, out: &mut [f32]) {
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "no AVX2 or FMA");
    for block in 0..job.filter.outputs / BLOCK {
        for points in job.points.chunks(6) {
            // SAFETY: the instructions are there; `Job` says that all points and their neighbours lie inside.
            unsafe { tile_avx2(job, block, points, out.as_mut_ptr()) };
        }
    }
}

/// One block of channels of up to 6 points; missing points repeat the first and are not written.
///
/// # Safety
/// The machine has AVX2 and FMA; `out` and `job.input` hold every point, and the input its neighbours.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile_avx2(job: &Job<'_>, block: usize, points: &[u32], out: *mut f32) {
    const M: usize = 6;
    let (filter, stride) = (job.filter, job.stride);
    let pixels: [usize; M] = std::array::from_fn(|index| points[if index < points.len() { index } else { 0 }] as usize);
    // SAFETY: the filter's arrays hold `outputs` channels, a multiple of the block; pointers stay inside as above.
    unsafe {
        let bias = filter.bias.as_ptr().add(block * BLOCK);
        let (low, high) = (_mm256_loadu_ps(bias), _mm256_loadu_ps(bias.add(8)));
        let mut sums = [[low, high]; M];
        let mut weights = filter.data.as_ptr().add(block * job.taps.len() * filter.inputs * BLOCK);
        for &tap in job.taps {
            let inputs: [*const f32; M] = std::array::from_fn(|index| {
                job.input.as_ptr().offset((pixels[index] as isize + tap) * stride as isize)
            });
            for channel in 0..filter.inputs {
                let (low, high) = (_mm256_loadu_ps(weights), _mm256_loadu_ps(weights.add(8)));
                for (sums, input) in sums.iter_mut().zip(inputs) {
                    // One number of a point times sixteen weights: inputs need no transposing, and neighbours lie anywhere.
                    let input = _mm256_broadcast_ss(&*input.add(channel));
                    sums[0] = _mm256_fmadd_ps(input, low, sums[0]);
                    sums[1] = _mm256_fmadd_ps(input, high, sums[1]);
                }
                weights = weights.add(BLOCK);
            }
        }
        for (&point, sums) in points.iter().zip(sums) {
            for (half, mut sum) in sums.into_iter().enumerate() {
                let to = out.add(point as usize * filter.outputs + block * BLOCK + half * 8);
                if job.accumulate {
                    sum = _mm256_add_ps(sum, _mm256_loadu_ps(to));
                }
                if job.relu {
                    sum = _mm256_max_ps(sum, _mm256_setzero_ps());
                }
                _mm256_storeu_ps(to, sum);
            }
        }
    }
}

/// Runs `job` with AVX-512: 32 registers hold 24 sums, as 6 points by 4 blocks of channels, 8 by 3, 12 by 2 or 12 by 1.
pub fn convolve_avx512(job: &Job<'_>, out: &mut [f32]) {
    assert!(is_x86_feature_detected!("avx512f"), "no AVX-512");
    let blocks = job.filter.outputs / BLOCK;
    let mut block = 0;
    while block < blocks {
        let width = match blocks - block {
            1 => 1,
            2 => 2,
            // Threes divide these without a rest.
            3 | 6 | 9 => 3,
            // Three and two: a four would leave one block, whose tile has half as many sums.
            5 => 3,
            _ => 4,
        };
        let out = out.as_mut_ptr();
        // SAFETY: the instructions are there; `Job` says that all points and their neighbours lie inside.
        unsafe {
            match width {
                1 => job.points.chunks(12).for_each(|points| tile_avx512::<12, 1>(job, block, points, out)),
                2 => job.points.chunks(12).for_each(|points| tile_avx512::<12, 2>(job, block, points, out)),
                3 => job.points.chunks(8).for_each(|points| tile_avx512::<8, 3>(job, block, points, out)),
                _ => job.points.chunks(6).for_each(|points| tile_avx512::<6, 4>(job, block, points, out)),
            }
        }
        block += width;
    }
}

/// `N` blocks of channels of up to `M` points; missing points repeat the first and are not written.
///
/// # Safety
/// The machine has AVX-512F; `out` and `job.input` hold every point, and the input its neighbours.
#[target_feature(enable = "avx512f")]
unsafe fn tile_avx512<const M: usize, const N: usize>(job: &Job<'_>, block: usize, points: &[u32], out: *mut f32) {
    let (filter, stride) = (job.filter, job.stride);
    let pixels: [usize; M] = std::array::from_fn(|index| points[if index < points.len() { index } else { 0 }] as usize);
    let length = job.taps.len() * filter.inputs * BLOCK;
    // SAFETY: the filter's arrays hold `outputs` channels, a multiple of the block; pointers stay inside as above.
    unsafe {
        let bias = filter.bias.as_ptr().add(block * BLOCK);
        let bias: [__m512; N] = std::array::from_fn(|lane| _mm512_loadu_ps(bias.add(lane * BLOCK)));
        let mut sums = [bias; M];
        let mut weights = filter.data.as_ptr().add(block * length);
        for &tap in job.taps {
            let inputs: [*const f32; M] = std::array::from_fn(|index| {
                job.input.as_ptr().offset((pixels[index] as isize + tap) * stride as isize)
            });
            for channel in 0..filter.inputs {
                let columns: [__m512; N] = std::array::from_fn(|lane| _mm512_loadu_ps(weights.add(lane * length)));
                for (sums, input) in sums.iter_mut().zip(inputs) {
                    let input = _mm512_set1_ps(*input.add(channel));
                    for (sum, column) in sums.iter_mut().zip(columns) {
                        *sum = _mm512_fmadd_ps(input, column, *sum);
                    }
                }
                weights = weights.add(BLOCK);
            }
        }
        for (&point, sums) in points.iter().zip(sums) {
            for (lane, mut sum) in sums.into_iter().enumerate() {
                let to = out.add(point as usize * filter.outputs + (block + lane) * BLOCK);
                if job.accumulate {
                    sum = _mm512_add_ps(sum, _mm512_loadu_ps(to));
                }
                if job.relu {
                    sum = _mm512_max_ps(sum, _mm512_setzero_ps());
                }
                _mm512_storeu_ps(to, sum);
            }
        }
    }
}

/// The first step of a convolution by squares, compiled for AVX2.
pub fn read_squares_avx2<const N: usize>(reads: &[u32], input: &[f32], inputs: usize, before: &mut [f32]) {
    #[target_feature(enable = "avx2,fma")]
    fn body<const N: usize>(reads: &[u32], input: &[f32], inputs: usize, before: &mut [f32]) {
        winograd::read_squares::<N>(reads, input, inputs, before);
    }
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "no AVX2 or FMA");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body::<N>(reads, input, inputs, before) }
}

/// Its last step, compiled for AVX2.
pub fn write_squares_avx2<const N: usize, const M: usize>(
    writes: &[Option<u32>],
    after: &[f32],
    bias: &[f32],
    finish: Finish,
    out: &mut [f32],
) {
    #[target_feature(enable = "avx2,fma")]
    fn body<const N: usize, const M: usize>(
        writes: &[Option<u32>],
        after: &[f32],
        bias: &[f32],
        finish: Finish,
        out: &mut [f32],
    ) {
        winograd::write_squares::<N, M>(writes, after, bias, finish, out);
    }
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "no AVX2 or FMA");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body::<N, M>(writes, after, bias, finish, out) }
}

/// The first step of a convolution by squares, compiled for AVX-512.
pub fn read_squares_avx512<const N: usize>(reads: &[u32], input: &[f32], inputs: usize, before: &mut [f32]) {
    #[target_feature(enable = "avx512f")]
    fn body<const N: usize>(reads: &[u32], input: &[f32], inputs: usize, before: &mut [f32]) {
        winograd::read_squares::<N>(reads, input, inputs, before);
    }
    assert!(is_x86_feature_detected!("avx512f"), "no AVX-512");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body::<N>(reads, input, inputs, before) }
}

/// Its last step, compiled for AVX-512.
pub fn write_squares_avx512<const N: usize, const M: usize>(
    writes: &[Option<u32>],
    after: &[f32],
    bias: &[f32],
    finish: Finish,
    out: &mut [f32],
) {
    #[target_feature(enable = "avx512f")]
    fn body<const N: usize, const M: usize>(
        writes: &[Option<u32>],
        after: &[f32],
        bias: &[f32],
        finish: Finish,
        out: &mut [f32],
    ) {
        winograd::write_squares::<N, M>(writes, after, bias, finish, out);
    }
    assert!(is_x86_feature_detected!("avx512f"), "no AVX-512");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body::<N, M>(writes, after, bias, finish, out) }
}

/// Swish over points, compiled for AVX2.
pub fn swish_avx2(points: &[u32], buffer: &mut [f32], channels: usize) {
    #[target_feature(enable = "avx2,fma")]
    fn body(points: &[u32], buffer: &mut [f32], channels: usize) {
        swish::apply(points, buffer, channels);
    }
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "no AVX2 or FMA");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(points, buffer, channels) }
}

/// Swish over points, compiled for AVX-512.
pub fn swish_avx512(points: &[u32], buffer: &mut [f32], channels: usize) {
    #[target_feature(enable = "avx512f")]
    fn body(points: &[u32], buffer: &mut [f32], channels: usize) {
        swish::apply(points, buffer, channels);
    }
    assert!(is_x86_feature_detected!("avx512f"), "no AVX-512");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(points, buffer, channels) }
}

/// Scale, shift and activation, compiled for AVX2.
pub fn scale_avx2(pass: &curve::Pass<'_>, from: &[f32], to: &mut [f32]) {
    #[target_feature(enable = "avx2,fma")]
    fn body(pass: &curve::Pass<'_>, from: &[f32], to: &mut [f32]) {
        curve::apply(pass, from, to);
    }
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "no AVX2 or FMA");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(pass, from, to) }
}

/// Shift and activation in place, compiled for AVX2.
pub fn shift_avx2(pass: &curve::Pass<'_>, buffer: &mut [f32]) {
    #[target_feature(enable = "avx2,fma")]
    fn body(pass: &curve::Pass<'_>, buffer: &mut [f32]) {
        curve::apply_here(pass, buffer);
    }
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "no AVX2 or FMA");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(pass, buffer) }
}

/// Softmax of rows, compiled for AVX2.
pub fn softmax_avx2(rows: &mut [f32], stride: usize, length: usize, factor: f32) {
    #[target_feature(enable = "avx2,fma")]
    fn body(rows: &mut [f32], stride: usize, length: usize, factor: f32) {
        curve::softmax(rows, stride, length, factor);
    }
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "no AVX2 or FMA");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(rows, stride, length, factor) }
}

/// Scale, shift and activation, compiled for AVX-512.
pub fn scale_avx512(pass: &curve::Pass<'_>, from: &[f32], to: &mut [f32]) {
    #[target_feature(enable = "avx512f")]
    fn body(pass: &curve::Pass<'_>, from: &[f32], to: &mut [f32]) {
        curve::apply(pass, from, to);
    }
    assert!(is_x86_feature_detected!("avx512f"), "no AVX-512");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(pass, from, to) }
}

/// Shift and activation in place, compiled for AVX-512.
pub fn shift_avx512(pass: &curve::Pass<'_>, buffer: &mut [f32]) {
    #[target_feature(enable = "avx512f")]
    fn body(pass: &curve::Pass<'_>, buffer: &mut [f32]) {
        curve::apply_here(pass, buffer);
    }
    assert!(is_x86_feature_detected!("avx512f"), "no AVX-512");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(pass, buffer) }
}

/// Softmax of rows, compiled for AVX-512.
pub fn softmax_avx512(rows: &mut [f32], stride: usize, length: usize, factor: f32) {
    #[target_feature(enable = "avx512f")]
    fn body(rows: &mut [f32], stride: usize, length: usize, factor: f32) {
        curve::softmax(rows, stride, length, factor);
    }
    assert!(is_x86_feature_detected!("avx512f"), "no AVX-512");
    // SAFETY: the instructions are there; the body is safe code.
    unsafe { body(rows, stride, length, factor) }
}
