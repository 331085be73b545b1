//! The convolution in plain Rust: what every machine runs and every faster form is compared with.

use super::{BLOCK, Job};

/// Points per step.
const TILE: usize = 4;

/// Runs `job`.
pub fn convolve(job: &Job<'_>, out: &mut [f32]) {
    for block in 0..job.filter.outputs / BLOCK {
        for points in job.points.chunks(TILE) {
            tile(job, block, points, out);
        }
    }
}

fn tile(job: &Job<'_>, block: usize, points: &[u32], out: &mut [f32]) {
    let filter = job.filter;
    // A few points at once, so that the weights of a tap come from memory once for all of them.
    let mut sums = [[0f32; BLOCK]; TILE];
    sums.fill(*filter.bias[block * BLOCK..].first_chunk().expect("padded to blocks"));
    for (tap, &shift) in job.taps.iter().enumerate() {
        let start = (block * job.taps.len() + tap) * filter.inputs * BLOCK;
        let weights = filter.data[start..][..filter.inputs * BLOCK].as_chunks::<BLOCK>().0;
        for (sum, &point) in sums.iter_mut().zip(points) {
            let pixel = (point as isize + shift) as usize;
            let inputs = &job.input[pixel * job.stride..][..filter.inputs];
            for (&input, weights) in inputs.iter().zip(weights) {
                for (sum, weight) in sum.iter_mut().zip(weights) {
                    *sum += input * weight;
                }
            }
        }
    }
    for (sum, &point) in sums.iter().zip(points) {
        let out = &mut out[point as usize * filter.outputs + block * BLOCK..][..BLOCK];
        for (out, &sum) in out.iter_mut().zip(sum) {
            let sum = if job.accumulate { *out + sum } else { sum };
            *out = if job.relu { sum.max(0.0) } else { sum };
        }
    }
}
