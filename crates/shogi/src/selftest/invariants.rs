//! The invariants that a board must keep, checked at a position and at every child of it.

use crate::{Board, Move, Shogi, UsiNotation};
use std::collections::HashSet;
use tesuji_game::{Notation, Position, Tactical};
use tesuji_record::cases::{self, Broken};

/// Checks all invariants at `board` and at every position one move away. At the position itself all 65,536 words are tried as
/// packed moves; at its children those of the moves of the position, which is where stale moves of a table come from.
///
/// # Errors
/// The first invariant that does not hold.
pub fn check(board: &Board) -> Result<(), Broken> {
    let moves = check_one(board, &[])?;
    let packed: HashSet<u16> = moves.iter().map(|&mv| Board::pack(mv)).collect();
    for word in 0..=u16::MAX {
        if board.unpack(word).is_some() != packed.contains(&word) {
            return Err(broken(board, None, "unpack gives a move for the words of legal moves and for no others"));
        }
    }
    let words: Vec<u16> = packed.into_iter().collect();
    for &mv in &moves {
        let mut child = *board;
        child.play(mv);
        check_one(&child, &words)?;
    }
    Ok(())
}

fn broken(board: &Board, mv: Option<Move>, invariant: &'static str) -> Broken {
    Broken::at::<Shogi>(board, mv, invariant)
}

/// Checks one position, and whether `words`, packed moves of another, are taken for what they are here.
fn check_one(board: &Board, words: &[u16]) -> Result<Vec<Move>, Broken> {
    let invariant = |ok: bool, invariant: &'static str| if ok { Ok(()) } else { Err(broken(board, None, invariant)) };
    let again = super::load(&board.to_string())
        .map_err(|_| broken(board, None, "a reachable position is valid and its SFEN can be read"))?;
    invariant(again.key() == board.key(), "the key kept by moves is the key computed afresh")?;
    invariant(again.structure_key() == board.structure_key(), "the key of the structure is the one computed afresh")?;
    invariant(again == *board, "a position read back from its SFEN is the same to the bit")?;
    let moves = cases::moves_of(board).map_err(|invariant| broken(board, None, invariant))?;
    let mine: HashSet<u16> = moves.iter().map(|&mv| Board::pack(mv)).collect();
    for &word in words {
        let legal = mine.contains(&word);
        invariant(
            board.unpack(word).is_some() == legal,
            "a packed move of a neighbour is taken exactly if it is legal",
        )?;
    }
    for &mv in &moves {
        check_move(board, mv)?;
    }
    Ok(moves)
}

/// Checks one legal move: its text, its word, what it does and that it can be taken back.
fn check_move(board: &Board, mv: Move) -> Result<(), Broken> {
    let invariant =
        |ok: bool, invariant: &'static str| if ok { Ok(()) } else { Err(broken(board, Some(mv), invariant)) };
    invariant(Board::pack(mv) != 0, "no legal move packs to 0")?;
    invariant(board.unpack(Board::pack(mv)) == Some(mv), "a legal move survives packing")?;
    invariant(UsiNotation::parse_move(board, &mv.to_string()).ok() == Some(mv), "a move is read back from its text")?;
    let mut child = *board;
    let undo = child.play_seen(mv, |_| ());
    invariant(child.side_to_move() == !board.side_to_move(), "the other side is to move after a move")?;
    invariant(
        child.in_check() == board.gives_check(mv),
        "a move gives check exactly if the other side is in check after it",
    )?;
    let grown = child.occupied().count() as i32 - board.occupied().count() as i32;
    let expected = i32::from(mv.is_drop()) - i32::from(board.is_capture(mv));
    invariant(
        grown == expected,
        "a drop adds a piece to the board, a capture takes one off, all else leaves their number",
    )?;
    child.undo(mv, undo);
    invariant(child == *board, "taking a move back restores the position to the bit")
}
