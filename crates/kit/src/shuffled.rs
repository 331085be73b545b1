//! Start positions with shuffled pieces, as Chess960 has them.

/// The start positions of a variant of a game in which the pieces of the usual one are shuffled.
#[derive(Debug, Clone, Copy)]
pub struct ShuffledStarts {
    /// The rules of the variant as text.
    pub rules: &'static str,
    /// The number of start positions.
    pub count: usize,
    /// The position with a number in `0..count`, in the game's notation.
    pub position: fn(usize) -> String,
}
