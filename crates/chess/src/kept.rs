//! Forms in which a record keeps its moves: text for callers, moves inside the crate.

use crate::{Board, Move, UciNotation};
use tesuji_game::Notation;
use tesuji_record::GameRecord;

/// A form in which a record keeps a move.
pub(crate) trait KeptMove: Sized {
    /// Keeps `mv`, which is legal on `board`.
    fn keep(board: &Board, mv: Move) -> Self;

    /// `game` for an error, which carries games whose moves are texts; `None` for other moves.
    fn in_error(game: GameRecord<Self>) -> Option<Box<GameRecord<String>>>;
}

impl KeptMove for Move {
    fn keep(_: &Board, mv: Move) -> Move {
        mv
    }

    fn in_error(_: GameRecord<Move>) -> Option<Box<GameRecord<String>>> {
        None
    }
}

impl KeptMove for String {
    fn keep(board: &Board, mv: Move) -> String {
        let mut text = String::with_capacity(5);
        let _ = UciNotation::write_move(board, mv, &mut text);
        text
    }

    fn in_error(game: GameRecord<String>) -> Option<Box<GameRecord<String>>> {
        Some(Box::new(game))
    }
}
