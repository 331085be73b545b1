//! The evaluations of SoFCheck and GreKo give the values that the original programs gave.

use crate::{board, mirrored, positions};
use tesuji_chess::{Board, fen};
use tesuji_chess_eval::sofcheck::{COLUMNS, SOFCHECK_SET, SofcheckEval, SofcheckWeights, explain_sofcheck};
use tesuji_chess_eval::{ChessWeights, EvalKind, greko_start, parse_greko};
use tesuji_game::{Evaluator, FirstSide, Position};
use tesuji_tally::{Linear, Row};
use tesuji_testkit::conform::evaluator_invariants;

/// What the originals said: three values and the position a line.
const VALUES: &str = include_str!("../data/evaluations.txt");

/// GreKo's weights of version C, as its author's article gives them; the others are those before learning.
const VERSION_C: &str =
    "PawnIsolated -19\nPawnBackwards -5\nPawnCenter 9\nPawnPassedFreeMax 128\nPawnPassedBlockedMax 101
PawnPassedKingDist 9\nPawnPassedSquare 200\nKnightCenter 27\nKnightOutpost 7\nKnightMobility 19\nBishopPairEndgame 95
BishopCenter 9\nBishopMobility 72\nRook7th 24\nRookOpen 17\nQueenKingTropism 99\nKingCenterMid -41\nKingCenterEnd 33\n";

/// The weights with which SoFCheck was built for these values.
fn sofcheck_weights() -> SofcheckWeights {
    let mut values: [i16; COLUMNS] = std::array::from_fn(|column| (37 * column % 121) as i16 - 60);
    values[..6].copy_from_slice(&[100, 0, 310, 330, 480, 950]);
    SofcheckWeights::new(values)
}

#[track_caller]
fn check(weights: &ChessWeights, pos: &Board, expected: i32) {
    let mut eval = weights.evaluator();
    eval.reset(pos);
    let played = FirstSide::of(pos.side_to_move(), eval.value(pos).raw()).0;
    assert_eq!(played, expected, "{:?}: {}", weights.kind(), fen::to_string(pos));
    assert_eq!(weights.explain(pos).value, expected, "{}", fen::to_string(pos));
}

#[test]
fn values_are_those_of_the_original_programs() {
    let sofcheck = ChessWeights::Sofcheck(sofcheck_weights());
    let greko = [greko_start(), parse_greko(VERSION_C, "version C").unwrap()].map(ChessWeights::Greko);
    let lines: Vec<&str> = VALUES.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 50, "{}", lines.len());
    for line in lines {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [expected @ .., text] = &words[..] else { panic!("{line}") };
        let pos = board(text);
        for (weights, expected) in [&sofcheck, &greko[0], &greko[1]].into_iter().zip(expected) {
            check(weights, &pos, expected.parse().unwrap());
        }
    }
}

#[test]
fn sofcheck_keeps_the_invariants_and_is_the_sum_of_its_columns() {
    let weights = sofcheck_weights();
    let eval = SofcheckEval::new(&weights);
    evaluator_invariants(&Board::start(), &eval, 0..10);
    evaluator_invariants(&board("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"), &eval, 0..10);
    let (mut eval, mut row) = (eval, Row::new(COLUMNS));
    positions(2_000, |pos| {
        eval.reset(pos);
        let FirstSide(value) = eval.fresh_value(pos);
        assert_eq!(FirstSide::of(pos.side_to_move(), eval.value(pos).raw()).0, value, "{}", fen::to_string(pos));
        let blend = SofcheckEval::tally(pos, &mut row);
        row.finish();
        let sum: i32 = row
            .entries()
            .iter()
            .map(|&(column, n)| i32::from(n) * i32::from(weights.values()[usize::from(column)]))
            .sum();
        assert_eq!(blend.shares(), [1.0 / 256.0, 0.0]);
        // Pieces and both kings are rounded down, each by itself.
        assert!((f64::from(sum) / 256.0 - f64::from(value)).abs() <= 2.0, "{sum} {value} {}", fen::to_string(pos));
        let told = explain_sofcheck(pos, &weights);
        assert!(told.value == value && told.rest.is_some_and(|rest| rest.1.abs() <= 2), "{}", fen::to_string(pos));
        // Rounding down is another thing for the other side.
        assert!((eval.fresh_value(&mirrored(pos)).0 + value).abs() <= 2, "{}", fen::to_string(pos));
    });
    assert_eq!(SOFCHECK_SET.last().map(|term| term.range().end), Some(COLUMNS));
}

#[test]
fn files_are_known_by_their_content_and_others_than_wanted_refused() {
    let json = SofcheckWeights::material().to_json();
    for (text, kind) in [
        (&*json, EvalKind::Sofcheck),
        ("# learned\nVAL_N 390\n", EvalKind::Greko),
        (tesuji_chess_eval::WEIGHTS_JSON, EvalKind::Handmade),
    ] {
        assert_eq!(ChessWeights::load(text, "file", None).unwrap().kind(), kind);
        for wanted in [EvalKind::Handmade, EvalKind::Sofcheck, EvalKind::Greko] {
            let read = ChessWeights::load(text, "file", Some(wanted)).map_err(|error| error.to_string());
            if wanted == kind {
                assert!(read.is_ok());
            } else {
                assert_eq!(read, Err(format!("file: expected {wanted}, found {kind}")));
            }
        }
    }
    // Errors name the place once.
    let says = |text: &str, kind| ChessWeights::load(text, "a/f", Some(kind)).unwrap_err().to_string();
    let broken = says("VAL_P 1\nVAL_N x\n", EvalKind::Greko);
    assert_eq!(broken, "a/f: line 2: expected NAME and a whole number, found \"VAL_N x\"");
    assert_eq!(says("VAL_X 3\n", EvalKind::Greko), "a/f: line 1: no term is called \"VAL_X\"");
    assert_eq!(says("[1]", EvalKind::Sofcheck), "a/f: feature 1: expected an object with one key, the feature's name");
}
