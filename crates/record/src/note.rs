//! Annotations of one step of a game: everything besides the step itself.

use std::{
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};
use tesuji_game::Value;

/// An annotation of one step: words, marks, and what the engine thought. Every part may be missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Note {
    /// Words, without the machine-readable part that some formats put into comments.
    pub comment: String,
    /// Numeric annotation glyphs (PGN's `$1` is 1).
    pub glyphs: Vec<u8>,
    /// Time spent on the move.
    pub spent: Option<Duration>,
    /// Time spent as the engine itself tells it; what is missing to `spent` is the way there and back.
    pub told: Option<Duration>,
    /// Time left on the mover's clock after it.
    pub left: Option<Duration>,
    /// The value found, for the side that moved.
    pub value: Option<Value>,
    /// Depth reached, in plies, if known.
    pub depth: Option<NonZeroU32>,
    /// Nodes searched, if known.
    pub nodes: Option<NonZeroU64>,
    /// Visits of the moves a tree search looked at: packed move, count.
    pub visits: Vec<(u16, u32)>,
}

impl Note {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.comment.is_empty()
            && self.glyphs.is_empty()
            && self.spent.is_none()
            && self.told.is_none()
            && self.left.is_none()
            && self.value.is_none()
            && self.depth.is_none()
            && self.nodes.is_none()
            && self.visits.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_note_without_content_is_empty() {
        assert!(Note::default().is_empty());
        assert!(!Note { value: Some(Value::DRAW), ..Note::default() }.is_empty());
        assert!(!Note { nodes: NonZeroU64::new(1), ..Note::default() }.is_empty());
    }
}
