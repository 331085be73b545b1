//! Packed positions and teacher data of the field: hcp, hcpe, hcpe2, hcpe3 (Apery, dlshogi), PackedSfen and PackedSfenValue (YaneuraOu).
//!
//! All numbers are little-endian. Every record that is read can be checked, down to the legality of its moves; what does
//! not fit a format is refused, above all positions with one king, which would take 257 bits.

mod codes;
mod convert;
mod error;
mod hcpe3;
mod position;
mod records;
mod samples;
mod words;

pub use codes::Coding;
pub use convert::{Conversion, ConversionCounts, Shape};
pub use error::PackedError;
pub use hcpe3::{Hcpe3, Hcpe3Format, Hcpe3Step};
pub use position::{POSITION_BYTES, pack, pack_setup, transcode, unpack, unpack_setup};
pub use records::{Checked, HCPE_BYTES, Hcpe, PSV_BYTES, Psv, result, side_of};
pub use samples::Packed;
pub(crate) use samples::{checked_of, labels_of};
pub use words::{move_of, move_word};

#[cfg(test)]
mod tests;
