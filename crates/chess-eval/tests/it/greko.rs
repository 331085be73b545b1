//! GreKo's 27 terms count what their definitions say, the same for both sides, and their weights are a readable text.

use crate::{board, mirrored, positions};
use tesuji_chess::{Board, fen};
use tesuji_chess_eval::{GREKO, GREKO_SET, GREKO_TERMS, GrekoEval, greko_start, parse_greko, print_greko};
use tesuji_tally::Row;
use tesuji_testkit::conform::evaluator_invariants;

#[track_caller]
fn check(text: &str, term: &str, count: f64) {
    let index = GREKO.iter().position(|t| t.name == term).unwrap();
    let found = f64::from(GrekoEval::counts(&board(text))[index]) / 256.0;
    assert!((found - count).abs() < 0.003, "{term} of {text}: {found}, not {count}");
}

#[test]
fn terms_count_what_is_written_down() {
    assert!(GREKO_SET.iter().enumerate().all(|(i, t)| t.range() == (i..i + 1) && t.name == GREKO[i].name));
    assert_eq!(GrekoEval::counts(&Board::start()), [0; GREKO_TERMS]);
    let pawns = "4k3/p7/8/2p5/4P3/P3P3/4P3/4K3 w - - 0 1";
    check(pawns, "VAL_P", 2.0);
    check(pawns, "PawnDoubled", 2.0);
    check(pawns, "PawnIsolated", 2.0);
    check(pawns, "PawnCenter", 1.0 + 0.75 - 0.25 - 0.25 - 0.0 + 0.0);
    check("4k3/8/8/4p3/2pP4/2P5/8/4K3 w - - 0 1", "PawnBackwards", 0.0);
    check("4k3/8/8/4p3/4P3/3P4/3p4/4K3 w - - 0 1", "PawnBackwards", 0.0);
    check("4k3/8/4p3/8/5P2/3P4/8/4K3 w - - 0 1", "PawnBackwards", 0.0);
    check("4k3/8/1p6/2p5/4P3/3P4/8/4K3 w - - 0 1", "PawnBackwards", 1.0);
    // Passed on the 6th rank: (4/5)²; before an own piece it is blocked.
    check("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedFreeMax", 0.64);
    check("4k3/N7/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedFreeMax", 0.0);
    check("4k3/N7/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedBlockedMax", 0.64);
    // a8 is 4 away from e8 and 7 from e1.
    check("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedKingDist", -3.0);
    // The rule of the square: a6 needs 2 moves, the king on e8 4; from a3 it needs 5.
    check("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedSquare", 1.0);
    check("4k3/8/8/8/8/P7/8/4K3 w - - 0 1", "PawnPassedSquare", 0.0);
    check("2k5/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedSquare", 0.0);
    check("3k4/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedSquare", 1.0);
    check("3k4/8/P7/8/8/8/8/4K3 b - - 0 1", "PawnPassedSquare", 0.0);
    check("4k2n/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedSquare", 0.0);
}

#[test]
fn pieces_and_kings_count_what_is_written_down() {
    let outpost = "4k3/p6p/8/3N4/4P3/8/8/4K3 w - - 0 1";
    check(outpost, "KnightOutpost", 1.0);
    check(outpost, "KnightCenter", 1.0);
    check(outpost, "KnightMobility", 1.0);
    check("4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", "KnightOutpost", 0.0);
    check("4k3/p7/8/3N4/8/8/8/4K3 w - - 0 1", "KnightOutpost", 0.0);
    check("4k3/8/8/8/8/8/8/N3K3 w - - 0 1", "KnightMobility", -0.5);
    check("4k3/8/8/3B4/8/8/8/4K3 w - - 0 1", "BishopMobility", 1.0);
    check("4k3/8/8/8/8/8/1B6/B3K3 w - - 0 1", "BishopPairEndgame", 1.0 - 2.0 / 24.0);
    check("4k3/8/8/8/8/8/1B6/B3K3 w - - 0 1", "BishopPairMidgame", 2.0 / 24.0);
    check("4k3/R7/8/8/8/8/p7/4K3 w - - 0 1", "Rook7th", 1.0);
    check("4k3/8/8/8/8/8/p7/R3K3 w - - 0 1", "RookOpen", 0.5);
    check("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "RookOpen", 1.0);
    check("4k3/8/8/8/8/8/P7/R3K3 w - - 0 1", "RookOpen", 0.0);
    check("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "RookMobility", (10.0 - 7.0) / 7.0);
    check("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "QueenKingTropism", 0.0);
    check("4k3/4Q3/8/8/8/8/8/4K3 b - - 0 1", "QueenKingTropism", 6.0 / 7.0);
    check("8/8/8/3K4/8/8/8/k7 w - - 0 1", "KingCenterEnd", 1.0);
    let full = "rnbq1bnr/ppppkppp/8/8/8/7P/PPPPPPP1/RNBQNBKR w - - 0 1";
    check(full, "KingPawnShield", (1.0 + 1.0 + 0.5) / 3.0);
    check(full, "KingCenterMid", -0.25);
}

#[test]
fn greko_is_the_same_for_both_sides_and_keeps_the_invariants() {
    let eval = GrekoEval::new(greko_start());
    evaluator_invariants(&Board::start(), &eval, 0..4);
    let mut row = Row::new(GREKO_TERMS);
    positions(2_000, |pos| {
        let there = GrekoEval::counts(pos);
        let back = GrekoEval::counts(&mirrored(pos)).map(|c| -c);
        assert_eq!(there, back, "{}", fen::to_string(pos));
        let blend = GrekoEval::row(pos, &mut row);
        let mut sum = 0.0;
        for &(feature, count) in row.entries() {
            assert_eq!(there[usize::from(feature)], i32::from(count));
            sum += f32::from(count) * blend.shares()[0] * f32::from(greko_start()[usize::from(feature)]);
        }
        assert_eq!(blend.shares()[1], 0.0);
        assert!((sum - eval.white_value(pos).0 as f32).abs() <= 1.01, "{sum} {}", fen::to_string(pos));
    });
}

#[test]
fn weights_are_lines_of_name_and_value() {
    let mut weights = greko_start();
    weights[7] = -5;
    let text = print_greko(&weights);
    assert!(text.starts_with("VAL_P 100\nVAL_N 400\n"), "{text}");
    assert_eq!(parse_greko(&text, "weights.txt"), Ok(weights));
    assert_eq!(parse_greko("# nothing\n\nRook7th 24\n", "w").unwrap()[20], 24);
    let error = |text: &str| parse_greko(text, "weights.txt").unwrap_err().to_string();
    assert_eq!(error("VAL_P 100\nVAL_N\n"), "weights.txt, line 2: expected NAME and a whole number, found \"VAL_N\"");
    assert!(error("VAL_P 1.5").contains("whole number"));
    assert!(error("VAL_X 5").contains("no term is called \"VAL_X\""));
}
