//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

use crate::Gammas;

/// Files of strengths of moves.
///
/// # Panics
/// When strengths that were read do not survive writing.
pub fn gammas(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(gammas) = Gammas::parse(text) else { return };
    // Strengths are rounded once, when they are written first.
    let written = gammas.text();
    let again = Gammas::parse(&written).map(|gammas| gammas.text());
    assert_eq!(again.as_deref(), Ok(written.as_str()));
}
