//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

use crate::{Net, Weights};

/// Files of ours.
///
/// # Panics
/// When a net read does not survive writing, or cannot be run.
pub fn weights(bytes: &[u8]) {
    let Ok(weights) = Weights::read(bytes) else { return };
    assert_eq!(Weights::read(&weights.write()).as_ref(), Ok(&weights));
    assert!(Net::new(&weights).is_ok());
}

/// Nets of dlshogi's shape in ONNX.
///
/// # Panics
/// When a net read cannot be run.
pub fn onnx(bytes: &[u8]) {
    if let Ok(weights) = Weights::from_onnx(bytes, "any") {
        assert!(Net::new(&weights).is_ok());
    }
}
