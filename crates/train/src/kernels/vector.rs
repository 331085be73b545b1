//! Vectors of floats under one set of names: AVX-512, AVX2 with FMA, and plain code for every other processor.
#![allow(unsafe_code)]

/// A register of floats. Its functions are inlined into a caller that has the instructions switched on.
pub(super) trait Vector: Copy {
    /// Floats in it.
    const LANES: usize;
    /// All lanes `value`.
    ///
    /// # Safety
    /// The processor has the instructions of the type; so for every function here.
    unsafe fn splat(value: f32) -> Self;
    /// The floats from `at` on.
    ///
    /// # Safety
    /// `at` is readable for [`Vector::LANES`] floats.
    unsafe fn load(at: *const f32) -> Self;
    /// Writes the floats from `at` on.
    ///
    /// # Safety
    /// `at` is writable for [`Vector::LANES`] floats.
    unsafe fn store(self, at: *mut f32);
    /// `self + a * b`.
    ///
    /// # Safety
    /// As [`Vector::splat`].
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
}

/// Eight floats in plain code.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; 8]);

// SAFETY of this block: plain code; the pointers are the caller's promise.
impl Vector for Plain {
    const LANES: usize = 8;
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Plain([value; 8])
    }
    #[inline(always)]
    unsafe fn load(at: *const f32) -> Self {
        // SAFETY: the caller promises eight readable floats.
        Plain(unsafe { at.cast::<[f32; 8]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut f32) {
        // SAFETY: the caller promises eight writable floats.
        unsafe { at.cast::<[f32; 8]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn add_product(mut self, a: Self, b: Self) -> Self {
        for lane in 0..8 {
            self.0[lane] += a.0[lane] * b.0[lane];
        }
        self
    }
}

/// Declares a vector over intrinsics.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($(#[$doc:meta])* $name:ident($inner:ident) $lanes:literal $splat:ident $load:ident $store:ident $fma:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(std::arch::x86_64::$inner);
        impl Vector for $name {
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn splat(value: f32) -> Self {
                // SAFETY: the caller checked the processor.
                $name(unsafe { std::arch::x86_64::$splat(value) })
            }
            #[inline(always)]
            unsafe fn load(at: *const f32) -> Self {
                // SAFETY: the caller checked the processor and promises readable floats; no alignment is needed.
                $name(unsafe { std::arch::x86_64::$load(at) })
            }
            #[inline(always)]
            unsafe fn store(self, at: *mut f32) {
                // SAFETY: the caller checked the processor and promises writable floats; no alignment is needed.
                unsafe { std::arch::x86_64::$store(at, self.0) }
            }
            #[inline(always)]
            unsafe fn add_product(self, a: Self, b: Self) -> Self {
                // SAFETY: the caller checked the processor.
                $name(unsafe { std::arch::x86_64::$fma(a.0, b.0, self.0) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector!(
    /// Eight floats of AVX2 with FMA.
    Avx2(__m256) 8 _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_fmadd_ps
);
#[cfg(target_arch = "x86_64")]
vector!(
    /// Sixteen floats of AVX-512.
    Avx512(__m512) 16 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_fmadd_ps
);
