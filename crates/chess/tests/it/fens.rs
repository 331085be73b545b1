//! Reading and writing positions: what is forgiven, what is refused and why.

use proptest::prelude::*;
use tesuji_chess::{Rules, fen, fen::Care};

fn read(text: &str, chess960: bool, care: Care) -> Result<String, String> {
    let board = fen::parse(text, &Rules { chess960, ..Rules::default() }, care).map_err(|e| e.to_string())?;
    assert!(board.is_consistent(), "{text}");
    Ok(fen::to_string(&board))
}

#[track_caller]
fn strict(text: &str, error: &str) {
    assert_eq!(read(text, false, Care::Strict).expect_err(text), error);
}

#[track_caller]
fn lenient(text: &str, written: &str) {
    assert_eq!(read(text, false, Care::Lenient).as_deref(), Ok(written));
}

#[test]
fn refusals_name_field_and_place() {
    strict("", "nothing given");
    strict("8/8/8/8/8/8/8/8 w - - 0 1", "at byte 0: placement: a king is missing");
    strict("kK6/8/8/8/8/8/8/7K w - - 0 1", "at byte 0: placement: a side has several kings");
    strict("k7/8/8/8/8/8/8/P6K w - - 0 1", "at byte 0: placement: a pawn on the first or last rank");
    strict("k7/9/8/8/8/8/8/7K w - - 0 1", "at byte 3: expected placement: a piece, a number or /");
    strict("k7/8/8/8/8/8/8/7KN w - - 0 1", "at byte 17: expected placement: / after eight squares");
    strict("k7/8/8/8/8/8/7K w - - 0 1", "at byte 15: expected placement: eight ranks of eight squares");
    strict("k7/8/8/8/8/8/8/7K x - - 0 1", "at byte 18: expected side to move: w or b");
    strict("k7/8/8/8/8/8/8/K6r b - - 0 1", "at byte 0: placement: the side that has just moved is in check");
    strict("k7/8/8/8/8/8/8/7K w KQ - 0 1", "at byte 20: castling rights: king or rook is not where it must be");
    strict("k7/8/8/8/8/8/8/7K w - e3 0 1", "at byte 22: en passant: no pawn has just made a double step there");
    strict("k7/8/8/8/8/8/8/7K w - e9 0 1", "at byte 22: expected en passant: - or a square");
    strict("k7/8/8/8/8/8/8/7K w - -", "at byte 23: expected halfmove clock: a number");
    strict(
        "k7/8/8/8/8/8/8/7K w - - 0 1 x",
        "at byte 28: nothing after the move number"
            .replace("at byte 28: nothing", "at byte 28: expected nothing")
            .as_str(),
    );
    strict("kqqqqqqq/qqq5/8/8/8/8/8/7K w - - 0 1", "at byte 0: placement: more promoted pieces than missing pawns");
    strict("k7/8/8/8/8/2n1n3/8/3K4 w - - 0 1", "at byte 0: placement: no move gives these checks");
}

/// A game of Chess960 (python-chess 1.11 counts 12189 leaves at depth 3), pasted where nobody said so.
const SHREDDER: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";

#[test]
fn castling_rights_of_chess960_were_dropped_where_the_rules_were_not_named() {
    for care in [Care::Strict, Care::Lenient] {
        for rules in ["", "chess960"] {
            let board = fen::parse(SHREDDER, &rules.parse().unwrap(), care).expect("a position");
            assert!(board.is_chess960());
            assert_eq!(fen::to_string(&board), SHREDDER.replace("HFhf", "KQkq"));
            assert_eq!(tesuji_chess::perft::count(&board, 3), 12_189);
        }
        let error = fen::parse(SHREDDER, &"standard".parse().unwrap(), care).expect_err("Chess960");
        let reason = "castling rights: standard chess has no such right; give the rules as chess960";
        assert_eq!(error.to_string(), format!("at byte 55: {reason}"));
        let usual = fen::parse("4k3/8/8/8/8/8/8/4K2R w H - 0 1", &Rules::default(), care).expect("a position");
        assert!(!usual.is_chess960());
        assert_eq!(fen::to_string(&usual), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    }
}

#[test]
fn a_right_to_castle_long_became_one_to_castle_short() {
    lenient("4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1");
    strict("4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "at byte 23: castling rights: king or rook is not where it must be");
}

#[test]
fn lenient_reading_drops_what_contradicts() {
    lenient("k7/8/8/8/8/8/8/7K w KQkq e3 - -".replace("- -", "").trim(), "k7/8/8/8/8/8/8/7K w - - 0 1");
    lenient("4k3/8/8/8/8/8/8/4K2R w KQkq -", "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    // A square that no pawn can use is kept in the text, and is no part of the key.
    lenient("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1");
    let rules = Rules::default();
    let with = fen::parse("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", &rules, Care::Lenient).expect("a position");
    let without = fen::parse("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", &rules, Care::Lenient).expect("a position");
    let usable = fen::parse("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", &rules, Care::Lenient).expect("a position");
    use tesuji_game::Position;
    assert_eq!(with.key(), without.key());
    assert_ne!(
        usable.key().0,
        fen::parse("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1", &rules, Care::Lenient).expect("one").key().0
    );
    lenient("QQQQQQQQ/QQ6/8/8/8/8/7k/K7 b - - 3 4", "QQQQQQQQ/QQ6/8/8/8/8/7k/K7 b - - 3 4");
}

#[test]
fn rooks_are_named_as_x_fen_and_shredder_do() {
    let both = |text: &str| {
        let board = fen::parse(text, &Rules { chess960: true, ..Rules::default() }, Care::Strict).expect("a position");
        let mut shredder = String::new();
        fen::write_shredder(&board, &mut shredder).expect("writing to a string");
        (fen::to_string(&board), shredder)
    };
    let (x, s) = both("4k3/8/8/8/8/8/8/1R2KRR1 w GB - 0 1");
    assert_eq!((x.as_str(), s.as_str()), ("4k3/8/8/8/8/8/8/1R2KRR1 w KQ - 0 1", "4k3/8/8/8/8/8/8/1R2KRR1 w GB - 0 1"));
    let (x, _) = both("4k3/8/8/8/8/8/8/1R2KRR1 w FB - 0 1");
    assert_eq!(x, "4k3/8/8/8/8/8/8/1R2KRR1 w FQ - 0 1");
}

proptest! {
    #[test]
    fn any_text_is_answered(text in "[1-8pnbrqkPNBRQK/ wbKQkq-]{0,60}|\\PC{0,40}") {
        for care in [Care::Strict, Care::Lenient] {
            if let Ok(board) = fen::parse(&text, &Rules { chess960: true, ..Rules::default() }, care) {
                let written = fen::to_string(&board);
                let again = fen::parse(&written, &Rules { chess960: true, ..Rules::default() }, care).map(|b| fen::to_string(&b));
                prop_assert_eq!(again, Ok(written));
            }
        }
    }
}
