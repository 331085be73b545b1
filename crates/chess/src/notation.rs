//! Chess as a game: its start, and its moves and positions in the words of UCI.

use crate::{Board, Move, Rules, coordinates, fen, san};
use std::fmt;
use tesuji_game::{Game, Notation, NotationError};

/// Chess.
pub struct Chess;

impl Game for Chess {
    const NAME: &'static str = "chess";
    type Position = Board;
    type Notation = UciNotation;
    type Rules = Rules;

    fn start(rules: &Rules) -> Board {
        let mut board = Board::start();
        board.chess960 = rules.chess960;
        board
    }

    fn implied_rules(rules: &Rules, start: &Board) -> Option<Rules> {
        (start.is_chess960() && !rules.chess960).then_some(Rules { chess960: true, standard: false })
    }
}

/// Moves as UCI writes them: `e2e4`, `e7e8q`; castling `e1g1`, in Chess960 `e1h1`. Both are read in both.
pub struct UciNotation;

impl Notation<Board, Rules> for UciNotation {
    /// Leniently; `startpos` is the usual start.
    fn parse_position(rules: &Rules, text: &str) -> Result<Board, NotationError> {
        if text.trim() == "startpos" { Ok(Chess::start(rules)) } else { fen::parse(text, rules, fen::Care::Lenient) }
    }

    fn write_position(board: &Board, out: &mut dyn fmt::Write) -> fmt::Result {
        fen::write(board, out)
    }

    fn parse_move(board: &Board, text: &str) -> Result<Move, NotationError> {
        coordinates::parse_move(board, text)
    }

    fn write_readable(board: &Board, mv: Move, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(&san::text(board, mv))
    }

    fn parse_readable(board: &Board, text: &str) -> Result<Move, NotationError> {
        Self::parse_move(board, text).or_else(|_| san::parse(board, text))
    }

    fn write_move(board: &Board, mv: Move, out: &mut dyn fmt::Write) -> fmt::Result {
        let to = if mv.is_castling() && !board.is_chess960() { mv.castling_king_to() } else { mv.to() };
        // Letter by letter into a few bytes: the machinery of formatting takes ten times as long.
        let mut bytes = [0; 5];
        for (place, square) in bytes.chunks_exact_mut(2).zip([mv.from(), to]) {
            place.copy_from_slice(&[b'a' + square.file(), b'1' + square.rank()]);
        }
        let length = match mv.promotion() {
            Some(piece) => {
                bytes[4] = piece.letter() as u8;
                5
            }
            None => 4,
        };
        std::str::from_utf8(&bytes[..length]).map_or(Err(fmt::Error), |text| out.write_str(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, chess960: bool, text: &str, written: Option<&str>) {
        let board = fen::parse(fen, &Rules { chess960, ..Rules::default() }, fen::Care::Strict).expect("a position");
        let read = UciNotation::parse_move(&board, text).ok().map(|mv| {
            let mut out = String::new();
            UciNotation::write_move(&board, mv, &mut out).expect("writing to a string");
            out
        });
        assert_eq!(read.as_deref(), written, "{text} in {fen}");
    }

    #[test]
    fn castling_is_read_both_ways() {
        let usual = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        check(usual, false, "e1g1", Some("e1g1"));
        check(usual, false, "e1h1", Some("e1g1"));
        check(usual, true, "e1c1", Some("e1a1"));
        check(usual, true, "e1a1", Some("e1a1"));
        check(usual, false, "e1b1", None);
        let shuffled = "8/5k2/8/8/8/8/8/1R3KR1 w GB - 0 1";
        check(shuffled, true, "f1g1", Some("f1g1"));
        check(shuffled, true, "f1c1", Some("f1b1"));
        check(shuffled, true, "f1e1", Some("f1e1"));
    }

    #[test]
    fn bad_moves_are_told() {
        let board = Board::start();
        assert_eq!(UciNotation::parse_move(&board, ""), Err(NotationError::Empty));
        for text in ["e2", "e2e9", "x", "e2e4qq", "e2e4k", "♔e2", "0000"] {
            assert!(matches!(UciNotation::parse_move(&board, text), Err(NotationError::Syntax { .. })), "{text}");
        }
        assert_eq!(UciNotation::parse_move(&board, "e2e5"), Err(NotationError::IllegalMove { text: "e2e5".into() }));
    }
}
