//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

use crate::{GAME, TERMS, parse_greko, print_greko};
use tesuji_tally::Weights;

/// Weights files of the evaluation.
///
/// # Panics
/// When weights that were read do not survive writing.
pub fn weights(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok((weights, _)) = Weights::from_json_partial(text, GAME, TERMS, "bent") else { return };
    let again = Weights::from_json(&weights.to_json(GAME, TERMS), GAME, TERMS, "written");
    assert_eq!(again.as_ref(), Ok(&weights));
}

/// GreKo's weights.
///
/// # Panics
/// When weights that were read do not survive writing.
pub fn greko(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(weights) = parse_greko(text, "bent") else { return };
    assert_eq!(parse_greko(&print_greko(&weights), "written").ok(), Some(weights));
}
