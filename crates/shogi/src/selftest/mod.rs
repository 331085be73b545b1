//! The selftest: a transcript of what the rules say about positions, which two engines that agree on shogi write byte for
//! byte alike, and the invariants that our own boards must keep on the way.
//!
//! The guide for authors of other engines is `docs/selftest.md`.

mod cases;
mod invariants;

pub use cases::{CASES, our_set};
pub use invariants::check;

use crate::{Board, Move, Piece, Rules, UsiNotation};
use std::fmt::Write;
use std::ops::ControlFlow::Continue;
use tesuji_game::{Notation, NotationError, Position, Tactical};

/// The factor with which every word is mixed into the hash.
const FACTOR: u64 = 2579;
/// Mixed in before the moves of a node.
const OPEN: u64 = 519_365_819;
/// Mixed in behind them.
const CLOSE: u64 = 15_967_534_195;

/// Loads a line of a position file.
///
/// # Errors
/// The position is wrong; the error says what.
pub fn load(line: &str) -> Result<Board, NotationError> {
    UsiNotation::parse_position(&Rules::default(), line)
}

/// The number by which moves are ordered and hashed: 2 (81 origin + target), plus 1 for a promotion. A square is 9 (file - 1)
/// plus its rank from 0 for a; the origin of a drop is 81 and 0 to 6 for pawn, lance, knight, silver, bishop, rook, gold.
pub fn move_code(mv: Move) -> u32 {
    let place = |square: crate::Square| 9 * u32::from(square.file()) + u32::from(square.rank());
    let origin = match (mv.dropped(), mv.from()) {
        (Some(piece), _) => 81 + DROPS.iter().position(|&p| p == piece).unwrap_or(0) as u32,
        (None, from) => from.map_or(0, place),
    };
    2 * (81 * origin + place(mv.to())) + u32::from(mv.is_promotion())
}

/// The kinds that can be dropped, in the order of [`move_code`].
const DROPS: [Piece; 7] =
    [Piece::Pawn, Piece::Lance, Piece::Knight, Piece::Silver, Piece::Bishop, Piece::Rook, Piece::Gold];

/// Appends the entry of one position, its blank line included, with hashes of its tree up to `depth` plies. `line` is echoed
/// as given.
pub fn write_entry(line: &str, board: &Board, depth: u32, out: &mut String) {
    let _ = write!(out, "sfen: {line}\nmoves: [\n");
    let mut moves: Vec<String> = board.legal_moves().into_iter().map(|mv| mv.to_string()).collect();
    moves.sort_unstable();
    for mv in &moves {
        let _ = writeln!(out, "  {mv}");
    }
    let _ = write!(out, "]\ncheck?: {}\n", board.in_check());
    for depth in 1..=depth {
        let _ = writeln!(out, "depth-dump-at-{depth}: {}", dump(board, depth));
    }
    out.push('\n');
}

/// The hash of the tree of `depth` plies below `board`.
pub fn dump(board: &Board, depth: u32) -> u64 {
    let mut hash = 0;
    walk(board, depth, &mut hash);
    hash
}

fn mix(hash: &mut u64, word: u64) {
    *hash = hash.wrapping_mul(FACTOR).wrapping_add(word);
}

fn walk(board: &Board, depth: u32, hash: &mut u64) {
    if depth == 0 {
        return mix(hash, u64::from(board.in_check()));
    }
    mix(hash, OPEN);
    let mut moves = Vec::with_capacity(128);
    let _ = board.for_each_move(|mv| {
        moves.push((move_code(mv), mv));
        Continue::<(), ()>(())
    });
    moves.sort_unstable_by_key(|m| m.0);
    for (code, mv) in moves {
        mix(hash, u64::from(code));
        if depth == 1 {
            // Of the last ply only the check is wanted: nothing is played.
            mix(hash, u64::from(board.gives_check(mv)));
        } else {
            let mut after = *board;
            after.play(mv);
            walk(&after, depth - 1, hash);
        }
    }
    mix(hash, CLOSE);
}
