//! Whole games: against a player that draws its moves by lot, and against fewer playouts.

use super::{line_of, oracles::Playouts, searcher, think};
use crate::watch::nodes;
use tesuji_game::{Choice, Limits, Line, Random, Side};
use tesuji_search::{Searcher, mcts::Mcts};
use tesuji_testkit::four::{Drop, FourPosition};

/// A player: the move at the end of a line.
type Mover<'a> = &'a mut dyn FnMut(&Line<FourPosition>) -> Drop;

/// Plays a game; the score of the first player.
fn game(players: [Mover<'_>; 2]) -> f64 {
    let mut line = line_of(&[]);
    let [first, second] = players;
    loop {
        if let Some(outcome) = line.outcome() {
            return outcome.score(Side::First);
        }
        let mv = if line.len().is_multiple_of(2) { first(&line) } else { second(&line) };
        line.push(mv);
    }
}

fn mover<'a, S: Searcher<FourPosition>>(
    search: &'a mut S,
    limits: &'a Limits,
) -> impl FnMut(&Line<FourPosition>) -> Drop + 'a {
    |line| match think(search, line, limits).choice {
        Some(Choice::Play(mv)) => mv,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_beats_chance() {
    let (mut rolls, mut evals) = (Mcts::new(Playouts::new(1)), searcher());
    let mut random = Random::new(77);
    let limits = nodes(200);
    let mut score = 0.0;
    for i in 0..40 {
        rolls.new_game();
        evals.new_game();
        let mut by_lot = |line: &Line<FourPosition>| {
            let mut moves = Vec::new();
            line.legal_moves(&mut moves);
            moves[random.below(moves.len())]
        };
        let first = if i % 4 < 2 {
            game([&mut mover(&mut rolls, &limits), &mut by_lot])
        } else {
            game([&mut by_lot, &mut mover(&mut evals, &limits)])
        };
        score += if i % 4 < 2 { first } else { 1.0 - first };
    }
    assert!(score >= 39.0, "{score} of 40");
}

/// More playouts play better.
#[test]
fn playouts_are_strength() {
    let mut score = 0.0;
    for i in 0..20u64 {
        let (mut many, mut few) = (Mcts::new(Playouts::new(i)), Mcts::new(Playouts::new(100 + i)));
        let (much, little) = (nodes(800), nodes(25));
        score += if i % 2 == 0 {
            game([&mut mover(&mut many, &much), &mut mover(&mut few, &little)])
        } else {
            1.0 - game([&mut mover(&mut few, &little), &mut mover(&mut many, &much)])
        };
    }
    assert!(score >= 16.0, "{score} of 20");
}
