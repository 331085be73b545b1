//! Shogi evaluation by hand-made features: one evaluation over `Tally`, played, learned from and explained; weights as data.
//!
//! The evaluation is written once per side over a [`Tally`]: the first side's counts are positive, the second's
//! negative. [`HandEval`] plays it with sums kept from move to move, [`HandEval::row`] lists the counts for learning,
//! [`explain()`] shows them. The value played is `blend.value(row · weights)`, exactly. This crate never reads a file
//! and holds no learned number in its code: weights live in `data/weights.json`, from which `src/generated/weights.rs`
//! is made. [`DlshogiPlanes`] shows positions to networks.

mod blend;
mod eval;
mod explain;
mod facts;
pub mod fuzz;
mod generated {
    pub(crate) mod weights;
}
mod geometry;
mod king;
mod nets;
pub mod nnue;
mod planes;
mod relations;
pub mod terms;
mod weights;
mod win_model;

pub use eval::HandEval;
pub use explain::explain;
pub use nets::NETS;
pub use planes::DlshogiPlanes;
pub use terms::{FEATURES, TERMS};
pub use weights::{GAME, PACKAGE, WEIGHTS_JSON, builtin_weights, load_weights, material_weights};
pub use win_model::wdl;

use geometry::put;
use tesuji_game::Side;
use tesuji_shogi::{Board, Piece, Square};
use tesuji_tally::{Blend, Tally};

/// Counts all features of `board`, both sides.
#[inline(always)]
pub(crate) fn tally(board: &Board, t: &mut impl Tally) -> Blend {
    for side in Side::ALL {
        pieces_of(board, side, t);
        if let Some(king) = board.king(side) {
            around(board, side, king, t);
        }
    }
    unkept(board, t);
    blend::of(board)
}

/// Material, squares and hand of `side`: in play their sum is kept from move to move.
#[inline(always)]
fn pieces_of(board: &Board, side: Side, t: &mut impl Tally) {
    for square in board.side(side) {
        let Some(piece) = board.piece_at(square) else { continue };
        if let Some(kind) = geometry::kind(piece) {
            put(t, side, terms::MATERIAL + kind, 1);
        }
        put(t, side, terms::PSQ_PAWN + 81 * geometry::table(piece) + geometry::place(side, square), 1);
    }
    for (piece, count) in board.hand(side).iter() {
        for n in 1..=count {
            put(t, side, in_hand(piece, n), 1);
        }
    }
}

/// All pieces by their place around the king of `side`: in play their sum is kept until the king moves.
#[inline(always)]
fn around(board: &Board, side: Side, king: Square, t: &mut impl Tally) {
    for square in board.occupied() {
        match board.at(square) {
            None | Some((_, Piece::King)) => {}
            Some((owner, piece)) => put(t, owner, near_king(side, king, owner, piece, square), 1),
        }
    }
}

/// Counts the terms that are computed again at every position.
#[inline(always)]
fn unkept(board: &Board, t: &mut impl Tally) {
    let facts = facts::Facts::new(board, t);
    for side in Side::ALL {
        relations::threats(board, side, &facts, t);
        relations::pieces(board, side, &facts, t);
        king::attack(board, side, &facts, t);
        king::guard(board, side, &facts, t);
    }
}

/// The feature of the `n`-th `piece` in hand, from 1.
#[inline(always)]
fn in_hand(piece: Piece, n: u8) -> usize {
    use terms::*;
    const FIRST: [(usize, u8); 7] = [
        (HAND_PAWN, 6),
        (HAND_LANCE, 4),
        (HAND_KNIGHT, 4),
        (HAND_SILVER, 4),
        (HAND_BISHOP, 2),
        (HAND_ROOK, 2),
        (HAND_GOLD, 4),
    ];
    let (first, len) = FIRST[piece.index().min(6)];
    first + usize::from(n.clamp(1, len)) - 1
}

/// The feature of a piece of `owner`, no king, by its place around the king of `side`.
#[inline(always)]
fn near_king(side: Side, king: Square, owner: Side, piece: Piece, square: Square) -> usize {
    let first = if side == owner { terms::GUARD_PAWN } else { terms::SIEGE_PAWN };
    first + geometry::CELLS * geometry::class(piece) + geometry::cell(side, king, square)
}
