//! Words that several commands of GTP have.

use crate::{ProtocolError, words::Words};
use tesuji_game::Side;

pub(super) fn side(words: &mut Words, after: &'static str) -> Result<Side, ProtocolError> {
    const EXPECTED: &str = "black or white";
    let word = words.next().ok_or(ProtocolError::Missing { after, expected: EXPECTED })?;
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => Err(ProtocolError::Wrong { after, expected: EXPECTED, found: word.to_string() }),
    }
}
