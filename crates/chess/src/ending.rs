//! The reason why a recorded game ended, worked out from its last position when the record does not say.

use crate::Board;
use tesuji_game::{By, Outcome, Position, Side};

/// The outcome of a game that `winner` won (`None`: a draw) at `board` after `past`; `otherwise` when the rules do not
/// explain it there.
pub(crate) fn explain(
    board: &Board,
    past: &[<Board as Position>::Mark],
    winner: Option<Side>,
    otherwise: By,
) -> Outcome {
    let ruled = if board.has_moves() { board.ended(past, past.len()) } else { Some(board.no_legal_moves()) };
    ruled.filter(|o| o.winner == winner).unwrap_or(Outcome { winner, by: otherwise })
}
