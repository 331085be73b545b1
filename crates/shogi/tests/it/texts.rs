//! What is wrong with a text is told with its place.

use tesuji_game::{Notation, NotationError};
use tesuji_shogi::{Rules, Shogi, UsiNotation, sfen};

#[track_caller]
fn check_syntax(text: &str, at: usize) {
    match sfen::parse(text) {
        Err(NotationError::Syntax { at: told, .. }) => assert_eq!(told, at, "{text}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn bad_sfens_are_told() {
    assert_eq!(sfen::parse("  "), Err(NotationError::Empty));
    check_syntax("x8/9/9/9/9/9/9/9/9 b - 1", 0);
    check_syntax("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1 b - 1", 47);
    check_syntax("9/9/9/9/9/9/9/9/82 b -", 17);
    check_syntax("9/9/9/9/9/9/9/9/8 b -", 17);
    check_syntax("9/9/9/9/9/9/9/9/55 b -", 17);
    check_syntax("9/9/9/9/+G8/9/9/9/9 b -", 9);
    check_syntax("9/9/9/9/+/9/9/9/9 b -", 9);
    check_syntax("9/9/9/9/9/9/9/9/9 x -", 18);
    check_syntax("9/9/9/9/9/9/9/9/9 b", 19);
    check_syntax("9/9/9/9/9/9/9/9/9 b K", 20);
    check_syntax("9/9/9/9/9/9/9/9/9 b 2", 21);
    check_syntax("9/9/9/9/9/9/9/9/9 b 0P", 20);
    check_syntax("9/9/9/9/9/9/9/9/9 b 19P", 21);
    check_syntax("9/9/9/9/9/9/9/9/9 b 3R", 21);
    check_syntax("9/9/9/9/9/9/9/9/9 b - one", 22);
    check_syntax("9/9/9/9/9/9/9/9/9 b - 1 1", 24);
    check_syntax("sfen 9/9/9/9/9/9/9/9/9 x - 1", 23);
}

#[track_caller]
fn check_impossible(text: &str, reason: &str) {
    match sfen::parse(text) {
        Err(NotationError::IllegalPosition { at: 0, reason: told }) => assert_eq!(told, reason, "{text}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn impossible_positions_are_told() {
    check_impossible("4k4/9/9/9/9/9/9/9/3KK4 b - 1", "Black has several kings");
    check_impossible("3kk4/9/9/9/9/9/9/9/4K4 b - 1", "White has several kings");
    check_impossible("4k4/9/9/9/4P4/9/9/4P4/4K4 b - 1", "two pawns of one side on a file");
    check_impossible("P3k4/9/9/9/9/9/9/9/4K4 b - 1", "a pawn, lance or knight that could never move again");
    check_impossible("4k4/N8/9/9/9/9/9/9/4K4 b - 1", "a pawn, lance or knight that could never move again");
    check_impossible("4k4/9/9/9/9/9/9/9/4K3l b - 1", "a pawn, lance or knight that could never move again");
    check_impossible("4k4/9/9/9/4R4/9/9/9/4K4 b - 1", "the side to move could take the king");
    check_impossible("4k4/9/9/9/9/9/9/9/RR2K4 b r 1", "more than 2 rooks");
    check_impossible("4k4/9/9/9/9/9/9/9/+R+R2K4 b r 1", "more than 2 rooks");
    assert!(sfen::parse("9/9/9/9/9/9/9/9/9 b - 1").is_ok(), "kings may be missing");
}

#[test]
fn numbers_and_order_are_forgiven() {
    let board = sfen::parse("4k4/9/9/9/9/9/9/9/4K4 w pP2gBr").expect("a position");
    assert_eq!(board.to_string(), "4k4/9/9/9/9/9/9/9/4K4 w BPr2gp 1");
}

#[test]
fn bad_moves_are_told() {
    let board = <Shogi as tesuji_game::Game>::start(&Rules::default());
    let read = |text| UsiNotation::parse_move(&board, text);
    assert_eq!(read(""), Err(NotationError::Empty));
    for text in
        ["7g", "7g7", "7g7j", "0g7f", "7g7f=", "7g7f++", "p*5e", "K*5e", "P*5", "P*5e+", "歩*5e", "7g7g", "resign"]
    {
        assert!(matches!(read(text), Err(NotationError::Syntax { .. })), "{text}: {:?}", read(text));
    }
    assert_eq!(read("7g7e"), Err(NotationError::IllegalMove { text: "7g7e".into() }));
    assert_eq!(read("P*5e"), Err(NotationError::IllegalMove { text: "P*5e".into() }));
}
