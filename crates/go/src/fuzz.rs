//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

pub use crate::fuzz_records::{list, sgf};
use crate::{GoPosition, GtpNotation, Large, Move, Rules, Size, Small, Vertex};
use tesuji_game::{Notation, Position};

/// Rules as text.
///
/// # Panics
/// When rules read do not survive writing, or have no start.
pub fn rules(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(rules) = text.parse::<Rules>() else { return };
    assert_eq!(rules.to_string().parse(), Ok(rules));
    assert!(GoPosition::<Large>::start(&rules).is_ok());
}

/// Positions as text.
///
/// # Panics
/// When a position read does not survive writing.
pub fn position(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let rules = Rules::default();
    let small: Result<GoPosition<Small>, _> = GtpNotation::parse_position(&rules, text);
    let large: Result<GoPosition<Large>, _> = GtpNotation::parse_position(&rules, text);
    assert!(small.is_err() || large.is_ok());
    let Ok(pos) = large else { return };
    let mut written = String::new();
    let _ = GtpNotation::write_position(&pos, &mut written);
    let again: Result<GoPosition<Large>, _> = GtpNotation::parse_position(pos.rules(), &written);
    assert_eq!(again.as_ref(), Ok(&pos), "{written}");
    let _ = pos.result(&pos.dead_by_rule());
    if let Ok(small) = small {
        assert_eq!((small.key(), small.count_moves()), (pos.key(), pos.count_moves()));
    }
}

/// Moves and vertices as text, on a small board and the largest.
///
/// # Panics
/// When a move read does not survive writing.
pub fn moves(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for size in [Size::default().turned(), Size::square(25).unwrap_or_default(), Size::new(3, 7).unwrap_or_default()] {
        if let Ok(mv) = Move::parse(text, size) {
            assert_eq!(Move::parse(&mv.to_string(), size), Ok(mv));
            assert!(mv.vertex().is_none_or(|v| v.is_on(size) && Vertex::parse(text, size) == Ok(v)));
        }
    }
}
