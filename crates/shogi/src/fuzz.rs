//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

use crate::{
    Move, Rules, Setup, UsiNotation,
    csa::{Said, Summary, said},
    sfen,
};
use tesuji_game::{Notation, Position};

pub use crate::fuzz_formats::{packed, records, samples};

/// Positions as SFEN.
///
/// # Panics
/// When a position read does not survive writing, or is inconsistent.
pub fn sfen(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(board) = sfen::parse(text) else { return };
    assert!(board.is_consistent());
    assert_eq!(sfen::parse(&board.to_string()), Ok(board));
    assert_eq!(Setup::of(&board).board(), Ok(board));
    let moves = board.legal_moves();
    assert_eq!(board.count_moves(), moves.len());
    assert_eq!(board.has_moves(), !moves.is_empty());
    for mv in moves {
        let mut next = board;
        next.play(mv);
        assert!(next.is_consistent(), "{mv} in {board}");
    }
}

/// Moves in USI's notation, in positions with drops and promotions, and every word of two bytes as a move.
///
/// # Panics
/// When a move read does not survive writing.
pub fn usi_move(bytes: &[u8]) {
    let matsuri = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
    for position in [matsuri, "startpos"] {
        let Ok(board) = UsiNotation::parse_position(&Rules::default(), position) else { continue };
        let number = bytes.iter().take(2).fold(0u16, |n, &b| n << 8 | u16::from(b));
        let listed = board.legal_moves().into_iter().find(|mv| mv.bits() == number);
        assert_eq!(board.unpack(number), listed);
        assert_eq!(Move::from_bits(number).map_or(number, Move::bits), number);
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let Ok(mv) = UsiNotation::parse_move(&board, text) else { continue };
        assert_eq!(UsiNotation::parse_move(&board, &mv.to_string()), Ok(mv));
    }
}

/// What a server of the CSA protocol says: summaries of games, and lines one by one.
///
/// # Panics
/// When a game that is offered cannot be played as it was told.
pub fn server(bytes: &[u8]) {
    let lines: Vec<String> = String::from_utf8_lossy(bytes).lines().map(str::to_string).collect();
    for line in &lines {
        if let Said::Move(head, _) = said(line) {
            assert_eq!(head.len(), 7);
        }
    }
    let Ok(game) = Summary::parse(&lines) else { return };
    let mut board = game.start;
    for (mv, _) in game.moves {
        assert!(board.is_legal(mv));
        board.play(mv);
    }
}
