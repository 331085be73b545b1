//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

use crate::SavedTree;
use tesuji_record::AnyGame;

/// Saved trees of `game`: as they are, and with the checksum that fits to them, by which nearly all bent ones fail.
///
/// # Panics
/// When a tree that was read does not survive writing.
pub fn saved_tree(game: &dyn AnyGame, bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = SavedTree::game_of(text);
    for text in [Some(text.to_string()), SavedTree::with_checksum(text)].into_iter().flatten() {
        let Ok(saved) = SavedTree::from_json(game, &text) else { continue };
        let written = saved.to_json();
        assert!(written.is_ok(), "{:?}", written.err());
        assert_eq!(written.and_then(|text| SavedTree::from_json(game, &text)).ok(), Some(saved));
    }
}
