//! Moves as UCI writes them, by the squares they go from and to.

use crate::{Board, Move, Piece, Square};
use tesuji_game::{NotationError, Position};

pub(crate) fn parse_move(board: &Board, text: &str) -> Result<Move, NotationError> {
    if text.is_empty() {
        return Err(NotationError::Empty);
    }
    let square = |at: usize| {
        let word = text.get(at..at + 2).and_then(Square::parse);
        word.ok_or(NotationError::Syntax { at, expected: "a square from a1 to h8" })
    };
    let (from, to) = (square(0)?, square(2)?);
    let promotion = match text.get(4..).unwrap_or("?") {
        "" => None,
        letter => {
            let piece = letter.chars().next().filter(|_| letter.len() == 1).and_then(Piece::from_letter);
            let piece = piece.filter(|p| !matches!(p, Piece::Pawn | Piece::King));
            Some(piece.ok_or(NotationError::Syntax { at: 4, expected: "q, r, b or n" })?)
        }
    };
    let moves = candidates(board, from, to, promotion);
    let legal = moves.into_iter().flatten().find_map(|mv| board.unpack(Board::pack(mv)));
    legal.ok_or_else(|| NotationError::IllegalMove { text: text.to_string() })
}

/// Candidate moves for `from` and `to`: castling in both notations, en passant, or a plain move.
fn candidates(board: &Board, from: Square, to: Square, promotion: Option<Piece>) -> [Option<Move>; 4] {
    if let Some(piece) = promotion {
        return [Some(Move::promote(from, to, piece)), None, None, None];
    }
    let by_king_step = || {
        let side = board.side_to_move();
        let king_goes = board.piece_at(from) == Some(Piece::King) && matches!(to.file(), 2 | 6);
        // In Chess960 a king's step to c or g is a step unless it cannot be one.
        let wide = king_goes && to.rank() == from.rank() && (from.distance(to) > 1 || !board.is_chess960());
        board.castling_rook(side, to.file() == 6).filter(|_| wide && from.distance(to) > 1)
    };
    [
        Some(Move::normal(from, to)),
        Some(Move::en_passant(from, to)),
        Some(Move::castling(from, to)),
        by_king_step().map(|rook| Move::castling(from, rook)),
    ]
}
