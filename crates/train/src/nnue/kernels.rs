//! The passes over one block of 32 columns: forwards from changes of accumulators to partial sums of the next layer, and
//! backwards to the gradients of rows, by differences along runs of a game.
//!
//! Backwards, a row is not touched at every position where its input is active: the slopes of a run are summed, and an input that
//! vanishes takes the sum so far, one that appears takes it away, what is active at the end of the run takes all of it.
#![allow(unsafe_code)]

use super::inputs::{Change, FRESH, LAST, SECOND, Segment};
#[cfg(target_arch = "x86_64")]
use super::strip::{Avx2, Avx512};
use super::strip::{Plain, STRIP, Strip};
use tesuji_nn::{kernels::Isa, nnue::Activation};

/// The arguments of a forward pass over a block.
pub(super) struct Forward<'a> {
    pub(super) segment: &'a Segment,
    /// `[inputs + 1][STRIP]`, the last row 0.
    pub(super) rows: &'a [f32],
    /// `[STRIP]`.
    pub(super) bias: &'a [f32],
    /// `[buckets][outputs][own, other][STRIP]`: the block's part of the next layer.
    pub(super) head: &'a [f32],
    pub(super) outputs: usize,
    pub(super) buckets: usize,
    /// `[positions][first side, second side][STRIP]`: clipped accumulators, for the way back.
    pub(super) clipped: &'a mut [f32],
    /// `[positions][outputs]`: the block's part of the next layer's sums.
    pub(super) partial: &'a mut [f32],
    /// Whether the rows are too many for the cache.
    pub(super) is_far: bool,
}

/// The arguments of a backward pass over a block, with the gradients that it adds to.
pub(super) struct Backward<'a> {
    pub(super) segment: &'a Segment,
    /// As in [`Forward`].
    pub(super) head: &'a [f32],
    pub(super) outputs: usize,
    pub(super) buckets: usize,
    /// As [`Forward`] left them.
    pub(super) clipped: &'a [f32],
    /// `[positions][outputs]`: the loss by the next layer's sums.
    pub(super) slopes: &'a [f32],
    /// `[inputs + 1][STRIP]`; the last row is of no meaning.
    pub(super) row_gradient: &'a mut [f32],
    /// `[STRIP]`.
    pub(super) bias_gradient: &'a mut [f32],
    /// As `head`. With [`Activation::Pairwise`] the upper halves are of no meaning.
    pub(super) head_gradient: &'a mut [f32],
    /// Whether the rows are too many for the cache.
    pub(super) is_far: bool,
}

/// Changes that are prefetched ahead, where rows are too many for the cache.
const AHEAD: usize = 6;

/// Prefetches the rows of the change [`AHEAD`] of `at`, which ends at `end`.
#[inline(always)]
fn prefetch_ahead<S: Strip>(rows: *const f32, at: *const Change, end: *const Change) {
    let ahead = at.wrapping_add(AHEAD);
    if ahead < end {
        // SAFETY: `at` lies in the list that ends at `end`, and so does what is before that end.
        let change = unsafe { *ahead };
        S::prefetch(rows.wrapping_add(change.first as usize * STRIP));
        S::prefetch(rows.wrapping_add(change.second as usize * STRIP));
    }
}

/// An activation of clipped accumulators, with its derivative.
trait Activate {
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn value<S: Strip>(clipped: S) -> S;
    /// The loss by the accumulators, where `up` is that by the values.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn slope<S: Strip>(clipped: S, up: S) -> S;
}

struct Clipped;
struct Squared;
/// Products of the lower and the upper half; weights of the upper half are 0.
struct Paired;

// SAFETY of these blocks: the caller's promise.
impl Activate for Clipped {
    #[inline(always)]
    unsafe fn value<S: Strip>(clipped: S) -> S {
        clipped
    }
    #[inline(always)]
    unsafe fn slope<S: Strip>(clipped: S, up: S) -> S {
        // SAFETY: as above.
        unsafe { up.inside(clipped) }
    }
}
impl Activate for Squared {
    #[inline(always)]
    unsafe fn value<S: Strip>(clipped: S) -> S {
        // SAFETY: as above.
        unsafe { clipped.mul(clipped) }
    }
    #[inline(always)]
    unsafe fn slope<S: Strip>(clipped: S, up: S) -> S {
        // SAFETY: as above.
        unsafe { up.mul(clipped.add(clipped)).inside(clipped) }
    }
}
impl Activate for Paired {
    #[inline(always)]
    unsafe fn value<S: Strip>(clipped: S) -> S {
        // SAFETY: as above.
        unsafe { clipped.mul(clipped.swapped()) }
    }
    #[inline(always)]
    unsafe fn slope<S: Strip>(clipped: S, up: S) -> S {
        // SAFETY: as above.
        unsafe { up.add(up.swapped()).mul(clipped.swapped()).inside(clipped) }
    }
}

/// # Safety
/// The processor has the instructions of `S`; the slices were checked by [`check`].
#[inline(always)]
unsafe fn forward_with<S: Strip, A: Activate>(call: &mut Forward) {
    let (rows, head) = (call.rows.as_ptr(), call.head.as_ptr());
    let mut changes: *const Change = call.segment.changes.as_ptr();
    let end = call.segment.changes.as_ptr_range().end;
    let is_far = call.is_far;
    let (mut clipped, mut partial) = (call.clipped.as_mut_ptr(), call.partial.as_mut_ptr());
    // SAFETY: the counts of all positions sum to the number of changes, rows are at most `inputs`, buckets below `buckets`: a segment is made
    // only by `Segment::decode`, and `check` compared the lengths. Checked indices cost a fifth of the pass.
    unsafe {
        let bias = S::load(call.bias.as_ptr());
        let (mut first, mut second) = (bias, bias);
        for position in &call.segment.heads {
            if position.flags & FRESH != 0 {
                (first, second) = (bias, bias);
            }
            for _ in 0..position.removed {
                first = first.sub(S::load(rows.add((*changes).first as usize * STRIP)));
                second = second.sub(S::load(rows.add((*changes).second as usize * STRIP)));
                changes = changes.add(1);
            }
            for _ in 0..position.added {
                if is_far {
                    prefetch_ahead::<S>(rows, changes, end);
                }
                first = first.add(S::load(rows.add((*changes).first as usize * STRIP)));
                second = second.add(S::load(rows.add((*changes).second as usize * STRIP)));
                changes = changes.add(1);
            }
            let (at_first, at_second) = (first.clipped(), second.clipped());
            at_first.store(clipped);
            at_second.store(clipped.add(STRIP));
            clipped = clipped.add(2 * STRIP);
            let (x, y) = (A::value(at_first), A::value(at_second));
            let (own, other) = if position.flags & SECOND == 0 { (0, STRIP) } else { (STRIP, 0) };
            let bucket = usize::from(position.bucket) % call.buckets;
            let mut weights = head.add(bucket * call.outputs * 2 * STRIP);
            for _ in 0..call.outputs {
                *partial = x.mul(S::load(weights.add(own))).add(y.mul(S::load(weights.add(other)))).sum();
                partial = partial.add(1);
                weights = weights.add(2 * STRIP);
            }
        }
    }
}

/// # Safety
/// As [`forward_with`].
#[inline(always)]
unsafe fn backward_with<S: Strip, A: Activate>(call: &mut Backward) {
    /// Adds `slope` to the floats at `at`.
    #[inline(always)]
    unsafe fn add_to<S: Strip>(at: *mut f32, slope: S) {
        // SAFETY: the caller's promise.
        unsafe { S::load(at).add(slope).store(at) }
    }
    let (rows, head, head_gradient) =
        (call.row_gradient.as_mut_ptr(), call.head.as_ptr(), call.head_gradient.as_mut_ptr());
    let (mut changes, mut active) = (call.segment.changes.as_ptr(), call.segment.active.as_ptr());
    let (changes_end, active_end) = (call.segment.changes.as_ptr_range().end, call.segment.active.as_ptr_range().end);
    let is_far = call.is_far;
    let (mut clipped, mut slopes) = (call.clipped.as_ptr(), call.slopes.as_ptr());
    // SAFETY: as in `forward_with`.
    unsafe {
        let zero = S::splat(0.0);
        let (mut first, mut second, mut bias) = (zero, zero, S::load(call.bias_gradient.as_ptr()));
        for position in &call.segment.heads {
            let own_rows = changes;
            if position.flags & FRESH != 0 {
                (first, second) = (zero, zero);
                changes = changes.add(usize::from(position.added));
            } else {
                // Differences of accumulators: a row's gradient is the running sum where it leaves less that where it came.
                for _ in 0..position.removed {
                    add_to(rows.add((*changes).first as usize * STRIP), first);
                    add_to(rows.add((*changes).second as usize * STRIP), second);
                    changes = changes.add(1);
                }
                for _ in 0..position.added {
                    let (at_first, at_second) =
                        (rows.add((*changes).first as usize * STRIP), rows.add((*changes).second as usize * STRIP));
                    S::load(at_first).sub(first).store(at_first);
                    S::load(at_second).sub(second).store(at_second);
                    changes = changes.add(1);
                }
            }
            let (at_first, at_second) = (S::load(clipped), S::load(clipped.add(STRIP)));
            clipped = clipped.add(2 * STRIP);
            let (x, y) = (A::value(at_first), A::value(at_second));
            let (own, other) = if position.flags & SECOND == 0 { (0, STRIP) } else { (STRIP, 0) };
            let mut offset = usize::from(position.bucket) % call.buckets * call.outputs * 2 * STRIP;
            let (mut up_first, mut up_second) = (zero, zero);
            for _ in 0..call.outputs {
                let slope = S::splat(*slopes);
                slopes = slopes.add(1);
                up_first = up_first.add(slope.mul(S::load(head.add(offset + own))));
                up_second = up_second.add(slope.mul(S::load(head.add(offset + other))));
                add_to(head_gradient.add(offset + own), slope.mul(x));
                add_to(head_gradient.add(offset + other), slope.mul(y));
                offset += 2 * STRIP;
            }
            first = first.add(A::slope(at_first, up_first));
            second = second.add(A::slope(at_second, up_second));
            // At the end of a run the rows that are still there get what has gathered since they came.
            if position.flags & LAST != 0 {
                bias = bias.add(first.add(second));
                let (mut row, row_end, count) = if position.flags & FRESH != 0 {
                    (own_rows, changes_end, position.added)
                } else {
                    let here = active;
                    active = active.add(usize::from(position.active));
                    (here, active_end, position.active)
                };
                for _ in 0..count {
                    if is_far {
                        prefetch_ahead::<S>(rows, row, row_end);
                    }
                    add_to(rows.add((*row).first as usize * STRIP), first);
                    add_to(rows.add((*row).second as usize * STRIP), second);
                    row = row.add(1);
                }
            }
        }
        bias.store(call.bias_gradient.as_mut_ptr());
    }
}

/// Declares the passes for an instruction set: one function for each activation.
macro_rules! passes {
    ($(#[$features:meta])* $strip:ty, $forward:ident, $backward:ident) => {
        /// # Safety
        /// As [`forward_with`].
        $(#[$features])*
        unsafe fn $forward(activation: Activation, call: &mut Forward) {
            // SAFETY: the caller's promise.
            unsafe {
                match activation {
                    Activation::Crelu => forward_with::<$strip, Clipped>(call),
                    Activation::Screlu => forward_with::<$strip, Squared>(call),
                    Activation::Pairwise => forward_with::<$strip, Paired>(call),
                }
            }
        }
        /// # Safety
        /// As [`forward_with`].
        $(#[$features])*
        unsafe fn $backward(activation: Activation, call: &mut Backward) {
            // SAFETY: the caller's promise.
            unsafe {
                match activation {
                    Activation::Crelu => backward_with::<$strip, Clipped>(call),
                    Activation::Screlu => backward_with::<$strip, Squared>(call),
                    Activation::Pairwise => backward_with::<$strip, Paired>(call),
                }
            }
        }
    };
}

passes!(Plain, forward_plain, backward_plain);
#[cfg(target_arch = "x86_64")]
passes!(
    #[target_feature(enable = "avx2")]
    Avx2,
    forward_avx2,
    backward_avx2
);
#[cfg(target_arch = "x86_64")]
passes!(
    #[target_feature(enable = "avx512f")]
    Avx512,
    forward_avx512,
    backward_avx512
);

/// The forward pass of a block over a segment.
///
/// # Panics
/// When a slice has another length than its shape says.
pub(super) fn forward(with: Isa, activation: Activation, mut call: Forward) {
    let positions = call.segment.len();
    assert!(with <= Isa::best() && call.buckets > 0);
    assert_eq!(call.rows.len(), (call.segment.inputs + 1) * STRIP, "rows of another feature set");
    assert_eq!((call.bias.len(), call.head.len()), (STRIP, call.buckets * call.outputs * 2 * STRIP));
    assert_eq!((call.clipped.len(), call.partial.len()), (positions * 2 * STRIP, positions * call.outputs));
    // SAFETY: the lengths and the processor were checked above.
    unsafe {
        match with {
            Isa::Scalar => forward_plain(activation, &mut call),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => forward_avx2(activation, &mut call),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => forward_avx512(activation, &mut call),
            #[cfg(not(target_arch = "x86_64"))]
            _ => forward_plain(activation, &mut call),
        }
    }
}

/// The backward pass of a block over a segment.
///
/// # Panics
/// When a slice has another length than its shape says.
pub(super) fn backward(with: Isa, activation: Activation, mut call: Backward) {
    let positions = call.segment.len();
    assert!(with <= Isa::best() && call.buckets > 0);
    assert_eq!(call.row_gradient.len(), (call.segment.inputs + 1) * STRIP, "rows of another feature set");
    assert_eq!((call.bias_gradient.len(), call.head.len()), (STRIP, call.buckets * call.outputs * 2 * STRIP));
    assert_eq!(call.head_gradient.len(), call.head.len());
    assert_eq!((call.clipped.len(), call.slopes.len()), (positions * 2 * STRIP, positions * call.outputs));
    // SAFETY: the lengths and the processor were checked above.
    unsafe {
        match with {
            Isa::Scalar => backward_plain(activation, &mut call),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => backward_avx2(activation, &mut call),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => backward_avx512(activation, &mut call),
            #[cfg(not(target_arch = "x86_64"))]
            _ => backward_plain(activation, &mut call),
        }
    }
}
