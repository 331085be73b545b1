//! The kernels for AVX2. Plain code, compiled for it, takes six times the instructions for sums of rows and four times the time for
//! products.
#![allow(unsafe_code)]

use super::{Form, LaneBlock, Quads, first_blocks, scalar};
use std::arch::x86_64::*;

const PAIR: u8 = Form::Pair as u8;
const PLAIN: u8 = Form::Plain as u8;
/// Blocks whose products fit the 32-bit lanes of a sum: each adds two products below 2^25.
const BLOCKS: usize = 31;

#[target_feature(enable = "avx2")]
pub(super) fn update(from: &[LaneBlock], to: &mut [LaneBlock], added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    match (added, removed) {
        // The usual numbers of changed pieces as constants: the loops over rows unroll.
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

/// One pass over memory for a known number of rows.
#[target_feature(enable = "avx2")]
fn fused<const A: usize, const R: usize>(
    from: &[LaneBlock],
    to: &mut [LaneBlock],
    added: [&[LaneBlock]; A],
    removed: [&[LaneBlock]; R],
) {
    let blocks = to.len();
    let from = &from[..blocks];
    let (added, removed) = (first_blocks(added, blocks), first_blocks(removed, blocks));
    for (at, to) in to.iter_mut().enumerate() {
        for half in 0..2 {
            let mut sum = load(&from[at], half);
            for row in added {
                sum = _mm256_add_epi16(sum, load(&row[at], half));
            }
            for row in removed {
                sum = _mm256_sub_epi16(sum, load(&row[at], half));
            }
            store(to, half, sum);
        }
    }
}

/// Blocks whose columns stay in registers while rows pass: more would spill, fewer would load and store the sums more often.
const TILE: usize = 4;

#[target_feature(enable = "avx2")]
pub(super) fn change(sums: &mut [LaneBlock], added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    let whole = sums.len() - sums.len() % TILE;
    for at in (0..whole).step_by(TILE) {
        tile::<TILE>(sums, at, added, removed);
    }
    for at in whole..sums.len() {
        tile::<1>(sums, at, added, removed);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn tile<const N: usize>(sums: &mut [LaneBlock], at: usize, added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    let Some(place) = sums[at..].first_chunk_mut::<N>() else { return };
    // All rows pass before the sums are written: a refresh has up to 32 of them.
    let mut tile = [[_mm256_setzero_si256(); 2]; N];
    for (sum, block) in tile.iter_mut().zip(&*place) {
        *sum = [load(block, 0), load(block, 1)];
    }
    for row in added {
        let row: &[LaneBlock; N] = row[at..].first_chunk().expect("rows are as long as sums");
        for (sum, weights) in tile.iter_mut().zip(row) {
            sum[0] = _mm256_add_epi16(sum[0], load(weights, 0));
            sum[1] = _mm256_add_epi16(sum[1], load(weights, 1));
        }
    }
    for row in removed {
        let row: &[LaneBlock; N] = row[at..].first_chunk().expect("rows are as long as sums");
        for (sum, weights) in tile.iter_mut().zip(row) {
            sum[0] = _mm256_sub_epi16(sum[0], load(weights, 0));
            sum[1] = _mm256_sub_epi16(sum[1], load(weights, 1));
        }
    }
    for (place, sum) in place.iter_mut().zip(tile) {
        store(place, 0, sum[0]);
        store(place, 1, sum[1]);
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn dot<const FORM: u8>(
    low: [&[LaneBlock]; 2],
    high: [&[LaneBlock]; 2],
    weights: &[LaneBlock],
    one: i16,
) -> i64 {
    let one = _mm256_set1_epi16(one);
    let (own, other) = weights.split_at(low[0].len());
    // The sums of both sides, as short as most networks have them, fit 32 bits together.
    if weights.len() <= BLOCKS {
        let own = products::<FORM>(low[0], high[0], own, one);
        let other = products::<FORM>(low[1], high[1], other, one);
        let halves = [_mm256_add_epi32(own[0], other[0]), _mm256_add_epi32(own[1], other[1])];
        return reduced(_mm256_add_epi64(widened(halves[0]), widened(halves[1])));
    }
    let mut total = _mm256_setzero_si256();
    for (side, weights) in [own, other].into_iter().enumerate() {
        let (low, high) = (low[side].chunks(BLOCKS), high[side].chunks(BLOCKS));
        for ((low, high), weights) in low.zip(high).zip(weights.chunks(BLOCKS)) {
            for sum in products::<FORM>(low, high, weights, one) {
                total = _mm256_add_epi64(total, widened(sum));
            }
        }
    }
    reduced(total)
}

/// The sums of the products of at most [`BLOCKS`] blocks, half by half: `madd` adds pairs of 16-bit products in 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn products<const FORM: u8>(
    low: &[LaneBlock],
    high: &[LaneBlock],
    weights: &[LaneBlock],
    one: __m256i,
) -> [__m256i; 2] {
    let blocks = low.len();
    let (high, weights) = (&high[..blocks], &weights[..blocks]);
    let zero = _mm256_setzero_si256();
    let mut sums = [zero; 2];
    for at in 0..blocks {
        for (half, sum) in sums.iter_mut().enumerate() {
            let low = _mm256_min_epi16(_mm256_max_epi16(load(&low[at], half), zero), one);
            let weights = load(&weights[at], half);
            let products = match FORM {
                PLAIN => _mm256_madd_epi16(low, weights),
                PAIR => {
                    let high = _mm256_min_epi16(_mm256_max_epi16(load(&high[at], half), zero), one);
                    // Clipped times weight fits 16 bits, so that the second product can be a `madd`, too.
                    _mm256_madd_epi16(_mm256_mullo_epi16(low, weights), high)
                }
                _ => _mm256_madd_epi16(_mm256_mullo_epi16(low, weights), low),
            };
            *sum = _mm256_add_epi32(*sum, products);
        }
    }
    sums
}

/// 32-bit sums as half as many of 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn widened(sums: __m256i) -> __m256i {
    let low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sums));
    _mm256_add_epi64(low, _mm256_cvtepi32_epi64(_mm256_extracti128_si256::<1>(sums)))
}

/// The sum of all lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn reduced(sums: __m256i) -> i64 {
    let half = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    _mm_cvtsi128_si64(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)))
}

/// Half a block.
#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &LaneBlock, half: usize) -> __m256i {
    debug_assert!(half < 2);
    // SAFETY: a block holds two registers, and `half` is 0 or 1.
    unsafe { _mm256_load_si256(block.0.as_ptr().cast::<__m256i>().add(half)) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(block: &mut LaneBlock, half: usize, columns: __m256i) {
    debug_assert!(half < 2);
    // SAFETY: a block holds two registers, and `half` is 0 or 1.
    unsafe { _mm256_store_si256(block.0.as_mut_ptr().cast::<__m256i>().add(half), columns) }
}

#[target_feature(enable = "avx2")]
pub(super) fn bytes(form: Form, low: &[LaneBlock], high: &[LaneBlock], one: i16, shift: u32, out: &mut [u8]) {
    scalar::bytes(form, low, high, one, shift, out);
}

/// Four inputs at a time, those that are all 0 left out: after a clipped ReLU these are most.
#[target_feature(enable = "avx2")]
pub(super) fn layer(inputs: &[u8], weights: &[Quads], sums: &mut [i32]) {
    let groups = sums.len() / 16;
    if groups == 2 {
        return two_groups(inputs, weights, sums);
    }
    let ones = _mm256_set1_epi16(1);
    for (four, rows) in inputs.as_chunks::<4>().0.iter().zip(weights.chunks_exact(groups)) {
        let word = i32::from_le_bytes(*four);
        if word == 0 {
            continue;
        }
        let four = _mm256_set1_epi32(word);
        for (sums, row) in sums.as_chunks_mut::<16>().0.iter_mut().zip(rows) {
            for half in 0..2 {
                // SAFETY: 16 sums are two registers of eight, and so are 64 weights of 32.
                unsafe {
                    let weights = _mm256_load_si256(row.0.as_ptr().cast::<__m256i>().add(half));
                    let products = _mm256_madd_epi16(_mm256_maddubs_epi16(four, weights), ones);
                    let place = sums.as_mut_ptr().cast::<__m256i>().add(half);
                    _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place), products));
                }
            }
        }
    }
}

/// A layer of 32 outputs, whose sums stay in registers.
#[target_feature(enable = "avx2")]
fn two_groups(inputs: &[u8], weights: &[Quads], sums: &mut [i32]) {
    let ones = _mm256_set1_epi16(1);
    // SAFETY: there are 32 sums: four registers of eight.
    let mut kept: [__m256i; 4] =
        std::array::from_fn(|at| unsafe { _mm256_loadu_si256(sums.as_ptr().cast::<__m256i>().add(at)) });
    for (eight, rows) in inputs.as_chunks::<32>().0.iter().zip(weights.as_chunks::<16>().0) {
        // SAFETY: 32 bytes are a register.
        let words = unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) };
        let empty = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(words, _mm256_setzero_si256())));
        let mut full = !empty as u32 & 0xFF;
        while full != 0 {
            let at = full.trailing_zeros() as usize;
            full &= full - 1;
            let four = i32::from_le_bytes([eight[4 * at], eight[4 * at + 1], eight[4 * at + 2], eight[4 * at + 3]]);
            let four = _mm256_set1_epi32(four);
            for (index, sum) in kept.iter_mut().enumerate() {
                let row = &rows[2 * at + index / 2];
                // SAFETY: 64 weights are two registers of 32.
                let weights = unsafe { _mm256_load_si256(row.0.as_ptr().cast::<__m256i>().add(index % 2)) };
                let products = _mm256_madd_epi16(_mm256_maddubs_epi16(four, weights), ones);
                *sum = _mm256_add_epi32(*sum, products);
            }
        }
    }
    for (at, sum) in kept.into_iter().enumerate() {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast::<__m256i>().add(at), sum) };
    }
    let whole = inputs.len() - inputs.len() % 32;
    if whole < inputs.len() {
        scalar::layer(&inputs[whole..], &weights[whole / 2..], sums);
    }
}
