//! Chess evaluation by hand-made features: one evaluation over `Tally`, played, learned from and explained; weights as data.
//!
//! The evaluation is written once per side over a [`Tally`]: the first side's counts are positive, the second's
//! negative. [`HandEval`] plays it with caches, [`HandEval::row`] lists the counts for learning, [`explain()`] shows
//! them. The value played is `blend.value(row · weights) + mop_up`, exactly, where [`mop_up()`] is 0 unless a lone king
//! is to be mated. This crate never reads a file and holds no learned number in its code: weights live in
//! `data/weights.json`, from which `src/generated/weights.rs` is made.

mod attack;
mod blend;
mod cover;
mod delphi;
mod eval;
mod evaluations;
mod explain;
mod facts;
pub mod fuzz;
mod generated {
    pub(crate) mod weights;
}
mod geometry;
mod greko;
mod lanes;
mod mop_up;
pub mod nnue;
mod passed;
mod pawns;
mod pieces;
mod rows;
pub mod sofcheck;
pub mod terms;
mod weights;
mod win_model;

pub use delphi::{DelphiEval, DelphiExplanation, DelphiTerm, explain_delphi};
pub use eval::HandEval;
pub use evaluations::{ChessEval, ChessWeights, EvalKind};
pub use explain::explain;
pub use greko::{
    GREKO, GREKO_SET, GREKO_TERMS, GrekoError, GrekoEval, GrekoTerm, explain_greko, greko_start, is_greko, parse_greko,
    print_greko,
};
pub use mop_up::mop_up;
pub use rows::HandRows;
pub use terms::{FEATURES, TERMS};
pub use weights::{GAME, PACKAGE, WEIGHTS_JSON, builtin_weights, load_weights, material_weights};
pub use win_model::wdl;

use geometry::{Black, Us, White};
use tesuji_chess::{Board, Piece};
use tesuji_tally::{Blend, Tally};

/// Counts all features of `board`, both sides.
#[inline(always)]
pub(crate) fn tally(board: &Board, t: &mut impl Tally) -> Blend {
    pieces_on_squares::<White>(board, t);
    pieces_on_squares::<Black>(board, t);
    let pawns = pawns::tally(board, t);
    cover_of::<White>(board, t);
    cover_of::<Black>(board, t);
    uncached(board, &pawns, t);
    blend::of(board)
}

/// Material and places of pieces: in play their sum is kept from move to move.
#[inline(always)]
fn pieces_on_squares<U: Us>(board: &Board, t: &mut impl Tally) {
    for kind in facts::PAWN..=facts::KING {
        for square in board.of(U::SIDE, Piece::ALL[kind]) {
            if kind != facts::KING {
                geometry::put::<U>(t, terms::MATERIAL + kind, 1);
            }
            geometry::put::<U>(t, terms::PSQ_PAWN + 64 * kind + geometry::place::<U>(square.index()), 1);
        }
    }
}

/// The king among the pawns: in play cached with them.
#[inline(always)]
fn cover_of<U: Us>(board: &Board, t: &mut impl Tally) {
    let pawns = |side| board.of(side, Piece::Pawn);
    cover::tally::<U>(board.king(U::SIDE), pawns(U::SIDE), pawns(!U::SIDE), t);
}

/// All that is neither kept from move to move nor cached by pawns.
#[inline(always)]
fn uncached(board: &Board, sets: &pawns::PawnSets, t: &mut impl Tally) {
    let mut facts = facts::Facts::new(board, sets);
    pieces::tally::<White>(board, &mut facts, t);
    pieces::tally::<Black>(board, &mut facts, t);
    relations::<White>(board, &facts, t);
    relations::<Black>(board, &facts, t);
}

/// Terms that need the attacks of both sides, and terms counted in one line.
#[inline(always)]
fn relations<U: Us>(board: &Board, facts: &facts::Facts, t: &mut impl Tally) {
    attack::on_king::<U>(facts, t);
    attack::threats::<U>(facts, t);
    let mover = tesuji_game::Position::side_to_move(board);
    passed::tally::<U>(facts, mover, t);
    pieces::numbers::<U>(board, facts, t);
    if mover == U::SIDE {
        geometry::put::<U>(t, terms::TEMPO, 1);
    }
}
