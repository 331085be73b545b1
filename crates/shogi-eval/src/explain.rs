//! An evaluation of shogi term by term.

use crate::HandEval;
use tesuji_game::{Position, Side};
use tesuji_shogi::Board;
use tesuji_tally::{Explanation, Weights};

/// Explains the value of `board` by `weights`.
pub fn explain(board: &Board, weights: &Weights) -> Explanation {
    let second = board.side_to_move() == Side::Second;
    Explanation::of::<_, HandEval>(board, weights, ["Black", "White"], second, None)
}
