//! Forms in which a record keeps its moves: text for callers, moves inside the crate.

use crate::{Board, Move, UciNotation};
use tesuji_game::Notation;

/// A form in which a record keeps a move.
pub(crate) trait KeptMove: Sized {
    /// Keeps `mv`, which is legal on `board`.
    fn keep(board: &Board, mv: Move) -> Self;
}

impl KeptMove for Move {
    fn keep(_: &Board, mv: Move) -> Move {
        mv
    }
}

impl KeptMove for String {
    fn keep(board: &Board, mv: Move) -> String {
        let mut text = String::with_capacity(5);
        let _ = UciNotation::write_move(board, mv, &mut text);
        text
    }
}
