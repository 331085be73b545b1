//! The oracle's answers, and tree search with them.

use super::position;
use std::sync::Arc;
use tesuji_game::{Answer, Line, Oracle, Query};
use tesuji_go::{BLACK, GoPosition, Move, Small, WHITE};
use tesuji_go_eval::{Gammas, PlayoutOracle, PlayoutParameters, PlayoutStrengths};
use tesuji_options::Options;
use tesuji_search::mcts::{BatchedTree, Parameters, Tree, grow_all};

fn parameters(playouts: usize, policy: &str) -> PlayoutParameters {
    PlayoutParameters { playouts, policy: policy.into(), margin_share: 0.0, ..PlayoutParameters::default() }
}

fn ask(line: &Line<GoPosition<Small>>, parameters: PlayoutParameters) -> (Vec<Move>, Answer) {
    let mut query = Query::new(line.clone());
    line.legal_moves(&mut query.moves);
    let mut batch = [query];
    PlayoutOracle::new(parameters).ask(&mut batch).unwrap();
    let [query] = batch;
    (query.moves, query.answer)
}

#[test]
fn answers_are_for_the_side_to_move() {
    let rows = ["X.X.X", "XXXXX", "XXXXX", "OOOOO", "O.O.O"];
    for (side, value, score) in [(BLACK, 1.0, 4.5), (WHITE, -1.0, -4.5)] {
        let line = Line::new(position("5x5 chinese komi 0.5", &rows, side));
        let (moves, answer) = ask(&line, parameters(10, "light"));
        assert_eq!((answer.value, answer.score, answer.draw), (value, Some(score), 0.0));
        assert_eq!(answer.ownership.len(), 25);
        // A5 is Black's.
        assert_eq!(answer.ownership[20], value);
        assert_eq!(answer.policy.len(), moves.len());
        let sum: f32 = answer.policy.iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        let good = |list: &Vec<tesuji_game::AsFirst>| {
            list.iter().all(|s| (0.0..=1.0).contains(&s.weight) && s.value.abs() <= 1.0)
        };
        assert!(answer.as_first.iter().all(good));
    }
}

/// The prior of a pass for Black after White's.
fn pass_prior(komi: &str) -> f32 {
    // The black stone at A2 is dead, but until it is taken it spoils three points of White.
    let rows = [".OOX.", "OOOXX", ".OOX.", "XOOXX", ".OOXX"];
    let mut line = Line::new(position(&format!("5x5 chinese komi {komi}"), &rows, WHITE));
    line.push(Move::PASS);
    let (moves, answer) = ask(&line, parameters(1, "heavy"));
    let pass = moves.iter().position(|mv| mv.is_pass()).unwrap();
    answer.policy[pass]
}

#[test]
fn a_pass_is_not_thought_of_where_the_dead_decide() {
    assert!(pass_prior("-2") < 1e-3);
    // Won or lost whatever the judge says.
    assert!(pass_prior("-10") > 0.01 && pass_prior("10") > 0.01);
}

#[test]
fn every_option_has_bounds() {
    let mut parameters = PlayoutParameters::default();
    assert!(parameters.set("Playouts", "0").is_err());
    assert!(parameters.set("PlayoutPolicy", "clever").is_err());
    assert!(parameters.set("PlayoutPolicy", "light").is_ok());
}

/// The most visited move of a search.
fn best(pos: GoPosition<Small>, rule: &str, policy: &str, playouts: u64) -> String {
    let line = Line::new(pos);
    let tree = Tree::new(&line, &Parameters { rule: rule.into(), ..Parameters::default() }, 1 << 24);
    tree.set_budget(Some(playouts));
    let batched = [BatchedTree { tree: &tree, line: &line }];
    let strengths = Arc::new(PlayoutStrengths::new(&Gammas::playouts()));
    let mut oracle = PlayoutOracle::new(parameters(1, policy)).with_playouts(strengths);
    grow_all(&batched, 1, &mut oracle, &mut Vec::new()).unwrap();
    tree.root_moves().into_iter().max_by_key(|arm| arm.visits).unwrap().mv.to_string()
}

#[test]
fn search_takes_what_wins() {
    // White to move kills the large black group at the middle of its three points; Black to move lives there.
    let rows = ["O.O.O", "OOOOO", "XXXXX", "X...X", "XXXXX"];
    for rule in ["rave", "puct", "ucb1"] {
        for policy in ["light", "heavy", "learned", "mixed"] {
            for side in [BLACK, WHITE] {
                let pos = position("5x5 chinese komi 4", &rows, side);
                assert_eq!(best(pos, rule, policy, 800), "C2", "{rule} {policy} {side:?}");
            }
        }
    }
}
