//! Mates found, results proven.

use super::{line_of, oracles::Blank, roller, searcher, think};
use crate::watch::{self, depth, nodes, random_line};
use tesuji_game::{Choice, Limits, Random};
use tesuji_search::{
    Searcher,
    mcts::{Mcts, Parameters},
};
use tesuji_testkit::four::Drop;

#[test]
fn a_win_on_the_spot_is_played() {
    let line = line_of(&[3, 0, 3, 0, 3, 0]);
    let report = think(&mut Mcts::new(Blank), &line, &nodes(1000));
    assert_eq!(report.choice, Some(Choice::Play(Drop(3))));
    assert_eq!(report.lines[0].value.mate_plies(), Some(1));
    assert!(report.nodes < 20, "{} playouts", report.nodes);
}

#[test]
fn an_open_three_wins_in_three() {
    let line = line_of(&[3, 3, 2, 2]);
    for parameters in [Parameters::default(), Parameters { rule: "ucb1".into(), ..Parameters::default() }] {
        let report = think(&mut roller(parameters), &line, &nodes(20_000));
        assert_eq!(report.lines[0].value.mate_plies(), Some(3));
        assert_eq!(report.lines[0].pv.len(), 3);
    }
    let limits = Limits { mate_plies: Some(3), ..Limits::default() };
    assert_eq!(think(&mut searcher(), &line, &limits).lines[0].value.mate_plies(), Some(3));
}

/// A side that loses whatever it does knows it, and holds out as long as it can.
#[test]
fn losses_are_proven_and_put_off() {
    let line = line_of(&[3, 3, 2, 2, 1]);
    let report = think(&mut searcher(), &line, &nodes(20_000));
    assert_eq!(report.lines[0].value.mate_plies(), Some(-2));
}

/// What is proven in late positions is what depth-first search finds, and where it is a win, the move keeps it.
#[test]
fn proven_results_are_true() {
    let mut random = Random::new(31);
    let mut proven = 0;
    for _ in 0..40 {
        let line = random_line(&mut random, 26);
        let mut truth = watch::searcher();
        let exact = |line: &_, truth: &mut _| {
            let report = crate::watch::think(truth, line, &depth(42));
            report.lines.first().map_or(-1, |l| l.value.mate_plies().map_or(0, i32::signum))
        };
        let report = think(&mut Mcts::new(Blank), &line, &nodes(30_000));
        let best = &report.lines[0];
        let sign = best.value.mate_plies().map(|p| if p > 0 { 1 } else { -1 });
        if let Some(sign) = sign {
            proven += 1;
            let wanted = exact(&line, &mut truth);
            assert_eq!(sign, if wanted > 0 { 1 } else { -1 }, "{:?}", line.moves().collect::<Vec<_>>());
            assert_ne!(wanted, 0);
        }
    }
    assert!(proven >= 15, "only {proven} proven");
}

/// A drawn ending is proven drawn: the search ends by itself.
#[test]
fn draws_are_proven() {
    let mut random = Random::new(8);
    let mut drawn = 0;
    for _ in 0..60 {
        let line = random_line(&mut random, 34);
        let truth = crate::watch::think(&mut watch::searcher(), &line, &depth(20));
        let report = think(&mut Mcts::new(Blank), &line, &nodes(100_000));
        assert!(report.nodes < 100_000, "every position of 34 discs is solved");
        assert_eq!(report.lines[0].value.is_mate(), truth.lines[0].value.is_mate());
        drawn += u32::from(!report.lines[0].value.is_mate());
    }
    assert!(drawn >= 2, "{drawn} draws");
}

/// Without proofs a search goes on to its limit.
#[test]
fn proofs_can_be_left_out() {
    let line = line_of(&[3, 3, 2, 2]);
    let mut search = searcher();
    search.options().set("Proofs", "false").expect("an option");
    let report = think(&mut search, &line, &nodes(3000));
    assert_eq!(report.nodes, 3000);
    assert!(report.lines[0].value.mate_plies().is_none() && report.lines[0].value.raw() > 300);
}
