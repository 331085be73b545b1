//! GreKo's 27 terms count what their definitions say, the same for both sides, and their weights are a readable text.

use crate::{board, mirrored, positions};
use tesuji_chess::{Board, fen};
use tesuji_chess_eval::{
    GREKO, GREKO_SET, GREKO_TERMS, GrekoEval, explain_greko, greko_start, parse_greko, print_greko,
};
use tesuji_tally::Row;
use tesuji_testkit::conform::evaluator_invariants;

#[track_caller]
fn check(text: &str, term: &str, count: f64) {
    let index = GREKO.iter().position(|t| t.name == term).unwrap();
    let found = f64::from(GrekoEval::counts(&board(text))[index]) / 256.0;
    assert!((found - count).abs() < 0.003, "{term} of {text}: {found}, not {count}");
}

/// The sums that GreKo's options of style multiply: pawn structure and mobility, passed pawns and places.
const LESS: f64 = 0.8;
const MORE: f64 = 1.2;

#[test]
fn terms_count_what_is_written_down() {
    assert!(GREKO_SET.iter().enumerate().all(|(i, t)| t.range() == (i..i + 1) && t.name == GREKO[i].name));
    assert_eq!(GrekoEval::counts(&Board::start()), [0; GREKO_TERMS]);
    let pawns = "4k3/p7/8/2p5/4P3/P3P3/4P3/4K3 w - - 0 1";
    check(pawns, "VAL_P", 2.0);
    check(pawns, "PawnDoubled", 2.0 * LESS);
    check(pawns, "PawnIsolated", 2.0 * LESS);
    // e4 1, e3 1/2; c5 1/2.
    check(pawns, "PawnCenter", (1.0 + 0.5 - 0.5) * LESS);
    // The neighbour of e4 has stayed behind, that of d3 has gone ahead.
    check("4k3/8/8/8/4P3/3P4/8/4K3 w - - 0 1", "PawnBackwards", LESS);
    check("4k3/8/8/8/3PP3/8/8/4K3 w - - 0 1", "PawnBackwards", 0.0);
    // Passed on the 6th rank: (5/7)²; before an own piece it is blocked.
    let way = 25.0 / 49.0;
    check("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedFreeMax", way * MORE);
    check("4k3/N7/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedFreeMax", 0.0);
    check("4k3/N7/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedBlockedMax", way * MORE);
    // An enemy pawn behind it on its file stops nothing, and yet it is not passed.
    check("4k3/8/P7/8/8/p7/8/4K3 w - - 0 1", "PawnPassedFreeMax", 0.0);
    // a7 is 4 away from e8; it counts while the enemy has little, but not against its king alone.
    check("4k2n/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedKingDist", 4.0 * MORE);
    check("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedKingDist", 0.0);
    check("3qk3/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedKingDist", 0.0);
    // The rule of the square: a6 needs 2 moves, the king on e8 4. A pawn whose side is not to move counts a rank less.
    check("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedSquare", 5.0 / 6.0 * MORE);
    check("4k3/8/8/8/8/P7/8/4K3 w - - 0 1", "PawnPassedSquare", 0.0);
    check("3k4/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedSquare", 5.0 / 6.0 * MORE);
    check("3k4/8/P7/8/8/8/8/4K3 b - - 0 1", "PawnPassedSquare", 0.0);
    check("4k2n/8/P7/8/8/8/8/4K3 w - - 0 1", "PawnPassedSquare", 0.0);
}

#[test]
fn pieces_and_kings_count_what_is_written_down() {
    let outpost = "4k3/p6p/8/3N4/4P3/8/8/4K3 w - - 0 1";
    check(outpost, "KnightOutpost", MORE);
    check(outpost, "KnightCenter", MORE);
    check(outpost, "KnightMobility", LESS);
    check("4k3/p7/8/3N4/8/8/8/4K3 w - - 0 1", "KnightOutpost", 0.0);
    check("4k3/p7/8/8/8/8/8/N3K3 w - - 0 1", "KnightMobility", -LESS);
    check("4k3/p7/8/8/8/8/8/N3K3 w - - 0 1", "KnightCenter", -MORE);
    check("4k3/p7/8/3B4/8/8/8/4K3 w - - 0 1", "BishopMobility", LESS);
    check("4k3/8/8/8/8/8/1B6/B3K3 w - - 0 1", "BishopPairEndgame", 1.0);
    check("r3k3/8/8/8/8/8/1B6/B3K3 w - - 0 1", "BishopPairMidgame", 5.0 / 32.0);
    check("4k3/R7/8/8/8/8/p7/4K3 w - - 0 1", "Rook7th", MORE);
    check("4k3/8/8/8/8/8/p7/R3K3 w - - 0 1", "RookOpen", MORE);
    check("4k3/8/8/8/8/8/P7/R3K3 w - - 0 1", "RookOpen", 0.0);
    // Through the other rook: seven squares on the file, three on the rank, of 14.
    let far = |squares: f64| 1.0 - 2.0 * ((14.0 - squares) / 12.0) * ((14.0 - squares) / 12.0);
    check("4k3/8/8/8/8/R7/8/R3K3 w - - 0 1", "RookMobility", (far(11.0) + far(14.0)) * LESS);
    check("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "QueenKingTropism", 0.0);
    check("4k3/8/3Q4/8/8/8/8/4K3 w - - 0 1", "QueenKingTropism", 1.0);
    check("8/7p/8/3K4/8/8/8/k7 w - - 0 1", "KingCenterEnd", 2.0 * MORE);
    let full = "rnbq1bnr/ppppkppp/8/8/8/7P/PPPPPPP1/RNBQNBKR w - - 0 1";
    // White lacks 1 of 9 before its king, Black the pawn on e7: 3.
    check(full, "KingPawnShield", 9.0 / 81.0 - 1.0 / 81.0);
    check(full, "KingCenterMid", -0.5);
}

#[test]
fn endings_that_cannot_be_won_have_no_value_for_their_side() {
    let value = |text: &str| GrekoEval::new(greko_start()).white_value(&board(text)).0;
    assert_eq!(value("4k3/8/8/8/8/4p3/3B4/4K3 b - - 0 1"), 0, "a bishop alone does not win");
    assert!(value("4k3/8/8/8/2pp4/4p3/3B4/4K3 b - - 0 1") <= 0);
    // The bishop does not control the corner; a knight counts as one on a8.
    for (text, is_drawn) in [
        ("7k/8/6KP/8/8/8/8/2B5 w - - 0 1", false),
        ("7k/8/6KP/8/8/8/8/3B4 w - - 0 1", true),
        ("7k/8/6KP/8/8/8/8/3N4 w - - 0 1", true),
        ("k7/8/1K6/P7/8/8/8/3N4 w - - 0 1", false),
    ] {
        assert_eq!(value(text) == 0, is_drawn, "{text}");
    }
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
        assert_eq!(eval.white_value(pos).0, -eval.white_value(&mirrored(pos)).0, "{}", fen::to_string(pos));
        let blend = GrekoEval::row(pos, &mut row);
        let mut sum = 0.0;
        for &(feature, count) in row.entries() {
            assert_eq!(there[usize::from(feature)], i32::from(count));
            sum += f32::from(count) * blend.shares()[0] * f32::from(greko_start()[usize::from(feature)]);
        }
        assert_eq!(blend.shares()[1], 0.0);
        // GreKo cuts off at each piece and each sum.
        let value = eval.white_value(pos).0 as f32;
        assert!(value == 0.0 || (sum - value).abs() <= 12.0, "{sum} {value} {}", fen::to_string(pos));
        assert_eq!(explain_greko(pos, &greko_start()).value, value as i32);
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
