//! The selftest: a transcript of what the rules say about positions, which two engines that agree on chess write byte for
//! byte alike, and the invariants that our own boards must keep on the way.
//!
//! The guide for authors of other engines is `docs/selftest.md`.

mod cases;
mod dump;
mod invariants;

pub use cases::{CASES, our_set};
pub use dump::{Dumper, move_code};
pub use invariants::check;
pub use tesuji_record::transcript::{Difference, Entry, compare, entries, fnv1a, fnv1a_on, positions};

use crate::{Board, Rules, UciNotation, fen};
use std::fmt::Write;
use tesuji_game::{Notation, NotationError, Position, Side, Tactical};

/// The format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The deepest dump, in plies.
    pub depth: u32,
    /// Whether to show and hash the squares that each side attacks.
    pub heatmaps: bool,
    /// Whether positions are of Chess960: castling is then the king taking its rook, in moves and hashes.
    pub chess960: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style { depth: 3, heatmaps: false, chess960: false }
    }
}

/// Loads a line of a position file as the transcript does: rights that contradict the placement are dropped.
///
/// # Errors
/// The position is wrong; the error says what.
pub fn load(line: &str, style: Style) -> Result<Board, NotationError> {
    fen::parse(line, &Rules { chess960: style.chess960, ..Rules::default() }, fen::Care::Lenient)
}

/// Appends the entry of one position, its blank line included. `line` is echoed as given.
pub fn write_entry(line: &str, board: &Board, style: Style, dumper: &mut Dumper, out: &mut String) {
    let _ = write!(out, "fen: {line}\nmoves: [\n");
    let mut moves: Vec<String> = Vec::with_capacity(64);
    let _ = board.for_each_move(|mv| {
        let mut text = String::with_capacity(5);
        let _ = UciNotation::write_move(board, mv, &mut text);
        moves.push(text);
        std::ops::ControlFlow::<()>::Continue(())
    });
    moves.sort_unstable();
    for mv in &moves {
        let _ = writeln!(out, "  {mv}");
    }
    let _ = write!(out, "]\ncheck?: {}\n", board.in_check());
    let suffix = if style.heatmaps { "-heatmaps" } else { "" };
    if style.heatmaps {
        for (side, name) in [(Side::First, "white"), (Side::Second, "black")] {
            let _ = writeln!(out, "{name}-heatmap: [");
            for row in dump::heatmap(board, side) {
                let cells = (0..8).map(|file| if row >> file & 1 == 1 { '#' } else { '.' });
                let _ = writeln!(out, "  {}", cells.collect::<String>());
            }
            out.push_str("]\n");
        }
    }
    for depth in 1..=style.depth {
        let _ = writeln!(out, "depth-dump-at-{depth}{suffix}: {}", dumper.dump(board, depth, style));
    }
    out.push('\n');
}
