//! Networks kept up to date move by move give what fresh ones give, through captures, drops, promotions and walks of kings.

use crate::{MATSURI, board};
use std::sync::Arc;
use tesuji_game::{Evaluator, Position, Random, Side};
use tesuji_nn::nnue::{FeatureSet, FloatWeights, Network, NnueEval, Prepared};
use tesuji_shogi::{Board, sfen};
use tesuji_shogi_eval::nnue::{ShogiFeatures, shape};
use tesuji_testkit::conform::evaluator_invariants;

/// The value computed without any accumulator kept.
fn fresh(network: &Network, features: &ShogiFeatures, pos: &Board) -> i32 {
    let side = pos.side_to_move();
    let bucket = features.output_bucket(pos, network.architecture.output_buckets);
    network.value(&features.active(pos, side), &features.active(pos, !side), bucket)
}

fn network(name: &str) -> (Network, ShogiFeatures) {
    let architecture = shape(name).unwrap();
    let features = ShogiFeatures::new(&architecture).unwrap();
    (Network::quantise(&architecture, &FloatWeights::random(&architecture, 5)).unwrap(), features)
}

/// Walks at random, back and forth, and asks for values at some positions only: how often something was dropped, taken and
/// promoted, and a king moved.
fn walk(name: &str, starts: &[&str]) -> [usize; 4] {
    let (network, features) = network(name);
    let mut eval = NnueEval::new(Arc::new(Prepared::new(&network).unwrap()), features);
    let mut seen = [0; 4];
    for (seed, start) in starts.iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let mut pos = board(start);
        eval.reset(&pos);
        let mut path = Vec::new();
        for _ in 0..300 {
            let mut moves = Vec::new();
            let _ = pos.for_each_move(|mv| {
                moves.push(mv);
                std::ops::ControlFlow::<()>::Continue(())
            });
            if moves.is_empty() || random.below(5) == 0 {
                if let Some((mv, undo)) = path.pop() {
                    pos.undo(mv, undo);
                    eval.pop();
                }
            } else {
                let mv = moves[random.below(moves.len())];
                let mut changes = Vec::new();
                let kings = Side::ALL.map(|side| pos.king(side));
                let undo = pos.play_seen(mv, |change| changes.push(change));
                eval.push(&pos, &changes);
                path.push((mv, undo));
                seen[0] += usize::from(mv.dropped().is_some());
                seen[1] += usize::from(changes.len() == 4);
                seen[2] += usize::from(mv.is_promotion());
                seen[3] += usize::from(kings != Side::ALL.map(|side| pos.king(side)));
            }
            if random.below(3) > 0 {
                assert_eq!(eval.value(&pos).raw(), fresh(&network, &features, &pos), "{name}");
            }
        }
    }
    seen
}

#[test]
fn kept_accumulators_are_fresh_ones() {
    // Without the first side's king, as in mate problems.
    let problem = "9/9/9/9/4k4/9/9/9/9 b 2R2B4G4S4N4L18P 1";
    for name in [
        "shogi-2344-32",
        "shogi-2344-256x8",
        "shogi-kp-256",
        "shogi-kp-256x2-32-32",
        "shogi-halfkp-256x2-32-32",
        "shogi-kpk8-256x8",
    ] {
        let seen = walk(name, &[sfen::START, MATSURI, sfen::START, problem, MATSURI]);
        assert!(seen.iter().all(|&count| count > 20), "{name}: {seen:?}");
    }
}

#[test]
fn evaluators_keep_the_invariants() {
    for name in ["shogi-2344-32", "shogi-kp-256x2-32-32"] {
        let (network, features) = network(name);
        let eval = NnueEval::new(Arc::new(Prepared::new(&network).unwrap()), features);
        evaluator_invariants(&board(MATSURI), &eval, 0..3);
    }
}

#[test]
fn inputs_have_their_places() {
    // Two pawns and a rook in White's hand; Black's king on 5i, White's on 5a, a tokin on 2b.
    let pos = board("4k4/7+P1/9/9/9/9/9/9/4K4 b r2p 1");
    let (square, side) = (|file: u32, rank: u32| 9 * (file - 1) + rank, 1172);
    assert_eq!(
        ShogiFeatures::Plain.active(&pos, Side::First),
        [
            7 * 81 + square(5, 8),
            8 * 81 + square(2, 1),
            side + 7 * 81 + square(5, 0),
            side + 1134,
            side + 1135,
            side + 1134 + 32
        ]
    );
    let gold = 90 + 8 * 81;
    let pieces = [20, 21, 88, gold + square(2, 1)];
    let kings = [1548 + square(5, 8), 1548 + 81 + square(5, 0)];
    assert_eq!(ShogiFeatures::Kp.active(&pos, Side::First), [&pieces[..], &kings].concat());
    // The king on 5i is in the bucket of the middle of the last ranks, and mirrors nothing; on 8i it mirrors all.
    let buckets = ShogiFeatures::new(&shape("shogi-kpk8-256x8").unwrap()).unwrap();
    let middle = [&pieces[..], &kings].concat().iter().map(|input| 4 * 1710 + input).collect::<Vec<u32>>();
    assert_eq!(buckets.active(&pos, Side::First), middle);
    let castled = board("4k4/7+P1/9/9/9/9/9/9/1K7 b r2p 1");
    let mirrored = [20, 21, 88, gold + square(8, 1), 1548 + square(2, 8), 1548 + 81 + square(5, 0)];
    assert_eq!(buckets.active(&castled, Side::First), mirrored.map(|input| 1710 + input));
    let half: Vec<u32> = pieces.iter().map(|input| 1548 * square(5, 8) + input).collect();
    assert_eq!(ShogiFeatures::HalfKp.active(&pos, Side::First), half);
    // The other side holds the same, and sees the tokin on 8h, the opponent's.
    let own = [1, 2, 85, gold + 81 + square(8, 7)];
    assert_eq!(ShogiFeatures::HalfKp.active(&pos, Side::Second), own.map(|input| 1548 * square(5, 8) + input));
}

#[test]
fn nets_of_other_kinds_are_refused() {
    let refused = |change: fn(&mut tesuji_nn::nnue::Architecture), words: &str| {
        let mut architecture = shape("shogi-2344-32").unwrap();
        change(&mut architecture);
        let error = ShogiFeatures::new(&architecture).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(|a| a.game = "chess".into(), "the net is for `chess`, expected `shogi`");
    refused(
        |a| a.features.set = "768".into(),
        "`features.set` is `768`, expected one of 2344, kp, halfkp, kp-mirrored-buckets",
    );
    refused(|a| a.features.inputs = 3, "`features.inputs` is 3, expected 2344");
    refused(|a| a.features.active_max = 38, "`features.active_max` is 38, expected 40");
}
