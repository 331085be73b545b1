//! Perft by [`tesuji_record::perft`], without the upkeep of keys.

use crate::{Board, Move};
use tesuji_record::perft;

/// The number of move sequences of `depth` plies.
pub fn count(board: &Board, depth: u32) -> u64 {
    perft::count(board, depth, make)
}

/// The count below one legal move: the share of a thread.
pub fn below(board: &Board, mv: Move, depth: u32) -> u64 {
    perft::below(board, mv, depth, make)
}

#[inline(always)]
fn make(board: &mut Board, mv: Move) {
    board.make::<false>(mv, |_| ());
}
