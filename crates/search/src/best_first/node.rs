//! Nodes of the tree: 32 bytes each, values for the side to move.

use tesuji_game::Value;

/// The highest value that is an estimate, as in every search; beyond it lie wins and losses, counted in plies from the node.
pub(super) const ESTIMATE_MAX: f32 = Value::ESTIMATE_MAX as f32;
/// The value of having won.
pub(super) const WON: f32 = Value::MATE as f32;

/// Bits of [`Node::flags`].
pub(super) mod flag {
    /// The move takes something.
    pub const CAPTURE: u8 = 1;
    /// The move gives check.
    pub const CHECK: u8 = 2;
    /// The game is over here, by the rules or by a return to an earlier position.
    pub const OVER: u8 = 4;
    /// The value comes from what was learned in earlier games.
    pub const LEARNED: u8 = 8;
    /// Its value has not yet been counted into the qualities above.
    pub const FRESH: u8 = 16;
    /// Something below changed since the tree was last rated.
    pub const TOUCHED: u8 = 32;
    /// A transposition: the position stands elsewhere with children, and `first` is its node.
    pub const LINK: u8 = 64;
    /// Worked out: it has its children, or it is a link.
    pub const OPEN: u8 = 128;
}

/// One position of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The node above; the root is its own.
    pub parent: u32,
    /// The first child; children stand in a row. Of a link: the node with the same position.
    pub first: u32,
    /// Positions below, this one included.
    pub count: u32,
    /// For the side to move, in centipawns; beyond [`ESTIMATE_MAX`] proven.
    pub value: f32,
    /// The quality of the value: 1 for the node itself, and half of each child's quality.
    pub quality: f32,
    /// The move that leads here, packed; 0 at the root.
    pub mv: u16,
    /// Tenths of a ply that the tree may still grow below.
    pub weight: i16,
    /// The number of children.
    pub len: u16,
    /// Plies below the root.
    pub plies: u16,
    /// Bits of [`flag`].
    pub flags: u8,
    /// The stage that last saw it, modulo 256.
    pub stamp: u8,
}

const _: () = assert!(size_of::<Node>() <= 32, "a node takes 32 bytes or less");

impl Node {
    /// A leaf not yet counted.
    pub(super) fn leaf(parent: u32, mv: u16, value: f32, weight: i16, flags: u8) -> Node {
        let flags = flags | flag::FRESH;
        Node { parent, first: 0, count: 1, value, quality: 1.0, mv, weight, len: 0, plies: 0, flags, stamp: 0 }
    }

    pub(super) fn has(&self, bits: u8) -> bool {
        self.flags & bits != 0
    }

    /// Whether its result is known.
    pub(super) fn is_proven(&self) -> bool {
        self.value.abs() > ESTIMATE_MAX
    }

    /// Whether nothing below it can change anything.
    pub(super) fn is_decided(&self) -> bool {
        self.has(flag::OVER) || self.is_proven()
    }

    /// Whether it can be worked out.
    pub(super) fn is_leaf(&self) -> bool {
        !self.has(flag::OPEN | flag::OVER) && !self.is_proven()
    }
}

/// The value of a position from that of the best position after it: turned round, one ply further, estimates fading by `decay`.
pub(super) fn from_below(value: f32, decay: f32) -> f32 {
    if value > ESTIMATE_MAX {
        // A ply further from the mate, which must not fade: it is a count of plies.
        -(value - 1.0)
    } else if value < -ESTIMATE_MAX {
        -(value + 1.0)
    } else {
        -value * decay
    }
}

/// A value as searches report it, `plies` below the root, for the same side.
pub(super) fn to_value(value: f32, plies: i32) -> Value {
    if value.abs() > ESTIMATE_MAX {
        Value::from_table(value.clamp(-WON, WON) as i16, plies)
    } else {
        Value::cp(value.round() as i32)
    }
}

/// Nodes in chunks, so that growing never moves them.
pub(super) struct Nodes {
    chunks: Vec<Vec<Node>>,
    len: usize,
}

/// Nodes of one chunk: 128 KiB.
const CHUNK: usize = 1 << 12;

impl Nodes {
    pub(super) fn new() -> Nodes {
        Nodes { chunks: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, node: Node) -> u32 {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(node);
        }
        self.len += 1;
        (self.len - 1) as u32
    }

    #[inline(always)]
    pub(super) fn at(&self, id: u32) -> &Node {
        &self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }

    #[inline(always)]
    pub(super) fn at_mut(&mut self, id: u32) -> &mut Node {
        &mut self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small() {
        assert_eq!(size_of::<Node>(), 32);
    }

    #[test]
    fn mates_count_their_plies_and_estimates_fade() {
        let mated = -WON;
        let mate_in_one = from_below(mated, 0.5);
        assert_eq!(to_value(mate_in_one, 0), Value::mate_in(1));
        assert_eq!(to_value(from_below(mate_in_one, 0.5), 0), Value::mated_in(2));
        assert_eq!(to_value(mate_in_one, 2), Value::mate_in(3));
        assert_eq!(from_below(100.0, 0.999), -99.9);
        assert!(from_below(ESTIMATE_MAX, 0.5) > -ESTIMATE_MAX, "an estimate, however high");
    }
}
