//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

pub use crate::fuzz_packed::{binpack, bullet, cuts, labelled, viri};
pub use crate::fuzz_texts::{epd, pgn, san, sgs};
use crate::{Board, Rules, UciNotation, fen};
use tesuji_game::{Notation, Position};

/// Positions as FEN, both ways of reading.
///
/// # Panics
/// When a position read does not survive writing, or is inconsistent.
pub fn fen(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for care in [fen::Care::Strict, fen::Care::Lenient] {
        for chess960 in [false, true] {
            let rules = Rules { chess960, ..Rules::default() };
            let Ok(board) = fen::parse(text, &rules, care) else { continue };
            assert!(board.is_consistent());
            let written = fen::to_string(&board);
            let again = fen::parse(&written, &rules, care).map(|b| fen::to_string(&b));
            assert_eq!(again.as_deref(), Ok(written.as_str()));
            assert_eq!(board.count_moves(), board.legal_moves().len());
        }
    }
}

/// Moves in UCI's notation, in two positions with every kind of move.
///
/// # Panics
/// When a move read does not survive writing.
pub fn uci_move(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for position in ["r3k2r/pP1pqpb1/bn2pnp1/2pPN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq c6 0 1", "startpos"] {
        for chess960 in [false, true] {
            let Ok(board) = UciNotation::parse_position(&Rules { chess960, ..Rules::default() }, position) else {
                continue;
            };
            let Ok(mv) = UciNotation::parse_move(&board, text) else { continue };
            let mut written = String::new();
            let _ = UciNotation::write_move(&board, mv, &mut written);
            assert_eq!(UciNotation::parse_move(&board, &written), Ok(mv));
        }
    }
    let number = bytes.iter().take(2).fold(0u16, |n, &b| n << 8 | u16::from(b));
    assert_eq!(
        Board::start().unpack(number).is_some(),
        Board::start().legal_moves().iter().any(|m| m.bits() == number)
    );
}
