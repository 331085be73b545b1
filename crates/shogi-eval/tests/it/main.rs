//! What is played, what is learned from and what is explained are one evaluation, the same for both sides.

mod nnue;
mod planes;
mod yaneuraou;

use std::{collections::HashMap, sync::Arc};
use tesuji_game::{CacheCounts, Evaluator, FirstSide, Position, Side};
use tesuji_shogi::{Board, HANDICAPS, Setup, Square, sfen};
use tesuji_shogi_eval::{
    FEATURES, GAME, HandEval, PACKAGE, TERMS, WEIGHTS_JSON, builtin_weights, explain, load_weights, material_weights,
};
use tesuji_tally::{Row, Weights};
use tesuji_testkit::conform::{evaluator_invariants, random_games};

const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

fn board(text: &str) -> Board {
    sfen::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The same position with sides changed: the board turned round.
fn turned(pos: &Board) -> Board {
    let old = Setup::of(pos);
    let mut setup = Setup { side: !old.side, hands: [old.hands[1], old.hands[0]], ..old };
    for square in Square::ALL {
        let man = old.cells[square.relative(Side::Second).index()];
        setup.cells[square.index()] = man.map(|(side, piece)| (!side, piece));
    }
    setup.board().expect("a position that can be")
}

/// Calls `check` with positions of random games, and with those after a position full of hands, until there were enough.
fn positions(wanted: usize, mut check: impl FnMut(&Board)) {
    let starts = [board(sfen::START), board(MATSURI)];
    let mut seen = 0;
    let mut seed = 0;
    while seen < wanted {
        random_games(&starts[seed as usize % 2], seed..seed + 1, |line, _| {
            if seen < wanted {
                check(line.here());
                seen += 1;
            }
        });
        seed += 1;
    }
}

fn many() -> usize {
    if tesuji_testkit::needs::is_slow() { 100_000 } else { 5_000 }
}

/// Weights of which none is 0: those that are built in hold 0 for a new term, and tests of it would prove nothing.
fn every_weight() -> Weights {
    let mut weights = Weights::zero(FEATURES);
    for (feature, pair) in weights.values.iter_mut().enumerate() {
        for (phase, weight) in pair.iter_mut().enumerate() {
            let size = 1 + (37 * feature + 11 * phase) % 29;
            *weight = if (feature + phase) % 2 == 0 { size as i16 } else { -(size as i16) };
        }
    }
    assert!(weights.values.iter().flatten().all(|&weight| weight != 0));
    weights
}

/// The evaluation with [`every_weight`].
fn eval_of_all() -> HandEval {
    HandEval::new(Arc::new(every_weight()))
}

#[test]
fn row_times_weights_is_the_value_played() {
    let (weights, mut eval) = (every_weight(), eval_of_all());
    let mut row = Row::new(FEATURES);
    positions(many(), |pos| {
        let blend = HandEval::row(pos, &mut row);
        let by_row = weights.value(row.entries().iter().map(|&(f, n)| (usize::from(f), i32::from(n))), blend);
        eval.reset(pos);
        let played = eval.value(pos).raw();
        assert_eq!(by_row, FirstSide::of(pos.side_to_move(), played).0, "{pos}");
    });
}

#[test]
fn the_evaluation_is_the_same_for_both_sides() {
    let eval = eval_of_all();
    positions(many(), |pos| assert_eq!(eval.fresh_value(pos).0, -eval.fresh_value(&turned(pos)).0, "{pos}"));
}

#[test]
fn kept_sums_and_the_cache_change_nothing() {
    for start in [sfen::START, MATSURI, "9/4k4/9/4P4/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"] {
        evaluator_invariants(&board(start), &eval_of_all(), 0..12);
    }
    let mut eval = eval_of_all();
    positions(many(), |pos| {
        eval.reset(pos);
        let cached = eval.value(pos).raw();
        let fresh = eval.fresh_value(pos);
        assert_eq!(cached, fresh.seen_by(pos.side_to_move()), "{pos}");
    });
    for CacheCounts { name, probes, hits } in eval.cache_counts() {
        assert!(probes > 0 && hits <= probes, "{name}");
    }
}

#[test]
fn explanations_sum_to_the_value() {
    for (weights, eval) in [(builtin_weights(), HandEval::default()), (every_weight(), eval_of_all())] {
        positions(300, |pos| {
            let told = explain(pos, &weights);
            assert_eq!(told.value, eval.fresh_value(pos).0, "{pos}");
            let text = told.to_string();
            assert!(text.contains(&format!("{:+} cp for Black", told.value)), "{text}");
        });
    }
}

#[test]
fn generated_constants_hold_the_data_file() {
    let weights = load_weights(WEIGHTS_JSON, "data/weights.json").expect("our own weights");
    let source = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/generated/weights.rs"));
    assert_eq!(
        source.expect("generated source"),
        tesuji_tally::rust_source(&weights, PACKAGE),
        "run `cargo run -p tesuji-shogi-eval --example generate-shogi-eval`"
    );
    assert_eq!(weights.values, builtin_weights().values);
    assert_eq!(weights.to_json(GAME, TERMS), WEIGHTS_JSON, "load and save agree");
}

#[test]
fn broken_weights_files_are_refused_with_a_place() {
    for (bad, says) in [
        (WEIGHTS_JSON.replacen("\"material\"", "\"matter\"", 1), "matter"),
        (WEIGHTS_JSON.replacen("\"tempo\"", "\"tempi\"", 1), "tempi"),
        (WEIGHTS_JSON.replacen("\"game\": \"shogi\"", "\"game\": \"chess\"", 1), "chess"),
        (WEIGHTS_JSON[..WEIGHTS_JSON.len() / 2].to_string(), "weights.json"),
        (String::new(), "weights.json"),
    ] {
        let error = load_weights(&bad, "weights.json").expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// The features that are there, by name of term, Black's minus White's.
fn counts(text: &str) -> HashMap<&'static str, i32> {
    let mut row = Row::new(FEATURES);
    HandEval::row(&board(text), &mut row);
    let mut all = HashMap::new();
    for &(feature, n) in row.entries() {
        let term = TERMS.iter().find(|t| t.range().contains(&usize::from(feature))).expect("a term");
        *all.entry(term.name).or_insert(0) += i32::from(n);
    }
    all.retain(|_, n| *n != 0);
    all
}

#[track_caller]
fn check(text: &str, term: &str, expect: i32) {
    assert_eq!(counts(text).get(term).copied().unwrap_or(0), expect, "{term} in {text}");
}

#[test]
fn the_start_position_is_even_but_for_the_move() {
    assert_eq!(counts(sfen::START), HashMap::from([("tempo", 1)]));
}

#[test]
fn features_count_what_they_say() {
    // A Mino castle, complete; the same on the other wing; without its silver.
    check("4k4/9/9/9/9/9/9/4G1SK1/5G3 b - 1", "castle_done", 1);
    check("4k4/9/9/9/9/9/9/1KS1G4/3G5 b - 1", "castle_done", 1);
    check("4k4/9/9/9/9/9/9/4G2K1/5G3 b - 1", "castle_done", 0);
    // Two pieces of the Mino, one of the high Mino.
    check("4k4/9/9/9/9/9/9/4G2K1/5G3 b - 1", "castle", 3);
    // White's, seen from its side.
    check("3g5/1ks1g4/9/9/9/9/9/9/4K4 b - 1", "castle_done", -1);
    check("3G5/1kS1G4/9/9/9/9/9/9/4K4 b - 1", "castle_done", 0);
    // Two files with own pawns and one in hand; none in hand.
    check("4k4/9/9/9/9/9/PP7/9/4K4 b P 1", "pawn_drops", 7);
    check("4k4/9/9/9/9/9/PP7/9/4K4 b - 1", "pawn_drops", 0);
    // A rook that sees the king, one that looks through a piece, and one that does not look.
    check("4k4/9/9/9/4R4/9/9/9/3K5 w - 1", "king_lines", 1);
    check("4k4/4p4/9/9/4R4/9/9/9/3K5 b - 1", "king_lines", 1);
    check("4k4/4p4/4n4/9/4R4/9/9/9/3K5 b - 1", "king_lines", 0);
    // A gold in hand and a pawn that supports it before the king; without the pawn only the king could take.
    check("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "drop_checks", 1);
    check("4k4/9/9/9/9/9/9/9/4K4 b G 1", "drop_checks", 0);
    // A loose knight under attack, and one guarded.
    check("4k4/9/9/4n4/4L4/9/9/9/4K4 b - 1", "hanging", 1);
    check("4k4/9/4g4/4n4/4L4/9/9/9/4K4 b - 1", "hanging", 0);
    check("4k4/9/9/9/4K4/9/9/9/9 b - 1", "enter_king", 1);
}

#[test]
fn a_man_more_is_worth_about_a_man() {
    // A lance in its corner comes to play late: what was learned gives 180 for it.
    for (weights, low, high) in [(builtin_weights(), 0.55, 1.5), (material_weights(), 1.0, 1.0)] {
        let eval = HandEval::new(weights.into());
        for (handicap, cp) in [("lance", 300.0), ("bishop", 800.0), ("rook", 1000.0), ("2-piece", 1800.0)] {
            let start = HANDICAPS.iter().find(|h| h.1 == handicap).expect("a handicap").2;
            let worth = f64::from(eval.fresh_value(&board(start)).0) / cp;
            assert!((low..=high).contains(&worth), "{handicap}: {worth} of {cp}");
        }
    }
}
