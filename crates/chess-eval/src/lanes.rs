//! Finds the nonzero counts among many, several at a time: looking at one after the other was a quarter of the time of a row.
#![cfg_attr(all(target_arch = "x86_64", target_feature = "avx2"), allow(unsafe_code))]

/// Counts that are looked through at once.
pub(crate) const BLOCK: usize = 64;

/// A bit for each count that is not 0.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
pub(crate) fn there(counts: &[i16; BLOCK]) -> u64 {
    use std::arch::x86_64::*;
    let half = |from: usize| {
        let (low, high) = counts[from..from + BLOCK / 2].split_at(BLOCK / 4);
        // SAFETY: the program is compiled for machines with AVX2, and each of both slices has the 32 bytes that are read.
        let zeros = unsafe {
            let [low, high] = [low, high]
                .map(|part| _mm256_cmpeq_epi16(_mm256_loadu_si256(part.as_ptr().cast()), _mm256_setzero_si256()));
            // Packing goes by halves of registers; the permutation puts them in order.
            _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high)))
        };
        u64::from(!zeros as u32)
    };
    half(0) | half(BLOCK / 2) << (BLOCK / 2)
}

/// A bit for each count that is not 0.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline(always)]
pub(crate) fn there(counts: &[i16; BLOCK]) -> u64 {
    let bytes = counts.map(|count| u8::from(count != 0));
    let mut bits = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // The lowest bits of eight bytes, side by side.
        bits |= (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_stand_where_counts_do() {
        for at in 0..BLOCK {
            let mut counts = [0; BLOCK];
            counts[at] = -256;
            assert_eq!(there(&counts), 1 << at);
            counts = [1; BLOCK];
            counts[at] = 0;
            assert_eq!(there(&counts), !(1 << at));
        }
    }
}
