//! The invariants that a board must keep, checked at a position and at every child of it.

use crate::{Board, Change, Chess, Move, Piece, Rules, UciNotation, fen, san};
use std::collections::HashSet;
use tesuji_game::{Notation, Position, Side, Tactical};
use tesuji_record::cases::{self, Broken, position_text};

/// Checks all invariants at `board` and at every position one move away.
///
/// At the position itself all 65,536 words are tried as packed moves; at its children those of the moves of the
/// position and of its neighbours, which is where stale moves of a table come from.
///
/// # Errors
/// The first invariant that is broken.
pub fn check(board: &Board) -> Result<(), Broken> {
    let moves = check_one(board, &[])?;
    let packed: HashSet<u16> = moves.iter().map(|&mv| Board::pack(mv)).collect();
    for word in 0..=u16::MAX {
        let legal = board.unpack(word).is_some_and(|mv| Board::pack(mv) == word);
        if legal != packed.contains(&word) || board.unpack(word).is_some() != legal {
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
    Broken::at::<Chess>(board, mv, invariant)
}

/// Checks one position, and whether `words`, packed moves of another, are taken for what they are here.
fn check_one(board: &Board, words: &[u16]) -> Result<Vec<Move>, Broken> {
    let invariant = |ok: bool, invariant: &'static str| if ok { Ok(()) } else { Err(broken(board, None, invariant)) };
    let text = position_text::<Chess>(board);
    let again = fen::parse(&text, &Rules { chess960: board.is_chess960(), ..Rules::default() }, fen::Care::Lenient);
    let again = again.map_err(|_| broken(board, None, "a reachable position is valid and its FEN can be read"))?;
    invariant(again.key() == board.key(), "the key kept by moves is the key computed afresh")?;
    invariant(again.pawn_key() == board.pawn_key(), "the pawn key kept by moves is the one computed afresh")?;
    // What cannot be repeated any more is no part of FEN.
    invariant(
        Board { reversible: board.reversible, ..again } == *board,
        "a position read back from its FEN is the same to the bit",
    )?;

    let moves = cases::moves_of(board).map_err(|invariant| broken(board, None, invariant))?;
    for &word in words {
        let legal = moves.iter().any(|&mv| Board::pack(mv) == word);
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

/// Checks one legal move: its texts, its word, what it does and that it can be taken back.
fn check_move(board: &Board, mv: Move) -> Result<(), Broken> {
    let invariant =
        |ok: bool, invariant: &'static str| if ok { Ok(()) } else { Err(broken(board, Some(mv), invariant)) };
    invariant(Board::pack(mv) != 0, "no legal move packs to 0")?;
    invariant(board.unpack(Board::pack(mv)) == Some(mv), "a legal move survives packing")?;
    let mut text = String::new();
    let _ = UciNotation::write_move(board, mv, &mut text);
    invariant(UciNotation::parse_move(board, &text).ok() == Some(mv), "a move is read back from coordinates")?;
    invariant(san::parse(board, &san::text(board, mv)).ok() == Some(mv), "a move is read back from SAN")?;

    let mut seen = Vec::new();
    let mut child = *board;
    let undo = child.play_seen(mv, |change| seen.push(change));
    invariant(follows(board, &child, &seen), "what a move announces is what it does, vanishing first")?;
    invariant(child.side_to_move() == !board.side_to_move(), "the other side is to move after a move")?;
    invariant(
        child.in_check() == board.gives_check(mv),
        "a move gives check exactly if the other side is in check after it",
    )?;
    let mover = board.side_to_move();
    let attacked = child.attackers_to(child.king(mover), child.occupied()) & child.side(!mover);
    invariant(attacked.is_empty(), "no legal move leaves the king attacked")?;
    let captured = child.side(!mover).count() < board.side(!mover).count();
    invariant(captured == board.is_capture(mv), "a move is a capture exactly if a piece is taken")?;
    child.undo(mv, undo);
    invariant(child == *board, "taking a move back restores the position to the bit")
}

/// Whether `changes` lead from one board to the other, all vanishing before any appearing.
fn follows(before: &Board, after: &Board, changes: &[Change]) -> bool {
    let mut cells: [Option<(Side, Piece)>; 64] = [None; 64];
    for side in Side::ALL {
        for piece in Piece::ALL {
            before.of(side, piece).into_iter().for_each(|s| cells[s.index()] = Some((side, piece)));
        }
    }
    let mut appearing = false;
    for change in changes {
        match *change {
            Change::Vanish { side, piece, square } => {
                if appearing || cells[square.index()].take() != Some((side, piece)) {
                    return false;
                }
            }
            Change::Appear { side, piece, square } => {
                appearing = true;
                if cells[square.index()].replace((side, piece)).is_some() {
                    return false;
                }
            }
        }
    }
    Side::ALL.into_iter().all(|side| {
        Piece::ALL.into_iter().all(|piece| {
            let here = (0..64u64).filter(|&i| cells[i as usize] == Some((side, piece)));
            here.fold(0, |bits, i| bits | 1 << i) == after.of(side, piece).0
        })
    })
}
