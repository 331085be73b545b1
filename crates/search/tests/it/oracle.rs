//! The search against plain minimax: without unsound steps it finds exactly the same value, with them the same winner.

use crate::watch::{depth, random_line, searcher, think};
use std::ops::ControlFlow::Continue;
use tesuji_game::{Choice, Evaluator, Line, Position, Random, Value};
use tesuji_search::{Searcher, alpha_beta::Parameters};
use tesuji_testkit::four::{FourEval, FourPosition};

/// Minimax with alpha-beta and nothing else.
fn minimax(pos: &FourPosition, mut alpha: i32, beta: i32, depth: u32, ply: i32) -> i32 {
    if let Some(outcome) = pos.ended(&[], 0) {
        return match outcome.winner {
            None => 0,
            Some(w) if w == pos.side_to_move() => Value::mate_in(ply).raw(),
            Some(_) => Value::mated_in(ply).raw(),
        };
    }
    if depth == 0 {
        let mut eval = FourEval::default();
        eval.reset(pos);
        return eval.value(pos).raw();
    }
    let mut moves = Vec::new();
    let _ = pos.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    let mut best = -Value::INFINITE.raw();
    for mv in moves {
        let mut next = *pos;
        next.play(mv);
        best = best.max(-minimax(&next, -beta, -alpha, depth - 1, ply + 1));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

fn value_of(pos: &FourPosition, depth: u32) -> i32 {
    minimax(pos, -Value::INFINITE.raw(), Value::INFINITE.raw(), depth, 0)
}

#[test]
fn plain_search_is_minimax() {
    let mut random = Random::new(11);
    let mut search = searcher();
    search.set_parameters(Parameters::plain());
    for i in 0..150 {
        let plies = random.below(36);
        let line = random_line(&mut random, plies);
        let d = 1 + i % 7;
        let report = think(&mut search, &line, &depth(d));
        // Every second time the table still holds what other searches left: it must not matter.
        if i % 2 == 0 {
            search.new_game();
        }
        assert_eq!(report.lines[0].value.raw(), value_of(line.here(), d), "depth {d} after {plies} plies");
    }
}

/// Mate-distance pruning changes no value at the root.
#[test]
fn mate_distance_changes_no_value() {
    let mut random = Random::new(12);
    let mut search = searcher();
    search.set_parameters(Parameters { mate_distance: true, ..Parameters::plain() });
    for i in 0..60 {
        let line = random_line(&mut random, 4 + i % 30);
        let report = think(&mut search, &line, &depth(8));
        assert_eq!(report.lines[0].value.raw(), value_of(line.here(), 8), "after {} plies", line.len());
    }
}

/// All steps together find the winner and the shortest way of solved positions.
#[test]
fn the_whole_search_solves_endings() {
    let mut random = Random::new(13);
    let mut search = searcher();
    for _ in 0..40 {
        let line = random_line(&mut random, 26);
        let truth = Value::from_raw(value_of(line.here(), 16));
        let report = think(&mut search, &line, &depth(24));
        let found = report.lines[0].value;
        assert_eq!(found.mate_plies().map(i32::signum), truth.mate_plies().map(i32::signum), "{found:?} for {truth:?}");
        if truth.mate_plies().is_none() {
            assert_eq!(found.raw(), truth.raw(), "a full board is a draw");
        }
    }
}

/// Lines are playable, and a mate's line ends in the mate it promises.
#[test]
fn lines_are_legal_and_lead_to_the_mate() {
    let mut random = Random::new(14);
    let mut search = searcher();
    for i in 0..60 {
        let line = random_line(&mut random, 8 + i % 24);
        let report = think(&mut search, &line, &depth(12));
        let best = &report.lines[0];
        assert_eq!(report.choice, Some(Choice::Play(best.pv[0])));
        let mut walk: Line<FourPosition> = line.clone();
        let mut legal = Vec::new();
        for &mv in &best.pv {
            walk.legal_moves(&mut legal);
            assert!(legal.contains(&mv), "{mv:?} in {:?}", best.pv);
            walk.push(mv);
        }
        if let Some(plies) = best.value.mate_plies()
            && plies.unsigned_abs() as usize == best.pv.len()
        {
            assert!(walk.outcome().is_some_and(|o| o.winner.is_some()), "{:?} promises {plies}", best.pv);
        }
    }
}
