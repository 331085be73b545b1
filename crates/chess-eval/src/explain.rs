//! An evaluation of chess term by term.

use crate::{HandEval, mop_up};
use tesuji_chess::Board;
use tesuji_game::{Position, Side};
use tesuji_tally::{Explanation, Weights};

/// Explains the value of `board` by `weights`; the rest is what driving a lone king to the edge adds.
pub fn explain(board: &Board, weights: &Weights) -> Explanation {
    let (second, rest) = (board.side_to_move() == Side::Second, Some(("driving a lone king", mop_up(board))));
    Explanation::of::<_, HandEval>(board, weights, ["White", "Black"], second, rest)
}
