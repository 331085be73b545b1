//! What is played, what is learned from and what is explained are one evaluation, the same for both sides.

mod delphi;
mod evaluations;
mod greko;
mod nnue;

use std::{collections::HashMap, sync::Arc};
use tesuji_chess::{Board, Piece, Rules, Square, fen};
use tesuji_chess_eval::{
    FEATURES, HandEval, HandRows, PACKAGE, TERMS, builtin_weights, explain, load_weights, material_weights, mop_up,
};
use tesuji_game::{CacheCounts, Evaluator, FirstSide, Position, Side};
use tesuji_tally::{Row, Weights};
use tesuji_testkit::conform::{evaluator_invariants, random_games};

fn board(text: &str) -> Board {
    fen::parse(text, &Rules::default(), fen::Care::Lenient).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The same position with colours changed: ranks and sides flipped.
fn mirrored(pos: &Board) -> Board {
    let mut fields: Vec<String> = fen::to_string(pos).split(' ').map(str::to_string).collect();
    let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    fields[0] =
        fields[0].split('/').rev().map(|r| r.chars().map(swap).collect::<String>()).collect::<Vec<_>>().join("/");
    fields[1] = if fields[1] == "w" { "b".into() } else { "w".into() };
    fields[2] = fields[2].chars().map(swap).collect();
    if let Some(square) = pos.en_passant() {
        fields[3] = square.relative(Side::Second).to_string();
    }
    board(&fields.join(" "))
}

/// Calls `check` with positions of random games until there were enough.
fn positions(wanted: usize, mut check: impl FnMut(&Board)) {
    let mut seen = 0;
    let mut seed = 0;
    while seen < wanted {
        random_games(&Board::start(), seed..seed + 1, |line, _| {
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
fn rows_along_a_game_are_those_of_single_boards() {
    let (mut row, mut rows, mut other) = (Row::new(FEATURES), HandRows::default(), HandRows::default());
    let mut number = 0;
    positions(many(), |pos| {
        let blend = HandEval::row(pos, &mut row);
        let (indices, counts): (Vec<u16>, Vec<i16>) = row.entries().iter().copied().unzip();
        number += 1;
        // One that sees every board, one that misses most.
        for rows in [Some(&mut rows), (number % 7 == 0).then_some(&mut other)].into_iter().flatten() {
            assert_eq!(rows.row(pos), blend);
            assert_eq!((rows.indices(), rows.counts()), (&indices[..], &counts[..]), "{}", fen::to_string(pos));
        }
    });
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
        let FirstSide(white) = FirstSide::of(pos.side_to_move(), played);
        assert_eq!(by_row + mop_up(pos), white, "{}", fen::to_string(pos));
    });
}

#[test]
fn the_evaluation_is_the_same_for_both_sides() {
    let eval = eval_of_all();
    positions(many(), |pos| {
        let other = mirrored(pos);
        assert_eq!(eval.fresh_value(pos).0, -eval.fresh_value(&other).0, "{}", fen::to_string(pos));
    });
}

#[test]
fn kept_sums_and_caches_change_nothing() {
    evaluator_invariants(&Board::start(), &eval_of_all(), 0..20);
    evaluator_invariants(&board("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"), &eval_of_all(), 0..20);
    let mut eval = eval_of_all();
    positions(many(), |pos| {
        eval.reset(pos);
        let cached = eval.value(pos).raw();
        let fresh = eval.fresh_value(pos);
        assert_eq!(cached, fresh.seen_by(pos.side_to_move()), "{}", fen::to_string(pos));
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
            assert_eq!(told.value, eval.fresh_value(pos).0, "{}", fen::to_string(pos));
            let text = told.to_string();
            assert!(text.contains(&format!("{:+} cp for White", told.value)), "{text}");
        });
    }
}

#[test]
fn explanations_keep_the_sides_apart() {
    // A side may have less than nothing of a feature: five pawns fewer than five.
    let told = explain(&board("8/5k2/4n3/8/8/3R4/2P2K2/8 w - - 0 1"), &builtin_weights());
    let counts = |name: &str| {
        let line = told.lines.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("{name} is not there"));
        (line.first, line.second)
    };
    assert_eq!(counts("knight_pawns"), (0, -5));
    assert_eq!(counts("rook_pawns"), (-4, 0));
}

#[test]
fn generated_constants_hold_the_data_file() {
    let weights = load_weights(tesuji_chess_eval::WEIGHTS_JSON, "data/weights.json").expect("our own weights");
    let source = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/generated/weights.rs"));
    assert_eq!(
        source.expect("generated source"),
        tesuji_tally::rust_source(&weights, PACKAGE),
        "run `cargo run -p tesuji-chess-eval --example generate-chess-eval`"
    );
    assert_eq!(weights.values, builtin_weights().values);
    assert_eq!(weights.to_json(tesuji_chess_eval::GAME, TERMS), tesuji_chess_eval::WEIGHTS_JSON, "load and save agree");
}

#[test]
fn broken_weights_files_are_refused_with_a_place() {
    let good = tesuji_chess_eval::WEIGHTS_JSON;
    for (bad, says) in [
        (good.replacen("\"material\"", "\"matter\"", 1), "matter"),
        (good.replacen("\"tempo\"", "\"tempi\"", 1), "tempi"),
        (good.replacen("chess", "checkers", 1), "checkers"),
        (good[..good.len() / 2].to_string(), "weights.json"),
        (String::new(), "weights.json"),
    ] {
        let error = load_weights(&bad, "weights.json").expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// The features that are there, by name of term, White's minus Black's.
fn counts(text: &str) -> HashMap<&'static str, i32> {
    let mut row = Row::new(FEATURES);
    HandEval::row(&board(text), &mut row);
    let mut all = HashMap::new();
    for &(feature, n) in row.entries() {
        let term = TERMS.iter().find(|t| t.range().contains(&usize::from(feature))).expect("a term");
        *all.entry(term.name).or_insert(0) += i32::from(n);
    }
    all
}

#[track_caller]
fn check(text: &str, term: &str, count: i32) {
    assert_eq!(counts(text).get(term).copied().unwrap_or(0), count, "{term} in {text}");
}

/// SoFCheck's definitions, on positions made for them.
#[test]
fn terms_count_what_their_authors_meant() {
    check("4k3/8/8/8/3P4/3P4/8/4K3 w - - 0 1", "pawn_double", 2);
    check("4k3/8/8/8/3P4/3P4/8/4K3 w - - 0 1", "pawn_doubled", 1);
    check("4k3/8/8/8/3P4/8/P1P5/4K3 w - - 0 1", "pawn_isolated", 1);
    check("4k3/8/8/8/8/2P5/3P4/4K3 w - - 0 1", "pawn_guarded", 1);
    check("4k3/8/3p4/8/8/4P3/8/4K3 w - - 0 1", "pawn_open", 0);
    check("4k3/3p4/8/8/4P3/8/8/4K3 w - - 0 1", "pawn_open", 0);
    check("4k3/8/8/4p3/8/3P4/2P5/4K3 w - - 0 1", "bishop_pair", 0);
    check("2b1k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "bishop_pair", 1);
    check("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1", "rook_semi_open", 1);
    check("4k3/7p/8/8/8/8/8/R3K3 w - - 0 1", "rook_open", 1);
    check("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "queen_near_king", 5);
    check("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1", "rook_near_king", 1);
    check("4k3/8/8/8/8/8/5PPP/6K1 w - - 0 1", "king_shield", 3);
}

#[test]
fn a_lone_king_is_driven_to_the_edge() {
    let eval = HandEval::default();
    let value = |text: &str| eval.fresh_value(&board(text)).0;
    assert!(value("7k/8/6K1/8/8/8/Q7/8 w - - 0 1") > value("8/8/8/4k3/8/8/K7/1Q6 w - - 0 1"));
    // Bishop and knight mate in the corner of the bishop's colour.
    let right = value("k7/8/K7/8/8/8/8/2N2B2 w - - 0 1");
    let wrong = value("7k/8/7K/8/8/8/8/2N2B2 w - - 0 1");
    assert!(right > wrong, "{right} {wrong}");
    assert!(value("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1") < 100, "two knights do not win: little is left of six pawns");
}

#[test]
fn material_alone_values_pieces_alone() {
    let eval = HandEval::new(std::sync::Arc::new(material_weights()));
    assert_eq!(eval.fresh_value(&board("rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")).0, 100);
    assert_eq!(Piece::ALL.len(), 6);
    assert_eq!(Square::ALL.len(), 64);
}
