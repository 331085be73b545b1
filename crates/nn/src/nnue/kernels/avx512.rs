//! The kernels for AVX-512 (F and BW), as those for AVX2.
#![allow(unsafe_code)]

use super::{Form, LaneBlock, Quads, first_blocks, scalar};
use std::arch::x86_64::*;

const PAIR: u8 = Form::Pair as u8;
const PLAIN: u8 = Form::Plain as u8;
/// Blocks whose products fit the 32-bit lanes of a sum: each adds two products below 2^25.
const BLOCKS: usize = 31;

#[target_feature(enable = "avx512f,avx512bw")]
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

/// One pass over memory for a known number of rows.
#[target_feature(enable = "avx512f,avx512bw")]
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
        let mut sum = load(&from[at]);
        for row in added {
            sum = _mm512_add_epi16(sum, load(&row[at]));
        }
        for row in removed {
            sum = _mm512_sub_epi16(sum, load(&row[at]));
        }
        store(to, sum);
    }
}

/// Blocks whose columns stay in registers while rows pass: more would spill, fewer would load and store the sums more often.
const TILE: usize = 8;

#[target_feature(enable = "avx512f,avx512bw")]
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
#[target_feature(enable = "avx512f,avx512bw")]
fn tile<const N: usize>(sums: &mut [LaneBlock], at: usize, added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    let Some(place) = sums[at..].first_chunk_mut::<N>() else { return };
    let mut tile = [_mm512_setzero_si512(); N];
    for (sum, block) in tile.iter_mut().zip(&*place) {
        *sum = load(block);
    }
    for row in added {
        let row: &[LaneBlock; N] = row[at..].first_chunk().expect("rows are as long as sums");
        for (sum, weights) in tile.iter_mut().zip(row) {
            *sum = _mm512_add_epi16(*sum, load(weights));
        }
    }
    for row in removed {
        let row: &[LaneBlock; N] = row[at..].first_chunk().expect("rows are as long as sums");
        for (sum, weights) in tile.iter_mut().zip(row) {
            *sum = _mm512_sub_epi16(*sum, load(weights));
        }
    }
    for (place, sum) in place.iter_mut().zip(tile) {
        store(place, sum);
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn dot<const FORM: u8>(
    low: [&[LaneBlock]; 2],
    high: [&[LaneBlock]; 2],
    weights: &[LaneBlock],
    one: i16,
) -> i64 {
    let one = _mm512_set1_epi16(one);
    let (own, other) = weights.split_at(low[0].len());
    // The sums of both sides, as short as most networks have them, fit 32 bits together.
    if weights.len() <= BLOCKS {
        let sums = [products::<FORM>(low[0], high[0], own, one), products::<FORM>(low[1], high[1], other, one)];
        return _mm512_reduce_add_epi64(widened(_mm512_add_epi32(sums[0], sums[1])));
    }
    let mut total = _mm512_setzero_si512();
    for (side, weights) in [own, other].into_iter().enumerate() {
        let (low, high) = (low[side].chunks(BLOCKS), high[side].chunks(BLOCKS));
        for ((low, high), weights) in low.zip(high).zip(weights.chunks(BLOCKS)) {
            total = _mm512_add_epi64(total, widened(products::<FORM>(low, high, weights, one)));
        }
    }
    _mm512_reduce_add_epi64(total)
}

/// The sums of the products of at most [`BLOCKS`] blocks: `madd` adds pairs of 16-bit products in 32 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn products<const FORM: u8>(low: &[LaneBlock], high: &[LaneBlock], weights: &[LaneBlock], one: __m512i) -> __m512i {
    let blocks = low.len();
    let (high, weights) = (&high[..blocks], &weights[..blocks]);
    let zero = _mm512_setzero_si512();
    let mut sum = zero;
    for at in 0..blocks {
        let low = _mm512_min_epi16(_mm512_max_epi16(load(&low[at]), zero), one);
        let weights = load(&weights[at]);
        let products = match FORM {
            PLAIN => _mm512_madd_epi16(low, weights),
            PAIR => {
                let high = _mm512_min_epi16(_mm512_max_epi16(load(&high[at]), zero), one);
                // Clipped times weight fits 16 bits, so that the second product can be a `madd`, too.
                _mm512_madd_epi16(_mm512_mullo_epi16(low, weights), high)
            }
            _ => _mm512_madd_epi16(_mm512_mullo_epi16(low, weights), low),
        };
        sum = _mm512_add_epi32(sum, products);
    }
    sum
}

/// 32-bit sums as half as many of 64 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn widened(sums: __m512i) -> __m512i {
    let low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sums));
    _mm512_add_epi64(low, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64::<1>(sums)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(block: &LaneBlock) -> __m512i {
    // SAFETY: a block is one register, aligned.
    unsafe { _mm512_load_si512(block.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(block: &mut LaneBlock, columns: __m512i) {
    // SAFETY: a block is one register, aligned.
    unsafe { _mm512_store_si512(block.0.as_mut_ptr().cast(), columns) }
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn bytes(form: Form, low: &[LaneBlock], high: &[LaneBlock], one: i16, shift: u32, out: &mut [u8]) {
    scalar::bytes(form, low, high, one, shift, out);
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn layer(inputs: &[u8], weights: &[Quads], sums: &mut [i32]) {
    match sums.len() / 16 {
        1 => groups::<1>(inputs, weights, sums),
        2 => groups::<2>(inputs, weights, sums),
        4 => groups::<4>(inputs, weights, sums),
        _ => scalar::layer(inputs, weights, sums),
    }
}

/// `G` groups of 16 outputs, whose sums stay in registers.
#[target_feature(enable = "avx512f,avx512bw")]
fn groups<const G: usize>(inputs: &[u8], weights: &[Quads], sums: &mut [i32]) {
    let ones = _mm512_set1_epi16(1);
    let mut kept = [_mm512_setzero_si512(); G];
    for (four, rows) in inputs.as_chunks::<4>().0.iter().zip(weights.as_chunks::<G>().0) {
        let four = _mm512_set1_epi32(i32::from_le_bytes(*four));
        for (sum, row) in kept.iter_mut().zip(rows) {
            // SAFETY: 64 weights are one register, aligned.
            let row = unsafe { _mm512_load_si512(row.0.as_ptr().cast()) };
            let products = _mm512_madd_epi16(_mm512_maddubs_epi16(four, row), ones);
            *sum = _mm512_add_epi32(*sum, products);
        }
    }
    for (sums, kept) in sums.as_chunks_mut::<16>().0.iter_mut().zip(kept) {
        // SAFETY: 16 sums are one register.
        unsafe {
            let place = sums.as_mut_ptr().cast();
            _mm512_storeu_si512(place, _mm512_add_epi32(_mm512_loadu_si512(place), kept));
        }
    }
}
