//! Strips of 32 floats, the columns of one block of the first layer, under one set of names: AVX-512, AVX2, and plain code for
//! every other processor. All three give the same bits: no product is fused with a sum, and sums are taken in one order.
#![allow(unsafe_code)]

/// Floats in a strip: the columns of a block.
pub(crate) const STRIP: usize = 32;
/// Half a strip.
pub(super) const HALF: usize = STRIP / 2;

/// 32 floats in registers. Its functions are inlined into a caller that has the instructions switched on.
pub(super) trait Strip: Copy {
    /// All lanes `value`.
    ///
    /// # Safety
    /// The processor has the instructions of the type; so for every function here.
    unsafe fn splat(value: f32) -> Self;
    /// The floats from `at` on.
    ///
    /// # Safety
    /// `at` is readable for [`STRIP`] floats.
    unsafe fn load(at: *const f32) -> Self;
    /// Writes the floats from `at` on.
    ///
    /// # Safety
    /// `at` is writable for [`STRIP`] floats.
    unsafe fn store(self, at: *mut f32);
    /// Asks for the floats from `at` on to be brought into the cache; reads nothing.
    #[inline(always)]
    fn prefetch(_at: *const f32) {}
    /// `self + other`.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn add(self, other: Self) -> Self;
    /// `self - other`.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn sub(self, other: Self) -> Self;
    /// `self * other`.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn mul(self, other: Self) -> Self;
    /// Each lane clipped to 0..=1.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn clipped(self) -> Self;
    /// The lanes where `0 < clipped < 1`, 0 in the others.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn inside(self, clipped: Self) -> Self;
    /// The lower and the upper half exchanged.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn swapped(self) -> Self;
    /// The sum of all lanes: halves are added until one lane is left.
    ///
    /// # Safety
    /// As [`Strip::splat`].
    unsafe fn sum(self) -> f32;
}

/// 32 floats in plain code.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; STRIP]);

// SAFETY of this block: plain code; the pointers are the caller's promise.
impl Strip for Plain {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Plain([value; STRIP])
    }
    #[inline(always)]
    unsafe fn load(at: *const f32) -> Self {
        // SAFETY: the caller promises 32 readable floats.
        Plain(unsafe { at.cast::<[f32; STRIP]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut f32) {
        // SAFETY: the caller promises 32 writable floats.
        unsafe { at.cast::<[f32; STRIP]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane] - other.0[lane]))
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane] * other.0[lane]))
    }
    #[inline(always)]
    unsafe fn clipped(self) -> Self {
        // As the instructions have it: what is no number becomes 0.
        let low = self.0.map(|x| if x > 0.0 { x } else { 0.0 });
        Plain(low.map(|x| if x < 1.0 { x } else { 1.0 }))
    }
    #[inline(always)]
    unsafe fn inside(self, clipped: Self) -> Self {
        Plain(std::array::from_fn(|lane| {
            let at = clipped.0[lane];
            if at > 0.0 && at < 1.0 { self.0[lane] } else { 0.0 }
        }))
    }
    #[inline(always)]
    unsafe fn swapped(self) -> Self {
        Plain(std::array::from_fn(|lane| self.0[lane ^ HALF]))
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        let mut lanes = self.0;
        let mut half = HALF;
        while half > 0 {
            for lane in 0..half {
                lanes[lane] += lanes[lane + half];
            }
            half /= 2;
        }
        lanes[0]
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Strip;
    use std::arch::x86_64::*;

    /// The sum of eight lanes, halves added to each other.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn sum_of_eight(lanes: __m256) -> f32 {
        // SAFETY: the caller's promise.
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }

    /// Both lines of the cache that a strip lies in.
    #[inline(always)]
    fn prefetch_strip(at: *const f32) {
        // SAFETY: a prefetch reads nothing and may be of any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(at.cast());
            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(super::HALF).cast());
        }
    }

    /// 32 floats in four registers of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2([__m256; 4]);

    impl Avx2 {
        /// # Safety
        /// The processor has AVX2.
        #[inline(always)]
        unsafe fn zip(self, other: Self, f: impl Fn(__m256, __m256) -> __m256) -> Self {
            let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
            Avx2([f(a, e), f(b, g), f(c, h), f(d, i)])
        }
    }

    // SAFETY of this block: the caller checked the processor; no alignment is needed; pointers are the caller's promise.
    impl Strip for Avx2 {
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: as above.
            Avx2([unsafe { _mm256_set1_ps(value) }; 4])
        }
        #[inline(always)]
        unsafe fn load(at: *const f32) -> Self {
            // SAFETY: as above.
            unsafe {
                Avx2([
                    _mm256_loadu_ps(at),
                    _mm256_loadu_ps(at.add(8)),
                    _mm256_loadu_ps(at.add(16)),
                    _mm256_loadu_ps(at.add(24)),
                ])
            }
        }
        #[inline(always)]
        unsafe fn store(self, at: *mut f32) {
            // SAFETY: as above.
            unsafe {
                _mm256_storeu_ps(at, self.0[0]);
                _mm256_storeu_ps(at.add(8), self.0[1]);
                _mm256_storeu_ps(at.add(16), self.0[2]);
                _mm256_storeu_ps(at.add(24), self.0[3]);
            }
        }
        #[inline(always)]
        fn prefetch(at: *const f32) {
            prefetch_strip(at);
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { self.zip(other, |a, b| _mm256_add_ps(a, b)) }
        }
        #[inline(always)]
        unsafe fn sub(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { self.zip(other, |a, b| _mm256_sub_ps(a, b)) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { self.zip(other, |a, b| _mm256_mul_ps(a, b)) }
        }
        #[inline(always)]
        unsafe fn clipped(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let low = self.zip(Self::splat(0.0), |a, zero| _mm256_max_ps(a, zero));
                low.zip(Self::splat(1.0), |a, one| _mm256_min_ps(a, one))
            }
        }
        #[inline(always)]
        unsafe fn inside(self, clipped: Self) -> Self {
            // SAFETY: as above.
            unsafe {
                let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
                self.zip(clipped, |value, at| {
                    let inside =
                        _mm256_and_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(at, zero), _mm256_cmp_ps::<_CMP_LT_OQ>(at, one));
                    _mm256_and_ps(value, inside)
                })
            }
        }
        #[inline(always)]
        unsafe fn swapped(self) -> Self {
            let [a, b, c, d] = self.0;
            Avx2([c, d, a, b])
        }
        #[inline(always)]
        unsafe fn sum(self) -> f32 {
            // SAFETY: as above.
            unsafe {
                let [a, b, c, d] = self.0;
                sum_of_eight(_mm256_add_ps(_mm256_add_ps(a, c), _mm256_add_ps(b, d)))
            }
        }
    }

    /// 32 floats in two registers of AVX-512.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512([__m512; 2]);

    // SAFETY of this block: the caller checked the processor; no alignment is needed; pointers are the caller's promise.
    impl Strip for Avx512 {
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: as above.
            Avx512([unsafe { _mm512_set1_ps(value) }; 2])
        }
        #[inline(always)]
        unsafe fn load(at: *const f32) -> Self {
            // SAFETY: as above.
            unsafe { Avx512([_mm512_loadu_ps(at), _mm512_loadu_ps(at.add(16))]) }
        }
        #[inline(always)]
        unsafe fn store(self, at: *mut f32) {
            // SAFETY: as above.
            unsafe {
                _mm512_storeu_ps(at, self.0[0]);
                _mm512_storeu_ps(at.add(16), self.0[1]);
            }
        }
        #[inline(always)]
        fn prefetch(at: *const f32) {
            prefetch_strip(at);
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { Avx512([_mm512_add_ps(self.0[0], other.0[0]), _mm512_add_ps(self.0[1], other.0[1])]) }
        }
        #[inline(always)]
        unsafe fn sub(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { Avx512([_mm512_sub_ps(self.0[0], other.0[0]), _mm512_sub_ps(self.0[1], other.0[1])]) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            // SAFETY: as above.
            unsafe { Avx512([_mm512_mul_ps(self.0[0], other.0[0]), _mm512_mul_ps(self.0[1], other.0[1])]) }
        }
        #[inline(always)]
        unsafe fn clipped(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let (zero, one) = (_mm512_setzero_ps(), _mm512_set1_ps(1.0));
                Avx512(self.0.map(|lanes| _mm512_min_ps(_mm512_max_ps(lanes, zero), one)))
            }
        }
        #[inline(always)]
        unsafe fn inside(self, clipped: Self) -> Self {
            // SAFETY: as above.
            unsafe {
                let (zero, one) = (_mm512_setzero_ps(), _mm512_set1_ps(1.0));
                let lanes = |value, at| {
                    let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(at, zero);
                    _mm512_maskz_mov_ps(_mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(above, at, one), value)
                };
                Avx512([lanes(self.0[0], clipped.0[0]), lanes(self.0[1], clipped.0[1])])
            }
        }
        #[inline(always)]
        unsafe fn swapped(self) -> Self {
            Avx512([self.0[1], self.0[0]])
        }
        #[inline(always)]
        unsafe fn sum(self) -> f32 {
            // SAFETY: as above; AVX-512 includes AVX2.
            unsafe {
                let sixteen = _mm512_add_ps(self.0[0], self.0[1]);
                let upper = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(sixteen)));
                sum_of_eight(_mm256_add_ps(_mm512_castps512_ps256(sixteen), upper))
            }
        }
    }
}
