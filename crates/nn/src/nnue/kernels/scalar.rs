//! The kernels in plain Rust, which say what all others compute.

use super::{Form, LANES, LaneBlock, Quads};

const PAIR: u8 = Form::Pair as u8;
const PLAIN: u8 = Form::Plain as u8;

pub(super) fn update(from: &[LaneBlock], to: &mut [LaneBlock], added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    match (added, removed) {
        (&[a], &[r]) => fused(from, to, [a], [r]),
        (&[a], &[r, s]) => fused(from, to, [a], [r, s]),
        (&[a, b], &[r]) => fused(from, to, [a, b], [r]),
        (&[a, b], &[r, s]) => fused(from, to, [a, b], [r, s]),
        _ => {
            to.copy_from_slice(from);
            change(to, added, removed);
        }
    }
}

/// One pass over memory for a known number of rows. Sums wrap, so that overflow on the way cancels out, in whatever order rows come.
#[inline(always)]
fn fused<const A: usize, const R: usize>(
    from: &[LaneBlock],
    to: &mut [LaneBlock],
    added: [&[LaneBlock]; A],
    removed: [&[LaneBlock]; R],
) {
    let blocks = to.len();
    let from = &from[..blocks];
    let (added, removed) = (added.map(|row| &row[..blocks]), removed.map(|row| &row[..blocks]));
    for (at, to) in to.iter_mut().enumerate() {
        for lane in 0..LANES {
            let mut sum = from[at].0[lane];
            for row in added {
                sum = sum.wrapping_add(row[at].0[lane]);
            }
            for row in removed {
                sum = sum.wrapping_sub(row[at].0[lane]);
            }
            to.0[lane] = sum;
        }
    }
}

/// Blocks that are summed at a time: so many stay in registers while all rows pass, and each sum is loaded and stored once.
const TILE: usize = 4;

pub(super) fn change(sums: &mut [LaneBlock], added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    let blocks = sums.len();
    let whole = blocks - blocks % TILE;
    for at in (0..whole).step_by(TILE) {
        tile::<TILE>(sums, at, added, removed);
    }
    for at in whole..blocks {
        tile::<1>(sums, at, added, removed);
    }
}

#[inline(always)]
fn tile<const N: usize>(sums: &mut [LaneBlock], at: usize, added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    let Some(place) = sums[at..].first_chunk_mut::<N>() else { return };
    let mut tile = *place;
    for row in added {
        let row: &[LaneBlock; N] = row[at..].first_chunk().expect("rows are as long as sums");
        for (sum, weights) in tile.iter_mut().zip(row) {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_add(weights.0[lane]);
            }
        }
    }
    for row in removed {
        let row: &[LaneBlock; N] = row[at..].first_chunk().expect("rows are as long as sums");
        for (sum, weights) in tile.iter_mut().zip(row) {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_sub(weights.0[lane]);
            }
        }
    }
    *place = tile;
}

/// Sums of one block fit 32 bits: 32 products below 2^25.
pub(super) fn dot<const FORM: u8>(
    low: [&[LaneBlock]; 2],
    high: [&[LaneBlock]; 2],
    weights: &[LaneBlock],
    one: i16,
) -> i64 {
    let mut total = 0;
    let (low, high) = (low.into_iter().flatten(), high.into_iter().flatten());
    for ((low, high), weights) in low.zip(high).zip(weights) {
        // 32 products below 2^25 fit; the total goes on in 64 bits.
        let mut sum = 0i32;
        for lane in 0..LANES {
            let clipped = low.0[lane].clamp(0, one);
            sum += match FORM {
                PLAIN => i32::from(clipped) * i32::from(weights.0[lane]),
                PAIR => i32::from(clipped.wrapping_mul(weights.0[lane])) * i32::from(high.0[lane].clamp(0, one)),
                _ => i32::from(clipped.wrapping_mul(weights.0[lane])) * i32::from(clipped),
            };
        }
        total += i64::from(sum);
    }
    total
}

#[inline(always)]
pub(super) fn bytes(form: Form, low: &[LaneBlock], high: &[LaneBlock], one: i16, shift: u32, out: &mut [u8]) {
    let clip = |number: i16| u32::from(number.clamp(0, one) as u16);
    for ((low, high), out) in low.iter().zip(high).zip(out.as_chunks_mut::<LANES>().0) {
        match form {
            Form::Plain => (0..LANES).for_each(|lane| out[lane] = low.0[lane].clamp(0, one) as u8),
            Form::Square => {
                (0..LANES).for_each(|lane| out[lane] = ((clip(low.0[lane]) * clip(low.0[lane])) >> shift) as u8)
            }
            Form::Pair => {
                (0..LANES).for_each(|lane| out[lane] = ((clip(low.0[lane]) * clip(high.0[lane])) >> shift) as u8)
            }
        }
    }
}

pub(super) fn layer(inputs: &[u8], weights: &[Quads], sums: &mut [i32]) {
    let groups = sums.len() / 16;
    for (four, rows) in inputs.chunks_exact(4).zip(weights.chunks_exact(groups)) {
        for (sums, row) in sums.chunks_exact_mut(16).zip(rows) {
            for (sum, weights) in sums.iter_mut().zip(row.0.chunks_exact(4)) {
                let products = four.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight));
                *sum = sum.wrapping_add(products.sum());
            }
        }
    }
}
