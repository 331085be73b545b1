//! FNV-1a with 64 bits (Fowler, Noll and Vo): the steps of checksums and hashes that are kept in files. Libraries take bytes; ours take
//! words as well, of four or eight bytes, where much is summed.

/// The hash of nothing.
pub const START: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0100_0000_01B3;

/// The hash after one more byte, or word. The product moves bits upwards alone: who takes words spreads them downwards as well, by a
/// rotation or a shift, each file format in its own way.
///
/// # Examples
/// ```
/// use tesuji_game::fnv;
/// assert_eq!(fnv::step(fnv::START, u64::from(b'a')), 0xaf63_dc4c_8601_ec8c);
/// ```
#[inline(always)]
pub const fn step(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(PRIME)
}

/// The hash of `bytes`, taken one by one.
///
/// # Examples
///
/// ```
/// use tesuji_game::fnv;
/// assert_eq!(fnv::hash([]), fnv::START);
/// // The published value for this text.
/// assert_eq!(fnv::hash(*b"foobar"), 0x8594_4171_f739_67e8);
/// ```
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(START, |hash, byte| step(hash, u64::from(byte)))
}
