//! Networks kept up to date move by move give what fresh ones give, through castling, promotion, en passant and kings that cross
//! from one bucket to another.

use crate::board;
use std::sync::Arc;
use tesuji_chess::{Board, Change, Piece};
use tesuji_chess_eval::nnue::{ChessFeatures, SHAPES, shape};
use tesuji_game::{Evaluator, Position, Random, Side};
use tesuji_nn::nnue::{FeatureSet, FloatWeights, Network, NnueEval, Prepared};
use tesuji_testkit::conform::evaluator_invariants;

const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "7k/PPPP4/8/8/8/8/4pppp/K7 w - - 0 1",
];

/// The value computed without any accumulator kept.
fn fresh(network: &Network, features: &ChessFeatures, pos: &Board) -> i32 {
    let side = pos.side_to_move();
    let bucket = features.output_bucket(pos, network.architecture.output_buckets);
    network.value(&features.active(pos, side), &features.active(pos, !side), bucket)
}

/// What happened on the way.
#[derive(Default)]
struct Seen {
    castled: usize,
    promoted: usize,
    en_passant: usize,
    refreshed: usize,
}

/// Walks at random, back and forth, and asks for values at some positions only.
fn walk(name: &str, start: &Board, seed: u64, seen: &mut Seen) {
    let architecture = shape(name).unwrap();
    let features = ChessFeatures::new(&architecture).unwrap();
    let mut network = Network::quantise(&architecture, &FloatWeights::random(&architecture, seed)).unwrap();
    if !architecture.base.is_none() {
        tesuji_chess_eval::WEIGHTS_JSON.clone_into(&mut network.base);
    }
    let mut eval = NnueEval::new(Arc::new(Prepared::new(&network).unwrap()), features.clone());
    let mut random = Random::new(seed);
    let mut pos = *start;
    eval.reset(&pos);
    let mut path: Vec<(tesuji_chess::Move, Board)> = Vec::new();
    for _ in 0..250 {
        let mut moves = Vec::new();
        let _ = pos.for_each_move(|mv| {
            moves.push(mv);
            std::ops::ControlFlow::<()>::Continue(())
        });
        if moves.is_empty() || random.below(4) == 0 {
            if let Some((mv, undo)) = path.pop() {
                pos.undo(mv, undo);
                eval.pop();
            }
        } else {
            // What is rare in random games, where there is a choice.
            let rare: Vec<_> = moves.iter().copied().filter(|mv| !mv.is_normal()).collect();
            let from = if rare.is_empty() || random.below(2) == 0 { &moves } else { &rare };
            let mv = from[random.below(from.len())];
            let mut changes: Vec<Change> = Vec::new();
            seen.castled += usize::from(mv.is_castling());
            seen.promoted += usize::from(mv.promotion().is_some());
            seen.en_passant += usize::from(mv.is_en_passant());
            let before = Side::ALL.map(|side| FeatureSet::<Board>::frame(&features, &pos, side));
            let undo = pos.play_seen(mv, |change| changes.push(change));
            let after = Side::ALL.map(|side| FeatureSet::<Board>::frame(&features, &pos, side));
            seen.refreshed += usize::from(before != after);
            eval.push(&pos, &changes);
            path.push((mv, undo));
        }
        if random.below(3) > 0 {
            assert_eq!(eval.value(&pos).raw(), fresh(&network, &features, &pos), "{name}");
        }
    }
}

#[test]
fn kept_accumulators_are_fresh_ones() {
    let mut seen = Seen::default();
    for name in SHAPES {
        for (index, start) in STARTS.iter().enumerate() {
            let games = if tesuji_testkit::needs::is_slow() { 20 } else { 2 };
            (0..games).for_each(|game| walk(name, &board(start), 10 * game + index as u64, &mut seen));
        }
    }
    let Seen { castled, promoted, en_passant, refreshed } = seen;
    let counts = [castled, promoted, en_passant, refreshed];
    assert!(castled > 10 && promoted > 100 && en_passant > 5 && refreshed > 100, "{counts:?}");
}

#[test]
fn evaluators_keep_the_invariants() {
    for name in ["chess-768x64", "chess-768k8-256x8"] {
        let architecture = shape(name).unwrap();
        let features = ChessFeatures::new(&architecture).unwrap();
        let network = Network::quantise(&architecture, &FloatWeights::random(&architecture, 5)).unwrap();
        let eval = NnueEval::new(Arc::new(Prepared::new(&network).unwrap()), features);
        evaluator_invariants(&board(STARTS[1]), &eval, 0..5);
    }
}

/// The inputs are those of other programs' nets: own pieces first, the board as the side sees it.
#[test]
fn inputs_are_the_usual_ones() {
    let plain = ChessFeatures::new(&shape("chess-768x32").unwrap()).unwrap();
    let pos = board("4k3/8/8/8/8/8/P6r/4K3 w - - 0 1");
    let (pawn, king, rook) = (0, 5 * 64, 3 * 64);
    assert_eq!(plain.active(&pos, Side::First), [pawn + 8, king + 4, 384 + rook + 15, 384 + king + 60]);
    assert_eq!(plain.active(&pos, Side::Second), [rook + 55, king + 4, 384 + pawn + 48, 384 + king + 60]);
    // Mirrored: both kings stand on the right half, so that files are turned over.
    let mirrored = ChessFeatures::new(&shape("chess-768m-128").unwrap()).unwrap();
    assert_eq!(mirrored.active(&pos, Side::First), [pawn + 15, king + 3, 384 + rook + 8, 384 + king + 59]);
    let full = board(STARTS[0]);
    assert_eq!(plain.output_bucket(&full, 8), 7);
    assert_eq!(plain.output_bucket(&pos, 8), 0);
    assert_eq!(full.of(Side::First, Piece::Pawn).count(), 8);
}

#[test]
fn nets_of_other_kinds_are_refused() {
    let refused = |change: fn(&mut tesuji_nn::nnue::Architecture), words: &str| {
        let mut architecture = shape("chess-768x32").unwrap();
        change(&mut architecture);
        let error = ChessFeatures::new(&architecture).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(|a| a.game = "shogi".into(), "the net is for `shogi`, expected `chess`");
    refused(|a| a.features.set = "halfkp".into(), "`features.set` is `halfkp`, expected one of 768, 768-mirrored");
    refused(|a| a.features.inputs = 767, "`features.inputs` is 767, expected 768");
    refused(|a| a.features.king_buckets = vec![0; 64], "has 64 entries, expected 0 for `768`");
    refused(|a| a.features.set = "768-buckets".into(), "has 0 entries, expected 64");
}
