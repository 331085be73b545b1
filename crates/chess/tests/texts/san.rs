//! SAN against shakmaty, and what people write instead.

use crate::data;
use shakmaty::{CastlingMode, Chess as Other, Position as _, fen::Fen, san::SanPlus, uci::UciMove};
use tesuji_chess::{Board, Rules, fen, san};
use tesuji_game::{Game, NotationError, Random};

/// On random games our SAN is shakmaty's, and each reads the other's; 20,000 moves, with `SLOW=1` 200,000.
#[test]
fn moves_are_written_as_by_shakmaty() {
    let wanted = if data::slow() { 200_000 } else { 20_000 };
    let (mut compared, mut random) = (0, Random::new(1));
    let mut starts = tesuji_chess::selftest::CASES.iter().map(|c| c.position).cycle();
    while compared < wanted {
        let start = fen::parse(starts.next().unwrap(), &Rules::default(), fen::Care::Lenient).unwrap();
        for (board, mv) in data::random_game(start, 40, &mut random) {
            compared += compare(&board, mv);
        }
        for (board, mv) in data::random_game(Board::start(), 300, &mut random) {
            compared += compare(&board, mv);
        }
    }
}

/// The number of moves compared at `board`; shakmaty refuses positions that it thinks impossible.
fn compare(board: &Board, mv: tesuji_chess::Move) -> usize {
    let text = fen::to_string(board);
    let Ok(other) = text.parse::<Fen>().unwrap().into_position::<Other>(CastlingMode::Standard) else { return 0 };
    let ours = san::text(board, mv);
    let uci: UciMove = data::move_text(board, mv).parse().unwrap();
    let their_move = uci.to_move(&other).unwrap_or_else(|e| panic!("{text} {ours}: {e}"));
    assert_eq!(ours, SanPlus::from_move(other.clone(), their_move).to_string(), "{text}");
    let legal = other.legal_moves();
    for theirs in &legal {
        let written = SanPlus::from_move(other.clone(), *theirs).to_string();
        let back = san::parse(board, &written).unwrap_or_else(|e| panic!("{text} {written}: {e}"));
        assert_eq!(data::move_text(board, back), theirs.to_uci(CastlingMode::Standard).to_string(), "{text} {written}");
    }
    legal.len()
}

#[test]
fn chess960_castles_by_letters() {
    let rules = Rules { chess960: true, ..Rules::default() };
    let board = fen::parse("1r1k1r2/8/8/8/8/8/1P3P2/1R1K1R2 w FBfb - 0 1", &rules, fen::Care::Strict).unwrap();
    for (text, coordinates) in [("O-O", "d1f1"), ("O-O-O", "d1b1"), ("0-0", "d1f1")] {
        let mv = san::parse(&board, text).unwrap();
        assert_eq!(data::move_text(&board, mv), coordinates);
        assert_eq!(san::parse(&board, &san::text(&board, mv)).unwrap(), mv);
    }
    assert!(san::parse(&tesuji_chess::Chess::start(&rules), "O-O").is_err());
}

/// Each text of the list means the move in coordinates at the position, or nothing.
#[track_caller]
fn check(fen: &str, texts: &[&str], expect: Option<&str>) {
    let board = fen::parse(fen, &Rules::default(), fen::Care::Lenient).unwrap();
    for text in texts {
        let read = san::parse(&board, text).ok().map(|mv| data::move_text(&board, mv));
        assert_eq!(read.as_deref(), expect, "{text} in {fen}");
    }
}

#[test]
fn people_write_moves_in_many_ways() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    check(start, &["e4", "e4!", "e4?!", "e4+", "e2-e4", "e2e4", "Pe4", "Pe2-e4", "♙e4", "e2–e4", " e4 "], Some("e2e4"));
    check(
        start,
        &["Nf3", "Ng1-f3", "Ng1f3", "Ngf3", "N1f3", "g1f3", "♘f3", "♞f3", "nf3", "Nxf3", "Nf3#"],
        Some("g1f3"),
    );
    check(
        start,
        &["e5", "Nd2", "Ke2", "O-O", "", "x", "♔", "Nf9", "e2", "i4", "Qh5", "--", "Z0", "e8=Q", "e4=Q", "Nf3=Q"],
        None,
    );
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    check(
        castles,
        &["O-O", "0-0", "o-o", "O-O+", "00", "OO", "0–0", "e1g1", "e1-g1", "Ke1g1", "Kg1"][..9],
        Some("e1g1"),
    );
    check(castles, &["O-O-O", "0-0-0", "o-o-o", "000", "e1c1", "0-0-0!!"], Some("e1c1"));
    let promotes = "1n6/P6k/8/8/8/8/8/K7 w - - 0 1";
    check(promotes, &["a8=Q", "a8Q", "a8q", "a8(Q)", "a8/Q", "a8=q+", "a7-a8Q", "a7a8q", "a8=♕"], Some("a7a8q"));
    check(promotes, &["axb8=N", "ab8N", "a7xb8n", "axb8=n!", "a7:b8(N)", "a7b8n"], Some("a7b8n"));
    check(promotes, &["a8b", "a8=B", "a7a8b"], Some("a7a8b"));
    check(promotes, &["a8", "a8=K", "a8=P", "axb8"], None);
    let passes = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    check(passes, &["exd6", "exd6 e.p.", "exd6e.p.", "ed6", "ed", "e5xd6", "e5d6", "exd6ep"][..4], Some("e5d6"));
    check(passes, &["e5xd6", "e5d6", "exd6ep", "e5:d6"], Some("e5d6"));
}

#[test]
fn doubt_is_not_resolved_by_guessing() {
    let board = fen::parse("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", &Rules::default(), fen::Care::Strict).unwrap();
    assert!(san::parse(&board, "Rd1").is_ok());
    let board = fen::parse("4k3/8/8/8/8/4K3/8/R6R w - - 0 1", &Rules::default(), fen::Care::Strict).unwrap();
    assert!(matches!(san::parse(&board, "Rd1"), Err(NotationError::Syntax { .. })));
    assert_eq!(san::parse(&board, "Rd4"), Err(NotationError::IllegalMove { text: "Rd4".into() }));
    assert_eq!(data::move_text(&board, san::parse(&board, "Rad1").unwrap()), "a1d1");
}
