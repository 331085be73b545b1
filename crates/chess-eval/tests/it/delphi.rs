//! The evaluation of Chess in Delphi against sums done by hand, and the same for both colours.

use super::{board, mirrored};
use tesuji_chess_eval::{DelphiEval, explain_delphi};
use tesuji_game::{Evaluator, Side};

#[track_caller]
fn check(fen: &str, sums: [f32; 2], white: f32) {
    let told = explain_delphi(&board(fen));
    assert!((told.sums[0] - sums[0]).abs() < 1e-3 && (told.sums[1] - sums[1]).abs() < 1e-3, "{fen}\n{told}");
    assert!((told.white - white).abs() < 1e-3, "{fen}\n{told}");
    for side in [Side::First, Side::Second] {
        let sum: f32 = told.terms.iter().filter(|t| t.side == side).map(|t| t.pawns).sum();
        assert!((sum - told.sums[side.index()]).abs() < 1e-3, "{fen}\n{told}");
    }
}

#[test]
fn sums_done_by_hand() {
    // King and queen against king: the lone king 1 from the centre's middle in each direction, five steps apart.
    let (w, b) = (5.0 + 9.0 + 0.1 - 0.15 * 5.0, 5.0 - 0.2 * (0.5 + 3.5));
    check("4k3/8/8/Q7/8/4K3/8/8 b - - 0 1", [w, b], (w - b) * (1.0 + 10.0 / (w + b)));
    // A knight cannot win.
    check("4k3/8/8/8/8/4K3/8/6N1 w - - 0 1", [8.0, 5.0], 0.0);
    // White moves and takes a rook that is not defended: Black counts as a lone king then. Doubled pawns cost.
    let (w, b) = (5.0 + 5.0 + 2.02 - 0.2 - 0.15 * 6.0, 5.0 + 5.0 + 1.0 - 5.2 + 0.1 - 0.2 * 6.0);
    check("6k1/3p4/8/r6R/7P/7P/6K1/8 w - - 0 1", [w, b], (w - b) * (1.0 + 10.0 / (w + b)));
}

#[test]
fn what_hangs_is_of_the_side_that_does_not_move() {
    let of = |fen: &str| explain_delphi(&board(fen)).terms.into_iter().find(|t| t.name == "the worst piece hanging");
    let fen = "rnb1kbnr/pppppppp/8/8/8/3q4/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let found = of(fen).expect("a queen hangs");
    assert_eq!((found.side, found.pawns), (Side::Second, -9.3));
    // Defended, so that the pawn that takes is lost.
    let found = of("rnb1kbnr/pp1ppppp/8/8/2p5/3q4/PPPPPPPP/RNBQKBNR w KQkq - 0 1").expect("a queen hangs");
    assert!((found.pawns + 8.3).abs() < 1e-6, "{found:?}");
    // Black's turn: the queen attacks pawns, but all are defended by more than they are worth.
    assert_eq!(of("rnb1kbnr/pppppppp/8/8/8/3q4/PPPPPPPP/RNBQKBNR b KQkq - 0 1"), None);
}

#[test]
fn castling_is_read_from_the_board() {
    let has = |fen: &str, name: &str| {
        explain_delphi(&board(fen)).terms.iter().any(|t| t.name == name && t.side == Side::First)
    };
    let castled = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1 w kq - 0 1";
    assert!(has(castled, "castled") && !has(castled, "castling lost"));
    let lost = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK2R w kq - 0 1";
    assert!(!has(lost, "castled") && has(lost, "castling lost"));
    let able = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK2R w KQkq - 0 1";
    assert!(!has(able, "castled") && !has(able, "castling lost"));
    // The rook is shut in: the king has walked.
    assert!(!has("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ2KR w kq - 0 1", "castled"));
}

#[test]
fn both_sides_are_judged_alike() {
    for fen in [
        "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/8/Q7/8/4K3/8/8 b - - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ] {
        let pos = board(fen);
        assert_eq!(DelphiEval.value(&pos), DelphiEval.value(&mirrored(&pos)), "{fen}");
    }
}
