//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.
//!
//! # Examples
//!
//! ```
//! tesuji_train::fuzz::checkpoint(b"TESUJI-TRAINING\x01\x02\0\0\0\0\0\0\0{}");
//! tesuji_train::fuzz::checkpoint(b"");
//! ```

use crate::checkpoint::Checkpoint;

/// Checkpoints of a training.
///
/// # Panics
/// When a checkpoint that was read does not survive writing.
pub fn checkpoint(bytes: &[u8]) {
    let Ok(checkpoint) = Checkpoint::from_bytes(bytes) else { return };
    let written = checkpoint.to_bytes();
    assert_eq!(Checkpoint::from_bytes(&written).map(|again| again.to_bytes()), Ok(written));
}
